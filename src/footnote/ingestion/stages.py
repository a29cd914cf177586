"""A stage of ingestion under way: what it tells of, and how long it may stand still."""

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
"""So many times what a parser may take; a large text is divided in a few minutes."""

PAUSE_SECONDS = 1.0
"""Between two notes about one document: enough for a reader, little to write."""


class _Overdue(SystemExit):
    """Ends a thread for whose result nobody waits any more; threads end with it silently."""


class StageLimit:
    """How long the stage of a document may stand still."""

    def __init__(self, stage: Stage, filename: str, seconds: float) -> None:
        self._stage = stage
        self._filename = filename
        self._seconds = seconds
        self._timeout = asyncio.timeout(None)
        self._computing = False

    def forward(self) -> None:
        """Begin to count anew: a part of the stage is done."""
        self._timeout.reschedule(asyncio.get_running_loop().time() + self._seconds)

    @contextmanager
    def unlimited(self) -> Iterator[None]:
        """Do not count for the length of the block."""
        self._timeout.reschedule(None)
        yield
        self.forward()

    async def compute(self, function: Callable[..., T], *arguments: object) -> T:
        """What a function returns, in a thread of its own, which ends when the time is over.

        Python runs between two of its instructions what ends it; one that never comes to another,
        such as a regular expression, is ended with its process.
        """
        outcome: Future[T] = Future()
        outcome.set_running_or_notify_cancel()
        settling, context = Lock(), copy_context()

        def run() -> None:
            try:
                computed = context.run(function, *arguments)
            except BaseException as error:  # raised where it is waited for
                with settling:
                    outcome.set_exception(error)
            else:
                with settling:
                    outcome.set_result(computed)

        # A daemon, so that no process waits for one that does not end.
        thread = Thread(target=run, name=f"footnote {self._stage}", daemon=True)
        thread.start()
        self._computing = True
        try:
            computed = await asyncio.wrap_future(outcome)
        except asyncio.CancelledError:
            with settling:
                # Another thread may have the number of one that is over.
                if not outcome.done():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Overdue)
                    )
            raise
        self._computing = False
        return computed

    def _failure(self) -> DocumentUnreadable | DocumentInterrupted:
        # What computes for so long does so again; a model or a database may answer next time.
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
async def under_way(stage: Stage, filename: str, seconds: float) -> AsyncIterator[StageLimit]:
    """A stage in its span, measured; the document fails when it has not come forward for so long.

    What waits for its turn takes none of the time, nor does what has a limit of its own.
    """
    limit = StageLimit(stage, filename, seconds)
    with span(f"ingest {stage}"), timed(STAGES, {"footnote.stage": stage}):
        try:
            async with limit._timeout:
                limit.forward()
                yield limit
        except TimeoutError:
            if not limit._timeout.expired():
                raise  # It is of something within.
            raise limit._failure() from None


@asynccontextmanager
async def reporting(
    work: VersionInWork, stage: Stage, pause_seconds: float = PAUSE_SECONDS
) -> AsyncIterator[OnProgress]:
    """What is told within is noted meanwhile; a stage that is over at once leaves no note."""
    latest: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        latest[:] = [(done, total)]

    async def note() -> None:
        while True:
            await asyncio.sleep(pause_seconds)
            if latest:
                await work.progress(stage, *latest.pop())

    noting = asyncio.create_task(note())
    try:
        yield tell
    finally:
        noting.cancel()
        # A note that could not be written is worth no failed document.
        with suppress(asyncio.CancelledError, Exception):
            await noting
