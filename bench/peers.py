"""Footnote beside peers in one run: the same documents, the same vectors, the same questions.

    python bench/peers.py --chunks 100000 --json
    python bench/peers.py --chunks 20000 --set cranfield --set vaswani --data ../shared/data

Speed is measured on synthetic chunks (`synthetic.py`), quality (nDCG@10 of hybrid search) on
retrieval sets. Vectors are given to every system, questions included, so no embedding is timed;
`end_to_end` adds it for Footnote. Indexes are built and compacted first and count as ingestion;
everybody is asked by one client, one question after the other, for the ten best with their texts.
The systems take turns in short rounds, so that what else the machine does falls on all of them;
compare within a run. Processor time (`cpu`) counts Postgres in, and stays what it is on a machine
that others use, where a search that waits for another process waits for its turn as well. Peers are
optional (`make peers`).
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import ir_measures
import numpy as np

from footnote.domain import PlanChanges, SearchRequest
from footnote.engine import Engine
from footnote.ports import Embedder, Vectors
from installation import MODELS, temporary_engine
from memory import processor_seconds
from peer_systems import TOP, Ask, Corpus, Fill, Question, Searchers, nearest, systems
from reporting import finish, machine, percentiles, progress, show
from retrieval_sets import RetrievalSet, names_in, read_set
from synthetic import SyntheticLanguage, vectors_like

DEFAULT_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
DEFAULT_SETS = ("cranfield",)
CHUNKS_A_DOCUMENT = 1000
QUESTIONS_A_ROUND = 25
WARM_UP = 25
NO_LIMIT_SECONDS = 600.0
WAYS = ("lexical", "dense", "hybrid")
MEASURE = ir_measures.nDCG @ TOP

Milliseconds = dict[str, dict[str, list[float]]]
"""By system and way of asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked for."""

    chunks: int
    queries: int
    seed: int
    sets: Sequence[RetrievalSet]
    models: Path
    peers: frozenset[str] | None
    """The systems to ask, Footnote among them; None asks all that are installed."""


async def synthetic(engine: Engine, options: Options) -> tuple[Corpus, list[Question]]:
    """Chunks of the size that was asked for, and questions to warm up with and to time."""
    chance = np.random.default_rng(options.seed)
    language = SyntheticLanguage(engine.analyzer, seed=options.seed)
    vectors = await vectors_like(engine.embedder, language, chance)
    texts: list[str] = []
    while len(texts) < options.chunks:
        size = min(CHUNKS_A_DOCUMENT, options.chunks - len(texts))
        texts += language.document(chance, size).texts
    corpus = Corpus(
        name="speed", language="en", texts=texts, vectors=vectors(chance, options.chunks)
    )
    asked = [language.query(chance) for _ in range(WARM_UP + options.queries)]
    return corpus, [
        Question(text=text, vector=await engine.embedder.embed_query(text)) for text in asked
    ]


async def filled(
    fills: Mapping[str, Fill], corpus: Corpus, folder: Path, cluster: Path
) -> tuple[dict[str, Searchers], dict[str, float], dict[str, float]]:
    """Every system filled, one after the other; the seconds each took, and of processor time."""
    searchers, seconds, work = {}, {}, {}
    with progress() as bars:
        bar = bars.add_task(f"{corpus.name}: fill", total=len(fills))
        for name, fill in fills.items():
            started, before = perf_counter(), processor_seconds(cluster)
            searchers[name] = await fill(corpus, folder)
            seconds[name] = perf_counter() - started
            work[name] = processor_seconds(cluster) - before
            bars.advance(bar)
    return searchers, seconds, work


async def timed(
    searchers: Mapping[str, Searchers], questions: Sequence[Question], cluster: Path
) -> tuple[Milliseconds, Milliseconds]:
    """Milliseconds of every search, and of processor time by round; systems and ways take turns."""
    ways = {(name, way): ask for name, each in searchers.items() for way, ask in each.ways.items()}
    milliseconds: Milliseconds = defaultdict(lambda: defaultdict(list))
    worked: Milliseconds = defaultdict(lambda: defaultdict(list))
    for ask in ways.values():
        for question in questions[:WARM_UP]:
            await ask(question)
    asked = questions[WARM_UP:]
    for first in range(0, len(asked), QUESTIONS_A_ROUND):
        for (name, way), ask in ways.items():
            some = asked[first : first + QUESTIONS_A_ROUND]
            before = processor_seconds(cluster)
            for question in some:
                started = perf_counter()
                await ask(question)
                milliseconds[name][way].append((perf_counter() - started) * 1e3)
            worked[name][way].append((processor_seconds(cluster) - before) / len(some) * 1e3)
    return milliseconds, worked


async def end_to_end(engine: Engine, name: str, questions: Sequence[Question]) -> dict[str, float]:
    """Footnote's own search of the same questions, which embeds each."""
    workspace = await engine.workspace(name)
    milliseconds = []
    for question in questions[WARM_UP:]:
        request = SearchRequest(query=question.text, top_k=TOP, changes=PlanChanges(cache=False))
        started = perf_counter()
        await workspace.search(request)
        milliseconds.append((perf_counter() - started) * 1e3)
    return {f"end_to_end_{key}": value for key, value in percentiles(milliseconds).items()}


async def dense_recall(
    ask: Ask | None, corpus: Corpus, questions: Sequence[Question]
) -> float | None:
    """Share of the ten truly nearest that the dense search finds."""
    if ask is None:
        return None
    shares = []
    for question in questions[WARM_UP:]:
        exact = set(nearest(corpus.vectors, question.vector))
        shares.append(len(exact & set(await ask(question))) / len(exact))
    return round(statistics.fmean(shares), 4)


async def speed(
    engine: Engine, fills: Mapping[str, Fill], options: Options, folder: Path
) -> dict[str, dict[str, object]]:
    """What each system needs to take the synthetic chunks in and to answer."""
    corpus, questions = await synthetic(engine, options)
    cluster = engine.settings.home / "postgres"
    searchers, seconds, work = await filled(fills, corpus, folder, cluster)
    milliseconds, worked = await timed(searchers, questions, cluster)
    figures: dict[str, dict[str, object]] = {}
    for name, each in searchers.items():
        figures[name] = {"ingest_s": round(seconds[name], 1), "setup": each.setup}
        figures[name]["ingest_cpu_s"] = round(work[name], 1)
        for way in dict.fromkeys((*WAYS, *each.ways)):
            measured = percentiles(milliseconds[name][way]) if way in each.ways else {}
            figures[name][f"{way}_p50_ms"] = measured.get("p50_ms")
            figures[name][f"{way}_p95_ms"] = measured.get("p95_ms")
            rounds = worked[name][way]
            figures[name][f"{way}_cpu_ms"] = round(statistics.median(rounds), 2) if rounds else None
        figures[name]["dense_recall@10"] = await dense_recall(
            each.ways.get("dense"), corpus, questions
        )
    figures["footnote"] |= await end_to_end(engine, corpus.name, questions)
    return figures


async def quality(
    engine: Engine, fills: Mapping[str, Fill], judged: RetrievalSet, models: Path, folder: Path
) -> dict[str, dict[str, float]]:
    """nDCG@10 of each system's best way of asking, whole documents as chunks."""
    texts = [document.whole for document in judged.documents]
    asked = list(judged.queries.values())
    corpus = Corpus(
        name=judged.name,
        language=judged.language,
        texts=texts,
        vectors=await kept_vectors(engine.embedder, texts, models),
    )
    vectors = np.stack([await engine.embedder.embed_query(text) for text in asked])
    searchers, _, _ = await filled(fills, corpus, folder, engine.settings.home / "postgres")
    figures: dict[str, dict[str, float]] = {}
    for name, each in searchers.items():
        way, ask = each.best, each.ways[each.best]
        run: dict[str, dict[str, float]] = {}
        for query_id, text, vector in zip(judged.queries, asked, vectors, strict=True):
            found = await ask(Question(text=text, vector=vector))
            # Places count, not scores, so that equal scores keep each system's order.
            run[query_id] = {
                judged.documents[place].identity: -float(rank) for rank, place in enumerate(found)
            }
        value = ir_measures.calc_aggregate([MEASURE], judged.judgements, run)[MEASURE]
        figures[name] = {way: round(float(value), 4)}
    return figures


async def kept_vectors(embedder: Embedder, texts: Sequence[str], models: Path) -> Vectors:
    """The vectors of the texts, made once and kept beside the models."""
    digest = hashlib.sha256("\0".join([embedder.lane.fingerprint, *texts]).encode()).hexdigest()
    path = models / "vectors" / f"{digest[:32]}.npy"
    if path.exists():
        kept: Vectors = np.load(path)
        return kept
    vectors = await embedder.embed_documents(texts)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, vectors)
    return vectors


async def measure(options: Options) -> dict[str, object]:
    report: dict[str, object] = {
        "machine": machine(),
        "chunks": options.chunks,
        "queries": options.queries,
        "sets": [judged.name for judged in options.sets],
    }
    async with temporary_engine(options.models, timeouts={"search": NO_LIMIT_SECONDS}) as engine:
        fills, absent = systems(engine)
        if options.peers is not None:
            fills = {name: fill for name, fill in fills.items() if name in options.peers}
        with tempfile.TemporaryDirectory(prefix="fp-", ignore_cleanup_errors=True) as name:
            figures = await speed(engine, fills, options, Path(name))
            by_set = {
                judged.name: await quality(engine, fills, judged, options.models, Path(name))
                for judged in options.sets
            }
    for system, each in figures.items():
        values = {name: next(iter(of[system].values())) for name, of in by_set.items()}
        each["ndcg@10"] = round(statistics.fmean(values.values()), 4) if values else None
        each["ndcg_of"] = next((next(iter(of[system])) for of in by_set.values()), None)
        each["ndcg@10_by_set"] = values
        each["version"] = version("footnote-engine" if system == "footnote" else system)
    return report | {"absent": absent, "systems": figures}


def present(report: Mapping[str, object]) -> None:
    figures, absent = report["systems"], report["absent"]
    assert isinstance(figures, dict)
    assert isinstance(absent, list)
    ways = [f"{way}_{quantile}_ms" for way in WAYS for quantile in ("p50", "p95", "cpu")]
    columns = ("ingest_s", "ingest_cpu_s", *ways, "dense_recall@10", "ndcg@10", "ndcg_of")
    show(
        f"Beside peers, {report['chunks']:,} chunks, {report['queries']} questions",
        ("", *figures),
        [(column, *(_shown(each[column]) for each in figures.values())) for column in columns],
    )
    for name, each in figures.items():
        print(f"{name} {each['version']}: {each['setup']}.")
    for name, way, meaning in (
        ("footnote", "fast", "the plan fast"),
        ("footnote", "end_to_end", "the default plan with the embedding of the question"),
        ("lancedb", "exact", "hybrid without the vector index"),
    ):
        if name in figures:
            p50, p95 = (figures[name][f"{way}_{quantile}_ms"] for quantile in ("p50", "p95"))
            print(f"{name}, {meaning}: p50 {p50} ms, p95 {p95} ms.")
    for sentence in absent:
        print(sentence)


def _shown(value: object) -> str:
    return "-" if value is None else f"{value}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=100_000, help="for the speed part")
    parser.add_argument("--queries", type=int, default=200, help="for the speed part")
    parser.add_argument(
        "--set", action="append", dest="sets", metavar="NAME", help="for the quality part"
    )
    parser.add_argument("--peers", nargs="+", metavar="NAME", help="ask these alone")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the sets")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    if options.chunks < 1 or options.queries < 1:
        parser.error("ask for at least one chunk and one question")
    known = names_in(options.data)
    chosen = options.sets or [name for name in DEFAULT_SETS if name in known]
    if set(chosen) - set(known):
        sys.exit(f"No such retrieval set in {options.data}; there are: {', '.join(known) or '-'}.")
    report = asyncio.run(
        measure(
            Options(
                chunks=options.chunks,
                queries=options.queries,
                seed=options.seed,
                sets=[read_set(options.data / name) for name in chosen],
                models=options.models,
                peers=frozenset({"footnote", *options.peers}) if options.peers else None,
            )
        )
    )
    present(report)
    finish(report, options.json)


if __name__ == "__main__":
    main()
