"""Makes a version searchable, or a document gone, in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from pgvector import HalfVector
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from psycopg.types.range import Range

from footnote.domain import Chunk, Lane, Publication, Stage
from footnote.errors import DocumentInterrupted, LaneMismatch, NotFound
from footnote.index.segments import COUNT, TERM, Postings, chunk_lengths, posting_parts
from footnote.ports import Vectors
from footnote.store.claims import give_up
from footnote.store.database import WorkspaceScope
from footnote.store.documents import StoredVersion
from footnote.store.integers import Integers
from footnote.store.lanes import require_current
from footnote.store.merge_policy import due_merge
from footnote.store.queue import enqueue_maintenance
from footnote.store.routing import replace_document_vector
from footnote.store.spans import span_row
from footnote.store.statements import load_statements

_SQL = load_statements("publishing")
_ROWS_AT_ONCE = 500
_CHARACTERS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceLimits:
    """When a workspace's index wants tending."""

    merge_fan_in: int = 8
    """Segments of one size class that become one: fewer to read against more to rewrite."""
    hnsw_threshold_chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reserved:
    """Numbers that are ours alone, and how the index stood when we took them."""

    first_chunk: int
    end_chunk: int
    segment_id: int
    has_hnsw: bool


async def missing_vectors(
    scope: WorkspaceScope, lane_id: int, text_hashes: Sequence[bytes]
) -> set[bytes]:
    """Those of the texts that were never embedded in this workspace and lane."""
    rows = await (
        await scope.connection.execute(
            _SQL["missing_vectors"],
            {
                "workspace_id": scope.workspace_id,
                "lane_id": lane_id,
                "hashes": list(dict.fromkeys(text_hashes)),
            },
        )
    ).fetchall()
    return {bytes(row["text_hash"]) for row in rows}


async def stage_vectors(
    scope: WorkspaceScope,
    stored: StoredVersion,
    lane_id: int,
    lane: Lane,
    *,
    hashes: Sequence[bytes],
    vectors: Vectors,
) -> None:
    """Keep a batch of vectors until their version is published; nothing for one that never will.

    Raises LaneMismatch when they are not of the lane's dimensions.
    """
    if vectors.shape != (len(hashes), lane.dimensions):
        raise LaneMismatch(
            f"{len(hashes)} vectors of lane {lane.fingerprint} were expected, "
            f"and an array of shape {vectors.shape} was given",
            hint="check that the configured model is the one the lane names",
        )
    held = {
        "workspace_id": scope.workspace_id,
        "document_id": stored.document_id,
        "version": stored.version,
    }
    if await (await scope.connection.execute(_SQL["hold_version"], held)).fetchone() is None:
        return
    async with scope.connection.cursor() as cursor:
        await cursor.executemany(
            _SQL["stage_vector"],
            [
                {
                    "workspace_id": scope.workspace_id,
                    "document_id": stored.document_id,
                    "lane_id": lane_id,
                    "text_hash": text_hash,
                    "embedding": HalfVector(vector),
                }
                for text_hash, vector in zip(hashes, vectors, strict=True)
            ],
        )


async def publish(
    scope: WorkspaceScope,
    stored: StoredVersion,
    lane_id: int,
    publication: Publication,
    limits: MaintenanceLimits,
) -> bool:
    """Swap the version in and the one before it out; False when it was overtaken or deleted.

    Raises DocumentInterrupted when a vector is missing; embedding again heals that.
    """
    parameters: dict[str, object] = {
        "workspace_id": scope.workspace_id,
        "document_id": stored.document_id,
        "version": stored.version,
        "lane_id": lane_id,
    }
    # The index row is the lock that makes publications and deletions of a workspace queue up.
    reserved = await _reserve(scope, len(publication.chunks))
    first_chunk, segment_id = reserved.first_chunk, reserved.segment_id
    document = await (await scope.connection.execute(_SQL["lock_document"], parameters)).fetchone()
    if document is None:
        return False
    await require_current(scope, lane_id)
    numbers = list(range(first_chunk, first_chunk + len(publication.chunks)))
    await _insert_vectors(scope, parameters, numbers, publication)
    await replace_document_vector(scope, parameters, first_chunk, publication)
    await _retire(scope, document)
    await _insert_chunks(scope, stored, publication.chunks, numbers)
    await _insert_segment(scope, segment_id, first_chunk, publication)
    await scope.connection.execute(
        _SQL["publish_document"],
        parameters | _document_parameters(publication, segment_id, first_chunk),
    )
    await _keep_text(scope, parameters, publication.canonical_text)
    await scope.connection.execute(_SQL["drop_stage_results"], parameters)
    await scope.connection.execute(
        _SQL["drop_staged_vectors"], parameters | {"hashes": _hashes(publication)}
    )
    await scope.connection.execute(_SQL["drop_staged_of_document"], parameters)
    await _enqueue_what_is_due(scope, limits, reserved)
    return True


async def delete_document(
    scope: WorkspaceScope, document_id: UUID, limits: MaintenanceLimits
) -> tuple[str, ...]:
    """Remove a document with all that hangs below it; return the blobs it leaves without an owner.

    They are given up: `claims.remove_unused` removes them now, a sweep later. Raises NotFound.
    """
    parameters = {"workspace_id": scope.workspace_id, "document_id": document_id}
    reserved = await _reserve(scope, 0)
    family = await (await scope.connection.execute(_SQL["lock_family"], parameters)).fetchall()
    if not family:
        raise NotFound(f"there is no document {document_id}")
    identities = {"document_ids": [member["document_id"] for member in family]}
    for member in family:
        await _retire(scope, member)
    blobs = await (
        await scope.connection.execute(_SQL["blobs_of_family"], parameters | identities)
    ).fetchall()
    await scope.connection.execute(_SQL["delete_family"], parameters | identities)
    await _enqueue_what_is_due(scope, limits, reserved)
    keys = tuple(row["blob_key"] for row in blobs)
    if keys:
        await give_up(scope, keys)
    return keys


async def _reserve(scope: WorkspaceScope, chunks: int) -> _Reserved:
    """Take chunk numbers and a segment number that nobody had before; readers notice."""
    row = await (
        await scope.connection.execute(
            _SQL["reserve"], {"workspace_id": scope.workspace_id, "chunks": chunks}
        )
    ).fetchone()
    if row is None:
        raise NotFound("the workspace is gone")
    return _Reserved(
        first_chunk=row["first_chunk"],
        end_chunk=row["first_chunk"] + chunks,
        segment_id=row["segment_id"],
        has_hnsw=row["has_hnsw"],
    )


async def _enqueue_what_is_due(
    scope: WorkspaceScope, limits: MaintenanceLimits, reserved: _Reserved
) -> None:
    """Have the index tended when a merge is due, or the workspace may have outgrown exact scans."""
    outgrown = not reserved.has_hnsw and reserved.end_chunk >= limits.hnsw_threshold_chunks
    if outgrown or await due_merge(scope, limits.merge_fan_in):
        await enqueue_maintenance(scope)


async def _insert_vectors(
    scope: WorkspaceScope,
    parameters: dict[str, object],
    numbers: list[int],
    publication: Publication,
) -> None:
    inserted = 0
    # Some at a time: for each text a statement passes over all it has inserted of the same text.
    for start in range(0, len(numbers), _ROWS_AT_ONCE):
        end = start + _ROWS_AT_ONCE
        part = {"numbers": numbers[start:end], "hashes": list(publication.text_hashes[start:end])}
        cursor = await scope.connection.execute(_SQL["insert_vectors"], parameters | part)
        inserted += cursor.rowcount
    if inserted != len(numbers):
        raise DocumentInterrupted(
            stage=Stage.PUBLISH,
            cause=f"{len(numbers) - inserted} vectors went missing before publication",
            advice="it is embedded again by itself",
        )


async def _retire(scope: WorkspaceScope, document: DictRow) -> None:
    """Take what a document has published out of the index.

    A segment of its own goes at once; within a merged one its chunks are marked dead.
    """
    chunks: Range[int] = document["chunks"]
    if chunks.isempty:
        return
    parameters = {
        "workspace_id": scope.workspace_id,
        "document_id": document["document_id"],
        "segment_id": document["segment_id"],
        "chunks": chunks,
        "first": chunks.lower,
        "end": chunks.upper,
    }
    await scope.connection.execute(_SQL["delete_vectors"], parameters)
    await scope.connection.execute(_SQL["delete_chunks"], parameters)
    dropped = await scope.connection.execute(_SQL["drop_own_segment"], parameters)
    if dropped.rowcount:
        await scope.connection.execute(_SQL["drop_own_postings"], parameters)
    else:
        await scope.connection.execute(_SQL["mark_dead"], parameters)


def _hashes(publication: Publication) -> list[bytes]:
    """The keys of all its vectors."""
    own = publication.document_hash
    return [*publication.text_hashes, *([] if own is None else [own])]


async def _insert_chunks(
    scope: WorkspaceScope, stored: StoredVersion, chunks: Sequence[Chunk], numbers: Sequence[int]
) -> None:
    for start in range(0, len(numbers), _ROWS_AT_ONCE):
        part = numbers[start : start + _ROWS_AT_ONCE]
        rows = [
            _chunk_row(chunk)
            | {
                "workspace_id": scope.workspace_id,
                "chunk_no": number,
                "document_id": stored.document_id,
                "version": stored.version,
            }
            for number, chunk in zip(part, chunks[start : start + len(part)], strict=True)
        ]
        async with scope.connection.cursor() as cursor:
            await cursor.executemany(_SQL["insert_chunk"], rows)


async def _keep_text(scope: WorkspaceScope, parameters: dict[str, object], text: str) -> None:
    """Write the canonical text; a long one in parts, each of which the driver holds twice."""
    for start in range(0, max(len(text), 1), _CHARACTERS_AT_ONCE):
        part = text[start : start + _CHARACTERS_AT_ONCE]
        statement = "append_text" if start else "keep_text"
        await scope.connection.execute(_SQL[statement], parameters | {"text": part})


def _chunk_row(chunk: Chunk) -> dict[str, object]:
    page_start, page_end = chunk.pages
    paragraph_start, paragraph_end = chunk.paragraphs
    return {
        "ordinal": chunk.ordinal,
        "kind": chunk.kind.value,
        "text": chunk.text,
        "body_offset": chunk.body_offset,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "spans": Jsonb([span_row(span) for span in chunk.spans]),
        "heading_path": list(chunk.heading_path),
        "page_start": page_start,
        "page_end": page_end,
        "paragraph_start": paragraph_start,
        "paragraph_end": paragraph_end,
        "token_count": chunk.token_count,
        "confidence": chunk.confidence,
        "context": chunk.context,
        "suspicious": chunk.suspicious,
    }


async def _insert_segment(
    scope: WorkspaceScope, segment_id: int, first_chunk: int, publication: Publication
) -> None:
    chunk_numbers, lengths = chunk_lengths(first_chunk, publication.chunk_terms)
    await scope.connection.execute(
        _SQL["insert_segment"],
        {
            "workspace_id": scope.workspace_id,
            "segment_id": segment_id,
            "chunk_count": len(publication.chunk_terms),
            "chunk_numbers": chunk_numbers,
            "lengths": lengths,
        },
    )
    parts = posting_parts(
        first_chunk, publication.chunk_terms, publication.document_terms, publication.name_terms
    )
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        await insert_postings(scope, segment_id, part)


async def insert_postings(scope: WorkspaceScope, segment_id: int, postings: Postings) -> None:
    """Write posting lists of a segment; COPY would be faster but not under row-level security."""
    counts = np.frombuffer(postings.counts, COUNT)
    await scope.connection.execute(
        _SQL["insert_postings"],
        {
            "workspace_id": scope.workspace_id,
            "segment_id": segment_id,
            "terms": Integers(np.frombuffer(postings.terms, TERM)),
            "starts": Integers(np.cumsum(counts) - counts),
            "counts": Integers(counts),
            "chunk_numbers": postings.chunk_numbers,
            "frequencies": postings.frequencies,
        },
    )


def _document_parameters(
    publication: Publication, segment_id: int, first_chunk: int
) -> dict[str, object]:
    enrichment = publication.enrichment
    return {
        "segment_id": segment_id,
        "chunks": Range(first_chunk, first_chunk + len(publication.chunks)),
        "title": enrichment.title,
        "language": enrichment.language,
        "document_class": enrichment.document_class.value,
        "page_count": publication.page_count,
        "summary": enrichment.summary,
        "keywords": list(enrichment.keywords),
        "sections": list(enrichment.sections),
        "dates": list(enrichment.dates),
        "metadata": Jsonb(dict(publication.metadata)),
    }
