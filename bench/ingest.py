"""How fast files become searchable, against the bare embedder on the very same chunks.

    python bench/ingest.py
    python bench/ingest.py --documents 120 --json
    python bench/ingest.py --unscreened --texts DATA/xquad-en DATA/cranfield DATA/vaswani

Generated PDFs and Markdown files, of words in random order or of the texts of retrieval sets, go
through the durable queue: received, parsed in child processes, divided, embedded by the packaged
model, published. After each round the texts that were embedded in it are embedded once more by the
model alone, in one call, so that both sides share whatever else the machine is doing. What keeps
`ratio` below 1 is everything that is not the model. With `--unscreened` there is a round beside
each in which the embedder tells nothing of orders, so that the reader looks for them in every
passage.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

import numpy as np

from footnote.domain import DocumentStatus, Lane
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.worker import run_worker
from footnote.ports import Embedder, Screened, Vector, Vectors, embed_and_screen
from installation import MODELS, temporary_engine
from memory import Peak, watched
from papers import synthetic_sentences, write_papers, written_sentences
from reporting import finish, machine, progress, show
from synthetic import SyntheticLanguage

LOOK_SECONDS = 0.2
STATUS_BATCH = 500
VOCABULARY = 60_000


@dataclass(slots=True, kw_only=True)
class RememberingEmbedder:
    """The engine's embedder, which remembers what it embeds."""

    inner: Embedder
    texts: list[str] = field(default_factory=list)
    screens: bool = True
    """Whether it passes on what the engine's embedder tells of orders."""
    clear: int = 0

    @property
    def lane(self) -> Lane:
        return self.inner.lane

    @property
    def max_tokens(self) -> int:
        return self.inner.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.inner.count_tokens(texts)

    async def embed_query(self, text: str) -> Vector:
        return await self.inner.embed_query(text)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_and_screen(texts)).vectors

    async def embed_and_screen(self, texts: Sequence[str]) -> Screened:
        self.texts += texts
        made = await embed_and_screen(self.inner, texts)
        clear = made.cleared_characters if self.screens else [0] * len(texts)
        self.clear += sum(clear)
        return replace(made, cleared_characters=clear)


@dataclass(slots=True, kw_only=True)
class Totals:
    """Sums over the rounds."""

    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    """Distinct texts; a text that recurs is embedded once."""
    characters: int = 0
    """Of those texts."""
    clear: int = 0
    """Of those characters, what the reader was spared."""
    cut: int = 0
    """Of those texts, how many are longer than the embedder reads."""
    tokens: int = 0
    ingest_s: float = 0.0
    bare_s: float = 0.0
    ratios: list[float] = field(default_factory=list)


@asynccontextmanager
async def working(engine: Engine) -> AsyncIterator[None]:
    """A worker beside the block, as `footnote worker` is."""
    stop = asyncio.Event()
    worker = asyncio.create_task(run_worker(engine, stop=stop))
    try:
        yield
    finally:
        stop.set()
        await worker


async def ingest(workspace: WorkspaceEngine, paths: Sequence[Path]) -> tuple[float, int]:
    """Seconds from the first file handed in to the last one searchable, and their chunks."""
    started = perf_counter()
    received = [await workspace.receive_file(path) for path in paths]
    waiting = [each.document.document_id for each in received]
    chunks = 0
    while waiting:
        await asyncio.sleep(LOOK_SECONDS)
        documents = await workspace.statuses(waiting[:STATUS_BATCH])
        for document in documents.values():
            assert document.status is not DocumentStatus.FAILED, document.failure
            if document.status is DocumentStatus.INDEXED:
                chunks += document.chunk_count
                waiting.remove(document.document_id)
    return perf_counter() - started, chunks


async def run_round(
    workspace: WorkspaceEngine,
    remembering: RememberingEmbedder,
    paths: Sequence[Path],
    totals: Totals,
) -> None:
    remembering.texts.clear()
    remembering.clear = 0
    seconds, chunks = await ingest(workspace, paths)
    texts = list(dict.fromkeys(remembering.texts))
    inner = remembering.inner
    started = perf_counter()
    await inner.embed_documents(texts)
    bare = perf_counter() - started
    totals.documents += len(paths)
    totals.chunks += chunks
    totals.embedded += len(texts)
    totals.characters += sum(map(len, texts))
    totals.clear += remembering.clear
    counts = inner.count_tokens(texts)
    totals.cut += sum(count > inner.max_tokens for count in counts)
    totals.tokens += sum(min(count, inner.max_tokens) for count in counts)
    totals.ingest_s += seconds
    totals.bare_s += bare
    totals.ratios.append(bare / seconds)


async def measure(
    documents: int,
    rounds: int,
    seed: int,
    models: Path,
    *,
    unscreened: bool,
    texts: Sequence[Path],
) -> dict[str, object]:
    report: dict[str, object] = {"machine": machine()}
    chance = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as name:
        async with temporary_engine(models) as engine:
            language = SyntheticLanguage(engine.analyzer, seed=seed, vocabulary=VOCABULARY)
            papers = (
                written_sentences(texts, seed) if texts else synthetic_sentences(language, chance)
            )
            paths = write_papers(Path(name), papers, chance, documents + 3)
            warm_up, measured = paths[:3], paths[3:]
            remembering = RememberingEmbedder(inner=engine.embedder)
            engine.embedder = remembering
            workspace = await engine.workspace()
            totals, without = Totals(), Totals()
            with watched(engine.settings.home / "postgres") as peak, progress() as bars:
                bar = bars.add_task("ingest", total=documents)
                async with working(engine):
                    await ingest(workspace, warm_up)
                    size = math.ceil(documents / rounds)
                    for start in range(0, documents, size):
                        batch = measured[start : start + size]
                        parts = ((batch[::2], False), (batch[1::2], True))
                        for part, screens in parts if unscreened else ((batch, True),):
                            remembering.screens = screens
                            kept = totals if screens else without
                            await run_round(workspace, remembering, part, kept)
                        bars.advance(bar, len(batch))
            settings = engine.settings
            other = {"unscreened": _figures(without, peak)} if unscreened else {}
            return (
                report
                | _figures(totals, peak)
                | other
                | {
                    "worker_concurrency": settings.worker_concurrency,
                    "lane": engine.lane.fingerprint,
                }
            )


def _figures(totals: Totals, peak: Peak) -> dict[str, object]:
    return {
        "chunks_per_s": round(totals.embedded / totals.ingest_s, 2),
        "bare_embedder_chunks_per_s": round(totals.embedded / totals.bare_s, 2),
        "ratio": round(totals.bare_s / totals.ingest_s, 4),
        "ratio_of_each_round": [round(ratio, 3) for ratio in totals.ratios],
        "peak_rss_mb": round(peak.processes_mb, 1),
        "peak_rss_counts": "engine with worker and model, and its parser processes",
        "postgres_peak_mb": round(peak.postgres_mb, 1),
        "documents": totals.documents,
        "chunks": totals.chunks,
        "embedded_texts": totals.embedded,
        "share_read_for_orders": round(1 - totals.clear / max(totals.characters, 1), 4),
        "share_longer_than_read": round(totals.cut / max(totals.embedded, 1), 4),
        "tokens_per_text": round(totals.tokens / max(totals.embedded, 1), 1),
        "ingest_s": round(totals.ingest_s, 2),
        "bare_s": round(totals.bare_s, 2),
    }


def present(report: Mapping[str, object]) -> None:
    names = (
        "chunks_per_s",
        "bare_embedder_chunks_per_s",
        "ratio",
        "ratio_of_each_round",
        "share_read_for_orders",
        "share_longer_than_read",
        "peak_rss_mb",
        "postgres_peak_mb",
        "documents",
        "chunks",
        "tokens_per_text",
        "ingest_s",
        "bare_s",
    )
    show("Ingestion", ("", "value"), [(name, f"{report[name]}") for name in names])
    other = report.get("unscreened")
    if isinstance(other, dict):
        rows = [(name, f"{other[name]}") for name in names[:5]]
        show("With every passage read for orders", ("", "value"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3, help="turns the two sides take")
    parser.add_argument("--unscreened", action="store_true", help="as it was without screens, too")
    parser.add_argument(
        "--texts", type=Path, nargs="+", default=(), help="retrieval sets whose texts are written"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    if not 1 <= options.rounds * (1 + options.unscreened) <= options.documents:
        parser.error("ask for at least one document a round")
    report = asyncio.run(
        measure(
            options.documents,
            options.rounds,
            options.seed,
            options.models,
            unscreened=options.unscreened,
            texts=options.texts,
        )
    )
    present(report)
    finish(report, options.json)


if __name__ == "__main__":
    main()
