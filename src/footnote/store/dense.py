"""Asks Postgres for the vectors nearest a query's, exactly or through a workspace's HNSW index."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from pgvector import HalfVector
from psycopg import AsyncCursor, sql
from psycopg.rows import DictRow

from footnote.domain import Hit, Ranking
from footnote.index.ranges import ChunkRanges
from footnote.ports import RecallRequest
from footnote.store.database import WorkspaceScope
from footnote.store.index_cache import IndexState
from footnote.store.index_state import multirange_of
from footnote.store.statements import load_statements

_SQL = load_statements("recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseBreadth:
    """How the dense recall looks for neighbours."""

    exact_up_to: int
    """Chunks in scope up to which every vector is compared."""
    ef_search: int
    """Candidates an HNSW search keeps, at least the limit."""


async def ask_nearest(
    scope: WorkspaceScope,
    state: IndexState,
    visible: ChunkRanges,
    request: RecallRequest,
    breadth: DenseBreadth,
) -> AsyncCursor[DictRow] | None:
    """Send for the nearest vectors without waiting for them."""
    if request.vector is None or state.lane_id is None or visible.is_empty:
        return None
    parameters = {
        "workspace_id": scope.workspace_id,
        "lane_id": state.lane_id,
        "vector": HalfVector(request.vector),
        "visible": multirange_of(visible),
        "limit": request.limit,
    }
    if not state.hnsw or visible.count <= breadth.exact_up_to:
        return await scope.connection.execute(_SQL["nearest_exactly"], parameters)
    await scope.connection.execute(
        _SQL["hnsw_breadth"], {"ef_search": str(max(breadth.ef_search, request.limit))}
    )
    statement = nearest_by_hnsw(scope.workspace_id, state.lane_id, request.vector.size)
    # Prepared, it would be planned for any workspace and miss this one's partial index.
    return await scope.connection.execute(statement, parameters, prepare=False)


async def read_nearest(cursor: AsyncCursor[DictRow] | None) -> Ranking:
    """Cosine similarities of the nearest, ties by chunk number."""
    if cursor is None:
        return ()
    hits = [
        Hit(chunk_no=row["chunk_no"], score=row["similarity"]) for row in await cursor.fetchall()
    ]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk_no)))


def nearest_by_hnsw(workspace_id: UUID, lane_id: int, dimensions: int) -> sql.Composed:
    """The search of a partial index, whose predicate must stand in the statement as literals."""
    return sql.SQL(_SQL["nearest_by_hnsw"]).format(
        workspace_id=sql.Literal(workspace_id),
        lane_id=sql.Literal(lane_id),
        type=sql.SQL("halfvec({})").format(sql.Literal(dimensions)),
    )
