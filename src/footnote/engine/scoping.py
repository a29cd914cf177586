"""One workspace of an engine as one principal: what its verbs are handed."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from footnote.domain import Lane, Principal, Workspace
from footnote.engine.services import Services
from footnote.ports import Index
from footnote.store.database import WorkspaceScope
from footnote.store.dense import DenseBreadth
from footnote.store.recall import PostgresIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceAccess:
    """One workspace as one principal; no other can be reached through it."""

    engine: Services
    workspace: Workspace
    principal: Principal

    def require_open(self) -> None:
        """Raise NotReady once the engine was closed."""
        self.engine.require_open()

    def index_in(self, lane: Lane) -> Index:
        """What is searched, as the principal may see it."""
        return PostgresIndex(
            database=self.engine.database,
            workspace=self.workspace,
            principal=self.principal,
            lane=lane,
            cache=self.engine.cache,
            vector_cache=self.engine.vector_cache,
            breadth=DenseBreadth(exact_up_to=self.engine.settings.hnsw_threshold_chunks),
        )


def scope_of(workspace: WorkspaceAccess) -> AbstractAsyncContextManager[WorkspaceScope]:
    """A transaction in the workspace, as its principal. Raises NotReady once it was closed."""
    workspace.require_open()
    return workspace.engine.database.workspace(
        workspace.workspace.workspace_id, workspace.principal
    )
