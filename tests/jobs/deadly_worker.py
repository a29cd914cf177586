"""A worker that is killed whenever it embeds a text that says poison; run as a module.

It never comes to an end with a text that says what `STUCK_ON` says.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence

from footnote.engine import open_engine
from footnote.jobs.worker import work_on_queue, work_on_set_aside
from footnote.ports import Vectors
from tests.jobs.stages import Around, stages

ALONE = "--alone"
"""Tries what was set aside, and ends."""
STUCK_ON = "STUCK_ON"
"""A variable of the environment."""


class Deadly(Around):
    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if any("poison" in text for text in texts):
            os.kill(os.getpid(), signal.SIGKILL)
        word = os.environ.get(STUCK_ON)
        if word and any(word in text for text in texts):
            await asyncio.Event().wait()
        return await super().embed_documents(texts)


async def main() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    opening = open_engine(models_at_first_use=True)
    async with await opening as engine, stages(engine, Deadly(engine.embedder)) as ingestion:
        if ALONE in sys.argv:
            await work_on_set_aside(engine, ingestion, stop)
        else:
            alone = (sys.executable, "-m", "tests.jobs.deadly_worker", ALONE)
            await work_on_queue(engine, ingestion, stop, alone)


if __name__ == "__main__":
    asyncio.run(main())
