"""Fits how far adaptive fusion trusts the dense recall, and shows what that gains on each set.

    python bench/fit_fusion.py --data ../shared/data

For each query of each set the weighted blend is judged at eleven weights of the dense recall. The
weights of `retrieval/recall_weighting.py` are those that make the best of it over all sets, each
set counting the same; `left out` fits them on the other sets and judges them on this one. Both
recalls are exact here and the documents whole, so that nothing but the fusion is compared.
"""

from __future__ import annotations

import argparse
import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt

from footnote.domain import FusionName, Hit, Ranking
from footnote.index.analysis import TextAnalyzer
from footnote.index.bm25 import corpus_lengths, inverse_frequency, score
from footnote.index.ranges import ChunkRanges
from footnote.index.terms import term_ids
from footnote.models.minilm import load_minilm
from footnote.models.sentence_encoder import SentenceEncoder
from footnote.retrieval.coverage import query_words
from footnote.retrieval.fusion import Fusion, FusionChoices, Recalls
from footnote.retrieval.recall_weighting import Signals, TrustModel, observe
from installation import MODELS
from reporting import finish, machine, progress, show
from retrieval_sets import RetrievalSet, index_of, names_in, read_set

Floats = npt.NDArray[np.float64]

DEFAULT_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
KEY = b"fit"
DEPTH = 100
CUTOFF = 10
WEIGHTS = tuple(round(0.1 * step, 1) for step in range(11))
STEPS = 900
RIDGE = 0.002
NOTHING_DEAD = ChunkRanges.empty()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuery:
    """Both recalls of a query, and how relevant each document is."""

    recalls: Recalls
    relevance: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A set: for each query its signals, shape (queries, 3), and nDCG@10 at every weight."""

    queries: tuple[JudgedQuery, ...]
    signals: Floats
    gains: Floats


async def judged_queries(judged: RetrievalSet, embedder: SentenceEncoder) -> list[JudgedQuery]:
    """Recall every query of the set, exactly and over the whole of it."""
    analyzer = TextAnalyzer()
    texts = [f"{each.title}\n{each.text}" if each.title else each.text for each in judged.documents]
    places = {each.identity: number for number, each in enumerate(judged.documents)}
    vectors = await embedder.embed_documents(texts)
    postings, lengths = index_of(
        [term_ids(KEY, analyzer.terms(text, judged.language)) for text in texts]
    )
    corpus = corpus_lengths([lengths], NOTHING_DEAD)
    found = []
    for identity, query in judged.queries.items():
        relevance = judged.judgements.get(identity, {})
        terms = analyzer.query_terms(query, [judged.language])
        names = dict(zip(term_ids(KEY, terms), terms, strict=True))
        asked = {term: postings[term] for term in names if term in postings}
        whole = score(asked, corpus, NOTHING_DEAD, None, len(texts))
        similarities = vectors @ await embedder.embed_query(query)
        nearest = np.argsort(-similarities, kind="stable")[:DEPTH]
        dense = tuple(Hit(chunk_no=int(n), score=float(similarities[n])) for n in nearest)
        lexical = whole.ranking[:DEPTH]
        idf = {
            name: inverse_frequency(
                corpus.live_chunks, postings[term][0].size if term in postings else 0
            )
            for term, name in names.items()
        }
        signals = observe(
            query=query,
            language=judged.language,
            lane=embedder.lane,
            words=query_words(query, idf, [judged.language], analyzer),
            lexical=lexical,
            matched_terms={
                hit.chunk_no: {
                    names[term]: share for term, share in whole.contributions[hit.chunk_no].items()
                }
                for hit in lexical[:1]
            },
            idf=idf,
        )
        found.append(
            JudgedQuery(
                recalls=_recalls(dense, lexical, similarities, whole.ranking, signals),
                relevance={places[name]: grade for name, grade in relevance.items()},
            )
        )
    return found


def _recalls(
    dense: Ranking,
    lexical: Ranking,
    similarities: npt.NDArray[np.float32],
    whole: Ranking,
    signals: Signals,
) -> Recalls:
    numbers = {hit.chunk_no for hit in (*dense, *lexical)}
    bm25 = {hit.chunk_no: hit.score for hit in whole}
    return Recalls(
        dense=dense,
        lexical=lexical,
        similarities={number: float(similarities[number]) for number in numbers},
        bm25={number: bm25.get(number, 0.0) for number in numbers},
        signals=signals,
    )


def ndcg(ranking: Ranking, relevance: Mapping[int, int]) -> float:
    """nDCG@10 with linear gains, 0…1."""
    gained = sum(
        relevance.get(hit.chunk_no, 0) / math.log2(rank + 1)
        for rank, hit in enumerate(ranking[:CUTOFF], start=1)
    )
    ideal = sorted((grade for grade in relevance.values() if grade > 0), reverse=True)[:CUTOFF]
    possible = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(ideal, start=1))
    return gained / possible if possible else 0.0


def judge(queries: Sequence[JudgedQuery]) -> Judged:
    """What every weight would gain for every query."""
    blends = [FusionChoices(alpha=weight).named("weighted_blend") for weight in WEIGHTS]
    return Judged(
        queries=tuple(queries),
        signals=np.array(
            [
                (each.language_support, each.coverage, each.prominence)
                for each in (query.recalls.signals for query in queries)
            ]
        ),
        gains=np.array(
            [
                [ndcg(fuse(query.recalls).ranking, query.relevance) for fuse in blends]
                for query in queries
            ]
        ),
    )


def gained(weights: Floats, judged: Judged) -> float:
    """Mean nDCG@10 when these weights choose the blend, between the weights that were judged."""
    trust = 1.0 / (1.0 + np.exp(-(weights[0] + judged.signals @ weights[1:])))
    steps = len(WEIGHTS) - 1
    below = np.minimum((trust * steps).astype(int), steps - 1)
    above = trust * steps - below
    rows = np.arange(len(below))
    values = judged.gains[rows, below] * (1 - above) + judged.gains[rows, below + 1] * above
    return float(values.mean())


def fit(sets: Sequence[Judged]) -> Floats:
    """Weights that gain most over the sets, each measured by its own best fixed blend."""
    bests = [float(each.gains.mean(axis=0).max()) for each in sets]

    def goodness(weights: Floats) -> float:
        shares = [gained(weights, each) / best for each, best in zip(sets, bests, strict=True)]
        return float(np.mean(shares)) - RIDGE * float(np.mean(weights[1:] ** 2))

    chance = np.random.default_rng(0)
    weights = np.zeros(4)
    best = goodness(weights)
    for step in range(STEPS):
        width = 1.0 * 0.5 ** (step / 250)
        tried = weights + chance.normal(0, width, 4) * (chance.random(4) < 0.5)
        if (reached := goodness(tried)) > best:
            weights, best = tried, reached
    return weights


def fused_ndcg(fuse: Fusion, judged: Judged) -> float:
    return float(
        np.mean([ndcg(fuse(each.recalls).ranking, each.relevance) for each in judged.queries])
    )


async def collect(sets: Sequence[RetrievalSet], models: Path) -> dict[str, Judged]:
    embedder = load_minilm(models, "int8", 0, 8192)
    found = {}
    try:
        with progress() as bars:
            task = bars.add_task("sets", total=len(sets))
            for each in sets:
                found[each.name] = judge(await judged_queries(each, embedder))
                bars.advance(task)
    finally:
        embedder.close()
    return found


def table(sets: Mapping[str, Judged]) -> dict[str, dict[str, float]]:
    """nDCG@10 of every fusion on every set."""
    rows = {}
    for name, judged in sets.items():
        rows[name] = {
            fusion: round(fused_ndcg(FusionChoices().named(fusion), judged), 4)
            for fusion in get_args(FusionName)
        }
        others = [each for other, each in sets.items() if other != name]
        if others:
            rows[name]["left out"] = round(gained(fit(others), judged), 4)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help="default: all in the folder")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the sets")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    chosen = [
        read_set(options.data / name, "own-language")
        for name in options.sets or names_in(options.data)
    ]
    before = machine()
    sets = asyncio.run(collect(chosen, options.models))
    rows = table(sets)
    names = ("intercept", "language_support", "coverage", "prominence")
    weights = dict(
        zip(names, (round(float(each), 3) for each in fit(list(sets.values()))), strict=True)
    )
    shipped = {name: getattr(TrustModel(), name) for name in names}
    columns = list(next(iter(rows.values())))
    show(
        "nDCG@10 by fusion",
        ["set", *columns],
        [[name, *(f"{row[column]:.4f}" for column in columns)] for name, row in rows.items()],
    )
    print(f"fitted now: {weights}\nshipped:    {shipped}")
    finish({"machine": before, "sets": rows, "fitted": weights, "shipped": shipped}, options.json)


if __name__ == "__main__":
    main()
