"""What settings of a workspace's own cost a search: with and without them, by turns.

    python bench/configuration.py --searches 400

Searches differ, so that none is answered from the cache. The values that are set are those of the
installation, so that both search alike.
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
from footnote.settings import PER_WORKSPACE, Settings

ROUNDS = 10


async def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--searches", type=int, default=400)
    options.add_argument("--documents", type=Path, default=Path("examples/documents"))
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="fn-") as folder:
        Path(folder).chmod(0o711)
        async with await open_engine(Settings(home=Path(folder) / "home")) as engine:
            workspaces = []
            for name in ("plain", "configured"):
                await engine.create_workspace(name)
                workspaces.append(workspace := await engine.workspace(name))
                received = [
                    (await workspace.receive_file(path)).document.document_id
                    for path in sorted(given.documents.iterdir())
                ]
                await work_until_resting(engine, workspace, received, lambda _: None)
            for name in PER_WORKSPACE:
                await workspaces[1].change_setting(name, getattr(engine.settings, name))
            await measure(workspaces[0], workspaces[1], given.searches)


async def measure(plain: WorkspaceEngine, configured: WorkspaceEngine, searches: int) -> None:
    """Both by turns, so that what else the machine does meets both."""
    took: dict[str, list[float]] = {"plain": [], "configured": []}
    for number in range(ROUNDS):
        for workspace in (plain, configured) if number % 2 else (configured, plain):
            for place in range(searches // ROUNDS):
                request = SearchRequest(query=f"claim {place} of storm {number} damage")
                begun = time.perf_counter()
                await search(workspace, request)
                took[workspace.workspace.name].append(time.perf_counter() - begun)
    medians = {name: statistics.median(found) * 1000 for name, found in took.items()}
    print(
        f"median {medians['plain']:.2f} ms without, {medians['configured']:.2f} ms with "
        f"{len(PER_WORKSPACE)} settings of its own "
        f"(x{medians['configured'] / medians['plain']:.3f})"
    )
    begun = time.perf_counter()
    changes = 20
    for number in range(changes):
        await configured.change_setting("top_k", 5 + number % 2)
        await search(configured, SearchRequest(query=f"claim {number} after a change"))
    print(
        f"a change and the search after it: {(time.perf_counter() - begun) / changes * 1e3:.1f} ms"
    )


if __name__ == "__main__":
    asyncio.run(main())
