"""Reaches the event loop in which a workspace lives, from another loop or from no loop at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TypeVar

from footnote.errors import InvalidRequest

T = TypeVar("T")

Work = Callable[[], Coroutine[object, object, T]]


@dataclass(frozen=True, slots=True)
class Bridge:
    """The way to a loop; its connections work nowhere else."""

    loop: asyncio.AbstractEventLoop

    async def reach(self, work: Work[T]) -> T:
        """The result of the work, done in the loop, for whoever awaits it in any."""
        if _running_loop() is self.loop:
            return await work()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), self.loop))

    def wait(self, work: Work[T]) -> T:
        """The result of the work, for a thread that blocks until it is there.

        Raises InvalidRequest in the loop's own thread, which must not wait for itself.
        """
        if _running_loop() is self.loop:
            raise InvalidRequest(
                "a blocking call would stop the event loop that it waits for",
                hint="await the asynchronous call, or open the engine with footnote.open_sync()",
            )
        if not self.loop.is_running():
            raise InvalidRequest(
                "the event loop of the engine does not run",
                hint="open the engine with footnote.open_sync() for blocking calls",
            )
        return asyncio.run_coroutine_threadsafe(work(), self.loop).result()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
