"""How well questions about the whole are answered, and whether summaries find more in a search.

    python bench/whole_answers.py --data ../shared/data
    python bench/whole_answers.py --data ../shared/data --routing

Paragraphs of Wikipedia articles (XQuAD) are documents of one chunk in one workspace, so that for
each is known what it is about: its article. Two kinds of questions, each asked with summaries and,
in turn, without them, that is as any other question:

- `one topic`: what all texts say of one article. `fitting` is the share of statements that cite a
  paragraph of it, `covered` the share of its paragraphs that are cited.
- `mixture`: the main topics of the paragraphs of some articles, chosen by chance. `covered` is the
  share of these articles that are cited.

Figures of `recognised` are of those questions alone that were taken for such about the whole.
`answered` is the share of questions that are not refused, `statements` how many those have, and
`recognised` how many were answered from summaries. p is that of a paired randomisation test.

With `--routing`: questions about articles of Re-DocRED (those of `entity_recall.py`) and XQuAD,
whose documents are ranked anew with their rank by the sentence of their summary that is nearest to
the question, at a share of the score. Cranfield and Vaswani do not serve: their texts are without
capitals, so that few or none of them have sentences.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import ir_measures
import numpy as np

from entity_recall import redocred
from footnote.domain import Answer, PlanChanges, SearchFilters, SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.summarising import summarising_of
from footnote.evaluation.compare import compare_measures
from footnote.evaluation.metrics import Measure
from footnote.jobs.summaries import summarise_slice
from footnote.store.database import SYSTEM
from footnote.store.summaries import stored_sentences
from installation import MODELS, Ready, put, temporary_engine
from reporting import finish, machine, show
from retrieval_sets import JudgedDocument, RetrievalSet, read_set

AT, RANKED = 10, 100
SHARES = (0.1, 0.3, 0.5)
RRF_K = 60
MIXTURES, MIXED = 40, 6
"""How many mixtures, and of how many articles."""
ROUNDS = 10_000
SEED = 20251124
WORDINGS = {
    "one topic": "What do these texts say overall about {}?",
    "mixture": "What are the main topics of these texts?",
}
MEASURES = {"ndcg": ir_measures.nDCG @ AT, "recall": ir_measures.R @ AT}
NO_CACHE = PlanChanges(cache=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question about the whole, and what an answer to it may cite."""

    kind: str
    question: str
    filters: SearchFilters
    parts: tuple[frozenset[UUID], ...]
    """The documents of each part that it is about: of a paragraph, or of an article."""


async def filled(
    engine: Engine, name: str, documents: Sequence[JudgedDocument]
) -> tuple[WorkspaceEngine, dict[str, UUID]]:
    """A workspace with the documents and their summaries, and the id of each."""
    await engine.create_workspace(name)
    workspace = await engine.workspace(name)
    ids: dict[str, UUID] = {}
    # A document has a text, and what is there already is no second one.
    distinct = {each.text: each for each in reversed(documents) if each.text.strip()}
    for each in distinct.values():
        ids[each.identity] = await put(
            engine,
            workspace.workspace,
            Ready(
                title=each.title or each.identity,
                language="en",
                texts=[each.text],
                terms=[engine.analyzer.terms(each.text, "en")],
                vectors=await engine.embedder.embed_documents([each.text]),
            ),
        )
    while (at := await workspace.summary_progress()).done + at.failed < at.documents:
        await summarise_slice(engine, workspace.workspace_id)
    return workspace, ids


def questions_about(
    documents: Sequence[JudgedDocument], titles: Mapping[str, str], ids: Mapping[str, UUID]
) -> list[Asked]:
    """Questions of both kinds about the paragraphs of articles."""
    articles: dict[str, list[UUID]] = defaultdict(list)
    for each in documents:
        articles[titles[each.identity]].append(ids[each.identity])
    found = [
        Asked(
            kind="one topic",
            question=WORDINGS["one topic"].format(title),
            filters=SearchFilters(),
            parts=tuple(frozenset((each,)) for each in own),
        )
        for title, own in sorted(articles.items())
    ]
    chance, names = np.random.default_rng(SEED), sorted(articles)
    for _ in range(MIXTURES):
        mixed = [names[at] for at in sorted(chance.permutation(len(names))[:MIXED].tolist())]
        found.append(
            Asked(
                kind="mixture",
                question=WORDINGS["mixture"],
                filters=SearchFilters(
                    document_ids=tuple(each for title in mixed for each in articles[title])
                ),
                parts=tuple(frozenset(articles[title]) for title in mixed),
            )
        )
    return found


def figures_of(asked: Asked, answer: Answer) -> dict[str, float]:
    """What an answer cites; of a refusal nothing fits and nothing is covered."""
    about = frozenset().union(*asked.parts)
    of_marker = {each.marker: each.document_id for each in answer.citations}
    cited = [
        {of_marker[marker] for marker in each.markers if marker in of_marker}
        for each in answer.sentences
    ]
    seen = frozenset().union(*cited)
    statements = len(cited) if answer.found else 0
    return {
        "answered": float(answer.found),
        "recognised": float(answer.summarised_documents > 0),
        "statements": float(statements),
        "fitting": sum(bool(each & about) for each in cited) / statements if statements else 0.0,
        "covered": sum(bool(each & seen) for each in asked.parts) / len(asked.parts),
    }


def significance(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p of a paired randomisation test."""
    differences = np.array(second) - np.array(first)
    signs = np.random.default_rng(SEED).choice((-1.0, 1.0), (ROUNDS, len(differences)))
    by_chance = np.abs((signs * differences).sum(axis=1)) >= abs(differences.sum()) - 1e-12
    return float((by_chance.sum() + 1) / (ROUNDS + 1))


async def answers(options: argparse.Namespace) -> dict[str, object]:
    """Ask the questions about the whole with summaries and without."""
    titled = read_set(options.data / "xquad-en", "always")
    titles = {each.identity: each.title for each in titled.documents}
    documents = read_set(options.data / "xquad-en", "never").documents
    measured: dict[tuple[str, bool], list[dict[str, float]]] = defaultdict(list)
    async with temporary_engine(options.models, summaries=True) as engine:
        workspace, ids = await filled(engine, "whole", documents)
        questions = questions_about(documents, titles, ids)
        for summaries in (True, False):
            await workspace.change_setting("summaries", summaries)
            for each in questions:
                answer = await workspace.ask(each.question, filters=each.filters, changes=NO_CACHE)
                measured[each.kind, summaries].append(figures_of(each, answer))
    rows = []
    for kind in tuple(WORDINGS):
        both = [measured[kind, summaries] for summaries in (False, True)]
        known = [at for at, each in enumerate(both[1]) if each["recognised"]]
        for summaries, run in zip((False, True), both, strict=True):
            measured[f"{kind}, recognised", summaries] = [run[at] for at in known]
    for kind in [each for asked in WORDINGS for each in (asked, f"{asked}, recognised")]:
        without, with_them = measured[kind, False], measured[kind, True]
        for name in without[0] if without else ():
            one, other = [[each[name] for each in run] for run in (without, with_them)]
            rows.append(
                [
                    *(kind, name, str(len(one)), f"{np.mean(one):.3f}", f"{np.mean(other):.3f}"),
                    f"{significance(one, other):.4f}",
                ]
            )
    show("About the whole", ("kind", "figure", "questions", "plain", "summaries", "p"), rows)
    return {"machine": machine(), "rows": rows}


async def nearest_sentences(
    workspace: WorkspaceEngine, ids: Sequence[UUID], queries: Mapping[str, str]
) -> dict[str, list[UUID]]:
    """The documents of each query by the sentence of their summary that is nearest to it."""
    wanted = await summarising_of(workspace)
    async with workspace.engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        kept = await stored_sentences(scope, wanted.summariser, ids)
    vectors = np.stack([each.vector for each in kept]).astype(np.float32)
    owners = [each.sentence.document_id for each in kept]
    found = {}
    for query_id, text in queries.items():
        near = np.argsort(-(vectors @ await wanted.embedder.embed_query(text)), kind="stable")
        found[query_id] = list(dict.fromkeys(owners[at] for at in near[: 4 * RANKED]))[:RANKED]
    return found


async def ranked(workspace: WorkspaceEngine, queries: Mapping[str, str]) -> dict[str, list[UUID]]:
    """The documents of each query as a search ranks them."""
    found = {}
    for query_id, text in queries.items():
        request = SearchRequest(query=text, top_k=RANKED, changes=NO_CACHE)
        response = await workspace.search(request)
        found[query_id] = list(
            dict.fromkeys(each.passage.document_id for each in response.evidence)
        )
    return found


def measured_with(
    judged: RetrievalSet,
    names: Mapping[UUID, str],
    first: Mapping[str, Sequence[UUID]],
    second: Mapping[str, Sequence[UUID]],
    share: float,
) -> list[dict[str, Measure]]:
    """The measures of each query, both rankings fused by reciprocal ranks."""
    places: dict[str, dict[str, float]] = {}
    for query_id in sorted(judged.judgements.keys() & first.keys()):
        scores: dict[str, float] = defaultdict(float)
        for weight, ranking in ((1 - share, first[query_id]), (share, second[query_id])):
            for rank, each in enumerate(ranking, start=1):
                scores[names[each]] += weight / (RRF_K + rank)
        places[query_id] = dict(scores)
    found: dict[str, dict[str, Measure]] = {each: {} for each in places}
    judgements = {each: judged.judgements[each] for each in places}
    for name, measure in MEASURES.items():
        for figure in ir_measures.iter_calc([measure], judgements, places):
            found[figure.query_id][name] = Measure(value=float(figure.value))
    return [found[each] for each in sorted(found)]


async def routing(options: argparse.Namespace) -> dict[str, object]:
    """Rank documents by their summaries, too."""
    rows = []
    file = options.data / "facts" / "redocred-dev.json"
    async with temporary_engine(options.models, summaries=True) as engine:
        for judged in (*redocred(file, "test"), read_set(options.data / "xquad-en", "never")):
            name = judged.name
            workspace, ids = await filled(engine, name, judged.documents)
            names = {document_id: identity for identity, document_id in ids.items()}
            queries = {
                each: text
                for at, (each, text) in enumerate(sorted(judged.queries.items()))
                if at % max(1, len(judged.queries) // options.queries) == 0
            }
            found = await ranked(workspace, queries)
            by_summary = await nearest_sentences(workspace, list(ids.values()), queries)
            plain = measured_with(judged, names, found, by_summary, 0.0)
            for share in SHARES:
                with_it = measured_with(judged, names, found, by_summary, share)
                for each in compare_measures(plain, with_it, AT):
                    figures = (each.a, each.b, each.difference, each.p)
                    counts = (name, f"{share:g}", each.label, str(each.questions))
                    rows.append([*counts, *(f"{figure:.4f}" for figure in figures)])
    columns = ("set", "share", "measure", "questions", "without", "with", "difference", "p")
    show("Ranked by summaries, too", columns, rows)
    return {"machine": machine(), "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the sets")
    parser.add_argument("--routing", action="store_true", help="measure ranking by summaries")
    parser.add_argument("--queries", type=int, default=200, help="about so many of each set")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    finish(asyncio.run((routing if options.routing else answers)(options)), options.json)


if __name__ == "__main__":
    main()
