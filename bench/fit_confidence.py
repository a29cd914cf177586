"""Fits the confidence that the evidence is about the question, and judges it on other articles.

    python bench/fit_confidence.py --data ../shared/data

Each question of XQuAD is asked twice: of all paragraphs, and of those of the other articles, as if
its own had never been published. Articles, not questions, are split into a half to fit on and a
half to judge by. German, Spanish and Chinese stand for languages the lane's model does not know;
`none` is fitted on all four without vectors. `elsewhere` are documents that nothing was fitted on:
Cranfield, asked its own questions and those of XQuAD. `--set` chooses fewer sets, `--limit` fewer
questions.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footnote.domain import Hit
from footnote.index.analysis import TextAnalyzer
from footnote.index.bm25 import (
    Frequencies,
    Numbers,
    corpus_lengths,
    inverse_frequency,
    score,
)
from footnote.index.ranges import ChunkRanges
from footnote.index.terms import term_ids
from footnote.models.minilm import load_minilm
from footnote.models.sentence_encoder import SentenceEncoder
from footnote.ports import Recalled, Vectors
from footnote.retrieval.confidence import Observed, observe_recall
from footnote.retrieval.coverage import query_words
from footnote.retrieval.fusion import FusionChoices, Recalls
from footnote.retrieval.recall_weighting import observe
from installation import MODELS
from logistic import Logistic, area_under_curve, fit
from reporting import finish, machine, progress, show
from retrieval_sets import RetrievalSet, index_of, read_set

DEFAULT_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = {"xquad-en": "native", "xquad-de": "foreign", "xquad-es": "foreign", "xquad-zh": "foreign"}
PARAGRAPHS_OF_AN_ARTICLE = 5
"""XQuAD's; its corpus keeps the paragraphs of an article together."""
KEY = b"fit"
DEPTH = 100
SIGNALS = {
    "native": ("coverage", "similarity"),
    "foreign": ("coverage", "similarity"),
    "none": ("coverage",),
}
ELSEWHERE = "cranfield"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What was seen of one question, and whether its article was there."""

    observed: Observed
    about: bool
    held_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A set, indexed and embedded."""

    judged: RetrievalSet
    postings: dict[int, tuple[Numbers, Frequencies]]
    lengths: tuple[bytes, bytes]
    vectors: Vectors


async def indexed(judged: RetrievalSet, embedder: SentenceEncoder) -> Corpus:
    analyzer = TextAnalyzer()
    texts = [each.whole for each in judged.documents]
    postings, lengths = index_of(
        [term_ids(KEY, analyzer.terms(text, judged.language)) for text in texts]
    )
    return Corpus(
        judged=judged,
        postings=postings,
        lengths=lengths,
        vectors=await embedder.embed_documents(texts),
    )


def recalled(
    corpus: Corpus, query: str, vector: npt.NDArray[np.float32], dead: ChunkRanges
) -> Recalled:
    """Both recalls, exact and complete, without the dead chunks."""
    terms = TextAnalyzer().query_terms(query, [corpus.judged.language])
    names = dict(zip(term_ids(KEY, terms), terms, strict=True))
    asked = {term: corpus.postings[term] for term in names if term in corpus.postings}
    live = corpus_lengths([corpus.lengths], dead)
    found = score(asked, live, dead, None, len(corpus.vectors))
    cosines = corpus.vectors @ vector
    alive = np.flatnonzero(~dead.contains(np.arange(len(cosines))))
    nearest = alive[np.argsort(-cosines[alive], kind="stable")]
    return Recalled(
        dense=tuple(Hit(chunk_no=int(n), score=float(cosines[n])) for n in nearest[:DEPTH]),
        lexical=found.ranking[:DEPTH],
        matched_terms={
            number: {names[term]: share for term, share in shares.items()}
            for number, shares in found.contributions.items()
        },
        similarities={int(n): float(cosines[n]) for n in nearest},
        bm25={hit.chunk_no: hit.score for hit in found.ranking},
        idf={
            name: inverse_frequency(live.live_chunks, _holders(asked, term, dead))
            for term, name in names.items()
        },
        languages=(corpus.judged.language,),
    )


def _holders(postings: dict[int, tuple[Numbers, Frequencies]], term: int, dead: ChunkRanges) -> int:
    if term not in postings:
        return 0
    numbers = postings[term][0]
    return int(numbers.size) - dead.count_of_rising(numbers)


def seen(query: str, found: Recalled, embedder: SentenceEncoder) -> Observed:
    """What the engine would see: through the adaptive fusion."""
    words = query_words(query, found.idf, found.languages, TextAnalyzer())
    signals = observe(
        query=query,
        language=found.languages[0],
        words=words,
        lane=embedder.lane,
        lexical=found.lexical,
        matched_terms=found.matched_terms,
        idf=found.idf,
    )
    numbers = {hit.chunk_no for hit in (*found.dense, *found.lexical)}
    bm25 = {number: found.bm25.get(number, 0.0) for number in numbers}
    fused = FusionChoices().named("adaptive")(
        Recalls(
            dense=found.dense,
            lexical=found.lexical,
            similarities=found.similarities,
            bm25=bm25,
            signals=signals,
        )
    )
    return observe_recall(words, found, fused.ranking)


async def show_all(
    corpus: Corpus, embedder: SentenceEncoder, limit: int | None
) -> tuple[list[Shown], list[Shown]]:
    """What is seen of each question, and what would be without vectors."""
    places = {each.identity: number for number, each in enumerate(corpus.judged.documents)}
    shown, wordly = [], []
    queries = list(corpus.judged.queries.items())
    with progress() as bars:
        bar = bars.add_task(corpus.judged.name, total=len(queries[:limit]))
        for identity, query in queries[:limit]:
            vector = await embedder.embed_query(query)
            gold = next(iter(corpus.judged.judgements[identity]))
            article = places[gold] // PARAGRAPHS_OF_AN_ARTICLE
            first = article * PARAGRAPHS_OF_AN_ARTICLE
            own = ChunkRanges.from_pairs([(first, first + PARAGRAPHS_OF_AN_ARTICLE)])
            for dead in (ChunkRanges.empty(), own):
                found = recalled(corpus, query, vector, dead)
                about = Shown(
                    observed=seen(query, found, embedder),
                    about=dead.is_empty,
                    held_out=article % 2 == 1,
                )
                shown.append(about)
                blind = replace(found, dense=(), similarities={})
                wordly.append(replace(about, observed=seen(query, blind, embedder)))
            bars.advance(bar)
    return shown, wordly


def rows(shown: Sequence[Shown], names: Sequence[str]) -> Floats:
    return np.array([[getattr(each.observed, name) for name in names] for each in shown])


async def show_elsewhere(
    corpus: Corpus, strange: Sequence[str], embedder: SentenceEncoder, limit: int | None
) -> tuple[list[Shown], list[Shown]]:
    """The corpus asked its own questions and strange ones, with vectors and without."""
    shown, wordly = [], []
    own = list(corpus.judged.queries.values())[:limit]
    for query in (*own, *strange[: len(own)]):
        vector = await embedder.embed_query(query)
        found = recalled(corpus, query, vector, ChunkRanges.empty())
        about = Shown(observed=seen(query, found, embedder), about=query in own, held_out=True)
        blind = replace(found, dense=(), similarities={})
        shown.append(about)
        wordly.append(replace(about, observed=seen(query, blind, embedder)))
    return shown, wordly


def fitted(shown: Sequence[Shown], names: Sequence[str]) -> Logistic:
    used = [each for each in shown if not each.held_out]
    right = np.array([each.about for each in used], dtype=float)
    return fit(rows(used, names), right, np.ones(len(used)), names)


def judged(model: Logistic, shown: Sequence[Shown], names: Sequence[str]) -> list[str]:
    """What the model says of the questions it was not fitted on."""
    held = [each for each in shown if each.held_out]
    weights = np.array([model.weights.get(name, 0.0) for name in names])
    chances = 1.0 / (1.0 + np.exp(-(model.intercept + rows(held, names) @ weights)))
    about = np.array([each.about for each in held])
    good, bad = chances[about], chances[~about]
    return [
        str(len(held)),
        f"{area_under_curve(good, bad):.3f}",
        *(f"{np.mean(good < at):.3f} / {np.mean(bad < at):.3f}" for at in (0.3, 0.5)),
        f"{np.mean((chances - about) ** 2):.3f}",
    ]


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the sets")
    parser.add_argument("--set", action="append", choices=list(SETS), help="default: all")
    parser.add_argument("--limit", type=int, help="questions of each set; default: all")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    embedder = load_minilm(options.models, "int8", threads=1, batch_tokens=8192)
    groups: dict[str, list[Shown]] = {"native": [], "foreign": [], "none": []}
    for name in options.set or SETS:
        corpus = await indexed(read_set(options.data / name, "own-language"), embedder)
        shown, wordly = await show_all(corpus, embedder, options.limit)
        groups[SETS[name]] += shown
        groups["none"] += wordly
    models = {name: fitted(shown, SIGNALS[name]) for name, shown in groups.items() if shown}
    table = [(name, *judged(models[name], groups[name], SIGNALS[name])) for name in models]
    if "native" in models:
        strange = list(read_set(options.data / "xquad-en").queries.values())
        corpus = await indexed(read_set(options.data / ELSEWHERE), embedder)
        pair = await show_elsewhere(corpus, strange[::5], embedder, options.limit)
        for name, shown in zip(("native", "none"), pair, strict=True):
            table.append((f"{name}, elsewhere", *judged(models[name], shown, SIGNALS[name])))
    show(
        "Confidence, judged on what it was not fitted on",
        ("lane", "judged", "AUC", "below 0.3: about / not", "below 0.5: about / not", "Brier"),
        table,
    )
    for name, model in models.items():
        print(f'    "{name}": intercept={model.intercept}, {dict(model.weights)}')
    weights = {name: {"intercept": each.intercept, **each.weights} for name, each in models.items()}
    finish({"machine": machine(), "weights": weights}, options.json)


if __name__ == "__main__":
    asyncio.run(main())
