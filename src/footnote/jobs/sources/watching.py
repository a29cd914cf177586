"""Synchronise files as they change: on the system's notifications and by periodic full scans."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import structlog
from watchfiles import awatch

from footnote.domain.sources import Labels
from footnote.engine import WorkspaceEngine
from footnote.errors import FootnoteError
from footnote.jobs.sources.following import Source, Step, follow

_log = structlog.get_logger(__name__)
_PAUSE_SECONDS = 5.0


async def watch(
    workspace: WorkspaceEngine,
    source: Source,
    labels: Labels,
    *,
    paths: Sequence[Path],
    scan_seconds: float,
    settle_seconds: float,
    stop: asyncio.Event,
    on_step: Callable[[Step], None],
) -> None:
    """Follow the source until `stop` is set; what is gone from it is deleted.

    The system may lose notice of a change, or give none (network drives): every `scan_seconds`
    everything is compared.
    """
    wake = asyncio.Event()
    retry_failed = True
    async with _woken(paths, wake, stop):
        while not stop.is_set():
            wake.clear()
            waiting = False
            following = follow(
                workspace, source, labels, delete_missing=True, retry_failed=retry_failed
            )
            try:
                async with aclosing(following) as steps:
                    async for step in steps:
                        on_step(step)
                        waiting = waiting or step.verdict == "waiting"
                        if stop.is_set():
                            return
                retry_failed = False
            except FootnoteError as error:
                if not error.retryable:
                    raise
                # The queue is full, or the database is away: what is left is still to be read.
                _log.warning("watch_interrupted", reason=str(error))
                await _until_any((stop,), min(scan_seconds, _PAUSE_SECONDS))
                continue
            await _until_any((wake, stop), settle_seconds if waiting else scan_seconds)


@asynccontextmanager
async def _woken(
    paths: Sequence[Path], wake: asyncio.Event, stop: asyncio.Event
) -> AsyncIterator[None]:
    task = asyncio.create_task(_wake(paths, wake, stop))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _wake(paths: Sequence[Path], wake: asyncio.Event, stop: asyncio.Event) -> None:
    try:
        async for _ in awatch(
            *paths, watch_filter=None, stop_event=stop, ignore_permission_denied=True
        ):
            wake.set()
    except (OSError, RuntimeError) as error:
        _log.warning("no notice of changes; looking now and then", reason=str(error))


async def _until_any(events: Sequence[asyncio.Event], seconds: float) -> None:
    tasks = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
