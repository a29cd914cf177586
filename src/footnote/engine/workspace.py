"""The verbs of one workspace, as one principal."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from footnote.domain import (
    Answer,
    Document,
    DocumentPage,
    DocumentStatus,
    Failure,
    MetadataValue,
    PassageContext,
    PlanChanges,
    Principal,
    Received,
    SearchFilters,
    SearchRequest,
    SearchResponse,
    SourceType,
    Turn,
    Workspace,
    WorkspaceStats,
)
from footnote.engine.arguments import require, require_request
from footnote.engine.files import TooLarge, clean_name, read_file
from footnote.errors import DocumentUnreadable, InvalidRequest
from footnote.ingestion import labels
from footnote.ingestion.pipeline import UNKNOWN_TYPE, failure_of
from footnote.ingestion.receive import check_received
from footnote.ports import Index
from footnote.retrieval.journal import Asker
from footnote.store.blobs import blob_key
from footnote.store.database import WorkspaceScope
from footnote.store.dense import DenseBreadth
from footnote.store.documents import (
    Incoming,
    documents_and_attachments,
    get_document,
    list_documents,
    receive_document,
)
from footnote.store.passages import passage_context
from footnote.store.publishing import delete_document
from footnote.store.recall import PostgresIndex
from footnote.store.statistics import workspace_stats

if TYPE_CHECKING:
    from footnote.engine.installation import Engine

MAX_CONTEXT_WINDOW = 50
MAX_PAGE = 500
NO_BLOB = ""
"""The key of bytes that were never taken in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceEngine:
    """The verbs of one workspace, as one principal; it cannot see any other."""

    engine: Engine
    workspace: Workspace
    principal: Principal

    def require_open(self) -> None:
        """Raise NotReady once the engine was closed."""
        self.engine.require_open()

    async def receive(
        self,
        content: bytes,
        filename: str,
        *,
        collection: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        tags: Sequence[str] = (),
        source_type: SourceType = SourceType.UPLOAD,
        access: Sequence[str] | None = None,
    ) -> Received:
        """Accept a file: once this returns, it cannot be lost.

        A file that can be seen to be unreadable is kept as a failed document. The same bytes
        give the existing document; other bytes under a known external id a new version. A
        known document keeps its tags unless others are given.
        """
        self.require_open()
        require(bytes | bytearray, "its bytes", content=content)
        require(str, "a name", filename=filename)
        collection = labels.checked_collection(
            collection or self.engine.settings.default_collection
        )
        access = labels.checked_access(access)
        external_id = labels.checked_external_id(external_id)
        metadata = labels.checked_metadata(metadata or {})
        tags = labels.checked_tags(tags)
        sha256 = hashlib.sha256(content).hexdigest()
        key = blob_key(self.workspace.workspace_id, sha256)
        await self.engine.blobs.put(key, content)
        media_type, failure = self._examined(content, filename)
        return await self._accept(
            Incoming(
                filename=clean_name(filename),
                media_type=media_type,
                byte_size=len(content),
                content_sha256=sha256,
                blob_key=key,
                collection=collection,
                external_id=external_id,
                metadata=metadata,
                tags=tags,
                source_type=source_type,
                access=access,
                failure=failure,
            )
        )

    async def receive_file(
        self, path: Path, *, collection: str | None = None, tags: Sequence[str] = ()
    ) -> Received:
        """Accept a file from a disk, under its path as external id.

        One that is too large is kept as a failed document without its bytes. Raises
        InvalidRequest when it cannot be opened.
        """
        require(Path, "a pathlib.Path", path=path)
        settings = self.engine.settings
        tags = labels.checked_tags(tags)
        file = await asyncio.to_thread(read_file, path, settings.max_file_bytes)
        if isinstance(file, TooLarge):
            return await self._accept(
                Incoming(
                    filename=clean_name(path.name),
                    media_type=UNKNOWN_TYPE,
                    byte_size=file.byte_size,
                    content_sha256=file.content_sha256,
                    blob_key=NO_BLOB,
                    collection=labels.checked_collection(collection or settings.default_collection),
                    external_id=file.location,
                    tags=tags,
                    failure=file.failure,
                )
            )
        return await self.receive(
            file.content,
            path.name,
            collection=collection,
            external_id=file.location,
            tags=tags,
        )

    async def documents(
        self,
        *,
        collection: str | None = None,
        status: DocumentStatus | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> DocumentPage:
        """A page of documents, newest first. Raises InvalidRequest."""
        if collection is not None:
            labels.checked_collection(collection)
        if not 1 <= limit <= MAX_PAGE:
            raise InvalidRequest(f"limit is {limit}", hint=f"ask for 1 to {MAX_PAGE} documents")
        async with self._scope() as scope:
            return await list_documents(
                scope, collection=collection, status=status, limit=limit, cursor=cursor
            )

    async def document(self, document_id: UUID) -> Document:
        """One document. Raises NotFound."""
        require(UUID, "a uuid.UUID", document_id=document_id)
        async with self._scope() as scope:
            return await get_document(scope, document_id)

    async def children(self, document_id: UUID) -> tuple[Document, ...]:
        """The attachments of a document, and theirs. Raises NotFound."""
        require(UUID, "a uuid.UUID", document_id=document_id)
        async with self._scope() as scope:
            await get_document(scope, document_id)
            family = await documents_and_attachments(scope, [document_id])
        return tuple(each for each in family if each.document_id != document_id)

    async def statuses(self, document_ids: Sequence[UUID]) -> Mapping[UUID, Document]:
        """The documents of these ids and of their attachments, as far as they exist."""
        for each in document_ids:
            require(UUID, "uuid.UUID", document_ids=each)
        async with self._scope() as scope:
            family = await documents_and_attachments(scope, document_ids)
        return {document.document_id: document for document in family}

    async def delete_document(self, document_id: UUID) -> None:
        """Remove a document, its attachments and all that was made of them. Raises NotFound."""
        require(UUID, "a uuid.UUID", document_id=document_id)
        async with self._scope() as scope:
            blobs = await delete_document(scope, document_id, self.engine.maintenance_limits)
        for key in blobs:
            if key != NO_BLOB:
                await self.engine.blobs.delete(key)

    async def search(self, request: SearchRequest) -> SearchResponse:
        """Evidence for a query. Raises InvalidRequest and LaneMismatch."""
        require_request(request)
        self.require_open()
        asker = Asker(workspace_id=self.workspace.workspace_id, principal=self.principal)
        return await self.engine.search_stages(request, self._index(), asker)

    async def context(self, chunk_id: str, window: int = 2) -> PassageContext:
        """A passage between its neighbours. Raises NotFound and InvalidRequest."""
        require(str, "a text", chunk_id=chunk_id)
        require(int, "a whole number", window=window)
        if not 0 <= window <= MAX_CONTEXT_WINDOW:
            raise InvalidRequest(
                f"the window is {window}", hint=f"ask for 0 to {MAX_CONTEXT_WINDOW} neighbours"
            )
        async with self._scope() as scope:
            return await passage_context(scope, chunk_id, window)

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

        Evidence is searched as in `search`, by the plan with its changes.
        """
        response = await self.search(
            SearchRequest(
                query=question,
                top_k=self.engine.settings.top_k if top_k is None else top_k,
                filters=filters or SearchFilters(),
                plan=plan,
                changes=changes or PlanChanges(),
                conversation=tuple(conversation),
            )
        )
        meant = response.corrected_query or response.standalone_question or response.query
        answer = await self.engine.answerer(meant, response.evidence)
        return replace(
            answer,
            question=response.query,
            corrected_question=response.corrected_query,
            degraded=response.degraded,
            timings_ms=dict(response.timings_ms) | dict(answer.timings_ms),
        )

    async def stats(self) -> WorkspaceStats:
        """What the workspace holds, as far as the principal may see, and how its cache fares."""
        async with self._scope() as scope:
            stats = await workspace_stats(scope, self.engine.lane)
        cache = self.engine.search_stages.cache.stats(self.workspace.workspace_id)
        return replace(stats, search_cache=cache)

    def _examined(self, content: bytes, filename: str) -> tuple[str, Failure | None]:
        try:
            limit = self.engine.settings.max_file_bytes
            return check_received(content, filename, limit), None
        except DocumentUnreadable as error:
            return UNKNOWN_TYPE, failure_of(error)

    async def _accept(self, incoming: Incoming) -> Received:
        async with self._scope() as scope:
            return await receive_document(scope, incoming)

    def _index(self) -> Index:
        settings = self.engine.settings
        return PostgresIndex(
            database=self.engine.database,
            workspace=self.workspace,
            principal=self.principal,
            lane=self.engine.lane,
            cache=self.engine.cache,
            vector_cache=self.engine.vector_cache,
            breadth=DenseBreadth(
                exact_up_to=settings.hnsw_threshold_chunks, ef_search=settings.hnsw_ef_search
            ),
        )

    def _scope(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        self.require_open()
        return self.engine.database.workspace(self.workspace.workspace_id, self.principal)
