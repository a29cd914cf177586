"""Maintain an HNSW index per workspace that is too large for exact scans."""

from __future__ import annotations

from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from footnote.domain import Lane
from footnote.store.database import SYSTEM, Database
from footnote.store.statements import load_statements
from footnote.store.workspaces import existing_lane

_SQL = load_statements("hnsw")

HNSW_M = 16  # pgvector's default: links a node keeps.
HNSW_EF_CONSTRUCTION = 128  # Twice pgvector's default: recall at 10 of 0.99 without a wide search.


def index_name(workspace_id: UUID, lane_id: int) -> str:
    """Return the name of a lane's HNSW index."""
    return f"hnsw_{workspace_id.hex}_{lane_id}"


async def promotion_is_due(
    database: Database, workspace_id: UUID, lane: Lane, threshold: int
) -> int | None:
    """Return the number of the lane whose vectors need an index, or None.

    Raises LaneMismatch when the workspace has another lane.
    """
    async with database.workspace(workspace_id, SYSTEM) as scope:
        lane_id = await existing_lane(scope, lane)
        if lane_id is None:
            return None
        row = await scope.one(_SQL["size"], {"lane_id": lane_id})
    due = row is not None and not row["promoted"] and row["chunks"] >= threshold
    return lane_id if due else None


async def demotion_is_due(database: Database, workspace_id: UUID, threshold: int) -> int | None:
    """Return the number of the lane whose index is to be dropped, or None.

    That is due below half of the threshold for building, so that no index is built and dropped in
    turns.
    """
    async with database.workspace(workspace_id, SYSTEM) as scope:
        row = await scope.one(_SQL["size"], {"lane_id": None})
    if row is None or row["hnsw_lane"] is None or row["chunks"] * 2 >= threshold:
        return None
    return int(row["hnsw_lane"])


async def is_large(database: Database, workspace_id: UUID, threshold: int) -> bool:
    """Whether the workspace has at least `threshold` live chunks, too many for exact scans."""
    async with database.workspace(workspace_id, SYSTEM) as scope:
        row = await scope.one(_SQL["size"], {"lane_id": None})
    return row is not None and row["chunks"] >= threshold


async def promote(
    database: Database, owner_url: str, workspace_id: UUID, lane_id: int, lane: Lane
) -> None:
    """Build the partial index concurrently, then enable it for searches.

    It is not used if the lane is no longer the one searched.
    """
    await build(owner_url, workspace_id, lane_id, lane)
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["promoted"], {"lane_id": lane_id})


async def demote(database: Database, owner_url: str, workspace_id: UUID, lane_id: int) -> None:
    """Disable the index for searches, then drop it concurrently."""
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["demoted"], {"lane_id": lane_id})
    await drop_index(owner_url, index_name(workspace_id, lane_id))


async def build(owner_url: str, workspace_id: UUID, lane_id: int, lane: Lane) -> None:
    """Build the partial index of a lane concurrently.

    Takes about a minute for 100,000 vectors. An invalid index left by an interrupted build is
    rebuilt.
    """
    name = index_name(workspace_id, lane_id)
    connection = await psycopg.AsyncConnection.connect(
        owner_url, autocommit=True, row_factory=dict_row
    )
    async with connection:
        await connection.execute(_SQL["owner_path"])
        state = await (await connection.execute(_SQL["index_state"], {"name": name})).fetchone()
        if state is not None and not state["valid"]:
            await connection.execute(sql.SQL(_SQL["drop"]).format(name=sql.Identifier(name)))
        await connection.execute(
            sql.SQL(_SQL["build"]).format(
                name=sql.Identifier(name),
                type=sql.SQL("halfvec({})").format(sql.Literal(lane.dimensions)),
                m=sql.Literal(HNSW_M),
                ef_construction=sql.Literal(HNSW_EF_CONSTRUCTION),
                workspace_id=sql.Literal(workspace_id),
                lane_id=sql.Literal(lane_id),
            )
        )


async def drop_index(owner_url: str, name: str) -> None:
    """Drop an index concurrently, if it exists."""
    connection = await psycopg.AsyncConnection.connect(owner_url, autocommit=True)
    async with connection:
        await connection.execute(_SQL["owner_path"])
        await connection.execute(sql.SQL(_SQL["drop"]).format(name=sql.Identifier(name)))
