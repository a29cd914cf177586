"""Whether asking first which documents promise most costs less than it saves.

    python bench/routing.py --documents 1000 --chunks 20
    python bench/routing.py --documents 1000 --chunks 20 --json

The same searches, flat and routed in turn, in one workspace of synthetic documents
(`synthetic.py`). A document's vectors lie around its own, and its words are its own words'
commonest. `lost` counts what the flat search ranks among its first three and the routed one does
not find at all.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from footnote.domain import PlanChanges, SearchRequest, SearchResponse
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.maintenance import maintain
from footnote.ports import Vectors
from installation import MODELS, Ready, put, settle, temporary_engine
from reporting import finish, machine, percentiles, progress, show
from synthetic import SyntheticLanguage, vectors_like

WARM_UP = 40
FIRST = 3
ABOUT_WORDS = 60
OWN_DIRECTION = 0.5
"""How far a document's vectors lean towards its own."""
NO_LIMIT_SECONDS = 600.0
MODES = ("flat", "routed")


async def load(
    engine: Engine, language: SyntheticLanguage, documents: int, chunks: int
) -> WorkspaceEngine:
    """Fill a workspace and tend its index."""
    chance = np.random.default_rng(0)
    vectors = await vectors_like(engine.embedder, language, chance)
    await engine.create_workspace("bench")
    workspace = await engine.workspace("bench")
    with progress() as bars:
        bar = bars.add_task("load", total=documents)
        for number in range(documents):
            document = language.document(chance, chunks)
            about = vectors(chance, 1)
            terms = [term for each in document.terms for term in each]
            await put(
                engine,
                workspace.workspace,
                Ready(
                    title=f"Document {number}",
                    language="en",
                    texts=document.texts,
                    terms=document.terms,
                    vectors=_unit(vectors(chance, chunks) + OWN_DIRECTION * about),
                    about_terms=[str(term) for term in chance.choice(terms, ABOUT_WORDS)],
                    about_vector=about[0],
                ),
            )
            bars.advance(bar)
    await maintain(engine, workspace.workspace.workspace_id)
    settle(engine)
    return workspace


async def ask(
    workspace: WorkspaceEngine, query: str, *, route: bool
) -> tuple[SearchResponse, float]:
    """A search and its milliseconds."""
    changes = PlanChanges(route=route, cache=False)
    started = perf_counter()
    response = await workspace.search(SearchRequest(query=query, changes=changes))
    milliseconds = (perf_counter() - started) * 1e3
    assert not response.degraded, response.degraded
    return response, milliseconds


async def compare(workspace: WorkspaceEngine, queries: Sequence[str]) -> dict[str, object]:
    """Both kinds of search for each query, taking turns in who is first."""
    totals: defaultdict[str, list[float]] = defaultdict(list)
    recalls: defaultdict[str, list[float]] = defaultdict(list)
    lost = documents = 0
    for number, query in enumerate(queries):
        found = {}
        for mode in MODES if number % 2 else reversed(MODES):
            found[mode], milliseconds = await ask(workspace, query, route=mode == "routed")
            totals[mode].append(milliseconds)
            recalls[mode].append(found[mode].timings_ms["recall"])
        flat, routed = ([each.passage.chunk_id for each in found[mode].evidence] for mode in MODES)
        lost += len(set(flat[:FIRST]) - set(routed))
        documents += len({each.passage.document_id for each in found["routed"].evidence})
    difference = np.array(totals["routed"]) - np.array(totals["flat"])
    return {
        **{mode: percentiles(totals[mode]) for mode in MODES},
        "recall": {mode: percentiles(recalls[mode]) for mode in MODES},
        "median_difference_ms": round(float(np.median(difference)), 3),
        "lost": lost,
        "documents_of_evidence": round(documents / len(queries), 2),
    }


async def measure(documents: int, chunks: int, queries: int, models: Path) -> dict[str, object]:
    report: dict[str, object] = {
        "documents": documents,
        "chunks_a_document": chunks,
        "queries": queries,
        "machine": machine(),
    }
    async with temporary_engine(models, timeouts={"search": NO_LIMIT_SECONDS}) as engine:
        language = SyntheticLanguage(engine.analyzer)
        workspace = await load(engine, language, documents, chunks)
        chance = np.random.default_rng(1)
        await compare(workspace, [language.query(chance) for _ in range(WARM_UP)])
        return report | await compare(workspace, [language.query(chance) for _ in range(queries)])


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def present(report: Mapping[str, object]) -> None:
    rows = []
    recall = report["recall"]
    assert isinstance(recall, dict)
    for mode in MODES:
        whole = report[mode]
        assert isinstance(whole, dict)
        rows += [(f"{mode}: {name}", f"{value}") for name, value in whole.items()]
        rows.append((f"{mode}: recall, p50_ms", f"{recall[mode]['p50_ms']}"))
    rows += [
        (name, f"{report[name]}")
        for name in ("median_difference_ms", "lost", "documents_of_evidence")
    ]
    title = f"{report['documents']:,} documents of {report['chunks_a_document']} chunks"
    show(title, ("", "value"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--chunks", type=int, default=20, help="of each document")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    report = asyncio.run(
        measure(options.documents, options.chunks, options.queries, options.models)
    )
    present(report)
    finish(report, options.json)


if __name__ == "__main__":
    main()
