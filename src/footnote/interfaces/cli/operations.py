"""`footnote worker` and `footnote doctor`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from typing import Annotated

import typer
from rich.text import Text

from footnote import open as opened
from footnote.doctor import examine
from footnote.errors import NotReady
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import AsJson
from footnote.interfaces.failures import failure_of
from footnote.jobs.set_aside import go_first
from footnote.jobs.worker import run_worker
from footnote.settings import Settings


def worker(
    until_stdin_ends: Annotated[
        bool, typer.Option("--until-stdin-ends", hidden=True, help="Stop when stdin is closed.")
    ] = False,
    set_aside: Annotated[
        bool,
        typer.Option(
            "--set-aside", hidden=True, help="Try what was in hand when a worker died, then end."
        ),
    ] = False,
) -> None:
    """Index whatever is queued, until it is stopped."""
    settings = prepared(tell=not until_stdin_ends)
    wait_for(_work(settings, until_stdin_ends=until_stdin_ends, set_aside=set_aside))


async def _work(settings: Settings, *, until_stdin_ends: bool, set_aside: bool) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if until_stdin_ends:
        _when_stdin_ends(loop, stop)
    else:
        present.notices().print(Text("Indexing what is queued; Ctrl-C stops.", style="dim"))
    async with opened(settings) as engine:
        if set_aside:
            go_first()
        await run_worker(engine, stop=stop, set_aside=set_aside)


def _when_stdin_ends(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Set `stop` when whoever holds the other end dies, however it dies."""

    def wait() -> None:
        # Unbuffered: a buffered read would still hold its lock when the interpreter ends.
        while os.read(0, 1024):
            continue
        with contextlib.suppress(RuntimeError):  # The loop may have ended first.
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=wait, daemon=True).start()


def doctor(as_json: AsJson = False) -> None:
    """Say what is there, what is missing, and how to get it."""
    settings = prepared()
    health = wait_for(examine(settings))
    if as_json:
        present.print_json(health)
    else:
        present.show_health(present.terminal(), health)
    if not health.ready:
        raise typer.Exit(failure_of(NotReady("")).exit_code)
