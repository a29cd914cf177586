"""Hands the jobs of workers that died or are stopped to other workers, and counts fairly."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from footnote.store.database import Database
from footnote.store.queue import INGEST_TASK
from footnote.store.statements import load_statements

_SQL = load_statements("handover")

_SUSPECTS_LOCK = "documents whose workers died"


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenOver:
    """A job that its worker left behind."""

    job_id: int
    task: str
    attempts: int
    """Tries so far, the one that its worker did not survive included."""


async def take_over(
    database: Database, *, silence_seconds: float, max_attempts: int
) -> tuple[TakenOver, ...]:
    """Put the jobs of workers that have been silent for so long back on the queue.

    Once more than one worker died of it, or the first if there are few attempts, a document is
    tried beside no other of its kind: else those that a deadly one takes along would fail with it.
    """
    async with database.outside() as connection:
        rows = await (
            await connection.execute(
                _SQL["take_over"],
                {
                    "task": INGEST_TASK,
                    "lock": _SUSPECTS_LOCK,
                    "suspect_after": 2 if max_attempts > 3 else 1,
                    "silence_seconds": silence_seconds,
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


async def excuse(database: Database, job_ids: Collection[int]) -> None:
    """Let the tries that are under way not count; say it before they are cut off."""
    async with database.outside() as connection:
        await connection.execute(_SQL["excuse"], {"job_ids": list(job_ids)})
