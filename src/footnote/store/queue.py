"""Puts jobs on the durable queue in the transaction of the rows they are about."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements

INGEST_TASK = "ingest_document"
MAINTAIN_TASK = "maintain_index"
INGEST_QUEUE = "ingest"
MAINTENANCE_QUEUE = "maintenance"

_SQL = load_statements("queue")


async def enqueue_ingestion(scope: WorkspaceScope, document_id: UUID, version: int) -> None:
    """Have a version ingested; versions of one document are worked on one at a time."""
    await scope.connection.execute(
        _SQL["enqueue"],
        {
            "queue": INGEST_QUEUE,
            "task": INGEST_TASK,
            "lock": str(document_id),
            "queueing_lock": None,
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
    lock = f"maintain:{scope.workspace_id}"
    await scope.connection.execute(
        _SQL["enqueue_once"],
        {
            "queue": MAINTENANCE_QUEUE,
            "task": MAINTAIN_TASK,
            "lock": lock,
            "queueing_lock": lock,
            "args": Jsonb({"workspace_id": str(scope.workspace_id)}),
            "scheduled_at": due,
        },
    )
