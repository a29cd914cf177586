"""What dead workers had in hand goes back to the queue, and what a living one has to give up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from footnote.store.database import Database, bind_as_system
from footnote.store.presence import PRESENCE
from footnote.store.queue import INGEST_TASK, SET_ASIDE_QUEUE
from footnote.store.statements import load_statements

_PATIENCE = 30
"""So many times as long as of others is waited for a worker whose process lives."""

_SQL = load_statements("queue")
PUT_BACK = _SQL["put_back"]
"""For the queue's own connections, like `put_back` below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredJob:
    """A job that its worker left behind."""

    job_id: int
    task: str
    attempts: int
    """Tries so far, the one that its worker did not survive included if that is its fault."""


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
            attempts = row["attempts"]
            changes: dict[str, object] = {"queue": None, "priority": None}
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


async def worker_lives(database: Database, *, silence_seconds: float) -> bool:
    """Whether a worker of any process has been heard within so many seconds, or is only slow."""
    async with database.outside() as connection:
        found = await connection.execute(
            _SQL["worker_lives"],
            {"silence_seconds": silence_seconds, "presence": PRESENCE, "patience": _PATIENCE},
        )
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
