"""Track the jobs that this worker is running, so that stopping it does not cost them an attempt."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import structlog
from procrastinate import BaseRetryStrategy, RetryDecision
from procrastinate.jobs import Job
from procrastinate.retry import RetryStrategy

from footnote.errors import BlobsFull, StoreFull, StoreUnavailable
from footnote.jobs.turns import Postponed
from footnote.store.database import Database
from footnote.store.job_recovery import refund_attempts

_log = structlog.get_logger(__name__)

MAX_LOSSES = 20
"""Most attempts of one job that are not counted because the connection to the database was lost;
limited, as the job itself may be what crashes the database."""


@dataclass(slots=True)
class InHand:
    """The ids of the jobs that are being worked on here."""

    database: Database
    _running: set[int] = field(default_factory=set)
    _excused: set[int] = field(default_factory=set)

    @asynccontextmanager
    async def holding(self, job_id: int) -> AsyncIterator[None]:
        """Track a job while it runs; a cancelled or postponed attempt does not count."""
        self._running.add(job_id)
        try:
            yield
        except asyncio.CancelledError:
            await self.excuse()
            raise
        except Postponed:
            if job_id not in self._excused:
                await refund_attempts(self.database, [job_id])
            raise
        finally:
            self._running.discard(job_id)
            self._excused.discard(job_id)

    async def excuse(self) -> None:
        """Refund the attempt of every running job, as the worker is being stopped."""
        unexcused = self._running - self._excused
        self._excused |= unexcused
        if not unexcused:
            return
        try:
            await refund_attempts(self.database, unexcused)
        except StoreUnavailable as error:
            _log.warning("attempts_counted", reason=str(error))


class WorkerRetryStrategy(BaseRetryStrategy):
    """Retries failed jobs by another strategy, cancelled ones at once and postponed ones later.

    A job that failed because a disk is full is retried until there is space; one that lost the
    database is retried up to `MAX_LOSSES` more times. `spare` is called with the id of each.
    """

    def __init__(self, failed: RetryStrategy, spare: Callable[[int], None]) -> None:
        self._failed = failed
        self._spare = spare
        self._losses: Counter[int] = Counter()

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when to retry; never None for a cancelled or postponed job, or a full disk."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_at=datetime.now(UTC))
        assert job.id is not None, "a job that ran was stored"
        if isinstance(exception, (StoreFull, BlobsFull)) or self._lost_database(exception, job.id):
            self._spare(job.id)
            return RetryDecision(retry_at=datetime.now(UTC))
        if isinstance(exception, Postponed):
            return RetryDecision(
                retry_at=datetime.now(UTC) + timedelta(seconds=exception.wait_seconds)
            )
        return self._failed.get_retry_decision(exception=exception, job=job)

    def _lost_database(self, exception: BaseException, job_id: int) -> bool:
        """Count a lost database; return whether there were at most `MAX_LOSSES` for this job."""
        if not isinstance(exception, StoreUnavailable):
            return False
        self._losses[job_id] += 1
        return self._losses[job_id] <= MAX_LOSSES
