"""`footnote ingest --watch`: documents follow their files until it is stopped."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from footnote.domain.sources import Labels
from footnote.interfaces.cli import present
from footnote.interfaces.cli.loading import files_source, opened, run_worker, watch
from footnote.interfaces.cli.paths import entries, printable
from footnote.interfaces.cli.receiving import receive_file
from footnote.settings import Settings

if TYPE_CHECKING:
    from footnote.jobs.sources.following import Step


async def watch_files(
    settings: Settings,
    name: str | None,
    paths: Sequence[Path],
    ignored: Sequence[str],
    labels: Labels,
    *,
    index: bool,
) -> None:
    """Follow the paths until the process is told to stop; index beside it, if asked."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    source = files_source(
        lambda: list(entries(paths, ignored)), paths, receive_file, settings.watch_settle_seconds
    )
    async with opened(settings) as engine:
        workspace = await engine.workspace(name)
        present.notices().print(Text("Watching; Ctrl-C stops.", style="dim"))
        working = asyncio.create_task(run_worker(engine, stop)) if index else None
        try:
            await watch(workspace, source, labels, paths=paths, stop=stop, on_step=Teller().tell)
        finally:
            stop.set()
            if working is not None:
                await working


class Teller:
    """Says what became of each file, and nothing twice."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}

    def tell(self, step: Step) -> None:
        """Print a line for what is worth one."""
        if step.verdict in ("unchanged", "waiting"):
            return
        said = f"{step.verdict} {printable(step.reason)}".strip()
        if step.verdict == "refused" and self._told.get(step.external_id) == said:
            return
        self._told[step.external_id] = said
        line = f"{step.verdict:<8} {printable(step.external_id)}"
        present.terminal().print(Text(present.plain(line)), soft_wrap=True)
        if reason := step.reason or _failure_of(step):
            # Where the two streams are kept apart, each must say which file it speaks of.
            told = present.plain(f"{printable(step.external_id)}: {printable(reason)}")
            present.notices().print(Text(told, style="dim"), soft_wrap=True)


def _failure_of(step: Step) -> str:
    """Why a file that was taken in cannot be indexed, if that could be told at once."""
    failure = step.received.document.failure if step.received else None
    return f"{failure.cause}; {failure.advice}" if failure else ""
