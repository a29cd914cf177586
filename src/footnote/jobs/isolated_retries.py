"""Retry documents that a worker was processing when it died, one at a time in a child process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence

import structlog

from footnote.engine import Services
from footnote.errors import StoreUnavailable
from footnote.settings import environment_of
from footnote.store.job_recovery import set_aside_waits

_log = structlog.get_logger(__name__)

COMMAND = (
    *(sys.executable, "-m", "footnote.interfaces.cli.main", "worker"),
    "--set-aside",
    "--until-stdin-ends",
)
"""Retries the set-aside documents until none waits; ends with the process that started it."""
_POLL_SECONDS = 1.0
_GRACE_SECONDS = 10.0
"""Time to end before the child is killed; draining its current job takes at most half of it."""


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
        await asyncio.sleep(_POLL_SECONDS)


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
