"""What a worker's process is to the system: behind those that serve, and never stuck."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

from footnote.store.revival import STARTER

NICENESS = 10
"""Of a worker beside what answers people; on a quiet machine it changes nothing."""
_FIRST_TO_GO = 1000
"""The score by which Linux ends a process before all others when memory runs out."""
_LOOK_SECONDS = 1.0


def give_way() -> None:
    """Let searches of other processes go first where both want the processor; not on Windows.

    Linux has a niceness for each thread, which those that it starts inherit, and so do processes.
    Threads that start an embedded Postgres keep theirs: it serves searches, too.
    """
    threads = Path("/proc/self/task")
    if threads.is_dir():
        starters = {
            each.native_id for each in threading.enumerate() if each.name.startswith(STARTER)
        }
        for number in {int(thread.name) for thread in threads.iterdir()} - starters:
            with contextlib.suppress(ProcessLookupError):
                niceness = max(NICENESS, os.getpriority(os.PRIO_PROCESS, number))
                os.setpriority(os.PRIO_PROCESS, number, niceness)
    elif hasattr(os, "nice"):
        os.nice(NICENESS)


def go_first() -> None:
    """Let the system end this process before any other when memory runs out, where it can be told.

    On Linux; elsewhere it decides as for any other process.
    """
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_FIRST_TO_GO), encoding="ascii")


@contextlib.asynccontextmanager
async def ending_when_stuck(seconds: float) -> AsyncIterator[None]:
    """End this process once its event loop has stood still for so long, whatever holds it.

    A regular expression, say, lets no other thread run until it is through. What each thread was at
    is written to standard error. After the block the process itself has as long to end.
    """

    async def go_on() -> None:
        while True:
            faulthandler.dump_traceback_later(seconds, exit=True)
            await asyncio.sleep(min(_LOOK_SECONDS, seconds / 2))

    going_on = asyncio.create_task(go_on())
    try:
        yield
    finally:
        going_on.cancel()
        await asyncio.wait([going_on])
