"""Hands the jobs of workers that died or are stopped to other workers, and counts fairly."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from footnote.store.database import Database
from footnote.store.queue import INGEST_TASK, SET_ASIDE_QUEUE
from footnote.store.statements import load_statements

_SQL = load_statements("handover")
PUT_BACK = _SQL["put_back"]
"""For the queue's own connections, like `put_back` below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenOver:
    """A job that its worker left behind."""

    job_id: int
    task: str
    attempts: int
    """Tries so far, the one that its worker did not survive included if that is its fault."""


async def take_over(
    database: Database, *, silence_seconds: float, own: Collection[int] = ()
) -> tuple[TakenOver, ...]:
    """Put the jobs of workers that have been silent for so long back on the queue.

    Those of `own` workers are left alone: whoever asks lives, even if it was too busy to say so.

    A worker may have died of a document, for want of memory say. Which one it was nobody knows
    where several were in hand: they are set aside, to be tried one by one in a process of their
    own, and have lost no try. One that was alone with its worker has.
    """
    async with database.outside() as connection:
        rows = await (
            await connection.execute(
                _SQL["take_over"],
                {
                    "task": INGEST_TASK,
                    "set_aside": SET_ASIDE_QUEUE,
                    "silence_seconds": silence_seconds,
                    "own": list(own),
                },
            )
        ).fetchall()
    return tuple(
        TakenOver(job_id=row["id"], task=row["task_name"], attempts=row["attempts"]) for row in rows
    )


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


async def excuse(database: Database, job_ids: Collection[int]) -> None:
    """Let the tries that are under way not count; say it before they are cut off."""
    async with database.outside() as connection:
        await connection.execute(_SQL["excuse"], {"job_ids": list(job_ids)})


async def put_back(
    database: Database, worker_id: int, job_ids: Collection[int], seconds: float
) -> None:
    """Let jobs of a worker wait again, for so long at least, without counting this try."""
    async with database.outside() as connection:
        await connection.execute(
            _SQL["put_back"],
            {"job_ids": list(job_ids), "worker_id": worker_id, "seconds": seconds},
        )
