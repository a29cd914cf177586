"""Run one synchronisation of a followed source, and record its progress."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from uuid import UUID

import structlog

from footnote.domain.sources import Labels
from footnote.engine import Services, WorkspaceEngine
from footnote.errors import (
    BlobsFull,
    FootnoteError,
    NotFound,
    QueueFull,
    StoreFull,
    StoreUnavailable,
)
from footnote.jobs.acting import workspace_acting_for
from footnote.jobs.sources.following import Step, Verdict, follow
from footnote.jobs.sources.source_setup import followed_source
from footnote.store.database import SYSTEM
from footnote.store.pushes import workspace_of
from footnote.store.workspace_sources import (
    SourceInHand,
    claim_source,
    end_run,
    note_figures,
    postpone,
)

_log = structlog.get_logger(__name__)

_NOTE_SECONDS = 0.5
"""Interval at which the counts are written and it is checked whether the run is still wanted."""
_FIGURES: dict[Verdict, str] = {
    "added": "added",
    "retried": "added",
    "changed": "changed",
    "renamed": "changed",
    "removed": "removed",
    "refused": "failed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowJob:
    """The arguments of a queued synchronisation job."""

    workspace_id: UUID
    source_id: UUID
    job_id: UUID
    """Of the source's own; not that of the queue."""
    attempt: int
    """Number of earlier attempts."""


async def follow_once(engine: Services, job: FollowJob) -> None:
    """Follow the source once; raise when the queue should try again.

    Whatever is wrong with the place ends the run with its reason; the next begins when it is due.
    """
    limit = engine.settings.limits.attempts
    try:
        if job.attempt >= limit:
            await _end(engine, job, f"the worker ended {job.attempt} times while it read it")
            return
        await _follow(engine, job)
    except (StoreFull, BlobsFull, StoreUnavailable):
        raise  # The source is not at fault.
    except QueueFull as full:
        async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
            await postpone(scope, job.source_id, job.job_id, full.retry_after_seconds)
    except FootnoteError as error:
        await _end(engine, job, "; ".join(filter(None, (str(error), error.hint))))
    except Exception:
        _log.exception("source_failed", source_id=str(job.source_id))
        if job.attempt + 1 < limit:
            raise
        await _end(engine, job, "something unexpected happened; the worker's log says what")


async def _follow(engine: Services, job: FollowJob) -> None:
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        try:
            within = await workspace_of(scope)
        except NotFound:
            return
        claimed = await claim_source(scope, job.source_id, job.job_id)
    if claimed is None:
        return
    figures = _Figures(engine=engine, job=job)
    workspace = await workspace_acting_for(engine, within, claimed.actor)
    async with aclosing(_steps(workspace, claimed)) as steps:
        async for step in steps:
            if not await figures.count(step):
                return
    if await figures.write():
        await _end(engine, job)


def _steps(workspace: WorkspaceEngine, claimed: SourceInHand) -> AsyncGenerator[Step]:
    """Return the outcomes, a generator. Raises InvalidRequest if the place is no longer allowed."""
    source = claimed.source
    followed = followed_source(
        workspace.engine.settings,
        workspace.workspace.name,
        source.place,
        claimed.secret,
        anywhere=claimed.anywhere,
    )
    return follow(
        workspace,
        followed,
        Labels(collection=source.collection),
        delete_missing=source.delete_missing,
        retry_failed=True,
    )


@dataclass(slots=True, kw_only=True)
class _Figures:
    """The counts of a run that are not yet written to the database."""

    engine: Services
    job: FollowJob
    last_error: str | None = None
    counts: Counter[str] = field(default_factory=Counter)
    written_at: float = 0.0

    async def count(self, step: Step) -> bool:
        """Count an outcome; return False if the run is no longer wanted."""
        self.counts["seen"] += 1
        if name := _FIGURES.get(step.verdict):
            self.counts[name] += 1
        if step.verdict == "refused":
            self.last_error = f"{step.external_id.rpartition('/')[2]}: {step.reason}"
        now = asyncio.get_running_loop().time()
        if now - self.written_at < _NOTE_SECONDS:
            return True
        self.written_at = now
        return await self.write()

    async def write(self) -> bool:
        """Write the figures; False when the run is not wanted any more."""
        job = self.job
        async with self.engine.database.workspace(job.workspace_id, SYSTEM) as scope:
            still_wanted = await note_figures(
                scope, job.source_id, job.job_id, self.counts, self.last_error
            )
        self.counts.clear()
        return still_wanted


async def _end(engine: Services, job: FollowJob, last_error: str | None = None) -> None:
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        await end_run(scope, job.source_id, job.job_id, last_error)
