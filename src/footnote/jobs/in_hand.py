"""Knows which jobs this worker has in hand, so that being stopped does not count against them."""

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
from footnote.jobs.turns import NotYet
from footnote.store.database import Database
from footnote.store.job_recovery import refund_attempts

_log = structlog.get_logger(__name__)

MOST_LOSSES = 20
"""Tries of one job that do not count because the database went away meanwhile; a job that takes
the database with it each time must end."""


@dataclass(slots=True)
class InHand:
    """The ids of the jobs that are being worked on here."""

    database: Database
    _running: set[int] = field(default_factory=set)
    _excused: set[int] = field(default_factory=set)

    @asynccontextmanager
    async def holding(self, job_id: int) -> AsyncIterator[None]:
        """Have a job in hand; one that is cut off or put off does not count as tried."""
        self._running.add(job_id)
        try:
            yield
        except asyncio.CancelledError:
            await self.excuse()
            raise
        except NotYet:
            if job_id not in self._excused:
                await refund_attempts(self.database, [job_id])
            raise
        finally:
            self._running.discard(job_id)
            self._excused.discard(job_id)

    async def excuse(self) -> None:
        """Let nothing that is in hand count as tried: its worker is being stopped."""
        fresh = self._running - self._excused
        self._excused |= fresh
        if not fresh:
            return
        try:
            await refund_attempts(self.database, fresh)
        except StoreUnavailable as error:
            _log.warning("attempts_counted", reason=str(error))


class AgainAtOnce(BaseRetryStrategy):
    """Tries again as another strategy says; at once what was cut off, later what was put off.

    What failed because a disk is full is tried until there is room, and what lost the database is
    tried up to `MOST_LOSSES` times more; `spare` hears of both.
    """

    def __init__(self, failed: RetryStrategy, spare: Callable[[int], None]) -> None:
        self._failed = failed
        self._spare = spare
        self._losses: Counter[int] = Counter()

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When to try again; never None for what was cut off or put off, or for want of room."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_at=datetime.now(UTC))
        assert job.id is not None, "a job that ran was stored"
        if isinstance(exception, (StoreFull, BlobsFull)) or self._lost_database(exception, job.id):
            self._spare(job.id)
            return RetryDecision(retry_at=datetime.now(UTC))
        if isinstance(exception, NotYet):
            return RetryDecision(
                retry_at=datetime.now(UTC) + timedelta(seconds=exception.wait_seconds)
            )
        return self._failed.get_retry_decision(exception=exception, job=job)

    def _lost_database(self, exception: BaseException, job_id: int) -> bool:
        """Whether the database went away under a job, and not too often yet."""
        if not isinstance(exception, StoreUnavailable):
            return False
        self._losses[job_id] += 1
        return self._losses[job_id] <= MOST_LOSSES
