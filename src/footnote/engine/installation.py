"""The verbs of an installation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footnote.answering import QuotingAnswerer
from footnote.answering.suspicion import Suspicion
from footnote.domain import (
    LOCAL_PRINCIPAL,
    Health,
    Lane,
    Principal,
    Workspace,
)
from footnote.engine.answer_cache import AnswerCache
from footnote.engine.answer_runs import AnswerRuns
from footnote.engine.arguments import require
from footnote.engine.health import look
from footnote.engine.lanes import KnownLanes
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import Conflict, InvalidRequest, NotFound, NotReady
from footnote.ingestion.labels import checked_principal
from footnote.ingestion.rendering.renderer import PageRenderer
from footnote.models.answer_models import AnswerModels
from footnote.models.breaker import GuardedReranker
from footnote.models.embedders import Embedders
from footnote.models.judges import OwnedJudge
from footnote.models.readers import OwnedReader
from footnote.ports import Analyzer, Blobs, Embedder
from footnote.retrieval.pipeline import Search
from footnote.settings import Settings
from footnote.store.database import SYSTEM, Database
from footnote.store.events import Listener
from footnote.store.index_cache import IndexCache
from footnote.store.publishing import MaintenanceLimits
from footnote.store.revival import KeptPostgres
from footnote.store.vector_cache import VectorCache
from footnote.store.workspaces import create_workspace, find_workspace, list_workspaces

if TYPE_CHECKING:
    # It brings the client libraries of an extra.
    from footnote.models.writing import WritingModel


@dataclass(slots=True, kw_only=True)
class Engine:
    """Footnote, started. Made by `open_engine`; `close` it, or use it as a context manager."""

    settings: Settings
    lane: Lane
    """Of new workspaces."""
    database: Database
    database_url: str = field(repr=False)
    """Where the application role connects."""
    owner_url: str = field(repr=False)
    blobs: Blobs
    pages: PageRenderer
    listener: Listener
    embedder: Embedder
    """Of new workspaces; `lanes.embedder_for` knows that of each."""
    embedders: Embedders
    analyzer: Analyzer
    cache: IndexCache
    vector_cache: VectorCache
    search_stages: Search
    answerer: QuotingAnswerer
    answer_models: AnswerModels
    reranker: GuardedReranker | None = None
    model: WritingModel | None = None
    reader: OwnedReader | None = None
    """What finds answers in passages; None where there is none, or it is switched off."""
    suspicion: Suspicion = field(default_factory=Suspicion)
    """Tells texts that give orders to a model."""
    judge: OwnedJudge | None = None
    """Of how far quotes carry what a model wrote."""
    server: KeptPostgres | None = None
    known_lanes: KnownLanes = field(default_factory=KnownLanes)
    answer_cache: AnswerCache = field(default_factory=lambda: AnswerCache(capacity_bytes=0))
    answer_runs: AnswerRuns = field(default_factory=AnswerRuns)
    """Streamed answers under way and just given."""

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def maintenance_limits(self) -> MaintenanceLimits:
        """When a workspace's index wants tending."""
        return MaintenanceLimits(
            merge_fan_in=self.settings.merge_fan_in,
            hnsw_threshold_chunks=self.settings.hnsw_threshold_chunks,
        )

    async def create_workspace(self, name: str) -> Workspace:
        """Make a workspace. Raises Conflict, or InvalidRequest for an odd name."""
        require(str, "a text", name=name)
        self.require_open()
        return await create_workspace(self.database, name)

    async def workspaces(self) -> tuple[Workspace, ...]:
        """Every workspace by name: an operator's view, through the owner's login."""
        return await list_workspaces(self.owner_url)

    async def workspace(
        self, name: str | None = None, principal: Principal = LOCAL_PRINCIPAL
    ) -> WorkspaceEngine:
        """The verbs of one workspace, as one principal.

        The default workspace is made when it is first used; others must exist (NotFound).
        """
        require(str | None, "a text", name=name)
        require(Principal, "a footnote.Principal", principal=principal)
        checked_principal(principal)
        self.require_open()
        if SYSTEM.principal_id in principal.access_names:
            raise InvalidRequest(f"nobody may act as {SYSTEM.principal_id!r}")
        wanted = name or self.settings.default_workspace
        try:
            found = await find_workspace(self.database, wanted)
        except NotFound:
            if wanted != self.settings.default_workspace:
                raise
            found = await self._make_default(wanted)
        return WorkspaceEngine(engine=self, workspace=found, principal=principal)

    async def health(self) -> Health:
        """Whether it can serve at this moment."""
        return await look(self.database, self.lane, self.settings.home)

    def require_open(self) -> None:
        """Raise NotReady once it was closed."""
        if self.database.pool.closed:
            raise NotReady("the engine was closed", hint="open it again: footnote.open()")

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
