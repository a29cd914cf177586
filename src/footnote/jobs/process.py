"""Scheduling of a worker process: low priority, first out of memory, ended if it hangs."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

from footnote.store.postgres_watch import STARTER

NICENESS = 10
"""Niceness of a worker, below processes that answer requests; without effect on an idle machine."""
_OOM_SCORE_ADJUSTMENT = 1000
"""The highest OOM score adjustment: Linux then kills this process first when memory runs out."""
_POLL_SECONDS = 1.0


def lower_priority() -> None:
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


def prefer_for_oom_kill() -> None:
    """Have the system kill this process before any other when memory runs out.

    Does nothing where there is no `/proc/self/oom_score_adj`, that is, outside Linux.
    """
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE_ADJUSTMENT), encoding="ascii")


@contextlib.asynccontextmanager
async def ending_when_stuck(seconds: float) -> AsyncIterator[None]:
    """End this process if its event loop is blocked for `seconds`, whatever blocks it.

    A regular expression, for example, holds the GIL until it is done. The traceback of every thread
    is written to standard error. After the block the process itself has as long to end.
    """

    async def reset_watchdog() -> None:
        while True:
            faulthandler.dump_traceback_later(seconds, exit=True)
            await asyncio.sleep(min(_POLL_SECONDS, seconds / 2))

    watchdog = asyncio.create_task(reset_watchdog())
    try:
        yield
    finally:
        watchdog.cancel()
        await asyncio.wait([watchdog])
