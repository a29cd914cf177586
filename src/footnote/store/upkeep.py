"""Find the workspaces whose data a new version has to rewrite."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from footnote.domain import Lane
from footnote.index.segments import SEGMENT_FORMAT
from footnote.store.database import Database
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("migrating")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """The data of a workspace that is in an older format, or may be."""

    workspace_id: UUID
    older_segments: int
    without_readers: int
    """Documents whose rows do not yet store who may see them."""
    lane: Lane | None
    """The current one; None before the first document."""


async def upkeep_after_upgrade(database: Database) -> tuple[Upkeep, ...]:
    """Return the segments and the lane of every workspace that an upgrade may affect."""
    async with database.outside() as connection:
        cursor = await connection.execute(_SQL["upkeep"], {"format": SEGMENT_FORMAT})
        rows = await cursor.fetchall()
        cursor = await connection.execute(_SQL["readers_to_pass_on"])
        missing_readers = {row["workspace_id"]: row["documents"] for row in await cursor.fetchall()}
    return tuple(
        record_of(
            Upkeep,
            row,
            lane=None if row["model"] is None else record_of(Lane, row),
            without_readers=missing_readers.get(row["workspace_id"], 0),
        )
        for row in rows
    )
