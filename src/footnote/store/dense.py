"""Dense recall: nearest vectors, by exact scan or HNSW, and vectors by chunk number."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from pgvector import HalfVector
from psycopg import AsyncCursor, sql
from psycopg.rows import DictRow

from footnote.domain import Hit, Ranking
from footnote.index.ranges import ChunkRanges
from footnote.ports import RecallRequest, Vector
from footnote.store.database import WorkspaceScope
from footnote.store.index_cache import IndexState
from footnote.store.index_state import multirange_of
from footnote.store.lexical import scores_of
from footnote.store.statements import load_statements
from footnote.store.vector_cache import CachedVectors

_SQL = load_statements("dense")

_VECTORS_WORTH_A_THREAD = 10_000
"""Most vectors scanned on the event loop, in about a millisecond; up to there, handing over to a
thread costs more than it frees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseBreadth:
    """Parameters of the nearest neighbour search."""

    exact_up_to: int
    """Most chunks in scope for an exact scan."""
    ef_search: int = 200
    """Size of the candidate list of HNSW; raised to the limit of the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingNearest:
    """A nearest neighbour search in progress, in the database and in this process."""

    limit: int
    cursor: AsyncCursor[DictRow] | None = None
    held: Awaitable[Ranking] | None = None


async def ask_nearest(
    scope: WorkspaceScope,
    state: IndexState,
    visible: ChunkRanges,
    request: RecallRequest,
    breadth: DenseBreadth,
    *,
    cached: CachedVectors | None = None,
) -> PendingNearest | None:
    """Start a search of the cached vectors, and query the database for the others."""
    if request.vector is None or state.lane_id is None or visible.is_empty:
        return None
    if cached is not None:
        uncached = visible.difference(cached.covered)
        if uncached.count <= breadth.exact_up_to:
            cursor = None
            if not uncached.is_empty:
                cursor = await _ask_database(scope, state, uncached, request, breadth)
            nearest = begin_nearest(cached, request.vector, visible, request.limit)
            return PendingNearest(limit=request.limit, cursor=cursor, held=nearest)
    cursor = await _ask_database(scope, state, visible, request, breadth)
    return PendingNearest(limit=request.limit, cursor=cursor)


async def read_nearest(pending: PendingNearest | None) -> Ranking:
    """Await the nearest chunks, ranked by cosine similarity, ties by chunk number."""
    if pending is None:
        return ()
    hits: list[Hit] = []
    if pending.held is not None:
        hits += await pending.held
    if pending.cursor is not None:
        hits += [
            Hit(chunk_no=row["chunk_no"], score=row["similarity"])
            for row in await pending.cursor.fetchall()
        ]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk_no))[: pending.limit])


async def _ask_database(
    scope: WorkspaceScope,
    state: IndexState,
    visible: ChunkRanges,
    request: RecallRequest,
    breadth: DenseBreadth,
) -> AsyncCursor[DictRow]:
    assert request.vector is not None, "there is something to be near to"
    assert state.lane_id is not None, "the workspace has vectors"
    parameters = {
        "lane_id": state.lane_id,
        "vector": HalfVector(request.vector),
        "visible": multirange_of(visible),
        "limit": request.limit,
    }
    if not state.hnsw or visible.count <= breadth.exact_up_to:
        return await scope.execute(_SQL["nearest_exactly"], parameters)
    await scope.execute(
        _SQL["hnsw_breadth"], {"ef_search": str(max(breadth.ef_search, request.limit))}
    )
    statement = nearest_by_hnsw(scope.workspace_id, state.lane_id, request.vector.size)
    # A generic plan of a prepared statement would not use the partial index.
    return await scope.execute(statement, parameters, prepare=False)


def begin_nearest(
    cached: CachedVectors, vector: Vector, visible: ChunkRanges, limit: int
) -> Awaitable[Ranking]:
    """Start an exact scan of the cached vectors, in a thread if it takes milliseconds."""
    if cached.numbers.size <= _VECTORS_WORTH_A_THREAD:
        future: asyncio.Future[Ranking] = asyncio.get_running_loop().create_future()
        future.set_result(cached.nearest(vector, visible, limit))
        return future
    return asyncio.create_task(asyncio.to_thread(cached.nearest, vector, visible, limit))


def nearest_by_hnsw(workspace_id: UUID, lane_id: int, dimensions: int) -> sql.Composed:
    """Return the query for a partial index, whose predicate must be literals in the statement."""
    return sql.SQL(_SQL["nearest_by_hnsw"]).format(
        workspace_id=sql.Literal(workspace_id),
        lane_id=sql.Literal(lane_id),
        type=sql.SQL("halfvec({})").format(sql.Literal(dimensions)),
    )


async def complete_similarities(
    scope: WorkspaceScope,
    state: IndexState,
    vector: Vector,
    dense: Ranking,
    lexical: Ranking,
    *,
    cached: CachedVectors | None = None,
) -> Mapping[int, float]:
    """Return the cosine similarity of every chunk in either ranking that has a vector."""
    similarities = scores_of(dense)
    missing = [hit.chunk_no for hit in lexical if hit.chunk_no not in similarities]
    if cached is not None:
        similarities |= cached.similarities(vector, missing)
        missing = [number for number in missing if number not in similarities]
    if not missing or state.lane_id is None:
        return similarities
    return similarities | {
        row["chunk_no"]: row["similarity"]
        for row in await scope.all(
            _SQL["similarities"],
            {"lane_id": state.lane_id, "vector": HalfVector(vector), "numbers": missing},
            binary=True,
        )
    }


async def load_vectors(
    scope: WorkspaceScope, lane_id: int, chunk_numbers: Sequence[int]
) -> Mapping[int, Vector]:
    """Read the vectors of the chunks that are published and visible, by chunk number.

    float32 of shape (dimensions,), normalised again, since half precision keeps unit length only
    nearly.
    """
    if not chunk_numbers:
        return {}
    rows = await scope.all(
        _SQL["vectors"], {"lane_id": lane_id, "numbers": list(chunk_numbers)}, binary=True
    )
    if not rows:
        return {}
    vectors = np.stack([row["embedding"].to_numpy() for row in rows]).astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    vectors = scope.sealing.plain_vectors(vectors)
    return {row["chunk_no"]: vector for row, vector in zip(rows, vectors, strict=True)}
