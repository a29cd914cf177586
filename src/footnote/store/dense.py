"""The dense side of a search: nearest vectors, exactly or by HNSW, and vectors by chunk."""

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
from footnote.store.vector_cache import HeldVectors

_SQL = load_statements("dense")

_VECTORS_WORTH_A_THREAD = 10_000
"""Below about a millisecond of comparing, handing over to a thread costs more than it frees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseBreadth:
    """How the dense recall looks for neighbours."""

    exact_up_to: int
    """Chunks in scope up to which every vector is compared."""
    ef_search: int = 200
    """Candidates an HNSW search keeps, at least the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedNearest:
    """The question to the database, and what the process finds in the meantime."""

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
    held: HeldVectors | None = None,
) -> AskedNearest | None:
    """Send for the nearest vectors, those that are not held, without waiting for them."""
    if request.vector is None or state.lane_id is None or visible.is_empty:
        return None
    if held is not None:
        rest = visible.difference(held.covered)
        if rest.count <= breadth.exact_up_to:
            cursor = None
            if not rest.is_empty:
                cursor = await _ask_database(scope, state, rest, request, breadth)
            found = begin_nearest(held, request.vector, visible, request.limit)
            return AskedNearest(limit=request.limit, cursor=cursor, held=found)
    cursor = await _ask_database(scope, state, visible, request, breadth)
    return AskedNearest(limit=request.limit, cursor=cursor)


async def read_nearest(asked: AskedNearest | None) -> Ranking:
    """Cosine similarities of the nearest, ties by chunk number."""
    if asked is None:
        return ()
    hits: list[Hit] = []
    if asked.held is not None:
        hits += await asked.held
    if asked.cursor is not None:
        hits += [
            Hit(chunk_no=row["chunk_no"], score=row["similarity"])
            for row in await asked.cursor.fetchall()
        ]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk_no))[: asked.limit])


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
    # Prepared, it would be planned for any workspace and miss this one's partial index.
    return await scope.execute(statement, parameters, prepare=False)


def begin_nearest(
    held: HeldVectors, vector: Vector, visible: ChunkRanges, limit: int
) -> Awaitable[Ranking]:
    """The search of the held vectors, beside the round trip where it takes milliseconds."""
    if held.numbers.size <= _VECTORS_WORTH_A_THREAD:
        found: asyncio.Future[Ranking] = asyncio.get_running_loop().create_future()
        found.set_result(held.nearest(vector, visible, limit))
        return found
    return asyncio.create_task(asyncio.to_thread(held.nearest, vector, visible, limit))


def nearest_by_hnsw(workspace_id: UUID, lane_id: int, dimensions: int) -> sql.Composed:
    """The search of a partial index, whose predicate must stand in the statement as literals."""
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
    held: HeldVectors | None = None,
) -> Mapping[int, float]:
    """Cosines of every chunk of either ranking that has a vector, by chunk number."""
    known = scores_of(dense)
    missing = [hit.chunk_no for hit in lexical if hit.chunk_no not in known]
    if held is not None:
        known |= held.similarities(vector, missing)
        missing = [number for number in missing if number not in known]
    if not missing or state.lane_id is None:
        return known
    return known | {
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
    """The vectors of these chunks in the lane, those that are published and visible.

    float32 of shape (dimensions,) and of unit length, which half precision only nearly keeps.
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
