"""Tries documents that were in hand when a worker died, one at a time in a process of their own."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import structlog

from footnote.engine import Services
from footnote.errors import StoreUnavailable
from footnote.settings import environment_of
from footnote.store.queue import set_aside_waits

_log = structlog.get_logger(__name__)

COMMAND = (
    *(sys.executable, "-m", "footnote.interfaces.cli.main", "worker"),
    "--set-aside",
    "--until-stdin-ends",
)
"""Tries what was set aside until nothing of it waits, and ends with whoever started it."""
_LOOK_SECONDS = 1.0
_GRACE_SECONDS = 10.0
"""What is in hand may take half of it to end."""
_FIRST_TO_GO = 1000
"""The score by which Linux ends a process before all others when memory runs out."""


async def try_set_aside(engine: Services, command: Sequence[str] = COMMAND) -> None:
    """Start the command whenever a document waits that was set aside, until cancelled.

    If the document is what the worker died of, only that process dies of it again.
    """
    while True:
        try:
            if await set_aside_waits(engine.database):
                await _run(engine, command)
        except StoreUnavailable as error:
            _log.warning("queue_unreachable", reason=str(error))
        except OSError as error:  # No process or pipe is to be had at the moment.
            _log.warning("set_aside_process_not_started", reason=str(error))
        await asyncio.sleep(_LOOK_SECONDS)


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


async def _run(engine: Services, command: Sequence[str]) -> None:
    inherited = {key: value for key, value in os.environ.items() if key[:9] != "FOOTNOTE_"}
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=PIPE,
        env=inherited | environment_of(engine.settings),
        start_new_session=True,  # Ctrl-C is for the worker, which then ends this.
    )
    try:
        code = await process.wait()
    except asyncio.CancelledError:
        await _end(process)
        raise
    if code:
        _log.warning("set_aside_process_ended", exit_code=code)


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _GRACE_SECONDS)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
