"""Reads how a workspace's index stands, and what of it a principal may see."""

from __future__ import annotations

from collections.abc import Iterable

from psycopg.types.multirange import Multirange
from psycopg.types.range import Range

from footnote.domain import Lane, SearchFilters
from footnote.errors import NotFound
from footnote.index.bm25 import corpus_lengths
from footnote.index.ranges import ChunkRanges
from footnote.store.database import WorkspaceScope
from footnote.store.index_cache import IndexState
from footnote.store.statements import load_statements
from footnote.store.workspaces import known_lane

_SQL = load_statements("recall")


async def load_state(scope: WorkspaceScope, lane: Lane) -> IndexState:
    """The index as of this transaction. Raises NotFound, and LaneMismatch as `known_lane` does."""
    parameters = {"workspace_id": scope.workspace_id}
    states = await scope.connection.execute(_SQL["state"], parameters)
    segments = await scope.connection.execute(_SQL["segments"], parameters)
    languages = await scope.connection.execute(_SQL["languages"], parameters)
    lane_id = await known_lane(scope, lane)
    row = await states.fetchone()
    if row is None:
        raise NotFound("the workspace is gone")
    rows = await segments.fetchall()
    dead = ranges_of([piece for each in rows for piece in each["dead"]])
    return IndexState(
        generation=row["generation"],
        lane_id=lane_id,
        hnsw=lane_id is not None and row["hnsw_lane"] == lane_id,
        lexical_key=bytes(row["lexical_key"]),
        languages=tuple(each["language"] for each in await languages.fetchall()),
        segments=tuple(each["segment_id"] for each in rows),
        corpus=corpus_lengths(
            [(bytes(each["chunk_numbers"]), bytes(each["lengths"])) for each in rows], dead
        ),
        dead=dead,
    )


async def load_scope(scope: WorkspaceScope, filters: SearchFilters) -> ChunkRanges:
    """The chunks of the documents that the principal may see and the filters admit."""
    cursor = await scope.connection.execute(
        _SQL["visible"],
        {
            "workspace_id": scope.workspace_id,
            "collections": list(filters.collections) or None,
            "document_ids": list(filters.document_ids) or None,
            "source_types": [each.value for each in filters.source_types] or None,
        },
    )
    row = await cursor.fetchone()
    visible: Multirange[int] | None = row["visible"] if row else None
    return ranges_of([] if visible is None else list(visible))


def ranges_of(pieces: Iterable[Range[int]]) -> ChunkRanges:
    """Postgres' ranges, which it hands out half-open, as ours."""
    return ChunkRanges.from_pairs(
        (piece.lower or 0, piece.upper or 0) for piece in pieces if not piece.isempty
    )


def multirange_of(ranges: ChunkRanges) -> Multirange[int]:
    """Our ranges as Postgres takes them."""
    return Multirange([Range(start, stop) for start, stop in ranges.pairs])
