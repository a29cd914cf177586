"""Calls into the event loop of a workspace, from another loop or from a thread without one."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as first_of
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from footnote.errors import InvalidRequest

T = TypeVar("T")

Work = Callable[[], Coroutine[object, object, T]]

_LOOK_SECONDS = 1.0
"""A loop that has not begun after this is busy, or waits for the calling thread."""
_WAITING_FOR_THREADS = ("threading", "concurrent.futures._base", "concurrent.futures.thread")
"""The modules in which a thread is that waits for other threads."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A way to call into the loop in which connections were opened."""

    loop: asyncio.AbstractEventLoop
    thread_id: int
    """The thread in which it runs."""

    @classmethod
    def here(cls) -> Bridge:
        """The bridge to the loop that runs in this thread. Raises RuntimeError where none does."""
        return cls(asyncio.get_running_loop(), threading.get_ident())

    async def reach(self, work: Work[T]) -> T:
        """Run the work in the loop, and await its result in any loop."""
        if _running_loop() is self.loop:
            return await work()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), self.loop))

    def wait(self, work: Work[T]) -> T:
        """Run the work in the loop, and block this thread until it is done.

        Raises InvalidRequest in the loop's own thread, which must not wait for itself, and in a
        thread for which that one waits, as those of LangChain's `RunnableParallel.invoke`.
        """
        if _running_loop() is self.loop:
            _refuse()
        if not self.loop.is_running():
            raise InvalidRequest(
                "the event loop of the engine does not run",
                hint="open the engine with footnote.open_sync() for blocking calls",
            )
        started: Future[None] = Future()

        async def begin() -> T:
            if not started.set_running_or_notify_cancel():
                raise asyncio.CancelledError
            started.set_result(None)
            return await work()

        done = asyncio.run_coroutine_threadsafe(begin(), self.loop)
        futures: tuple[Future[Any], ...] = (started, done)
        while not first_of(futures, _LOOK_SECONDS, FIRST_COMPLETED).done:
            # What has begun meanwhile cannot be cancelled, and is waited for after all.
            if self._waits_for_threads() and started.cancel():
                _refuse()
        return done.result()

    def _waits_for_threads(self) -> bool:
        """Whether the loop's thread waits for another thread to end."""
        frame = sys._current_frames().get(self.thread_id)
        return frame is not None and frame.f_globals.get("__name__") in _WAITING_FOR_THREADS


def _refuse() -> NoReturn:
    raise InvalidRequest(
        "a blocking call would stop the event loop that it waits for",
        hint="await the asynchronous call, or open the engine with footnote.open_sync()",
    )


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
