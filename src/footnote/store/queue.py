"""The durable job queue: a job is enqueued in the transaction of the rows it is about."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from footnote.domain.tracing import QueueState
from footnote.ports.telemetry import inject_traceparent
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements, record_of

INGEST_TASK = "ingest_document"
MAINTAIN_TASK = "maintain_index"
SWEEP_TASK = "sweep_workspace"
RETAIN_TASK = "apply_retention"
REEMBED_TASK = "reembed_lane"
PURGE_TASK = "purge_lanes"
EVALUATE_TASK = "evaluate"
FACTS_TASK = "extract_facts"
CLUSTERS_TASK = "cluster_documents"
ENTITIES_TASK = "extract_entities"
SUMMARIES_TASK = "summarise_documents"
MARKS_TASK = "mark_suspicion"
KEYWORDS_TASK = "choose_keywords"
INGEST_QUEUE = "ingest"
MAINTENANCE_QUEUE = "maintenance"
SET_ASIDE_QUEUE = "set_aside"
"""Documents that were in progress when a worker died, each to be retried in its own process."""
WEBHOOK_QUEUE = "webhooks"
_QUEUES = (INGEST_QUEUE, MAINTENANCE_QUEUE, SET_ASIDE_QUEUE, WEBHOOK_QUEUE)

_HIGH_PRIORITY = 1
"""Priority above waiting documents: a workspace that ingests all day needs its merges too."""
CLUSTERING_WAITS_SECONDS = 5.0
"""Delay after a document, so that documents uploaded together are clustered together."""
_LOW_PRIORITY = -1
"""Priority below documents, but above the backlog of a workspace that uploads thousands."""

_SQL = load_statements("queue")
TAKE_TURN = _SQL["take_turn"]
"""Takes the next job, on the queue's own connections; `jobs.bookkeeping` names its parameters."""
QUEUE_STATE = _SQL["queue_state"]
"""Counts the jobs in the queues of the parameter `queues`."""


async def enqueue_ingestion(
    scope: WorkspaceScope, document_id: UUID, version: int, *, first: bool = False
) -> None:
    """Enqueue the ingestion of a version, with `first` ahead of all waiting jobs.

    Versions of one document are processed one at a time.
    """
    await enqueue(
        scope,
        INGEST_TASK,
        str(document_id),
        {"document_id": str(document_id), "version": version},
        queue=INGEST_QUEUE,
        statement="enqueue_before_others" if first else "enqueue_in_turn",
    )


async def enqueue_maintenance(scope: WorkspaceScope, due: datetime | None = None) -> None:
    """Enqueue index maintenance for the workspace, unless it is waiting already."""
    await enqueue(
        scope,
        MAINTAIN_TASK,
        f"maintain:{scope.workspace_id}",
        due=due,
        priority=_HIGH_PRIORITY,
        statement="enqueue_once",
    )


async def enqueue_sweep(scope: WorkspaceScope, delay_seconds: float) -> None:
    """Enqueue the removal of unused data after a delay, unless it is waiting already."""
    await enqueue(
        scope,
        SWEEP_TASK,
        f"sweep:{scope.workspace_id}",
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds),
        priority=_LOW_PRIORITY,
        statement="enqueue_once",
    )


async def enqueue_retention(scope: WorkspaceScope, delay_seconds: float) -> None:
    """Enqueue the application of retention rules after a delay, unless it is waiting already."""
    await enqueue(
        scope,
        RETAIN_TASK,
        f"retain:{scope.workspace_id}",
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds),
        priority=_LOW_PRIORITY,
        statement="enqueue_once",
    )


async def enqueue_reembedding(
    scope: WorkspaceScope, lane_id: int, delay_seconds: float = 0.0
) -> None:
    """Enqueue the next slice of filling a lane; a workspace runs one slice at a time."""
    await enqueue(
        scope,
        REEMBED_TASK,
        f"reembed:{scope.workspace_id}",
        {"lane_id": lane_id},
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds),
    )


async def enqueue_evaluation(scope: WorkspaceScope, run_id: UUID) -> None:
    """Enqueue an evaluation; a workspace runs one at a time."""
    await enqueue(scope, EVALUATE_TASK, f"evaluate:{scope.workspace_id}", {"run_id": str(run_id)})


async def enqueue_purge(scope: WorkspaceScope, delay: timedelta) -> None:
    """Enqueue the removal of retired lanes after a delay."""
    # One second longer than the delay, so that the lane is old enough by then.
    due = datetime.now(UTC) + delay + timedelta(seconds=1)
    await enqueue(scope, PURGE_TASK, f"purge:{scope.workspace_id}", due=due)


async def enqueue_facts(scope: WorkspaceScope, *, delay_seconds: float = 0.0) -> None:
    """Enqueue fact extraction for the workspace, unless it is waiting already."""
    due = datetime.now(UTC) + timedelta(seconds=delay_seconds) if delay_seconds else None
    await enqueue(
        scope,
        FACTS_TASK,
        _facts_lock(scope),
        priority=_LOW_PRIORITY,
        statement="enqueue_once",
        due=due,
    )


async def enqueue_facts_if_enabled(scope: WorkspaceScope, *, by_default: bool) -> None:
    """Enqueue fact extraction if the workspace's setting, or else the default, asks for it."""
    if await _setting_enabled(scope, "facts", by_default):
        await enqueue_facts(scope)


async def facts_enqueued(scope: WorkspaceScope) -> bool:
    """Return whether fact extraction is running or waiting."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _facts_lock(scope)})
    return bool(row["enqueued"])


async def enqueue_clustering(scope: WorkspaceScope, delay_seconds: float = 0.0) -> None:
    """Enqueue the clustering of documents, unless it is waiting already."""
    await enqueue(
        scope,
        CLUSTERS_TASK,
        _clusters_lock(scope),
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds) if delay_seconds else None,
        priority=_LOW_PRIORITY,
        statement="enqueue_once",
    )


async def enqueue_clustering_if_enabled(scope: WorkspaceScope, *, by_default: bool) -> None:
    """Enqueue clustering after a short delay if the workspace's setting, or else the default, asks
    for it.

    The delay lets documents that are uploaded together share one job.
    """
    # Stored settings of `chunk_clusters`, which used to be separate, still count.
    if await _setting_enabled(scope, "clusters", by_default) or await _setting_enabled(
        scope, "chunk_clusters", False
    ):
        await enqueue_clustering(scope, CLUSTERING_WAITS_SECONDS)


async def clustering_enqueued(scope: WorkspaceScope) -> bool:
    """Return whether clustering is running or waiting."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _clusters_lock(scope)})
    return bool(row["enqueued"])


async def enqueue_summarising(scope: WorkspaceScope, *, delay_seconds: float = 0.0) -> None:
    """Enqueue the summarising of documents after a delay, unless it is waiting already."""
    await enqueue(
        scope,
        SUMMARIES_TASK,
        _summaries_lock(scope),
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds) if delay_seconds else None,
        priority=_LOW_PRIORITY,
        statement="enqueue_once",
    )


async def enqueue_summarising_if_enabled(scope: WorkspaceScope, *, by_default: bool) -> None:
    """Enqueue summarising if the workspace's setting, or else the default, asks for it."""
    if await _setting_enabled(scope, "summaries", by_default):
        await enqueue_summarising(scope)


async def summarising_enqueued(scope: WorkspaceScope) -> bool:
    """Whether documents are being summarised, or waiting to be."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _summaries_lock(scope)})
    return bool(row["enqueued"])


async def enqueue_marking(scope: WorkspaceScope) -> None:
    """Enqueue the screening of chunks for prompt injections, unless it is waiting already."""
    lock = _marks_lock(scope)
    await enqueue(scope, MARKS_TASK, lock, priority=_LOW_PRIORITY, statement="enqueue_once")


async def marking_enqueued(scope: WorkspaceScope) -> bool:
    """Return whether prompt injection screening is running or waiting."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _marks_lock(scope)})
    return bool(row["enqueued"])


async def enqueue_keywords(scope: WorkspaceScope) -> None:
    """Enqueue a new choice of keywords, unless it is waiting already."""
    lock = _keywords_lock(scope)
    await enqueue(scope, KEYWORDS_TASK, lock, priority=_LOW_PRIORITY, statement="enqueue_once")


async def keywords_enqueued(scope: WorkspaceScope) -> bool:
    """Whether keywords are being chosen, or waiting to be."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _keywords_lock(scope)})
    return bool(row["enqueued"])


def _keywords_lock(scope: WorkspaceScope) -> str:
    return f"keywords:{scope.workspace_id}"


def _marks_lock(scope: WorkspaceScope) -> str:
    return f"marks:{scope.workspace_id}"


async def _setting_enabled(scope: WorkspaceScope, setting: str, by_default: bool) -> bool:
    row = await scope.single(_SQL["wants"], {"name": setting, "by_default": by_default})
    return bool(row["wanted"])


def _clusters_lock(scope: WorkspaceScope) -> str:
    return f"clusters:{scope.workspace_id}"


async def enqueue_entities(scope: WorkspaceScope, *, delay_seconds: float = 0.0) -> None:
    """Enqueue entity extraction for the workspace, unless it is waiting already."""
    due = datetime.now(UTC) + timedelta(seconds=delay_seconds) if delay_seconds else None
    lock = _entities_lock(scope)
    await enqueue(
        scope, ENTITIES_TASK, lock, priority=_LOW_PRIORITY, statement="enqueue_once", due=due
    )


async def enqueue_entities_if_enabled(scope: WorkspaceScope, *, by_default: bool) -> None:
    """Enqueue entity extraction if the workspace's setting, or else the default, asks for it."""
    if await _setting_enabled(scope, "entities", by_default):
        await enqueue_entities(scope)


async def entities_enqueued(scope: WorkspaceScope) -> bool:
    """Whether entities of the workspace are being extracted, or waiting to be."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _entities_lock(scope)})
    return bool(row["enqueued"])


def _entities_lock(scope: WorkspaceScope) -> str:
    return f"entities:{scope.workspace_id}"


def _summaries_lock(scope: WorkspaceScope) -> str:
    return f"summaries:{scope.workspace_id}"


def _facts_lock(scope: WorkspaceScope) -> str:
    return f"facts:{scope.workspace_id}"


async def enqueue(
    scope: WorkspaceScope,
    task: str,
    lock: str,
    arguments: Mapping[str, object] | None = None,
    *,
    due: datetime | None = None,
    queue: str = MAINTENANCE_QUEUE,
    priority: int = 0,
    statement: str = "enqueue",
) -> None:
    """Enqueue a job of the workspace; jobs with the same lock run one after the other."""
    await scope.execute(
        _SQL[statement],
        {
            "queue": queue,
            "task": task,
            "priority": priority,
            "lock": lock,
            "args": Jsonb(
                {
                    "workspace_id": str(scope.workspace_id),
                    **(arguments or {}),
                    **inject_traceparent(),
                }
            ),
            "scheduled_at": due,
        },
    )


def queue_state(url: str) -> tuple[QueueState, ...]:
    """Return the state of every queue, over a separate connection. Blocks; raises psycopg.Error."""
    with psycopg.connect(url, connect_timeout=10, row_factory=dict_row) as connection:
        rows = connection.execute(QUEUE_STATE, {"queues": list(_QUEUES)}).fetchall()
    return tuple(record_of(QueueState, row) for row in rows)
