"""Publish a version, mark it as failed, or delete a document, in one transaction."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Json, Jsonb
from psycopg.types.range import Range

from footnote.domain import Chunk, Failure, Publication, Stage
from footnote.errors import DocumentInterrupted
from footnote.index.segments import SEGMENT_FORMAT, chunk_lengths, posting_parts
from footnote.store.blob_claims import release
from footnote.store.clusters import forget_cluster_names
from footnote.store.coordinator import announce_events
from footnote.store.database import WorkspaceScope, workspace_gone
from footnote.store.document_locks import lock_document, lock_family, wait_for_publications
from footnote.store.documents import failure_json, no_such_document
from footnote.store.index_state import multirange_of, ranges_of
from footnote.store.lanes import require_current
from footnote.store.merging import due_merge, insert_postings
from footnote.store.passages import span_row
from footnote.store.queue import (
    enqueue_clustering_if_enabled,
    enqueue_entities_if_enabled,
    enqueue_facts_if_enabled,
    enqueue_maintenance,
    enqueue_summarising_if_enabled,
)
from footnote.store.receiving import announce_change
from footnote.store.routing import replace_document_vector
from footnote.store.sealed_answers import remove_from_sealed_answers
from footnote.store.sealed_texts import store_sealed_text
from footnote.store.sealing import (
    CHUNK_TEXT,
    CONTEXT,
    HEADINGS,
    KEYWORDS,
    METADATA_VALUES,
    SECTIONS,
    SUMMARY,
    TITLE,
    Sealing,
)
from footnote.store.statements import load_statements

_SQL = load_statements("publishing")
_ROWS_AT_ONCE = 500
_CHARACTERS_AT_ONCE = 4_000_000
# ASCII escapes would triple the length of text in most scripts.
_AS_JSON = partial(json.dumps, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceLimits:
    """When a workspace's index needs maintenance, and which derived data is wanted by default."""

    merge_fan_in: int = 8
    """Segments of one size class that are merged: fewer to read against more to rewrite."""
    hnsw_threshold_chunks: int
    extract_facts: bool = False
    """Whether facts are extracted in workspaces without a setting of their own."""
    cluster: bool = False
    """Whether documents or chunks are clustered in workspaces without a setting of their own."""
    extract_entities: bool = False
    """Whether entities are extracted in workspaces without a setting of their own."""
    summarise: bool = False
    """Whether documents are summarised in workspaces without a setting of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """The stored file of one version of a document."""

    document_id: UUID
    version: int
    filename: str
    media_type: str
    byte_size: int
    blob_key: str
    received_at: datetime
    was_parsed: bool

    @property
    def key(self) -> dict[str, object]:
        """The statement parameters that identify the version."""
        return {"document_id": self.document_id, "version": self.version}


class Overtaken(Exception):
    """The version was replaced, deleted or published by another worker; nothing of it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """Chunk numbers and a segment number reserved for one publication."""

    first_chunk: int
    segment_id: int


async def reserve(scope: WorkspaceScope, chunks: int) -> Reserved:
    """Reserve a range of chunk numbers and a segment number, which are never reused.

    Commit before writing anything, since this locks the workspace's index row. Raises NotFound.
    """
    row = await scope.one(_SQL["reserve"], {"chunks": chunks})
    if row is None:
        raise workspace_gone()
    return Reserved(first_chunk=row["first_chunk"], segment_id=row["segment_id"])


async def publish(
    scope: WorkspaceScope,
    stored: StoredVersion,
    lane_id: int,
    publication: Publication,
    limits: MaintenanceLimits,
    *,
    reserved: Reserved,
) -> None:
    """Publish the version in place of the one before it.

    Chunks and posting lists are written first, invisible to readers and without blocking other
    publications, deletions and merges of the workspace; the index is locked only for the final
    steps. Raises Overtaken, possibly after much was written, and DocumentInterrupted when a vector
    is missing, which embedding again repairs.
    """
    parameters = stored.key | {"lane_id": lane_id}
    first_chunk, segment_id = reserved.first_chunk, reserved.segment_id
    await lock_document(scope, stored.document_id)
    if await scope.one(_SQL["is_wanted"], parameters) is None:
        raise Overtaken
    numbers = list(range(first_chunk, first_chunk + len(publication.chunks)))
    await _insert_vectors(scope, parameters, numbers, publication)
    await _insert_chunks(scope, stored, numbers, publication)
    await _insert_segment(scope, segment_id, first_chunk, publication)
    if scope.sealing.encrypts:
        text = publication.canonical_text
        await store_sealed_text(scope, stored.document_id, stored.version, text)
    else:
        await _keep_text(scope, parameters, publication.canonical_text)
    if publication.read_for_orders_with is not None:
        reader = {"reader": publication.read_for_orders_with}
        await scope.execute(_SQL["note_reader"], parameters | reader)
    index = await _lock_index(scope)
    document = await scope.one(_SQL["lock_document"], parameters)
    if document is None:
        raise Overtaken
    await require_current(scope, lane_id)
    await replace_document_vector(scope, parameters, first_chunk, publication)
    await _retire(scope, [document])
    await scope.execute(
        _SQL["publish_document"],
        parameters
        | _document_parameters(publication, segment_id, first_chunk)
        | _described(scope.sealing, stored.document_id, publication),
    )
    await announce_events(scope, stored.document_id)
    await scope.execute(_SQL["drop_stage_results"], parameters)
    text_hashes = list(publication.text_hashes)
    if publication.document_hash is not None:
        text_hashes.append(publication.document_hash)
    hashes = list(map(scope.sealing.text_hash, text_hashes))
    await scope.execute(_SQL["drop_staged_vectors"], parameters | {"hashes": hashes})
    await scope.execute(_SQL["drop_staged_of_document"], parameters)
    await _enqueue_what_is_due(scope, limits, index)
    await forget_cluster_names(scope, [stored.document_id])
    await enqueue_facts_if_enabled(scope, by_default=limits.extract_facts)
    await enqueue_clustering_if_enabled(scope, by_default=limits.cluster)
    await enqueue_entities_if_enabled(scope, by_default=limits.extract_entities)
    await enqueue_summarising_if_enabled(scope, by_default=limits.summarise)


async def mark_failed(
    scope: WorkspaceScope, document_id: UUID, version: int, failure: Failure
) -> None:
    """Mark the version as failed; an earlier published version stays searchable."""
    parameters = {
        "document_id": document_id,
        "version": version,
        "stage": failure.stage,
        "failure": failure_json(failure),
    }
    await announce_change(scope)
    if await scope.change(_SQL["mark_failed"], parameters):
        await announce_events(scope, document_id)
    await scope.execute(_SQL["drop_stage_results"], parameters)


async def delete_document(
    scope: WorkspaceScope, document_id: UUID, limits: MaintenanceLimits
) -> tuple[str, ...]:
    """Delete a document with its attachments; return the keys of the blobs that nothing else uses.

    Delete one document per transaction: a deletion waits for publications of its document, and
    would wait forever if an earlier deletion of the transaction had locked the index. The blobs are
    marked for removal: `blob_claims.remove_unused` removes them now, or a sweep later. Raises
    NotFound.
    """
    parameters: dict[str, object] = {"document_id": document_id}
    await wait_for_publications(scope, document_id)
    index = await _lock_index(scope)
    family = await lock_family(scope, document_id)
    if not family:
        raise no_such_document(document_id)
    identities = {"document_ids": [member["document_id"] for member in family]}
    await _retire(scope, family)
    blobs = await scope.all(_SQL["blobs_of_family"], parameters | identities)
    await remove_from_sealed_answers(scope, identities["document_ids"])
    await forget_cluster_names(scope, identities["document_ids"])
    await scope.execute(_SQL["delete_family"], parameters | identities)
    await announce_events(scope, *identities["document_ids"])
    await _enqueue_what_is_due(scope, limits, index)
    await enqueue_clustering_if_enabled(scope, by_default=limits.cluster)
    keys = tuple(row["blob_key"] for row in blobs)
    if keys:
        await release(scope, keys)
    return keys


async def _lock_index(scope: WorkspaceScope) -> DictRow:
    """Lock the workspace's index until the transaction ends. Raises NotFound."""
    row = await scope.one(_SQL["lock_index"])
    if row is None:
        raise workspace_gone()
    return row


async def _enqueue_what_is_due(
    scope: WorkspaceScope, limits: MaintenanceLimits, index: DictRow
) -> None:
    """Enqueue index maintenance if a merge is due or exact vector scans may be too slow by now."""
    needs_index = not index["has_hnsw"] and index["next_chunk"] >= limits.hnsw_threshold_chunks
    if needs_index or await due_merge(scope, limits.merge_fan_in):
        await enqueue_maintenance(scope)


async def _insert_vectors(
    scope: WorkspaceScope,
    parameters: dict[str, object],
    numbers: list[int],
    publication: Publication,
) -> None:
    inserted = 0
    # In batches: for each text, a statement scans all rows it has inserted with the same hash.
    for start in range(0, len(numbers), _ROWS_AT_ONCE):
        end = start + _ROWS_AT_ONCE
        hashes = list(map(scope.sealing.text_hash, publication.text_hashes[start:end]))
        part = {"numbers": numbers[start:end], "hashes": hashes}
        inserted += await scope.change(_SQL["insert_vectors"], parameters | part)
    if inserted != len(numbers):
        raise DocumentInterrupted(
            stage=Stage.PUBLISH,
            cause=f"{len(numbers) - inserted} vectors went missing before publication",
            advice="it is embedded again by itself",
        )


async def _insert_chunks(
    scope: WorkspaceScope, stored: StoredVersion, numbers: list[int], publication: Publication
) -> None:
    for start in range(0, len(numbers), _ROWS_AT_ONCE):
        part = numbers[start : start + _ROWS_AT_ONCE]
        chunks = publication.chunks[start : start + len(part)]
        rows = [
            _chunk_row(scope.sealing, number, chunk)
            for number, chunk in zip(part, chunks, strict=True)
        ]
        await scope.execute(
            _SQL["insert_chunks"], stored.key | {"rows": Json(rows, dumps=_AS_JSON)}
        )


async def _retire(scope: WorkspaceScope, documents: Sequence[DictRow]) -> None:
    """Remove the published chunks of documents from the index.

    A segment that has no other chunks is deleted; in a merged segment the chunks are marked dead.
    """
    published = [document for document in documents if not document["chunks"].isempty]
    if not published:
        return
    # Attachments mostly have adjoining chunk numbers, so that they are few ranges.
    for first, end in ranges_of(document["chunks"] for document in published):
        parameters = {"first": first, "end": end}
        await scope.execute(_SQL["delete_vectors"], parameters)
        await scope.execute(_SQL["delete_chunks"], parameters)
    by_segment: dict[int, list[Range[int]]] = {}
    for document in published:
        by_segment.setdefault(document["segment_id"], []).append(document["chunks"])
    whole = []
    for row in await scope.all(_SQL["segment_sizes"], {"segment_ids": sorted(by_segment)}):
        chunks = ranges_of(by_segment[row["segment_id"]])
        if chunks.count == row["chunk_count"]:
            whole.append(row["segment_id"])
        else:
            dead = {"segment_id": row["segment_id"], "chunks": multirange_of(chunks)}
            await scope.execute(_SQL["mark_dead"], dead)
    if whole:
        await scope.execute(_SQL["drop_segments"], {"segment_ids": whole})
        await scope.execute(_SQL["drop_postings"], {"segment_ids": whole})


async def _keep_text(scope: WorkspaceScope, parameters: dict[str, object], text: str) -> None:
    """Store the canonical text; a long one in parts, each of which the driver holds twice."""
    for start in range(0, max(len(text), 1), _CHARACTERS_AT_ONCE):
        part = text[start : start + _CHARACTERS_AT_ONCE]
        statement = "append_text" if start else "keep_text"
        await scope.execute(_SQL[statement], parameters | {"text": part})


def _chunk_row(sealing: Sealing, number: int, chunk: Chunk) -> dict[str, object]:
    page_start, page_end = chunk.pages
    paragraph_start, paragraph_end = chunk.paragraphs
    return {
        "chunk_no": number,
        "ordinal": chunk.ordinal,
        "kind": chunk.kind.value,
        "text": sealing.text(CHUNK_TEXT.of(number), chunk.text),
        "body_offset": chunk.body_offset,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "spans": [span_row(span) for span in chunk.spans],
        "heading_path": sealing.words(HEADINGS.of(number), chunk.heading_path),
        "page_start": page_start,
        "page_end": page_end,
        "paragraph_start": paragraph_start,
        "paragraph_end": paragraph_end,
        "token_count": chunk.token_count,
        "confidence": chunk.confidence,
        "context": sealing.text(CONTEXT.of(number), chunk.context),
        "suspicious": chunk.suspicious,
    }


async def _insert_segment(
    scope: WorkspaceScope, segment_id: int, first_chunk: int, publication: Publication
) -> None:
    chunk_numbers, lengths = chunk_lengths(first_chunk, publication.chunk_terms)
    await scope.execute(
        _SQL["insert_segment"],
        {
            "segment_id": segment_id,
            "chunk_count": len(publication.chunk_terms),
            "chunk_numbers": chunk_numbers,
            "lengths": lengths,
            "format": SEGMENT_FORMAT,
        },
    )
    parts = posting_parts(
        first_chunk, publication.chunk_terms, publication.document_terms, publication.name_terms
    )
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        await insert_postings(scope, segment_id, part)


def _document_parameters(
    publication: Publication, segment_id: int, first_chunk: int
) -> dict[str, object]:
    enrichment = publication.enrichment
    return {
        "segment_id": segment_id,
        "chunks": Range(first_chunk, first_chunk + len(publication.chunks)),
        "language": enrichment.language,
        "document_class": enrichment.document_class.value,
        "page_count": publication.page_count,
        "keywords_among": publication.keywords_among,
        "dates": list(enrichment.dates),
    }


def _described(sealing: Sealing, document_id: UUID, publication: Publication) -> dict[str, object]:
    """Return the columns that describe a document: title, summary, keywords, sections, metadata."""
    enrichment = publication.enrichment
    return {
        "title": sealing.text(TITLE.of(document_id), enrichment.title),
        "summary": sealing.text(SUMMARY.of(document_id), enrichment.summary),
        "keywords": sealing.words(KEYWORDS.of(document_id), enrichment.keywords),
        "sections": sealing.words(SECTIONS.of(document_id), enrichment.sections),
        "metadata": Jsonb(sealing.metadata(METADATA_VALUES.of(document_id), publication.metadata)),
    }
