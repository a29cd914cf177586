"""What encryption costs a search: the same documents and queries with and without, in one run.

python -m bench.encryption [--documents N] [--rounds N]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from random import Random

from footnote.domain import PlanChanges, SearchRequest
from footnote.engine import WorkspaceEngine, open_engine
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings

WORDS = (Path(__file__).parent.parent / "docs" / "retrieval.md").read_text(encoding="utf-8").split()
ALLOWED_RATIO = 1.2


def document(random: Random, number: int) -> bytes:
    sections = [
        f"## Section {section}\n\n" + " ".join(random.choices(WORDS, k=180)) for section in range(8)
    ]
    return "\n\n".join([f"# Document {number}", *sections]).encode()


async def fill(workspace: WorkspaceEngine, documents: int) -> None:
    random = Random(7)
    for number in range(documents):
        received = await workspace.receive(document(random, number), f"{number}.md")
        if number % 20 == 19 or number == documents - 1:
            whose = [received.document.document_id]
            await work_until_resting(workspace.engine, workspace, whose, lambda _: None)


async def timed(workspace: WorkspaceEngine, query: str) -> float:
    request = SearchRequest(query=query, changes=PlanChanges(cache=False))
    started = time.perf_counter()
    await workspace.search(request)
    return time.perf_counter() - started


async def measure(home: Path, models: Path, documents: int, rounds: int) -> tuple[float, float]:
    """The median ratio of the latencies of a query, encrypted to not, and the median without."""
    settings = Settings(home=home)
    (home / "models").symlink_to(models)
    async with await open_engine(settings) as engine:
        await engine.create_workspace("plain")
        plain = await engine.workspace("plain")
        await fill(plain, documents)
        # Over the same server: the encrypted one is made by an engine that encrypts.
        encrypting = settings.model_copy(update={"encryption": "on"})
        async with await open_engine(encrypting) as other:
            await other.create_workspace("encrypted")
            await fill(await other.workspace("encrypted"), documents)
        encrypted = await engine.workspace("encrypted")
        random = Random(11)
        queries = [" ".join(random.choices(WORDS, k=5)) for _ in range(rounds)]
        for workspace in (plain, encrypted):
            await timed(workspace, "to warm up")
        await engine.vector_cache.settled()
        ratios, without = [], []
        for number, query in enumerate(queries):
            # By turns, and each first half of the time, so that neither gains by the other.
            pair = [plain, encrypted] if number % 2 else [encrypted, plain]
            seconds = {id(each): await timed(each, query) for each in pair}
            without.append(seconds[id(plain)])
            ratios.append(seconds[id(encrypted)] / seconds[id(plain)])
    return statistics.median(ratios), statistics.median(without)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--models", type=Path, default=Path(tempfile.gettempdir()) / "models")
    given = parser.parse_args()
    given.models.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ratio, without = asyncio.run(
            measure(Path(folder), given.models, given.documents, given.rounds)
        )
    print(f"median search without encryption: {without * 1000:.1f} ms")
    print(f"median ratio with encryption: {ratio:.3f} (at most {ALLOWED_RATIO})")


if __name__ == "__main__":
    main()
