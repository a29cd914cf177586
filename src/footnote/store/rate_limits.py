"""Rate limits shared by all processes, for callers and for sources of failures (GCRA)."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.limits import RateLimit
from footnote.store.database import SYSTEM, Database
from footnote.store.statements import load_statements

_SQL = load_statements("rate_limits")


async def take_request(
    database: Database, workspace_id: UUID, caller: str, limit: RateLimit
) -> tuple[bool, float]:
    """Count one request of a caller, unless it exceeds the rate limit.

    Returns whether it is allowed, and how many seconds the caller is ahead of the rate then.
    """
    async with database.workspace(workspace_id, SYSTEM) as scope, scope.connection.pipeline():
        await scope.execute(_SQL["commit_lazily"])
        cursor = await scope.execute(
            _SQL["take"], {"caller": caller, "step": limit.step_seconds, "burst": limit.burst}
        )
        row = await cursor.fetchone()
    assert row is not None, "it is allowed or refused"
    return bool(row["allowed"]), float(row["ahead"])


async def count_failure(database: Database, source: bytes, limit: RateLimit) -> tuple[bool, float]:
    """Count one failure of a source, a keyed hash of 32 bytes, unless the limit is reached.

    Returns whether it was counted, and how many seconds the source is ahead of the rate then.
    """
    parameters = {"source": source, "step": limit.step_seconds, "burst": limit.burst}
    async with database.outside() as connection:
        await connection.execute(_SQL["commit_lazily"])
        row = await (await connection.execute(_SQL["count_failure"], parameters)).fetchone()
    assert row is not None, "it is counted or refused"
    return bool(row["allowed"]), float(row["ahead"])


async def failures_ahead(database: Database, source: bytes) -> float:
    """Return how many seconds a source of failures is ahead of the rate; at most 0 if it is not."""
    async with database.outside() as connection:
        row = await (
            await connection.execute(_SQL["failures_ahead"], {"source": source})
        ).fetchone()
    assert row is not None, "one row for each source"
    return float(row["ahead"])
