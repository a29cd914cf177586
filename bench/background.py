"""How fast searches are alone, and while a worker extracts in the background.

    python bench/background.py --data ../shared/data
    python bench/background.py --data ../shared/data --questions 100 --json

Articles of Re-DocRED are documents of a fresh installation, and the same questions are searched in
turns: for some seconds with nothing else under way, for some seconds while a worker in another
process, as `footnote worker` is one, extracts entities, facts and summaries, with the work paused
and resumed in between. The ratio of both is what matters: it is of one run on one machine. A round
in which the work had run out is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from footnote.domain import PlanChanges, SearchRequest
from footnote.domain.backfill import BackgroundWork
from footnote.engine import WorkspaceEngine
from installation import MODELS, Ready, bench_engine, put
from named_texts import joined
from reporting import finish, machine, show

KINDS = (BackgroundWork.ENTITIES, BackgroundWork.FACTS, BackgroundWork.SUMMARIES)
WORKER = (
    "import sys; from footnote.interfaces.cli.main import run; sys.argv[1:] = ['worker']; run()"
)
WAIT_SECONDS = 60.0
SETTLE_SECONDS = 4.0
"""Longer than a slice, so that what was in hand has ended."""


@asynccontextmanager
async def worker(settings: dict[str, str]) -> AsyncIterator[None]:
    """A worker in a process of its own, while the block runs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WORKER), env={**os.environ, **settings}
    )
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def waiting(workspace: WorkspaceEngine) -> int:
    """Documents that lack something yet, of all kinds together."""
    return sum(each.waiting for each in (await workspace.backfill()).kinds if each.kind in KINDS)


async def searched(workspace: WorkspaceEngine, questions: Sequence[str]) -> list[float]:
    """Milliseconds of each search, one after the other."""
    taken = []
    for question in questions:
        request = SearchRequest(query=question, changes=PlanChanges(cache=False))
        started = perf_counter()
        await workspace.search(request)
        taken.append((perf_counter() - started) * 1000)
    return taken


async def under_way(workspace: WorkspaceEngine) -> None:
    """Wait until the worker has made something since the call."""
    before, until = await waiting(workspace), perf_counter() + WAIT_SECONDS
    while await waiting(workspace) == before:
        assert perf_counter() < until, "no worker makes anything"
        await asyncio.sleep(0.2)


async def measure(options: argparse.Namespace) -> dict[str, object]:
    articles = json.loads((options.data / "facts" / "redocred-dev.json").read_text())
    articles = articles[: options.articles]
    texts = [joined([t for sentence in each["sents"] for t in sentence])[0] for each in articles]
    questions = [f"What is said of {each['title']}?" for each in articles[: options.questions]]
    alone: list[float] = []
    beside: list[float] = []
    with TemporaryDirectory(prefix="fb-", ignore_cleanup_errors=True) as name:
        async with bench_engine(options.models, Path(name)) as engine:
            workspace = await engine.workspace()
            for article, text in zip(articles, texts, strict=True):
                vectors = await engine.embedder.embed_documents([text])
                terms = [engine.analyzer.terms(text, "en")]
                ready = Ready(
                    title=article["title"],
                    language="en",
                    texts=[text],
                    terms=terms,
                    vectors=vectors,
                )
                await put(engine, workspace.workspace, ready)
            await workspace.pause_backfill()
            for kind in KINDS:
                await workspace.change_setting(kind.value, True)
            await searched(workspace, questions)
            async with worker({"FOOTNOTE_HOME": name}):
                for _ in range(options.rounds):
                    await asyncio.sleep(SETTLE_SECONDS)
                    quiet = await searched(workspace, questions)
                    await workspace.resume_backfill()
                    await under_way(workspace)
                    busy = await searched(workspace, questions)
                    left = await waiting(workspace)
                    await workspace.pause_backfill()
                    if not left:
                        break
                    alone += quiet
                    beside += busy
                    print(np.median(quiet), np.median(busy), left, file=sys.stderr)
    assert alone, "the work ran out before a round was over: ask fewer questions"
    report: dict[str, object] = {"machine": machine(), "searches": len(alone)}
    rows = []
    for percentile in (50, 95):
        one, two = (float(np.percentile(each, percentile)) for each in (alone, beside))
        report[f"p{percentile}"] = {
            "alone_ms": round(one, 1),
            "beside_ms": round(two, 1),
            "ratio": round(two / one, 2),
        }
        rows.append([f"p{percentile}", f"{one:.1f}", f"{two:.1f}", f"{two / one:.2f}"])
    show("Searches, ms", ("", "alone", "beside work in the background", "ratio"), rows)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with facts")
    parser.add_argument(
        "--questions", type=int, default=50, help="searched in each half of a round"
    )
    parser.add_argument("--articles", type=int, default=500, help="documents")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    finish(asyncio.run(measure(options)), options.json)


if __name__ == "__main__":
    main()
