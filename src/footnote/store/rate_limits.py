"""How far callers, and sources of failures, are ahead of their rate limits, for all processes."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.limits import RateLimit
from footnote.store.database import SYSTEM, Database
from footnote.store.statements import load_statements

_SQL = load_statements("rate_limits")


async def take_request(
    database: Database, workspace_id: UUID, caller: str, limit: RateLimit
) -> tuple[bool, float]:
    """Count one request of a caller unless it comes too early.

    Returns whether it is allowed, and how many seconds the caller is ahead then.
    """
    async with database.workspace(workspace_id, SYSTEM) as scope, scope.connection.pipeline():
        await scope.execute(_SQL["commit_lazily"])
        taken = await scope.execute(
            _SQL["take"], {"caller": caller, "step": limit.step_seconds, "burst": limit.burst}
        )
        row = await taken.fetchone()
    assert row is not None, "it is allowed or refused"
    return bool(row["allowed"]), float(row["ahead"])


async def count_failure(database: Database, source: bytes, limit: RateLimit) -> tuple[bool, float]:
    """Count one failure of a source, which is a keyed hash of 32 bytes, unless it is one too many.

    Returns whether it was not, and how many seconds the source is ahead then.
    """
    given = {"source": source, "step": limit.step_seconds, "burst": limit.burst}
    async with database.outside() as connection:
        await connection.execute(_SQL["commit_lazily"])
        row = await (await connection.execute(_SQL["count_failure"], given)).fetchone()
    assert row is not None, "it is counted or refused"
    return bool(row["allowed"]), float(row["ahead"])


async def failures_ahead(database: Database, source: bytes) -> float:
    """How many seconds a source of failures is ahead; at most 0 for one without."""
    async with database.outside() as connection:
        row = await (
            await connection.execute(_SQL["failures_ahead"], {"source": source})
        ).fetchone()
    assert row is not None, "one row for each source"
    return float(row["ahead"])
