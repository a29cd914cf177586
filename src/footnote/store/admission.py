"""Refuses files while too many wait already."""

from __future__ import annotations

import math
from dataclasses import dataclass

from footnote.errors import QueueFull
from footnote.store.database import WorkspaceScope
from footnote.store.queue import INGEST_QUEUE
from footnote.store.statements import load_statements

_SQL = load_statements("admission")

_SHARE = 0.01
"""Of the queue that should have become free when the caller comes again."""
_LONGEST_WAIT_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLimits:
    """How many documents may wait or be worked on."""

    workspace: int
    overall: int


async def require_room(scope: WorkspaceScope, limits: QueueLimits) -> None:
    """Raise QueueFull while a limit is reached; uploads in flight are not counted.

    Give it a scope of the system: a principal would count only what it may see.
    """
    if await _waiting(scope, "waiting_here", limits.workspace) >= limits.workspace:
        told = f"{limits.workspace:,} documents of this workspace wait to be indexed"
    elif await _waiting(scope, "waiting_anywhere", limits.overall) >= limits.overall:
        told = "too many documents wait to be indexed"
    else:
        return
    raise QueueFull(
        told,
        hint="wait and hand it in again; look whether a worker runs: footnote worker",
        retry_after_seconds=retry_after(await _wait_of_the_next(scope)),
    )


def retry_after(waited_seconds: float) -> int:
    """Seconds after which there should be room, 1…60.

    `waited_seconds` is what the next document has waited. By Little's law (Operations Research
    1961) the whole queue passes in that time, and a share of it in that share of the time.
    """
    return min(max(math.ceil(waited_seconds * _SHARE), 1), _LONGEST_WAIT_SECONDS)


async def _waiting(scope: WorkspaceScope, statement: str, limit: int) -> int:
    row = await (
        await scope.connection.execute(
            _SQL[statement],
            {"workspace_id": scope.workspace_id, "queue": INGEST_QUEUE, "limit": limit},
        )
    ).fetchone()
    return 0 if row is None else int(row["waiting"])


async def _wait_of_the_next(scope: WorkspaceScope) -> float:
    row = await (
        await scope.connection.execute(_SQL["wait_of_the_next"], {"queue": INGEST_QUEUE})
    ).fetchone()
    return 0.0 if row is None else float(row["seconds"])
