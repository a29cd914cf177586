"""How fast searches are: milliseconds a search and its stages, searches a second with many clients.

    python bench/search.py --chunks 100000
    python bench/search.py --chunks 100000 --workspaces 100 --clients 16 --json
    python bench/search.py --chunks 1000000 --home FOLDER    # loads once, measures each time

Text and document vectors are synthetic (`synthetic.py`); everything that is timed is real: the
model embeds each query, the index is in Postgres under row-level security, and the engine's own
stages answer. Segments are merged and HNSW is built first, as the maintenance job does. The
agreement with an exact scan is that of the engine's own dense recall, over everything and within
a hundredth of the documents.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from uuid import UUID

import numpy as np

from footnote.domain import LOCAL_PRINCIPAL, SearchFilters, SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.maintenance import maintain
from footnote.ports import RecallRequest, TermsOf
from footnote.store.dense import DenseBreadth
from footnote.store.recall import PostgresIndex
from installation import MODELS, Ready, bench_engine, put, settle, table_sizes
from reporting import finish, machine, percentiles, progress, show
from synthetic import SyntheticLanguage, vectors_like

CHUNKS_A_DOCUMENT = 1000
WARM_UP = 50
COMPARED_QUERIES = 30
FILTERED_SHARE = 100  # One document of so many is let through.
TOP = 10
EVERYTHING = 2**31
NO_LIMIT_SECONDS = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked for."""

    chunks: int
    workspaces: int
    clients: int
    queries: int
    seed: int
    models: Path
    home: Path | None
    """Keeps what was loaded, for another measurement; None throws it away."""

    @property
    def sizes(self) -> list[int]:
        """Chunks of each workspace."""
        each, rest = divmod(self.chunks, self.workspaces)
        return [each + (number < rest) for number in range(self.workspaces)]


async def filled(
    engine: Engine, language: SyntheticLanguage, options: Options
) -> tuple[list[WorkspaceEngine], dict[str, float]]:
    """The workspaces, loaded now or earlier, and how long that took."""
    note = None if options.home is None else options.home / "loaded.json"
    wanted = {"chunks": options.chunks, "workspaces": options.workspaces, "seed": options.seed}
    if note is None or not note.exists():
        workspaces, times = await load(engine, language, options)
        if note is not None:
            note.write_text(json.dumps(wanted | {"times": times}), encoding="utf-8")
        return workspaces, times
    found = json.loads(note.read_text(encoding="utf-8"))
    times = found.pop("times")
    if found != wanted:
        raise SystemExit(f"{options.home} holds {found}; ask for that, or name another folder")
    return [await engine.workspace(f"bench-{n}") for n in range(options.workspaces)], times


async def load(
    engine: Engine, language: SyntheticLanguage, options: Options
) -> tuple[list[WorkspaceEngine], dict[str, float]]:
    """Fill the workspaces, tend their indexes, and say how long that took."""
    chance = np.random.default_rng(options.seed)
    vectors = await vectors_like(engine.embedder, language, chance)
    workspaces: list[WorkspaceEngine] = []
    started = perf_counter()
    with progress() as bars:
        bar = bars.add_task("load", total=options.chunks)
        for number, wanted in enumerate(options.sizes):
            await engine.create_workspace(f"bench-{number}")
            workspace = await engine.workspace(f"bench-{number}")
            workspaces.append(workspace)
            for first in range(0, wanted, CHUNKS_A_DOCUMENT):
                size = min(wanted - first, CHUNKS_A_DOCUMENT)
                document = language.document(chance, size)
                await put(
                    engine,
                    workspace.workspace,
                    Ready(
                        title=f"Document {first}",
                        language="en",
                        texts=document.texts,
                        terms=document.terms,
                        vectors=vectors(chance, size),
                    ),
                )
                bars.advance(bar, size)
        loaded = perf_counter()
        bar = bars.add_task("merge and promote", total=options.workspaces)
        for workspace in workspaces:
            await maintain(engine, workspace.workspace.workspace_id)
            bars.advance(bar)
        tended = perf_counter()
    settle(engine)
    times = {"load_s": loaded - started, "maintenance_s": tended - loaded}
    return workspaces, times


async def some_documents(workspace: WorkspaceEngine, options: Options) -> tuple[UUID, ...]:
    """A hundredth of the documents of the first workspace, at least one."""
    wanted = options.sizes[0] // CHUNKS_A_DOCUMENT // FILTERED_SHARE
    found = await workspace.documents(limit=max(wanted, 1))
    return tuple(document.document_id for document in found.documents)


async def one_by_one(
    workspaces: Sequence[WorkspaceEngine], queries: Sequence[str]
) -> tuple[list[float], dict[str, list[float]]]:
    """Milliseconds of each search, and of its stages, with nobody else searching."""
    totals: list[float] = []
    stages: defaultdict[str, list[float]] = defaultdict(list)
    for number, query in enumerate(queries):
        workspace = workspaces[number % len(workspaces)]
        started = perf_counter()
        response = await workspace.search(SearchRequest(query=query))
        totals.append((perf_counter() - started) * 1e3)
        assert response.evidence, "nothing was found"
        assert not response.degraded, response.degraded
        for stage in ("embed", "recall", "fuse"):
            stages[stage].append(response.timings_ms[stage])
    return totals, stages


async def all_at_once(
    workspaces: Sequence[WorkspaceEngine], queries: Sequence[str], clients: int
) -> tuple[float, list[float]]:
    """Searches a second and their milliseconds, with clients that never pause."""
    waiting = list(enumerate(queries))
    milliseconds: list[float] = []

    async def client() -> None:
        while waiting:
            number, query = waiting.pop()
            started = perf_counter()
            await workspaces[number % len(workspaces)].search(SearchRequest(query=query))
            milliseconds.append((perf_counter() - started) * 1e3)

    started = perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return len(queries) / (perf_counter() - started), milliseconds


async def throughput(
    workspaces: Sequence[WorkspaceEngine], queries: Sequence[str], most: int
) -> list[dict[str, float]]:
    """Searches a second of 1, 2, 4 … clients, and their times; each asks other questions."""
    counts = [2**power for power in range(most.bit_length()) if 2**power <= most]
    share = max(len(queries) // len(counts), 1)
    found = []
    for number, count in enumerate(counts):
        some = [f"{query} {number}" for query in queries[:share]]
        rate, crowded = await all_at_once(workspaces, some, count)
        found.append({"clients": count, "queries_per_s": round(rate, 1), **percentiles(crowded)})
    return found


async def dense_agreement(
    engine: Engine, workspace: WorkspaceEngine, queries: Sequence[str], filters: SearchFilters
) -> float:
    """Share of the exact ten nearest that the engine's dense recall finds."""
    near = workspace.index_in(engine.lane)
    exact = PostgresIndex(
        database=engine.database,
        workspace=workspace.workspace,
        principal=LOCAL_PRINCIPAL,
        lane=engine.lane,
        cache=engine.cache,
        breadth=DenseBreadth(exact_up_to=EVERYTHING),
    )
    shares = []
    for query in queries:
        request = RecallRequest(
            vector=await engine.embedder.embed_query(query),
            limit=engine.settings.recall_limit,
            filters=filters,
        )
        found = {hit.chunk_no for hit in (await near.recall(request)).dense[:TOP]}
        nearest = {hit.chunk_no for hit in (await exact.recall(request)).dense[:TOP]}
        shares.append(len(found & nearest) / len(nearest))
    return round(statistics.fmean(shares), 4)


async def parts(
    engine: Engine, workspaces: Sequence[WorkspaceEngine], queries: Sequence[str]
) -> dict[str, float]:
    """Median milliseconds of each recall by itself, from warm caches."""
    milliseconds: defaultdict[str, list[float]] = defaultdict(list)
    for number, query in enumerate(queries):
        index = workspaces[number % len(workspaces)].index_in(engine.lane)
        terms_of = _terms_of(engine, query)
        vector = await engine.embedder.embed_query(query)
        limit = engine.settings.recall_limit
        for name, request in {
            "dense": RecallRequest(vector=vector, limit=limit),
            "lexical": RecallRequest(terms_of=terms_of, limit=limit),
        }.items():
            started = perf_counter()
            await index.recall(request)
            milliseconds[name].append((perf_counter() - started) * 1e3)
    return {name: round(statistics.median(values), 2) for name, values in milliseconds.items()}


def _terms_of(engine: Engine, query: str) -> TermsOf:
    return lambda languages: engine.analyzer.query_terms(query, languages)


async def measure(options: Options) -> dict[str, object]:
    report: dict[str, object] = {
        "chunks": options.chunks,
        "workspaces": options.workspaces,
        "clients": options.clients,
        "queries": options.queries,
        "machine": machine(),
    }
    async with bench_engine(
        options.models, options.home, timeouts={"search": NO_LIMIT_SECONDS}
    ) as engine:
        language = SyntheticLanguage(engine.analyzer, seed=options.seed)
        workspaces, times = await filled(engine, language, options)
        chance = np.random.default_rng(options.seed + 1)
        warm_up, alone, together = (
            [language.query(chance) for _ in range(count)]
            for count in (max(WARM_UP, options.workspaces), options.queries, options.queries)
        )
        await one_by_one(workspaces, warm_up)
        await engine.vector_cache.settled()
        totals, stages = await one_by_one(workspaces, alone)
        rate, crowded = await all_at_once(workspaces, together, options.clients)
        by_clients = await throughput(workspaces, together, options.clients)
        few = SearchFilters(document_ids=await some_documents(workspaces[0], options))
        agreements = [
            await dense_agreement(engine, workspaces[0], alone[:COMPARED_QUERIES], filters)
            for filters in (SearchFilters(), few)
        ]
        return report | {
            **percentiles(totals),
            "stages": _summary(stages),
            "recalls_median_ms": await parts(engine, workspaces, alone[:WARM_UP]),
            "queries_per_s": round(rate, 1),
            "by_clients": by_clients,
            **{f"concurrent_{name}": value for name, value in percentiles(crowded).items()},
            "dense_recall_at_10": agreements[0],
            "filtered_dense_recall_at_10": agreements[1],
            **{name: round(value, 1) for name, value in times.items()},
            "table_mb": table_sizes(engine),
        }


def _summary(stages: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    return {
        stage: {
            "mean_ms": round(statistics.fmean(values), 2),
            "median_ms": round(statistics.median(values), 2),
        }
        for stage, values in stages.items()
    }


def present(report: Mapping[str, object]) -> None:
    stages, recalls, sizes = report["stages"], report["recalls_median_ms"], report["table_mb"]
    assert isinstance(stages, dict)
    assert isinstance(recalls, dict)
    assert isinstance(sizes, dict)
    title = f"Search, {report['chunks']:,} chunks in {report['workspaces']} workspaces"
    rows = [(name, f"{report[name]}") for name in ("p50_ms", "p95_ms", "p99_ms")]
    rows += [
        (f"{stage} (median ms)", f"{figures['median_ms']}") for stage, figures in stages.items()
    ]
    rows += [(f"{name} recall alone (median ms)", f"{value}") for name, value in recalls.items()]
    rows += [
        (f"queries_per_s, {report['clients']} clients", f"{report['queries_per_s']}"),
        ("p95_ms among them", f"{report['concurrent_p95_ms']}"),
        ("dense recall@10 against exact", f"{report['dense_recall_at_10']}"),
        ("the same within a filter", f"{report['filtered_dense_recall_at_10']}"),
        ("load_s", f"{report['load_s']}"),
        ("maintenance_s", f"{report['maintenance_s']}"),
    ]
    rows += [(f"{name} (MB)", f"{size:,}") for name, size in sizes.items()]
    show(title, ("", "value"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, required=True, help="up to 1,000,000")
    parser.add_argument("--workspaces", type=int, default=1)
    parser.add_argument("--clients", type=int, default=8, help="for queries_per_s")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--home", type=Path, help="keep what is loaded in this folder")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    if not 1 <= options.workspaces <= options.chunks:
        parser.error("ask for at least one workspace and one chunk in each")
    report = asyncio.run(
        measure(
            Options(
                chunks=options.chunks,
                workspaces=options.workspaces,
                clients=options.clients,
                queries=options.queries,
                seed=options.seed,
                models=options.models,
                home=options.home,
            )
        )
    )
    present(report)
    finish(report, options.json)


if __name__ == "__main__":
    main()
