"""What audit log, metering and budgets cost a search: searches with and without them, by turns.

    python bench/audit.py --searches 200 --at-once 8

Searches differ, so that none is answered from the cache. The database is the embedded one in a new
folder, with every commit flushed to its disk, as it is by default.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from footnote.domain import SearchRequest
from footnote.engine import WorkspaceEngine, open_engine
from footnote.engine.search import search
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings

ROUNDS = 10


async def seconds_of(
    workspace: WorkspaceEngine, queries: list[str], at_once: int, *, entered: bool
) -> list[float]:
    """How long each search took, so many at once."""
    waiting = iter(queries)
    took: list[float] = []

    async def ask() -> None:
        for query in waiting:
            begun = time.perf_counter()
            request = SearchRequest(query=query)
            # The function of the verb itself is neither entered nor metered.
            await (workspace.search(request) if entered else search(workspace, request))
            took.append(time.perf_counter() - begun)

    await asyncio.gather(*(ask() for _ in range(at_once)))
    return took


async def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--searches", type=int, default=200)
    options.add_argument("--at-once", type=int, default=8)
    options.add_argument("--documents", type=Path, default=Path("examples/documents"))
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="fn-") as folder:
        Path(folder).chmod(0o711)
        async with await open_engine(Settings(home=Path(folder) / "home")) as engine:
            workspace = await engine.workspace()
            received = [
                (await workspace.receive_file(path)).document.document_id
                for path in sorted(given.documents.iterdir())
            ]
            await work_until_resting(engine, workspace, received, lambda _: None)
            for at_once in (1, given.at_once):
                await measure(workspace, given.searches, at_once)


async def measure(workspace: WorkspaceEngine, searches: int, at_once: int) -> None:
    """Both by turns, so that what else the machine does meets both."""
    each = searches // ROUNDS
    took: dict[bool, list[float]] = {True: [], False: []}
    rate: dict[bool, list[float]] = {True: [], False: []}
    for number in range(ROUNDS):
        for entered in (True, False) if number % 2 else (False, True):
            queries = [
                f"claim {place} of storm {number} damage {at_once}{entered}"
                for place in range(each)
            ]
            begun = time.perf_counter()
            took[entered] += await seconds_of(workspace, queries, at_once, entered=entered)
            rate[entered].append(each / (time.perf_counter() - begun))
    medians = {entered: statistics.median(found) * 1000 for entered, found in took.items()}
    rates = {entered: statistics.median(found) for entered, found in rate.items()}
    print(
        f"{at_once} at once: median {medians[False]:.1f} ms without, {medians[True]:.1f} ms with "
        f"the log (x{medians[True] / medians[False]:.2f}); {rates[False]:.0f} and "
        f"{rates[True]:.0f} searches a second (x{rates[True] / rates[False]:.2f})"
    )


if __name__ == "__main__":
    asyncio.run(main())
