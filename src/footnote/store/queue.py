"""The durable queue: jobs are put on it with their rows, and recovered from dead workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from footnote.domain.tracing import QueueState
from footnote.ports.telemetry import carried
from footnote.store.database import Database, WorkspaceScope, bind_as_system
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

PRESENCE = 1_869_901_171
"""The first number of the advisory locks of workers; their own number is the second."""
_PATIENCE = 30
"""So many times as long as of others is waited for a worker whose process lives."""

_SQL = load_statements("queue")
TAKE_TURN = _SQL["take_turn"]
"""For the queue's own connections; `jobs.bookkeeping` names its parameters."""
QUEUE_STATE = _SQL["queue_state"]
"""What waits in the queues of the parameter `queues`."""
PUT_BACK = _SQL["put_back"]
"""For the queue's own connections, like `put_back` below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredJob:
    """A job that its worker left behind."""

    job_id: int
    task: str
    attempts: int
    """Tries so far, the one that its worker did not survive included if that is its fault."""


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
                {"workspace_id": str(scope.workspace_id), **(arguments or {}), **carried()}
            ),
            "scheduled_at": due,
        },
    )


async def recover_stalled_jobs(
    database: Database, *, silence_seconds: float, own: Collection[int] = ()
) -> tuple[RecoveredJob, ...]:
    """Put the jobs of workers that have been silent for so long back on the queue.

    Those of `own` workers are left alone: whoever asks lives, even if it was too busy to say so.
    Those of a worker whose presence is held are, too, until it was silent for much longer.

    A worker may have died of a document, for want of memory say. Those whose ingestion had begun
    are set aside, to be tried one by one in a process of their own. Where it worked on several,
    nobody knows which it was, and none has lost a try; one that it worked on alone has.
    """
    recovered = []
    async with database.outside() as connection:
        stalled = await (
            await connection.execute(
                _SQL["stalled_jobs"],
                {
                    "silence_seconds": silence_seconds,
                    "own": list(own),
                    "presence": PRESENCE,
                    "patience": _PATIENCE,
                },
            )
        ).fetchall()
        begun = {}
        for row in stalled:
            if row["task"] == INGEST_TASK:
                await bind_as_system(connection, UUID(row["args"]["workspace_id"]))
                found = await connection.execute(_SQL["begun_bytes"], row["args"])
                if (document := await found.fetchone()) is not None:
                    begun[row["id"]] = document["byte_size"]
        beside = Counter(row["worker_id"] for row in stalled if row["id"] in begun)
        for row in stalled:
            attempts, changes = row["attempts"], {"queue": None, "priority": None}
            if row["id"] in begun:
                attempts += beside[row["worker_id"]] == 1
                priority = _priority_aside(attempts, begun[row["id"]])
                changes = {"queue": SET_ASIDE_QUEUE, "priority": priority}
            elif row["task"] != INGEST_TASK:
                attempts += 1
            await connection.execute(
                _SQL["recover_job"], {"job_id": row["id"], "attempts": attempts, **changes}
            )
            recovered.append(RecoveredJob(job_id=row["id"], task=row["task"], attempts=attempts))
    return tuple(recovered)


def _priority_aside(attempts: int, byte_size: int) -> int:
    """Fewest tries first, and of those the smallest, in KiB; both fit into 32 bits with a sign."""
    return -(min(attempts, 3) * 2**29 + min(byte_size // 1024, 2**29 - 1))


def queue_state(url: str) -> tuple[QueueState, ...]:
    """Every queue, over a connection of its own. Blocks; raises psycopg.Error."""
    with psycopg.connect(url, connect_timeout=10, row_factory=dict_row) as connection:
        rows = connection.execute(QUEUE_STATE, {"queues": list(_QUEUES)}).fetchall()
    return tuple(record_of(QueueState, row) for row in rows)


async def worker_lives(database: Database, *, silence_seconds: float) -> bool:
    """Whether a worker of any process has been heard within so many seconds."""
    async with database.outside() as connection:
        found = await connection.execute(_SQL["worker_lives"], {"silence_seconds": silence_seconds})
        row = await found.fetchone()
    return row is not None and bool(row["lives"])


async def set_aside_waits(database: Database) -> bool:
    """Whether a document that was set aside may be tried now."""
    async with database.outside() as connection:
        cursor = await connection.execute(_SQL["set_aside_waits"], {"set_aside": SET_ASIDE_QUEUE})
        row = await cursor.fetchone()
    return bool(row and row["waits"])


async def refund_attempts(database: Database, job_ids: Collection[int]) -> None:
    """Let the tries that are under way not count; say it before they are cut off."""
    async with database.outside() as connection:
        await connection.execute(_SQL["refund_attempts"], {"job_ids": list(job_ids)})


async def put_back(
    database: Database, worker_id: int, job_ids: Collection[int], *, everything: bool
) -> None:
    """Let jobs of a worker wait again, without counting this try; or everything it had in hand."""
    async with database.outside() as connection:
        await connection.execute(
            _SQL["put_back_all" if everything else "put_back"],
            {"job_ids": list(job_ids), "worker_id": worker_id, "seconds": 0},
        )
