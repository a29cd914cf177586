"""The durable queue: jobs are put on it with the rows that they are about."""

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
"""Documents that were in hand when a worker died, each to be tried in a process of its own."""
WEBHOOK_QUEUE = "webhooks"
_QUEUES = (INGEST_QUEUE, MAINTENANCE_QUEUE, SET_ASIDE_QUEUE, WEBHOOK_QUEUE)

_SOON = 1
"""Before documents that wait: searches of a workspace that takes in all day want its merges too."""
CLUSTERING_WAITS_SECONDS = 5.0
"""After a document, for others that come with it."""
_LATER = -1
"""After documents, but not after the backlog of a workspace that hands in thousands."""

_SQL = load_statements("queue")
TAKE_TURN = _SQL["take_turn"]
"""For the queue's own connections; `jobs.bookkeeping` names its parameters."""
QUEUE_STATE = _SQL["queue_state"]
"""What waits in the queues of the parameter `queues`."""


async def enqueue_ingestion(
    scope: WorkspaceScope, document_id: UUID, version: int, *, first: bool = False
) -> None:
    """Have a version ingested, `first` before all that waits.

    Versions of one document are worked on one at a time.
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
    """Have the index of the workspace tended, unless that is waiting to be done already."""
    await enqueue(
        scope,
        MAINTAIN_TASK,
        f"maintain:{scope.workspace_id}",
        due=due,
        priority=_SOON,
        statement="enqueue_once",
    )


async def enqueue_sweep(scope: WorkspaceScope, delay_seconds: float) -> None:
    """Have what nobody needs removed after a while, unless that is waiting to be done already."""
    await enqueue(
        scope,
        SWEEP_TASK,
        f"sweep:{scope.workspace_id}",
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds),
        priority=_LATER,
        statement="enqueue_once",
    )


async def enqueue_retention(scope: WorkspaceScope, delay_seconds: float) -> None:
    """Have the rules of retention applied after a while, unless that waits to be done already."""
    await enqueue(
        scope,
        RETAIN_TASK,
        f"retain:{scope.workspace_id}",
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds),
        priority=_LATER,
        statement="enqueue_once",
    )


async def enqueue_reembedding(
    scope: WorkspaceScope, lane_id: int, delay_seconds: float = 0.0
) -> None:
    """Have a lane filled further; one slice of the work at a time in a workspace."""
    await enqueue(
        scope,
        REEMBED_TASK,
        f"reembed:{scope.workspace_id}",
        {"lane_id": lane_id},
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds),
    )


async def enqueue_evaluation(scope: WorkspaceScope, run_id: UUID) -> None:
    """Have a golden set asked; one at a time in a workspace."""
    await enqueue(scope, EVALUATE_TASK, f"evaluate:{scope.workspace_id}", {"run_id": str(run_id)})


async def enqueue_purge(scope: WorkspaceScope, delay: timedelta) -> None:
    """Have lanes nobody went back to removed after a while."""
    # A moment later than the wait, or a lane would be found a moment too young.
    due = datetime.now(UTC) + delay + timedelta(seconds=1)
    await enqueue(scope, PURGE_TASK, f"purge:{scope.workspace_id}", due=due)


async def enqueue_facts(scope: WorkspaceScope, *, delay_seconds: float = 0.0) -> None:
    """Have the facts of the workspace extracted, unless that is waiting to be done already."""
    due = datetime.now(UTC) + timedelta(seconds=delay_seconds) if delay_seconds else None
    await enqueue(
        scope, FACTS_TASK, _facts_lock(scope), priority=_LATER, statement="enqueue_once", due=due
    )


async def enqueue_facts_if_wanted(scope: WorkspaceScope, *, by_default: bool) -> None:
    """The same, where the workspace's own setting, or else the installation's, wants facts."""
    if await _wants(scope, "facts", by_default):
        await enqueue_facts(scope)


async def facts_enqueued(scope: WorkspaceScope) -> bool:
    """Whether facts of the workspace are being extracted, or waiting to be."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _facts_lock(scope)})
    return bool(row["enqueued"])


async def enqueue_clustering(scope: WorkspaceScope, delay_seconds: float = 0.0) -> None:
    """Have the documents of the workspace clustered, unless that is waiting to be done already."""
    await enqueue(
        scope,
        CLUSTERS_TASK,
        _clusters_lock(scope),
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds) if delay_seconds else None,
        priority=_LATER,
        statement="enqueue_once",
    )


async def enqueue_clustering_if_wanted(scope: WorkspaceScope, *, by_default: bool) -> None:
    """The same after a moment, where the workspace's own setting, or else the installation's,
    wants clusters: of documents that come together all but the first find it waiting."""
    # Those of chunks were a setting of their own.
    if await _wants(scope, "clusters", by_default) or await _wants(scope, "chunk_clusters", False):
        await enqueue_clustering(scope, CLUSTERING_WAITS_SECONDS)


async def clustering_enqueued(scope: WorkspaceScope) -> bool:
    """Whether the documents are being clustered, or waiting to be."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _clusters_lock(scope)})
    return bool(row["enqueued"])


async def enqueue_summarising(scope: WorkspaceScope, *, delay_seconds: float = 0.0) -> None:
    """Have documents summarised after a while, unless that is waiting to be done already."""
    await enqueue(
        scope,
        SUMMARIES_TASK,
        _summaries_lock(scope),
        due=datetime.now(UTC) + timedelta(seconds=delay_seconds) if delay_seconds else None,
        priority=_LATER,
        statement="enqueue_once",
    )


async def enqueue_summarising_if_wanted(scope: WorkspaceScope, *, by_default: bool) -> None:
    """The same, where the workspace's own setting, or else the installation's, wants summaries."""
    if await _wants(scope, "summaries", by_default):
        await enqueue_summarising(scope)


async def summarising_enqueued(scope: WorkspaceScope) -> bool:
    """Whether documents are being summarised, or waiting to be."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _summaries_lock(scope)})
    return bool(row["enqueued"])


async def enqueue_marking(scope: WorkspaceScope) -> None:
    """Have passages looked at for orders to a model, unless that is waiting to be done already."""
    lock = _marks_lock(scope)
    await enqueue(scope, MARKS_TASK, lock, priority=_LATER, statement="enqueue_once")


async def marking_enqueued(scope: WorkspaceScope) -> bool:
    """Whether passages are being looked at, or waiting to be."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _marks_lock(scope)})
    return bool(row["enqueued"])


async def enqueue_keywords(scope: WorkspaceScope) -> None:
    """Have keywords chosen anew, unless that is waiting to be done already."""
    lock = _keywords_lock(scope)
    await enqueue(scope, KEYWORDS_TASK, lock, priority=_LATER, statement="enqueue_once")


async def keywords_enqueued(scope: WorkspaceScope) -> bool:
    """Whether keywords are being chosen, or waiting to be."""
    row = await scope.single(_SQL["is_enqueued"], {"lock": _keywords_lock(scope)})
    return bool(row["enqueued"])


def _keywords_lock(scope: WorkspaceScope) -> str:
    return f"keywords:{scope.workspace_id}"


def _marks_lock(scope: WorkspaceScope) -> str:
    return f"marks:{scope.workspace_id}"


async def _wants(scope: WorkspaceScope, setting: str, by_default: bool) -> bool:
    row = await scope.single(_SQL["wants"], {"name": setting, "by_default": by_default})
    return bool(row["wanted"])


def _clusters_lock(scope: WorkspaceScope) -> str:
    return f"clusters:{scope.workspace_id}"


async def enqueue_entities(scope: WorkspaceScope, *, delay_seconds: float = 0.0) -> None:
    """Have the entities of the workspace extracted, unless that is waiting to be done already."""
    due = datetime.now(UTC) + timedelta(seconds=delay_seconds) if delay_seconds else None
    lock = _entities_lock(scope)
    await enqueue(scope, ENTITIES_TASK, lock, priority=_LATER, statement="enqueue_once", due=due)


async def enqueue_entities_if_wanted(scope: WorkspaceScope, *, by_default: bool) -> None:
    """The same, where the workspace's own setting, or else the installation's, wants entities."""
    if await _wants(scope, "entities", by_default):
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
    """Put a job of the workspace on the queue; jobs of one lock run one after the other."""
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
    """Every queue, over a connection of its own. Blocks; raises psycopg.Error."""
    with psycopg.connect(url, connect_timeout=10, row_factory=dict_row) as connection:
        rows = connection.execute(QUEUE_STATE, {"queues": list(_QUEUES)}).fetchall()
    return tuple(record_of(QueueState, row) for row in rows)
