"""One version of a document while it is ingested; implements `ports.VersionInWork`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import BinaryIO
from uuid import UUID

from pgvector import HalfVector
from psycopg.rows import DictRow

from footnote.domain import Failure, Lane, Publication, SourceType, Stage, Visibility
from footnote.errors import (
    BlobDamaged,
    BlobsUnavailable,
    DocumentInterrupted,
    DocumentUnreadable,
    NotFound,
)
from footnote.index.naming import name_terms
from footnote.index.routing import document_terms
from footnote.index.terms import term_ids
from footnote.ports import Blobs, CachedTexts, CiphertextLocation, TermCounts, Vectors
from footnote.store.blob_claims import claim_blob, remove_unused, write_claimed
from footnote.store.coordinator import announce_events
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.document_locks import lock_document
from footnote.store.documents import get_document
from footnote.store.lanes import require_vectors_of
from footnote.store.lexical import count_lists
from footnote.store.publishing import (
    MaintenanceLimits,
    Overtaken,
    StoredVersion,
    delete_document,
    publish,
    reserve,
)
from footnote.store.receiving import Incoming, receive_document
from footnote.store.sealing import STAGE_RESULT
from footnote.store.statements import load_statements, record_of
from footnote.store.workspaces import adopt_lane, lexical_key

_SQL = load_statements("ingesting")
_PART_BYTES = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresVersionInWork:
    """A version in ingestion, with its lane and term key; opens the transactions for it."""

    database: Database
    blobs: Blobs
    workspace_id: UUID
    stored: StoredVersion
    lane: Lane
    lane_id: int
    lexical_key: bytes
    limits: MaintenanceLimits

    @property
    def filename(self) -> str:
        return self.stored.filename

    @property
    def media_type(self) -> str:
        """The media type detected when it was received."""
        return self.stored.media_type

    @property
    def byte_size(self) -> int:
        return self.stored.byte_size

    @property
    def was_parsed(self) -> bool:
        return self.stored.was_parsed

    async def begin(self, stage: Stage) -> bool:
        async with self._scope() as scope:
            parameters = self.stored.key | {"stage": stage}
            if await scope.change(_SQL["begin_stage"], parameters) == 0:
                return False
            await announce_events(scope, self.stored.document_id)
            return True

    async def progress(self, stage: Stage, done: int, total: int) -> bool:
        async with self._scope() as scope:
            return await self._note_progress(scope, stage, done, total)

    async def _note_progress(
        self, scope: WorkspaceScope, stage: Stage, done: int, total: int
    ) -> bool:
        parameters = self.stored.key | {"stage": stage, "done": done, "total": total}
        if await scope.change(_SQL["note_progress"], parameters) == 0:
            return False
        await announce_events(scope, self.stored.document_id)
        return True

    async def content(self) -> BinaryIO:
        """Open the file that was received. Raises DocumentUnreadable, DocumentInterrupted."""
        try:
            return await self.blobs.open(self.stored.blob_key)
        except (NotFound, BlobDamaged) as error:
            raise DocumentUnreadable(
                stage=Stage.PARSE,
                cause=f"the stored bytes of “{self.filename}”, document "
                f"{self.stored.document_id}, cannot be trusted: {error}",
                advice="hand the same file in once more; that stores it anew",
            ) from error
        except BlobsUnavailable as error:
            raise DocumentInterrupted(
                stage=Stage.PARSE,
                cause=str(error),
                advice=error.hint or "check that the place of the stored files answers",
            ) from error

    async def parsed(self) -> bytes | None:
        payload, start, number = bytearray(), 1, 0
        async with self._scope() as scope:
            sealed_bytes = len(scope.sealing.content(self._part(0), b"")) + _PART_BYTES
            while True:
                parameters = {"stage": Stage.PARSE, "start": start, "length": sealed_bytes}
                row = await scope.one(
                    _SQL["load_stage_result"], self.stored.key | parameters, binary=True
                )
                if row is None:
                    return None
                part = bytes(row["part"])
                if part:
                    payload += scope.sealing.plain_content(self._part(number), part)
                if len(part) < sealed_bytes:
                    return bytes(payload)
                start, number = start + len(part), number + 1

    async def keep_parsed(self, packed: bytes) -> None:
        """Store the parsed content, so that a retry need not parse again.

        Written in parts: the driver holds each parameter twice, and never frees that memory.
        """
        async with self._scope() as scope:
            for start in range(0, max(len(packed), 1), _PART_BYTES):
                place = self._part(start // _PART_BYTES)
                payload = scope.sealing.content(place, packed[start : start + _PART_BYTES])
                part = {"stage": Stage.PARSE, "payload": payload}
                statement = "append_stage_result" if start else "save_stage_result"
                await scope.execute(_SQL[statement], self.stored.key | part)

    def _part(self, number: int) -> CiphertextLocation:
        """Return the encryption context of a part of the parsed content."""
        return STAGE_RESULT.of(self.stored.document_id, self.stored.version, Stage.PARSE, number)

    async def depth(self) -> int:
        """Count the ancestors of the document; 0 also if it is gone."""
        async with self._scope() as scope:
            return (await scope.single(_SQL["depth"], self.stored.key))["depth"] or 0

    async def attach(
        self,
        position: int,
        filename: str,
        content: BinaryIO,
        *,
        byte_size: int,
        content_sha256: str,
        media_type: str,
        source_type: SourceType,
        failure: Failure | None,
    ) -> None:
        async with self._scope() as scope:
            claim = await claim_blob(scope, content_sha256)
        async with (
            write_claimed(self.database, self.blobs, self.workspace_id, claim, content),
            self._scope() as scope,
        ):
            # Deletions of the parent and changes of its access wait until the attachment is there.
            # Not by its row: they lock that after the index, which `receive_document` may lock.
            await lock_document(scope, self.stored.document_id)
            parent = await get_document(scope, self.stored.document_id)
            row = await scope.single(_SQL["access_of_parent"], self.stored.key)
            await receive_document(
                scope,
                Incoming(
                    filename=filename,
                    media_type=media_type,
                    byte_size=byte_size,
                    content_sha256=content_sha256,
                    blob_key=claim.blob_key,
                    claim=claim,
                    collection=parent.collection,
                    external_id=f"{parent.document_id}/{position:04d}",
                    parent_id=parent.document_id,
                    source_type=source_type,
                    tags=parent.tags,
                    visibility=Visibility(row["visibility"]),
                    access=None if row["access"] is None else tuple(row["access"]),
                    failure=failure,
                ),
            )

    async def detach_beyond(self, count: int) -> None:
        parent = self.stored.document_id
        async with self._scope() as scope:
            orphans = await scope.all(
                _SQL["attachments_from"], {"parent_id": parent, "first": f"{parent}/{count:04d}"}
            )
        blobs: list[str] = []
        for orphan in orphans:
            # It may have been deleted meanwhile.
            with contextlib.suppress(NotFound):
                async with self._scope() as scope:
                    blobs += await delete_document(scope, orphan["document_id"], self.limits)
        await remove_unused(self.database, self.blobs, self.workspace_id, blobs)

    def term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        return tuple(term_ids(self.lexical_key, terms))

    def document_term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        return tuple(term_ids(self.lexical_key, document_terms(terms)))

    def name_term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        return tuple(term_ids(self.lexical_key, name_terms(terms)))

    async def term_counts(self, terms: Sequence[str]) -> TermCounts:
        """Count the chunks that contain each term, in the order given; may include deleted chunks.

        Repeated terms are queried once.
        """
        ids = self.term_ids(terms)
        async with self._scope() as scope:
            total = await scope.single(_SQL["count_chunks"])
            counts = await count_lists(scope, set(ids))
        return TermCounts(chunks=total["chunks"], holding=tuple(counts[term] for term in ids))

    async def known_texts(self, text_hashes: Sequence[bytes], reader: str | None) -> CachedTexts:
        clear: list[DictRow] = []
        async with self._scope() as scope:
            stored = {scope.sealing.text_hash(text_hash): text_hash for text_hash in text_hashes}
            parameters = {"lane_id": self.lane_id, "hashes": list(stored)}
            missing = await scope.all(_SQL["missing_vectors"], parameters)
            if reader is not None:
                parameters |= self.stored.key | {"reader": reader}
                clear = await scope.all(_SQL["clear_texts"], parameters)
        return CachedTexts(
            missing={stored[bytes(row["text_hash"])] for row in missing},
            clear={stored[bytes(row["text_hash"])] for row in clear},
        )

    async def keep_vectors(
        self,
        text_hashes: Sequence[bytes],
        vectors: Vectors,
        progress: tuple[int, int] | None = None,
    ) -> bool:
        """Stage a batch of vectors until the version is published; False if it never will be.

        Raises LaneMismatch when they are not of the lane's dimensions.
        """
        require_vectors_of(self.lane, vectors, len(text_hashes))
        async with self._scope() as scope:
            if progress is None:
                locked = await scope.one(_SQL["hold_version"], self.stored.key) is not None
            else:  # This locks the version as well.
                locked = await self._note_progress(scope, Stage.EMBED, *progress)
            if not locked:
                return False
            key = {"document_id": self.stored.document_id, "lane_id": self.lane_id}
            hashes = map(scope.sealing.text_hash, text_hashes)
            transformed = await asyncio.to_thread(scope.sealing.vectors, vectors)
            await scope.execute_many(
                _SQL["stage_vector"],
                (
                    key | {"text_hash": text_hash, "embedding": HalfVector(vector)}
                    for text_hash, vector in zip(hashes, transformed, strict=True)
                ),
            )
        return True

    async def publish(self, publication: Publication) -> bool:
        async with self._scope() as scope:
            reserved = await reserve(scope, len(publication.chunks))
        try:
            async with self._scope() as scope:
                await publish(
                    scope, self.stored, self.lane_id, publication, self.limits, reserved=reserved
                )
        except Overtaken:
            return False
        return True

    def _scope(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        return self.database.workspace(self.workspace_id, SYSTEM)


async def open_version(
    database: Database,
    blobs: Blobs,
    *,
    workspace_id: UUID,
    document_id: UUID,
    version: int,
    lane: Lane,
    limits: MaintenanceLimits,
) -> PostgresVersionInWork | None:
    """Open a version for ingestion; None when it was replaced, deleted or published already.

    Its status is reset to queued until a stage begins, even if an earlier attempt had begun one.

    Raises LaneMismatch when the workspace was embedded by another model.
    """
    async with database.workspace(workspace_id, SYSTEM) as scope:
        key = {"document_id": document_id, "version": version}
        row = await scope.one(_SQL["stored_version"], key)
        if row is None:
            return None
        if await scope.change(_SQL["wait_again"], key):
            await announce_events(scope, document_id)
        return PostgresVersionInWork(
            database=database,
            blobs=blobs,
            workspace_id=workspace_id,
            stored=record_of(StoredVersion, row, document_id=document_id, version=version),
            lane=lane,
            lane_id=await adopt_lane(scope, lane),
            lexical_key=await lexical_key(scope),
            limits=limits,
        )
