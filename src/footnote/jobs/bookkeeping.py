"""Fetch jobs from the queue and record their outcomes, also while the disk is full."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from datetime import datetime
from typing import Any

import psycopg
import structlog
from procrastinate import exceptions
from procrastinate.connector import BaseAsyncConnector
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager, NotificationCallback

from footnote.store.job_recovery import PUT_BACK
from footnote.store.queue import INGEST_QUEUE, SET_ASIDE_QUEUE, TAKE_TURN
from footnote.store.worker_presence import Presence

_log = structlog.get_logger(__name__)

ROOM_SECONDS = 5.0
"""Interval of retries while the disk is full."""
_RETRY_SECONDS = 0.5
_TRIES = 10
"""Most tries to record an outcome after an error other than a full disk: enough for the database
server to restart."""


class Bookkeeping(JobManager):
    """The queue's job manager: fair between workspaces, and robust against a full disk.

    A worker processes at most `documents` documents at a time, plus at most `newcomers` documents
    of workspaces of which it processes none: so no workspace waits for another's documents.
    """

    def __init__(
        self,
        connector: BaseAsyncConnector,
        presence: Presence,
        *,
        documents: int,
        newcomers: int,
        on_idle: Callable[[], None] | None = None,
    ) -> None:
        """`on_idle` is called whenever a job is over and no document is in hand any more."""
        super().__init__(connector)
        self.presence = presence
        self._on_idle = on_idle
        self._documents = documents
        self._newcomers = newcomers
        self._in_hand: dict[int, str] = {}
        self._spared: set[int] = set()
        self._notify: NotificationCallback | None = None
        self._closed = asyncio.Event()
        self.worker_id = 0
        """Id of the worker that uses this manager; 0 before it is registered."""
        self.unsettled: set[int] = set()
        """Ids of jobs that have ended but whose outcome could not be recorded."""
        self.over = False
        """Whether the worker that used this manager has ended."""

    def close(self) -> None:
        """Stop waiting for disk space, as the worker is being stopped."""
        self._closed.set()

    def spare(self, job_id: int) -> None:
        """Do not count the current attempt of a job, as its failure has another cause."""
        self._spared.add(job_id)

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """The next job, whose turn it is; None when there is none that this worker may take."""
        in_progress = Counter(self._in_hand.values())
        try:
            rows = await self.connector.execute_query_all_async(
                query=TAKE_TURN,
                queues=None if queues is None else list(queues),
                worker_id=worker_id,
                workspaces=list(in_progress),
                documents=list(in_progress.values()),
                room=self._room(),
                ingest=INGEST_QUEUE,
                set_aside=SET_ASIDE_QUEUE,
            )
        except exceptions.UniqueViolation:
            return None  # Another worker has just taken a job under the same lock.
        except exceptions.ConnectorException as error:
            if not _is_full(error):
                raise
            await self._wait_for_room(error)
            return None
        if not rows:
            return None
        job = Job.from_row(rows[0])
        if job.queue == INGEST_QUEUE and job.id is not None:
            self._in_hand[job.id] = str(job.task_kwargs.get("workspace_id", ""))
        return job

    def finish_job(self, job: Job, status: Status, delete_job: bool) -> Coroutine[Any, Any, None]:
        """Record the end of a job."""
        assert job.id is not None, "a job that ran was stored"
        finish = super().finish_job
        return self._settle(job.id, lambda: finish(job, status, delete_job))

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """Put a job back on the queue; what it was spared of does not count as a try."""
        assert job.id is not None, "a job that ran was stored"
        job_id, retry = job.id, super().retry_job

        async def retry_or_put_back() -> None:
            if job_id not in self._spared:
                await retry(job, retry_at, priority, queue, lock)
                return
            await self.connector.execute_query_async(
                query=PUT_BACK, job_ids=[job_id], worker_id=job.worker_id, seconds=ROOM_SECONDS
            )

        await self._settle(job_id, retry_or_put_back)
        self._spared.discard(job_id)

    async def register_worker(self) -> int:
        """Register the worker, and send its first heartbeat before it takes a job."""
        self.worker_id = await super().register_worker()
        await self.update_heartbeat(self.worker_id)
        return self.worker_id

    async def update_heartbeat(self, worker_id: int) -> None:
        """Send a heartbeat; on an error, log it and leave the next try to the next beat.

        If this raised, procrastinate's worker would go on without heartbeats for ever, and lose
        all jobs that it takes. On a full disk no other worker can take its jobs over either.
        """
        try:
            await self.presence.beat(worker_id)
        except (psycopg.Error, TimeoutError) as error:
            full = isinstance(error, psycopg.errors.DiskFull)
            event = "disk_full" if full else "queue_unreachable"
            _log.warning(event, reason=str(error).strip(), undone="heartbeat")

    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        """Listen for new jobs until cancelled, and reconnect after errors.

        The callback is kept, and is also called when a job ends, as a waiting one may then start.
        """
        self._notify = on_notification
        while True:
            try:
                await super().listen_for_jobs(on_notification=on_notification, queues=queues)
            except exceptions.ConnectorException as error:
                _log.warning("queue_unreachable", reason=_error_text(error), undone="listening")
            await asyncio.sleep(_RETRY_SECONDS)

    def _room(self) -> str:
        """Return whose documents may be taken: of any workspace, of those with none being
        processed (`newcomers`), or of none."""
        if len(self._in_hand) < self._documents:
            return "any"
        return "newcomers" if len(self._in_hand) < self._documents + self._newcomers else "none"

    async def _settle(self, job_id: int, write: Callable[[], Awaitable[None]]) -> None:
        """Record a job's outcome, with retries while the database or the disk does not allow it."""
        tries = 0
        try:
            while True:
                try:
                    return await write()
                except exceptions.ConnectorException as error:
                    tries += 1
                    full = _is_full(error)
                    if not full and not isinstance(error.__cause__, psycopg.OperationalError):
                        raise
                    if self._closed.is_set() or (not full and tries == _TRIES):
                        # It goes back to the queue once the database can be written to.
                        _log.warning("job_unsettled", job_id=job_id, reason=_error_text(error))
                        self.unsettled.add(job_id)
                        return None
                    if full:
                        await self._wait_for_room(error)
                    else:
                        await asyncio.sleep(_RETRY_SECONDS)
        finally:
            self._in_hand.pop(job_id, None)
            if self._on_idle is not None and not self._in_hand:
                self._on_idle()
            if self._notify is not None:
                await self._notify(
                    channel="", notification={"type": "job_inserted", "job_id": job_id}
                )

    async def _wait_for_room(self, error: Exception) -> None:
        _log.warning("disk_full", reason=_error_text(error), next_try_seconds=ROOM_SECONDS)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), ROOM_SECONDS)


def _is_full(error: BaseException) -> bool:
    return isinstance(error.__cause__, psycopg.errors.DiskFull)


def _error_text(error: BaseException) -> str:
    return str(error.__cause__ or error).strip()
