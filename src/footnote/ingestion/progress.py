"""Passes on how far a stage has come, as often as anybody wants to know."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from footnote.domain import Stage
from footnote.ports import OnProgress, VersionInWork

PAUSE_SECONDS = 1.0
"""Between two notes about one document: enough for a reader, little to write."""


@asynccontextmanager
async def reporting(
    work: VersionInWork, stage: Stage, pause_seconds: float = PAUSE_SECONDS
) -> AsyncIterator[OnProgress]:
    """What is told within is noted meanwhile; a stage that is over at once leaves no note."""
    latest: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        latest[:] = [(done, total)]

    async def note() -> None:
        while True:
            await asyncio.sleep(pause_seconds)
            if latest:
                await work.progress(stage, *latest.pop())

    noting = asyncio.create_task(note())
    try:
        yield tell
    finally:
        noting.cancel()
        # A note that could not be written is worth no failed document.
        with suppress(asyncio.CancelledError, Exception):
            await noting
