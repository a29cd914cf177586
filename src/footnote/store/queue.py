"""Puts jobs on the durable queue in the transaction of the rows they are about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from psycopg.types.json import Jsonb

from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements

INGEST_TASK = "ingest_document"
MAINTAIN_TASK = "maintain_index"
SWEEP_TASK = "sweep_workspace"
REEMBED_TASK = "reembed_lane"
PURGE_TASK = "purge_lanes"
INGEST_QUEUE = "ingest"
MAINTENANCE_QUEUE = "maintenance"
SET_ASIDE_QUEUE = "set_aside"
"""Documents that were in hand when a worker died, each to be tried in a process of its own."""

_SOON = 1
"""Before documents that wait: searches of a workspace that takes in all day want its merges too."""
_LATER = -1
"""After documents, but not after the backlog of a workspace that hands in thousands."""

_SQL = load_statements("queue")
TAKE_TURN = _SQL["take_turn"]
"""For the queue's own connections; `jobs.bookkeeping` names its parameters."""


async def enqueue_ingestion(
    scope: WorkspaceScope, document_id: UUID, version: int, *, first: bool = False
) -> None:
    """Have a version ingested, `first` before all that waits.

    Versions of one document are worked on one at a time.
    """
    await scope.connection.execute(
        _SQL["enqueue_before_others" if first else "enqueue_in_turn"],
        {
            "workspace_id": scope.workspace_id,
            "queue": INGEST_QUEUE,
            "task": INGEST_TASK,
            "lock": str(document_id),
            "args": Jsonb(
                {
                    "workspace_id": str(scope.workspace_id),
                    "document_id": str(document_id),
                    "version": version,
                }
            ),
            "scheduled_at": None,
        },
    )


async def enqueue_maintenance(scope: WorkspaceScope, due: datetime | None = None) -> None:
    """Have the index of the workspace tended, unless that is waiting to be done already."""
    await scope.connection.execute(
        _SQL["enqueue_once"],
        {
            "queue": MAINTENANCE_QUEUE,
            "task": MAINTAIN_TASK,
            "priority": _SOON,
            "lock": f"maintain:{scope.workspace_id}",
            "args": Jsonb({"workspace_id": str(scope.workspace_id)}),
            "scheduled_at": due,
        },
    )


async def enqueue_sweep(scope: WorkspaceScope, delay_seconds: float) -> None:
    """Have what nobody needs removed after a while, unless that is waiting to be done already."""
    await scope.connection.execute(
        _SQL["enqueue_once"],
        {
            "queue": MAINTENANCE_QUEUE,
            "task": SWEEP_TASK,
            "priority": _LATER,
            "lock": f"sweep:{scope.workspace_id}",
            "args": Jsonb({"workspace_id": str(scope.workspace_id)}),
            "scheduled_at": datetime.now(UTC) + timedelta(seconds=delay_seconds),
        },
    )


async def enqueue_reembedding(
    scope: WorkspaceScope, lane_id: int, delay_seconds: float = 0.0
) -> None:
    """Have a lane filled further; one slice of the work at a time in a workspace."""
    await scope.connection.execute(
        _SQL["enqueue"],
        {
            "queue": MAINTENANCE_QUEUE,
            "task": REEMBED_TASK,
            "lock": f"reembed:{scope.workspace_id}",
            "args": Jsonb({"workspace_id": str(scope.workspace_id), "lane_id": lane_id}),
            "scheduled_at": datetime.now(UTC) + timedelta(seconds=delay_seconds),
        },
    )


async def enqueue_purge(scope: WorkspaceScope, delay: timedelta) -> None:
    """Have lanes nobody went back to removed after a while."""
    await scope.connection.execute(
        _SQL["enqueue"],
        {
            "queue": MAINTENANCE_QUEUE,
            "task": PURGE_TASK,
            "lock": f"purge:{scope.workspace_id}",
            "args": Jsonb({"workspace_id": str(scope.workspace_id)}),
            # A moment later than the wait, or a lane would be found a moment too young.
            "scheduled_at": datetime.now(UTC) + delay + timedelta(seconds=1),
        },
    )
