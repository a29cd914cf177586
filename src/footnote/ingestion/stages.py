"""Run a stage of ingestion: report its progress, and time out when it makes none."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import copy_context
from threading import Lock, Thread
from typing import TypeVar

from footnote.domain import Stage
from footnote.errors import DocumentInterrupted, DocumentUnreadable, how_to_raise
from footnote.ports import OnProgress, VersionInWork
from footnote.ports.telemetry import STAGES, span, timed

T = TypeVar("T")

LONGER_THAN_PARSING = 3
"""Multiple of the parser's time limit for other stages; chunking a large text takes minutes."""

PAUSE_SECONDS = 1.0
"""Interval between two progress updates of one document: enough for a reader, few writes."""


class _Overdue(SystemExit):
    """Ends a thread whose result is no longer awaited; as SystemExit, without a traceback."""


class StageLimit:
    """A timeout for a stage of a document that makes no progress."""

    def __init__(self, stage: Stage, filename: str, seconds: float) -> None:
        self._stage = stage
        self._filename = filename
        self._seconds = seconds
        self._timeout = asyncio.timeout(None)
        self._computing = False

    def forward(self) -> None:
        """Restart the timeout: a part of the stage is done."""
        self._timeout.reschedule(asyncio.get_running_loop().time() + self._seconds)

    @contextmanager
    def unlimited(self) -> Iterator[None]:
        """Suspend the timeout for the duration of the block."""
        self._timeout.reschedule(None)
        try:
            yield
        finally:
            self.forward()

    async def compute(self, function: Callable[..., T], *arguments: object) -> T:
        """Run a function in a thread of its own, which is stopped on timeout; return its result.

        The exception that stops it is raised between two bytecode instructions; a single long one,
        such as a regular expression, runs until the process ends.
        """
        outcome: Future[T] = Future()
        outcome.set_running_or_notify_cancel()
        outcome_lock, context = Lock(), copy_context()

        def run() -> None:
            try:
                computed = context.run(function, *arguments)
            except BaseException as error:  # raised where it is waited for
                with outcome_lock:
                    outcome.set_exception(error)
            else:
                with outcome_lock:
                    outcome.set_result(computed)

        # A daemon, so that no process waits for one that does not end.
        thread = Thread(target=run, name=f"footnote {self._stage}", daemon=True)
        thread.start()
        self._computing = True
        try:
            computed = await asyncio.wrap_future(outcome)
        except asyncio.CancelledError:
            with outcome_lock:
                # The id of a finished thread may have been reused.
                if not outcome.done():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Overdue)
                    )
            raise  # still computing, as far as the failure of the stage is concerned
        except BaseException:
            self._computing = False
            raise
        self._computing = False
        return computed

    def _failure(self) -> DocumentUnreadable | DocumentInterrupted:
        # A computation would take as long again; a model or database may answer on a retry.
        kind = DocumentUnreadable if self._computing else DocumentInterrupted
        return kind(
            stage=self._stage,
            cause=f"“{self._filename}” did not come forward for {self._seconds:g} seconds",
            advice="split it, or "
            + how_to_raise(
                "parse", "FOOTNOTE_TIMEOUTS", self._seconds / LONGER_THAN_PARSING, "seconds"
            )
            + f", of which this stage has {LONGER_THAN_PARSING} times as many",
        )


@asynccontextmanager
async def stage_running(stage: Stage, filename: str, seconds: float) -> AsyncIterator[StageLimit]:
    """Run a stage in a trace span, and fail the document after `seconds` without progress.

    Waiting for a turn, and work with a limit of its own, do not count (`unlimited`).
    """
    limit = StageLimit(stage, filename, seconds)
    with span(f"ingest {stage}"), timed(STAGES, {"footnote.stage": stage}):
        try:
            async with limit._timeout:
                limit.forward()
                yield limit
        except TimeoutError:
            if not limit._timeout.expired():
                raise  # A timeout inside the block.
            raise limit._failure() from None


@asynccontextmanager
async def reporting(
    work: VersionInWork, stage: Stage, pause_seconds: float = PAUSE_SECONDS
) -> AsyncIterator[OnProgress]:
    """Yield a progress callback; its latest value is stored every `pause_seconds`, none before."""
    latest: list[tuple[int, int]] = []

    def report(done: int, total: int) -> None:
        latest[:] = [(done, total)]

    async def store_latest() -> None:
        while True:
            await asyncio.sleep(pause_seconds)
            if latest:
                await work.progress(stage, *latest.pop())

    task = asyncio.create_task(store_latest())
    try:
        yield report
    finally:
        task.cancel()
        # A failed progress update must not fail the document.
        with suppress(asyncio.CancelledError, Exception):
            await task
