"""Count the traces of documents in every store, before and after their deletion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from psycopg import sql

from footnote.index.ranges import ChunkRanges
from footnote.index.segments import CHUNK_NUMBER, COUNT
from footnote.ports import Blobs
from footnote.store.database import WorkspaceScope
from footnote.store.entity_erasure import count_entity_traces
from footnote.store.index_state import multirange_of, ranges_of
from footnote.store.merging import load_postings, term_slices
from footnote.store.sealed_answers import count_naming
from footnote.store.statements import load_statements

_SQL = load_statements("erasure")

BLOBS = "blobs"
JOBS = "queued jobs"
ANSWERS = "answers in conversations"
ENTITY_NAMES = "names given to entities"
DECISIONS = "decisions about entities"
CHUNKS = "chunks, by number"
VECTORS = "vectors, by number"
SEGMENTS = "segments of the lexical index"
POSTINGS = "posting lists"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The identifiers of documents and their attachments in every store."""

    document_ids: tuple[UUID, ...]
    chunks: ChunkRanges
    blob_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The number of traces found, by place."""

    counts: Mapping[str, int]
    records: frozenset[str]
    """Places that refer to documents without belonging to them, such as the events of their
    deletion."""


async def family_of(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> Family:
    """Return the identifiers of existing documents and everything attached below them."""
    rows = await scope.all(_SQL["family"], {"document_ids": list(document_ids)})
    existing_ids = tuple(row["document_id"] for row in rows)
    blobs = await scope.all(_SQL["blobs"], {"document_ids": list(existing_ids)})
    return Family(
        document_ids=existing_ids,
        chunks=ranges_of([row["chunks"] for row in rows]),
        blob_keys=tuple(row["blob_key"] for row in blobs),
    )


async def find_all(scope: WorkspaceScope, blobs: Blobs, family: Family) -> Findings:
    """Count traces in every store; reads the whole lexical index of the workspace.

    Needs a scope of the system, which sees every row of the workspace.
    """
    parameters: dict[str, object] = {
        "document_ids": list(family.document_ids),
        "document_names": [str(document_id) for document_id in family.document_ids],
        "chunks": multirange_of(family.chunks),
    }
    counts: dict[str, int] = {}
    records = set()
    for row in await scope.all(_SQL["tables"]):
        statement = sql.SQL(_SQL["of_documents"]).format(table=sql.Identifier(row["name"]))
        counts[row["name"]] = await _count(scope, statement, parameters)
        if not row["owned"]:
            records.add(row["name"])
    for label, name in ((CHUNKS, "chunks_by_number"), (VECTORS, "vectors_by_number")):
        counts[label] = await _count(scope, sql.SQL(_SQL[name]), parameters)
    counts[SEGMENTS], counts[POSTINGS] = await _count_indexed(scope, family.chunks)
    counts[ANSWERS] = await _count(scope, sql.SQL(_SQL["answers"]), parameters)
    counts[ANSWERS] += await count_naming(scope, family.document_ids)
    traces = await count_entity_traces(scope, family.document_ids)
    counts[ENTITY_NAMES], counts[DECISIONS] = traces.names, traces.decisions
    counts[JOBS] = await _count(scope, sql.SQL(_SQL["jobs"]), parameters)
    # Count existing blobs, except those that other documents with the same bytes use.
    stored_blobs = 0
    for key in family.blob_keys:
        users = await scope.single(
            _SQL["users_of_blob"],
            {"blob_key": key, "content_sha256": bytes.fromhex(key.rpartition("/")[2])},
        )
        stored_blobs += not users["documents"] and await blobs.exists(key)
    counts[BLOBS] = stored_blobs
    return Findings(counts=counts, records=frozenset(records))


async def drop_jobs(scope: WorkspaceScope, family: Family) -> None:
    """Delete the queued jobs of the documents."""
    names = [str(document_id) for document_id in family.document_ids]
    await scope.execute(_SQL["drop_jobs"], {"document_names": names})


async def _count(
    scope: WorkspaceScope, statement: sql.SQL | sql.Composed, parameters: Mapping[str, object]
) -> int:
    return int((await scope.single(statement, parameters))["found"])


async def _count_indexed(scope: WorkspaceScope, chunks: ChunkRanges) -> tuple[int, int]:
    """Count the segments, and their posting lists, that contain any of the chunks."""

    segments = lists = 0
    for row in await scope.all(_SQL["segment_ids"]):
        of_segment = {"segment_id": row["segment_id"]}
        for segment in await scope.all(_SQL["segment_numbers"], of_segment, binary=True):
            numbers = np.frombuffer(segment["chunk_numbers"], CHUNK_NUMBER)
            segments += bool(chunks.count_of_rising(numbers))
        for part in term_slices(row["chunk_count"]):
            postings = await load_postings(scope, [row["segment_id"]], part, ChunkRanges.empty())
            counts = np.frombuffer(postings.counts, COUNT)
            mask = chunks.contains(np.frombuffer(postings.chunk_numbers, CHUNK_NUMBER))
            lists += np.unique(np.repeat(np.arange(counts.size), counts)[mask]).size
    return segments, lists
