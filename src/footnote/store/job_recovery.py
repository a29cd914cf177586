"""Requeue the jobs of dead workers, and those that a live worker gives up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from footnote.store.database import Database, bind_as_system
from footnote.store.queue import INGEST_TASK, SET_ASIDE_QUEUE
from footnote.store.statements import load_statements
from footnote.store.worker_presence import PRESENCE

_PATIENCE = 30
"""Factor by which the silence limit is longer for a worker whose process is alive."""

_SQL = load_statements("queue")
PUT_BACK = _SQL["put_back"]
"""The statement of `requeue_jobs` below, for the queue's own connections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredJob:
    """A job that its worker left unfinished."""

    job_id: int
    task: str
    attempts: int
    """Attempts so far; includes the last one if that is charged to this job."""


async def recover_stalled_jobs(
    database: Database, *, silence_seconds: float, own: Collection[int] = ()
) -> tuple[RecoveredJob, ...]:
    """Requeue the jobs of workers that have sent no heartbeat for `silence_seconds`.

    Jobs of `own` workers are skipped: the calling process is alive, even if too busy for
    heartbeats. Jobs of a worker that holds its presence lock are skipped until a much longer
    silence.

    A document may have killed its worker, for example by exhausting memory. So jobs whose ingestion
    had begun are set aside, to be tried one at a time in a separate process. Such a job is charged
    an attempt only if it was the only one of its worker, since otherwise the cause is unknown.
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
        byte_sizes = {}
        for row in stalled:
            if row["task"] == INGEST_TASK:
                await bind_as_system(connection, UUID(row["args"]["workspace_id"]))
                cursor = await connection.execute(_SQL["begun_bytes"], row["args"])
                if (document := await cursor.fetchone()) is not None:
                    byte_sizes[row["id"]] = document["byte_size"]
        begun_per_worker = Counter(row["worker_id"] for row in stalled if row["id"] in byte_sizes)
        for row in stalled:
            attempts = row["attempts"]
            changes: dict[str, object] = {"queue": None, "priority": None}
            if row["id"] in byte_sizes:
                attempts += begun_per_worker[row["worker_id"]] == 1
                priority = _priority_aside(attempts, byte_sizes[row["id"]])
                changes = {"queue": SET_ASIDE_QUEUE, "priority": priority}
            elif row["task"] != INGEST_TASK:
                attempts += 1
            await connection.execute(
                _SQL["recover_job"], {"job_id": row["id"], "attempts": attempts, **changes}
            )
            recovered.append(RecoveredJob(job_id=row["id"], task=row["task"], attempts=attempts))
    return tuple(recovered)


def _priority_aside(attempts: int, byte_size: int) -> int:
    """Order by fewest attempts, then smallest size in KiB, in a signed 32-bit number."""
    return -(min(attempts, 3) * 2**29 + min(byte_size // 1024, 2**29 - 1))


async def worker_lives(database: Database, *, silence_seconds: float) -> bool:
    """Whether any worker sent a heartbeat recently, or is slow but holds its presence lock."""
    async with database.outside() as connection:
        cursor = await connection.execute(
            _SQL["worker_lives"],
            {"silence_seconds": silence_seconds, "presence": PRESENCE, "patience": _PATIENCE},
        )
        row = await cursor.fetchone()
    return row is not None and bool(row["lives"])


async def set_aside_waits(database: Database) -> bool:
    """Whether a document that was set aside is due."""
    async with database.outside() as connection:
        cursor = await connection.execute(_SQL["set_aside_waits"], {"set_aside": SET_ASIDE_QUEUE})
        row = await cursor.fetchone()
    return bool(row and row["waits"])


async def refund_attempts(database: Database, job_ids: Collection[int]) -> None:
    """Do not count the attempts in progress; call it before they are interrupted."""
    async with database.outside() as connection:
        await connection.execute(_SQL["refund_attempts"], {"job_ids": list(job_ids)})


async def requeue_jobs(
    database: Database, worker_id: int, job_ids: Collection[int], *, everything: bool
) -> None:
    """Requeue jobs of a worker, or all it holds, without counting this attempt."""
    async with database.outside() as connection:
        await connection.execute(
            _SQL["put_back_all" if everything else "put_back"],
            {"job_ids": list(job_ids), "worker_id": worker_id, "seconds": 0},
        )
