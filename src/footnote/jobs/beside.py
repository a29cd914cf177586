"""Leaves the queue to another worker where one runs, so that one process's settings hold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from footnote.engine import Services
from footnote.jobs.worker import run_worker
from footnote.store.queue import worker_lives

_LOOK_SECONDS = 1.0


async def run_worker_unless_another_does(
    engine: Services, stop: asyncio.Event, tell: Callable[[], None]
) -> None:
    """Work until `stop` is set, from the moment on at which no other worker runs.

    `tell` hears once that another one does. One that dies is waited for until it is given up.
    """
    silence, told = engine.settings.worker_stalled_seconds, False
    while await worker_lives(engine.database, silence_seconds=silence):
        if not told:
            tell()
            told = True
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _LOOK_SECONDS)
            return
    await run_worker(engine, stop=stop)
