"""How far each caller of a workspace is ahead of its rate limit, for all processes."""

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
