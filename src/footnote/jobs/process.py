"""Scheduling of a worker process: low priority, first out of memory, ended if it hangs."""

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
"""Niceness of a worker, below processes that answer requests; without effect on an idle machine."""
_FIRST_TO_GO = 1000
"""The highest OOM score adjustment: Linux then kills this process first when memory runs out."""
_LOOK_SECONDS = 1.0


def give_way() -> None:
    """Lower this process's CPU priority, so that searches of other processes go first.

    Linux has a niceness per thread, which new threads and processes inherit. Threads that start an
    embedded Postgres keep theirs, as it also serves searches. Does nothing on Windows.
    """
    threads = Path("/proc/self/task")
    if threads.is_dir():
        starters = {
            thread.native_id for thread in threading.enumerate() if thread.name.startswith(STARTER)
        }
        for number in {int(thread.name) for thread in threads.iterdir()} - starters:
            with contextlib.suppress(ProcessLookupError):
                niceness = max(NICENESS, os.getpriority(os.PRIO_PROCESS, number))
                os.setpriority(os.PRIO_PROCESS, number, niceness)
    elif hasattr(os, "nice"):
        os.nice(NICENESS)


def go_first() -> None:
    """Have the system kill this process before any other when memory runs out.

    Does nothing where there is no `/proc/self/oom_score_adj`, that is, outside Linux.
    """
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_FIRST_TO_GO), encoding="ascii")


@contextlib.asynccontextmanager
async def ending_when_stuck(seconds: float) -> AsyncIterator[None]:
    """End this process if its event loop is blocked for `seconds`, whatever blocks it.

    A regular expression, for example, holds the GIL until it is done. The traceback of every thread
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
