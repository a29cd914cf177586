"""The verbs of an installation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnote.domain import (
    LOCAL_PRINCIPAL,
    Health,
    Workspace,
)
from footnote.domain.identity import DEFAULT_WORKSPACE
from footnote.engine.health import look
from footnote.engine.services import Services
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import Conflict, InvalidRequest, NotFound
from footnote.store.database import SYSTEM
from footnote.store.workspaces import create_workspace, find_workspace, list_workspaces
from footnote.validation.arguments import checks_arguments
from footnote.validation.constrained_types import ActingPrincipal

if TYPE_CHECKING:
    # It brings the client libraries of an extra.
    pass


@checks_arguments
@dataclass(slots=True, kw_only=True)
class Engine(Services):
    """Footnote, started. Made by `open_engine`; `close` it, or use it as a context manager."""

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def create_workspace(self, name: str) -> Workspace:
        """Make a workspace. Raises Conflict, or InvalidRequest for an odd name."""
        self.require_open()
        return await create_workspace(self.database, name)

    async def workspaces(self) -> tuple[Workspace, ...]:
        """Every workspace by name: an operator's view, through the owner's login."""
        return await list_workspaces(self.owner_url)

    async def workspace(
        self, name: str | None = None, principal: ActingPrincipal = LOCAL_PRINCIPAL
    ) -> WorkspaceEngine:
        """The verbs of one workspace, as one principal.

        The default workspace is made when it is first used; others must exist (NotFound).
        """
        self.require_open()
        if SYSTEM.principal_id in principal.access_names:
            raise InvalidRequest(f"nobody may act as {SYSTEM.principal_id!r}")
        wanted = name or DEFAULT_WORKSPACE
        try:
            found = await find_workspace(self.database, wanted)
        except NotFound:
            if wanted != DEFAULT_WORKSPACE:
                raise
            found = await self._make_default(wanted)
        return WorkspaceEngine(engine=self, workspace=found, principal=principal)

    async def health(self) -> Health:
        """Whether it can serve at this moment."""
        return await look(self.database, self.lane, self.settings.home)

    async def close(self) -> None:
        """Let go of everything; the embedded Postgres stops when nobody else uses it."""
        await self.answer_runs.close()
        await self.pages.aclose()
        await self.embedders.close()
        await self.answer_models.close()
        for model in (self.judge, self.reranker, self.model, self.reader):
            if model is not None:
                await model.close()
        await self.vector_cache.close()
        await self.listener.close()
        await self.database.pool.close()
        if self.server is not None:
            await self.server.release()

    async def _make_default(self, name: str) -> Workspace:
        try:
            return await create_workspace(self.database, name)
        except Conflict:
            return await find_workspace(self.database, name)
