"""Whether recall by the entities of a question finds more, each question with it and without it.

    python bench/entity_recall.py --data ../shared/data
    python bench/entity_recall.py --data ../shared/data --half development --share 0.1 0.3

Each text is a document of one chunk; entities are extracted as a worker does. Three sets:

- `two-hop`: "What is the head of state of the country of The Yorkshire Post?", put together from
  two annotated relations of different Re-DocRED documents whose common entity few documents name.
  Both documents are expected; the question does not name the common entity.
- `one-hop`: "What is the country of The Yorkshire Post?", where one document is expected.
- `xquad-en`: questions that people wrote about one paragraph, for which nothing may get worse.

Re-DocRED's questions are split by their first document: one half to choose the share of the score
that the recall decides, the other only to be run. p is that of a paired randomisation test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import ir_measures
import numpy as np

from footnote.domain import PlanChanges, SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.evaluation.compare import compare_measures
from footnote.evaluation.metrics import Measure
from footnote.jobs.extracting import extract_entity_slice
from footnote.retrieval import fusion
from installation import MODELS, Ready, put, temporary_engine
from named_texts import joined
from reporting import finish, machine, show
from retrieval_sets import JudgedDocument, RetrievalSet, read_set

AT = 10
KINDS = ("PER", "ORG", "LOC", "MISC")
MAX_DOCUMENTS = 5
"""Documents besides the first that name the entity which two relations have in common."""
QUESTIONS = 400
"""Of each set, chosen by chance."""
SEED = 20251124
MEASURES = {"ndcg": ir_measures.nDCG @ AT, "recall": ir_measures.R @ AT}
RELATIONS = {
    "P6": "head of government", "P17": "country", "P19": "place of birth", "P20": "place of death",
    "P22": "father", "P26": "spouse", "P27": "country of citizenship", "P30": "continent",
    "P35": "head of state", "P36": "capital", "P37": "official language", "P40": "child",
    "P50": "author", "P54": "team", "P57": "director", "P69": "university", "P86": "composer",
    "P102": "political party", "P108": "employer", "P127": "owner", "P140": "religion",
    "P159": "seat", "P162": "producer", "P170": "creator", "P175": "performer",
    "P176": "manufacturer", "P178": "developer", "P194": "parliament", "P264": "record label",
    "P403": "mouth", "P449": "broadcaster", "P463": "membership", "P749": "parent organisation",
    "P800": "notable work",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Related:
    """A relation of a document by the names of its ends."""

    document: int
    head: str
    relation: str
    tail: str


def relations(number: int, article: Mapping[str, Any]) -> list[_Related]:
    """What is annotated of a document, with the longest name of each end."""
    names = [
        max((each["name"] for each in entity), key=lambda name: (len(name), name))
        for entity in article["vertexSet"]
    ]
    return [
        _Related(document=number, head=names[e["h"]], relation=e["r"], tail=names[e["t"]])
        for e in article["labels"]
        if e["r"] in RELATIONS and article["vertexSet"][e["h"]][0]["type"] in KINDS
    ]


def documents_naming(articles: Sequence[Mapping[str, Any]]) -> Mapping[str, set[int]]:
    """By each name the documents in which it is annotated."""
    naming: dict[str, set[int]] = defaultdict(set)
    for number, article in enumerate(articles):
        for entity in article["vertexSet"]:
            for name in {each["name"] for each in entity if entity[0]["type"] in KINDS}:
                naming[name].add(number)
    return naming


def redocred(file: Path, half: str) -> list[RetrievalSet]:
    """The two sets of questions that annotated relations give."""
    articles: list[dict[str, Any]] = json.loads(file.read_text())
    documents = [
        JudgedDocument(
            identity=str(number),
            title=article["title"],
            text=joined([token for sentence in article["sents"] for token in sentence])[0],
        )
        for number, article in enumerate(articles)
    ]
    related = [each for number, one in enumerate(articles) for each in relations(number, one)]
    naming = documents_naming(articles)
    of_head: dict[str, list[_Related]] = defaultdict(list)
    for each in related:
        of_head[each.head].append(each)
    two: dict[str, dict[str, int]] = defaultdict(dict)
    single: dict[str, dict[str, int]] = defaultdict(dict)
    for first in related:
        if (first.document % 2 == 0) is not (half == "development"):
            continue
        if len(naming[first.head]) > MAX_DOCUMENTS:
            continue
        asked = f"the {RELATIONS[first.relation]} of {first.head}"
        single[f"What is {asked}?"][str(first.document)] = 1
        if len(naming[first.tail]) > MAX_DOCUMENTS + 1:
            continue
        for second in of_head[first.tail]:
            if second.document != first.document and second.tail != first.head:
                question = f"What is the {RELATIONS[second.relation]} of {asked}?"
                two[question] |= {str(first.document): 1, str(second.document): 1}
    return [_set(name, documents, found) for name, found in (("two-hop", two), ("one-hop", single))]


def _set(
    name: str, documents: Sequence[JudgedDocument], found: Mapping[str, Mapping[str, int]]
) -> RetrievalSet:
    return chosen(
        RetrievalSet(
            name=name,
            language="en",
            documents=tuple(documents),
            queries={text: text for text in found},
            judgements=found,
        )
    )


def chosen(judged: RetrievalSet) -> RetrievalSet:
    """The set with no more than `QUESTIONS` of its questions."""
    ids = sorted(judged.queries)
    order = np.random.default_rng(SEED).permutation(len(ids))[:QUESTIONS]
    kept = {ids[at]: judged.queries[ids[at]] for at in sorted(order.tolist())}
    return RetrievalSet(
        name=judged.name,
        language=judged.language,
        documents=judged.documents,
        queries=kept,
        judgements={each: judged.judgements[each] for each in kept},
    )


async def filled(
    engine: Engine, name: str, documents: Sequence[JudgedDocument]
) -> tuple[WorkspaceEngine, dict[str, str]]:
    """A workspace with the documents, their entities extracted, and each one's name in the set."""
    await engine.create_workspace(name)
    workspace = await engine.workspace(name)
    names = {}
    for each in documents:
        whole = each.whole
        published = await put(
            engine,
            workspace.workspace,
            Ready(
                title=each.title or each.identity,
                language="en",
                texts=[whole],
                terms=[engine.analyzer.terms(whole, "en")],
                vectors=await engine.embedder.embed_documents([whole]),
            ),
        )
        names[str(published)] = each.identity
    while await _waiting(workspace):
        await extract_entity_slice(engine, workspace.workspace_id)
    return workspace, names


async def _waiting(workspace: WorkspaceEngine) -> bool:
    progress = await workspace.entity_progress()
    return progress.done + progress.failed < progress.documents


async def ask(
    workspace: WorkspaceEngine, names: Mapping[str, str], judged: RetrievalSet, graph: bool
) -> tuple[list[dict[str, Measure]], float, int]:
    """What each question measures, milliseconds of the median one, and how many it reached."""
    places: dict[str, dict[str, float]] = {}
    seconds, reached = [], 0
    for query_id in sorted(judged.queries):
        changes = PlanChanges(cache=False, graph=graph)
        request = SearchRequest(query=judged.queries[query_id], top_k=AT, changes=changes)
        started = perf_counter()
        response = await workspace.search(request)
        seconds.append(perf_counter() - started)
        assert not response.degraded, response.degraded
        reached += any(s.stage == "graph" for e in response.evidence for s in e.explanation)
        places[query_id] = {
            names[str(e.passage.document_id)]: -float(e.rank) for e in reversed(response.evidence)
        }
    found: dict[str, dict[str, Measure]] = {each: {} for each in places}
    for name, measure in MEASURES.items():
        for each in ir_measures.iter_calc([measure], judged.judgements, places):
            found[each.query_id][name] = Measure(value=float(each.value))
    return [found[each] for each in sorted(found)], float(np.median(seconds)) * 1000, reached


async def measure(options: argparse.Namespace) -> dict[str, object]:
    two, one = redocred(options.data / "facts" / "redocred-dev.json", options.half)
    xquad = chosen(read_set(options.data / "xquad-en", "never"))
    report: dict[str, object] = {"machine": machine(), "half": options.half}
    rows = []
    async with temporary_engine(options.models, entities=True) as engine:
        for sets in ((two, one), (xquad,)):
            name = sets[0].name
            started = perf_counter()
            workspace, names = await filled(engine, name, sets[0].documents)
            report[f"{name}: filled_s"] = round(perf_counter() - started, 1)
            for judged in sets:
                plain, plain_ms, _ = await ask(workspace, names, judged, graph=False)
                for share in options.share or [fusion.GRAPH_SHARE]:
                    fusion.GRAPH_SHARE = share
                    with_it, ms, reached = await ask(workspace, names, judged, graph=True)
                    for each in compare_measures(plain, with_it, AT):
                        figures = (each.a, each.b, each.difference, each.p)
                        shown = (f"{figure:.4f}" for figure in figures)
                        times = (f"{plain_ms:.0f}", f"{ms:.0f}")
                        counts = (judged.name, f"{share:g}", each.label, str(each.questions))
                        rows.append([*counts, *shown, str(reached), *times])
                        print(*rows[-1], flush=True)
    columns = ("set", "share", "measure", "questions", "without", "with", "difference", "p")
    show("Recall by entities", (*columns, "reached", "ms without", "ms with"), rows)
    return report | {"rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with facts and xquad-en")
    parser.add_argument("--half", choices=("development", "test"), default="test")
    parser.add_argument("--share", type=float, nargs="*", help="default: the engine's own")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    finish(asyncio.run(measure(options)), options.json)


if __name__ == "__main__":
    main()
