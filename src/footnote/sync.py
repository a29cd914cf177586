"""The blocking twin of the engine: the same verbs, over one bridge to a background event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from anyio.from_thread import BlockingPortal, start_blocking_portal

from footnote.bridge import blocking, blocking_iterator
from footnote.domain import LOCAL_PRINCIPAL, Document, Lane, Principal, Workspace
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings


@dataclass(frozen=True, slots=True)
class SyncWorkspaceEngine:
    """`WorkspaceEngine`, blocking."""

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

    receive = blocking(WorkspaceEngine.receive)
    receive_file = blocking(WorkspaceEngine.receive_file)
    documents = blocking(WorkspaceEngine.documents)
    document = blocking(WorkspaceEngine.document)
    children = blocking(WorkspaceEngine.children)
    delete_document = blocking(WorkspaceEngine.delete_document)
    erase_document = blocking(WorkspaceEngine.erase_document)
    retry = blocking(WorkspaceEngine.retry)
    retry_all = blocking(WorkspaceEngine.retry_all)
    retry_failed = blocking(WorkspaceEngine.retry_failed)
    statuses = blocking(WorkspaceEngine.statuses)
    search = blocking(WorkspaceEngine.search)
    context = blocking(WorkspaceEngine.context)
    page_image = blocking(WorkspaceEngine.page_image)
    page_fingerprint = blocking(WorkspaceEngine.page_fingerprint)
    page_rectangles = blocking(WorkspaceEngine.page_rectangles)
    pages_of_quote = blocking(WorkspaceEngine.pages_of_quote)
    ask = blocking(WorkspaceEngine.ask)
    ask_stream = blocking_iterator(WorkspaceEngine.ask_stream)
    check_grounding = blocking(WorkspaceEngine.check_grounding)
    stats = blocking(WorkspaceEngine.stats)
    lanes = blocking(WorkspaceEngine.lanes)
    reembed = blocking(WorkspaceEngine.reembed)
    reembedding = blocking(WorkspaceEngine.reembedding)
    cancel_reembedding = blocking(WorkspaceEngine.cancel_reembedding)
    rollback_lane = blocking(WorkspaceEngine.rollback_lane)
    purge_lanes = blocking(WorkspaceEngine.purge_lanes)

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

    create_workspace = blocking(Engine.create_workspace)
    workspaces = blocking(Engine.workspaces)
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
