"""One version of a document while it is ingested; implements `ports.VersionInWork`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from uuid import UUID

from footnote.domain import (
    Attachment,
    Failure,
    Lane,
    Publication,
    SourceType,
    Stage,
)
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
from footnote.ports import Blobs, TermCounts, Vectors
from footnote.store.claims import claim_blob, remove_unused
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.documents import (
    Incoming,
    StoredVersion,
    attachments_from,
    begin_stage,
    depth_of,
    get_document,
    load_stage_result,
    note_progress,
    receive_document,
    save_stage_result,
    stored_version,
)
from footnote.store.frequencies import count_chunks
from footnote.store.publishing import (
    MaintenanceLimits,
    delete_document,
    missing_vectors,
    publish,
    stage_vectors,
)
from footnote.store.workspaces import adopt_lane, lexical_key


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresVersionInWork:
    """A version, its workspace's lane and term key, and the transactions to work on it."""

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
        """The name it was given under."""
        return self.stored.filename

    @property
    def byte_size(self) -> int:
        """How large the file is."""
        return self.stored.byte_size

    async def begin(self, stage: Stage) -> bool:
        """Note that a stage begins; False when the version was replaced or deleted meanwhile."""
        async with self._scope() as scope:
            return await begin_stage(scope, self.stored, stage)

    async def progress(self, stage: Stage, done: int, total: int) -> bool:
        """Note how far a stage has come; False when the version was replaced or deleted."""
        async with self._scope() as scope:
            return await note_progress(scope, self.stored, stage, done, total)

    async def content(self) -> bytes:
        """The bytes that were received. Raises DocumentUnreadable and DocumentInterrupted."""
        try:
            return await self.blobs.get(self.stored.blob_key)
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
        """What an earlier try kept of what it read."""
        async with self._scope() as scope:
            return await load_stage_result(scope, self.stored, Stage.PARSE)

    async def keep_parsed(self, packed: bytes) -> None:
        """Keep what was read for a later try."""
        async with self._scope() as scope:
            await save_stage_result(scope, self.stored, Stage.PARSE, packed)

    async def depth(self) -> int:
        """Inside how many other documents it was found, one in another."""
        async with self._scope() as scope:
            return await depth_of(scope, self.stored.document_id)

    async def attach(
        self,
        position: int,
        attachment: Attachment,
        media_type: str,
        *,
        source_type: SourceType,
        failure: Failure | None,
    ) -> None:
        """Receive a file found inside, as a child document; again changes nothing."""
        content = bytes(attachment.content)
        sha256 = hashlib.sha256(content).hexdigest()
        async with self._scope() as scope:
            claim = await claim_blob(scope, sha256)
        await self.blobs.put(claim.blob_key, content)
        async with self._scope() as scope:
            parent = await get_document(scope, self.stored.document_id)
            await receive_document(
                scope,
                Incoming(
                    filename=attachment.filename,
                    media_type=media_type,
                    byte_size=len(content),
                    content_sha256=sha256,
                    blob_key=claim.blob_key,
                    claim=claim,
                    collection=parent.collection,
                    external_id=f"{parent.document_id}/{position:04d}",
                    parent_id=parent.document_id,
                    source_type=source_type,
                    tags=parent.tags,
                    access=self.stored.access,
                    failure=failure,
                ),
            )

    async def detach_beyond(self, count: int) -> None:
        """Delete the attachments that an earlier version had at `count` and later positions."""
        async with self._scope() as scope:
            orphans = await attachments_from(
                scope, self.stored.document_id, f"{self.stored.document_id}/{count:04d}"
            )
            blobs = [
                key
                for orphan in orphans
                for key in await delete_document(scope, orphan, self.limits)
            ]
        await remove_unused(self.database, self.blobs, self.workspace_id, blobs)

    def term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        """The workspace's numbers of the terms, in their order."""
        return tuple(term_ids(self.lexical_key, terms))

    def document_term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        """The numbers of the terms where they stand for a whole document, in their order."""
        return tuple(term_ids(self.lexical_key, document_terms(terms)))

    def name_term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        """The numbers of the terms where they name a whole document, each once."""
        return tuple(term_ids(self.lexical_key, name_terms(terms)))

    async def term_counts(self, terms: Sequence[str]) -> TermCounts:
        """How common the terms are in what the workspace holds already."""
        async with self._scope() as scope:
            return await count_chunks(scope, self.term_ids(terms))

    async def missing_vectors(self, text_hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the texts that were never embedded in this workspace and lane."""
        async with self._scope() as scope:
            return await missing_vectors(scope, self.lane_id, text_hashes)

    async def keep_vectors(self, text_hashes: Sequence[bytes], vectors: Vectors) -> None:
        """Keep a batch of vectors; what is kept is not embedded again."""
        async with self._scope() as scope:
            await stage_vectors(
                scope, self.stored, self.lane_id, self.lane, hashes=text_hashes, vectors=vectors
            )

    async def publish(self, publication: Publication) -> bool:
        """Make it searchable; False when it was replaced or deleted meanwhile."""
        async with self._scope() as scope:
            return await publish(scope, self.stored, self.lane_id, publication, self.limits)

    def _scope(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        return self.database.workspace(self.workspace_id, SYSTEM)


async def take_up(
    database: Database,
    blobs: Blobs,
    *,
    workspace_id: UUID,
    document_id: UUID,
    version: int,
    lane: Lane,
    limits: MaintenanceLimits,
) -> PostgresVersionInWork | None:
    """The version to work on; None when it was replaced, deleted or published already.

    Raises LaneMismatch when the workspace was embedded by another model.
    """
    async with database.workspace(workspace_id, SYSTEM) as scope:
        stored = await stored_version(scope, document_id, version)
        if stored is None:
            return None
        return PostgresVersionInWork(
            database=database,
            blobs=blobs,
            workspace_id=workspace_id,
            stored=stored,
            lane=lane,
            lane_id=await adopt_lane(scope, lane),
            lexical_key=await lexical_key(scope),
            limits=limits,
        )
