"""The verbs of one workspace, as one principal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from uuid import UUID

from footnote.answering.answerer import completed
from footnote.domain import (
    Answer,
    Document,
    DocumentPage,
    DocumentStatus,
    Erasure,
    LaneStatus,
    PassageContext,
    PlanChanges,
    Reembedding,
    Retried,
    SearchFilters,
    Turn,
    WorkspaceStats,
)
from footnote.engine import lanes as lane_verbs
from footnote.engine import pages as page_verbs
from footnote.engine.answering import ask_stream
from footnote.engine.erasing import erase
from footnote.engine.grounding import check_grounding
from footnote.engine.lanes import lane_of_workspace
from footnote.engine.receiving import receive, receive_file
from footnote.engine.retrying import try_again, try_each_again
from footnote.engine.scoping import WorkspaceAccess, scope_of
from footnote.engine.searching import search
from footnote.store.blob_claims import remove_unused
from footnote.store.documents import (
    documents_and_attachments,
    get_document,
    list_documents,
)
from footnote.store.passages import passage_context
from footnote.store.publishing import delete_document
from footnote.store.workspaces import workspace_stats
from footnote.validation.arguments import checks_arguments
from footnote.validation.constrained_types import MAX_PAGE, Name, PageLimit, Window


@checks_arguments
@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceEngine(WorkspaceAccess):
    """The verbs of one workspace, as one principal; it cannot see any other."""

    receive = receive
    receive_file = receive_file

    async def documents(
        self,
        *,
        collection: Name | None = None,
        status: DocumentStatus | None = None,
        limit: PageLimit = 50,
        cursor: str | None = None,
    ) -> DocumentPage:
        """A page of documents, newest first. Raises InvalidRequest."""
        async with scope_of(self) as scope:
            return await list_documents(
                scope, collection=collection, status=status, limit=limit, cursor=cursor
            )

    async def document(self, document_id: UUID) -> Document:
        """One document. Raises NotFound."""
        async with scope_of(self) as scope:
            return await get_document(scope, document_id)

    async def children(self, document_id: UUID) -> tuple[Document, ...]:
        """The attachments of a document, and theirs. Raises NotFound."""
        async with scope_of(self) as scope:
            await get_document(scope, document_id)
            family = await documents_and_attachments(scope, [document_id])
        return tuple(each for each in family if each.document_id != document_id)

    async def statuses(self, document_ids: Sequence[UUID]) -> Mapping[UUID, Document]:
        """The documents of these ids and of their attachments, as far as they exist."""
        async with scope_of(self) as scope:
            family = await documents_and_attachments(scope, document_ids)
        return {document.document_id: document for document in family}

    async def delete_document(self, document_id: UUID) -> None:
        """Remove a document, its attachments and all that was made of them. Raises NotFound."""
        async with scope_of(self) as scope:
            blobs = await delete_document(scope, document_id, self.engine.maintenance_limits)
        engine, workspace_id = self.engine, self.workspace.workspace_id
        await remove_unused(engine.database, engine.blobs, workspace_id, blobs)

    async def erase_document(self, document_id: UUID) -> Erasure:
        """Delete a document as `delete_document` does, purge what is dead, and prove it."""
        self.require_open()
        return await erase(self.engine, self.workspace.workspace_id, self.principal, document_id)

    async def retry(self, document_id: UUID) -> Document:
        """Queue a failed document once more, with all its attempts before it.

        One that waits or is worked on is returned as it is. Raises NotFound, Conflict for an
        indexed document, and DocumentUnreadable for bytes that would not even be accepted.
        """
        self.require_open()
        return await try_again(
            self.engine, self.workspace.workspace_id, self.principal, document_id
        )

    async def retry_all(self, document_ids: Sequence[UUID]) -> tuple[Retried, ...]:
        """Retry each; one that is refused does not keep the others from being tried."""
        self.require_open()
        return await try_each_again(
            self.engine, self.workspace.workspace_id, self.principal, document_ids
        )

    async def retry_failed(self, *, collection: Name | None = None) -> tuple[Retried, ...]:
        """Retry every failed document."""
        failed: list[UUID] = []
        cursor: str | None = None
        while True:
            page = await self.documents(
                collection=collection, status=DocumentStatus.FAILED, limit=MAX_PAGE, cursor=cursor
            )
            failed += [document.document_id for document in page.documents]
            cursor = page.next_cursor
            if cursor is None:
                return await self.retry_all(failed)

    search = search

    async def context(self, chunk_id: str, window: Window = 2) -> PassageContext:
        """A passage between its neighbours. Raises NotFound and InvalidRequest."""
        async with scope_of(self) as scope:
            found = await passage_context(scope, chunk_id, window)
        return await self.engine.suspicion.read_around(found)

    page_image = page_verbs.page_image
    page_fingerprint = page_verbs.page_fingerprint
    page_rectangles = page_verbs.page_rectangles
    pages_of_quote = page_verbs.pages_of_quote

    async def ask(
        self,
        question: str,
        *,
        top_k: int | None = None,
        filters: SearchFilters | None = None,
        plan: str | None = None,
        changes: PlanChanges | None = None,
        conversation: Sequence[Turn] = (),
    ) -> Answer:
        """An answer whose statements are cited, or an honest one that there is none.

        Evidence is searched as in `search`, by the plan with its changes. Raises what `search`
        raises, and ModelUnavailable.
        """
        events = self.ask_stream(
            question,
            top_k=top_k,
            filters=filters,
            plan=plan,
            changes=changes,
            conversation=conversation,
        )
        async with aclosing(events):
            return await completed(events)

    ask_stream = ask_stream
    check_grounding = check_grounding

    async def stats(self) -> WorkspaceStats:
        """What the workspace holds, as far as the principal may see, and how its cache fares."""
        lane = await lane_of_workspace(self.engine, self.workspace.workspace_id)
        async with scope_of(self) as scope:
            stats = await workspace_stats(scope, lane or self.engine.lane)
        cache = self.engine.search_stages.cache.stats(self.workspace.workspace_id)
        answers = self.engine.answer_cache.stats(self.workspace.workspace_id)
        return replace(stats, search_cache=cache, answer_cache=answers)

    async def lanes(self) -> tuple[LaneStatus, ...]:
        """The workspace's lanes with their models, and how far each is filled."""
        self.require_open()
        return await lane_verbs.lanes(self.engine, self.workspace.workspace_id)

    async def reembed(
        self, model: str, *, lane: str = "document", texts_per_second: float | None = None
    ) -> LaneStatus:
        """Begin to embed the workspace with another model; see `lanes.reembed`."""
        self.require_open()
        return await lane_verbs.reembed(
            self.engine, self.workspace.workspace_id, lane, model, texts_per_second
        )

    async def reembedding(self, lane: str = "document") -> Reembedding:
        """The latest change of the lane. Raises NotFound when it was never changed."""
        self.require_open()
        return await lane_verbs.reembedding(self.engine, self.workspace.workspace_id, lane)

    async def cancel_reembedding(self, lane: str = "document") -> LaneStatus:
        """Stop what is under way; what was embedded is kept. Raises NotFound."""
        self.require_open()
        return await lane_verbs.cancel(self.engine, self.workspace.workspace_id, lane)

    async def rollback_lane(self, lane: str = "document") -> LaneStatus:
        """Go back to the lane before the last switch; see `lanes.rollback`."""
        self.require_open()
        return await lane_verbs.rollback(self.engine, self.workspace.workspace_id, lane)

    async def purge_lanes(self, *, at_once: bool = False) -> tuple[LaneStatus, ...]:
        """Remove lanes that are not kept any longer, or all but the current; return the rest."""
        self.require_open()
        return await lane_verbs.purge(self.engine, self.workspace.workspace_id, at_once=at_once)
