"""The engine without `async`: the same verbs, over a bridge to an event loop in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from anyio.from_thread import BlockingPortal, start_blocking_portal

from footnote.bridge import blocking
from footnote.domain import LOCAL_PRINCIPAL, Document, Identity, Lane, Principal, Workspace
from footnote.domain.credentials import Caller
from footnote.engine import Engine, WorkspaceEngine, WorkspaceVerbs, open_engine
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings


@dataclass(frozen=True, slots=True)
class SyncWorkspaceEngine(WorkspaceVerbs):
    """The verbs of `WorkspaceEngine`, each waiting for its result."""

    portal: BlockingPortal
    engine: Engine
    inner: WorkspaceEngine

    @property
    def workspace(self) -> Workspace:
        """The workspace everything happens in."""
        return self.inner.workspace

    @property
    def principal(self) -> Principal:
        """Who acts."""
        return self.inner.principal

    def after_position(self, written: str) -> SyncWorkspaceEngine:
        """The same workspace, of which replicas are read once they have come so far.

        `latest` is as far as the primary is now. Raises InvalidRequest.
        """
        return replace(self, inner=self.portal.call(self.inner.after_position, written))

    def work_until_resting(
        self,
        document_ids: Sequence[UUID],
        on_change: Callable[[Mapping[UUID, Document]], None] = lambda _: None,
    ) -> Mapping[UUID, Document]:
        """Index these documents in this process and return them with their attachments."""
        self.inner.require_open()
        return self.portal.call(
            work_until_resting, self.engine, self.inner, document_ids, on_change
        )


@dataclass(frozen=True, slots=True)
class SyncEngine:
    """`Engine`, blocking."""

    portal: BlockingPortal
    inner: Engine

    @property
    def settings(self) -> Settings:
        """The settings it was opened with."""
        return self.inner.settings

    @property
    def lane(self) -> Lane:
        """The lane documents are embedded in."""
        return self.inner.lane

    def workspace(
        self, name: str | None = None, principal: Principal = LOCAL_PRINCIPAL
    ) -> SyncWorkspaceEngine:
        """The engine inside a workspace. Raises NotFound."""
        self.inner.require_open()
        inner = self.portal.call(self.inner.workspace, name, principal)
        return SyncWorkspaceEngine(self.portal, self.inner, inner)

    def enter(self, name: str | None, identity: Identity) -> SyncWorkspaceEngine:
        """The engine inside a workspace, as somebody whom a credential proved. Raises NotFound."""
        self.inner.require_open()
        inner = self.portal.call(self.inner.enter, name, identity)
        return SyncWorkspaceEngine(self.portal, self.inner, inner)

    def enter_as(
        self,
        caller: Caller | None,
        name: str | None = None,
        *,
        user_id: str | None = None,
        collections: Sequence[str] = (),
        chunk_id: str | None = None,
    ) -> SyncWorkspaceEngine:
        """The engine inside a workspace, as whoever was proved to ask; see `Engine.enter_as`."""
        self.inner.require_open()
        entering = partial(
            self.inner.enter_as,
            caller,
            name,
            user_id=user_id,
            collections=collections,
            chunk_id=chunk_id,
        )
        return SyncWorkspaceEngine(self.portal, self.inner, self.portal.call(entering))

    caller = blocking(Engine.caller)
    shared = blocking(Engine.shared)
    encryption_status = blocking(Engine.encryption_status)
    rotate_master_key = blocking(Engine.rotate_master_key)
    rotate_data_key = blocking(Engine.rotate_data_key)
    export_keys = blocking(Engine.export_keys)
    import_keys = blocking(Engine.import_keys)
    destroy_workspace = blocking(Engine.destroy_workspace)
    create_workspace = blocking(Engine.create_workspace)
    workspaces = blocking(Engine.workspaces)
    trace = blocking(Engine.trace)
    traces = blocking(Engine.traces)
    health = blocking(Engine.health)


@contextmanager
def open_blocking(settings: Settings) -> Iterator[SyncEngine]:
    """An open engine behind a bridge; both end with the block."""
    with start_blocking_portal() as portal:
        engine = portal.call(open_engine, settings)
        try:
            yield SyncEngine(portal, engine)
        finally:
            portal.call(engine.close)
