"""Fit and judge the coefficients of `footnote.answering.coefficients` on question sets.

A set is a folder in the retrieval format (`corpus.jsonl`, `queries.jsonl` with `answers` and their
character offsets, `qrels.tsv`). Each question is asked three times of the eight best passages by
Reciprocal Rank Fusion of exact dense and BM25 scores:

- answerable: the gold paragraph is in the corpus;
- without the paragraph: the same question, the gold paragraph taken out;
- without the fact: the gold paragraph stays, the sentences that hold the answer are taken out.

Articles, not questions, are split into a half to fit on and a half to judge by.

    python bench/fit_answerability.py native=../shared/data/xquad-en \\
        foreign=../shared/data/xquad-de foreign=../shared/data/xquad-es
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import numpy.typing as npt

from footnote.answering.coefficients import ANSWERABILITY, SUPPORT, Logistic, Trust, probability
from footnote.answering.decide import OUTLOOK_NAMES, Outlook, look_out
from footnote.answering.ground import SIGNAL_NAMES, Reading, Weighed, covered, rarity, read, weigh
from footnote.answering.question import Question, read_question
from footnote.answering.select import by_strength, shortlist
from footnote.answering.sentences import candidates_of
from footnote.domain import BlockKind, BlockSpan, Evidence, Passage, SourceType
from footnote.index.analysis import TextAnalyzer
from footnote.models import load_minilm
from footnote.ports import Analyzer, Embedder, Vector, Vectors
from footnote.text import sentence_spans

Floats = npt.NDArray[np.float64]

EVIDENCE = 8
STATEMENTS = 24
"""Twice what the pipeline embeds by default, to learn from more statements."""
RIDGE = 1.0
"""L2 penalty on standardised weights: enough to keep correlated signals from opposing signs."""
PARAGRAPHS_OF_AN_ARTICLE = 5
"""XQuAD's; its corpus keeps the paragraphs of an article together."""
SET_WEIGHTS = {"repeats": -2.0}
"""Encyclopaedic paragraphs hold hardly any headings and questions to learn this from."""
SHUFFLED = 0.5
"""Share of questions whose evidence comes in random order: here the gold paragraph is first for 19
of 20 questions, which would teach the model to believe the order more than the words."""
VARIANTS = ("answerable", "without the paragraph", "without the fact")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question in one variant, ready to be weighed."""

    variant: str
    held_out: bool
    question: Question
    readings: list[Reading]
    kept: list[Reading]
    target: Vector
    vectors: Vectors
    gold: list[bool]
    """For each kept reading, whether it holds the answer."""


class RememberingAnalyzer:
    """Analyzes each text once; the same sentences come back for hundreds of questions."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._terms: dict[tuple[str, str | None], list[str]] = {}

    def terms(self, text: str, language: str | None) -> list[str]:
        key = (text, language)
        if key not in self._terms:
            self._terms[key] = self._analyzer.terms(text, language)
        return self._terms[key]

    def query_terms(self, text: str, languages: Sequence[str]) -> list[str]:
        return self._analyzer.query_terms(text, languages)


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def passage_of(identity: str, number: int, title: str, text: str, language: str) -> Passage:
    span = BlockSpan(
        char_start=0, char_end=len(text), page=None, paragraph=1, kind=BlockKind.PARAGRAPH
    )
    return Passage(
        chunk_id=identity,
        chunk_no=number,
        document_id=uuid5(NAMESPACE_URL, identity),
        version=1,
        ordinal=0,
        kind=BlockKind.PARAGRAPH,
        text=text,
        body_offset=0,
        char_start=0,
        char_end=len(text),
        spans=(span,),
        heading_path=(),
        page_start=None,
        page_end=None,
        paragraph_start=1,
        paragraph_end=1,
        document_title=title,
        filename="",
        collection="bench",
        source_type=SourceType.UPLOAD,
        language=language,
    )


def bm25(passages: Sequence[Passage], queries: Sequence[str], analyzer: Analyzer) -> Floats:
    """Scores of shape (queries, passages); Lucene's variant, k1 1.2, b 0.75."""
    counts = [Counter(analyzer.terms(each.text, each.language)) for each in passages]
    lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
    held = Counter(term for count in counts for term in count)
    norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    scores = np.zeros((len(queries), len(passages)))
    language = passages[0].language or ""
    for row, query in enumerate(queries):
        for term in analyzer.query_terms(query, [language]):
            if term in held:
                idf = math.log1p((len(passages) - held[term] + 0.5) / (held[term] + 0.5))
                found = np.array([count[term] for count in counts], dtype=np.float64)
                scores[row] += idf * found / (found + norm)
    return scores


def fused(dense: Floats, lexical: Floats) -> list[list[int]]:
    """Passages of each query, best first, by Reciprocal Rank Fusion with k = 60."""
    score = sum(
        1.0 / (61 + np.argsort(np.argsort(-side, axis=1, kind="stable"), axis=1))
        for side in (dense, lexical)
    )
    return [list(map(int, row)) for row in np.argsort(-score, axis=1, kind="stable")]


def without_fact(passage: Passage, answer: Mapping[str, object]) -> Passage:
    """The passage without the sentences that hold the answer's text."""
    text, said = passage.text, str(answer["text"])
    kept = " ".join(text[a:b] for a, b in sentence_spans(text) if said not in text[a:b])
    return replace(
        passage_of(
            passage.chunk_id,
            passage.chunk_no,
            passage.document_title,
            kept,
            passage.language or "",
        ),
        document_id=passage.document_id,
    )


async def ask_all(folder: Path, embedder: Embedder, analyzer: Analyzer) -> list[Asked]:
    """Every question of a set in every variant."""
    language = folder.name.rpartition("-")[2]
    rows = read_lines(folder / "corpus.jsonl")
    passages = [
        passage_of(
            str(row["_id"]), number, str(row["title"]).replace("_", " "), str(row["text"]), language
        )
        for number, row in enumerate(rows)
    ]
    gold_of = dict(
        line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text().splitlines()[1:]
    )
    queries = read_lines(folder / "queries.jsonl")
    texts = [str(query["text"]) for query in queries]
    targets = np.stack([await embedder.embed_query(text) for text in texts])
    vectors = await embedder.embed_documents([passage.text for passage in passages])
    dense = (targets @ vectors.T).astype(np.float64)
    rankings = fused(dense, bm25(passages, texts, analyzer))
    number_of = {passage.chunk_id: passage.chunk_no for passage in passages}
    known: dict[str, Vector] = {}
    chance = random.Random(0)
    asked: list[Asked] = []
    for row, (query, ranking) in enumerate(zip(queries, rankings, strict=True)):
        gold = number_of[gold_of[str(query["_id"])]]
        answers = query["answers"]
        assert isinstance(answers, list)
        for variant, shown in variants(passages, ranking, gold, answers[0]):
            if chance.random() < SHUFFLED:
                chance.shuffle(shown)
            evidence = [
                Evidence(passage=passage, rank=rank, score=1.0 / (60 + rank))
                for rank, passage in enumerate(shown, start=1)
            ]
            question = read_question(texts[row], [language], analyzer)
            asked.append(
                await prepare(
                    question,
                    evidence,
                    variant=variant,
                    gold=gold,
                    answer=answers[0],
                    target=targets[row],
                    embedder=embedder,
                    analyzer=analyzer,
                    known=known,
                )
            )
    return asked


def variants(
    passages: Sequence[Passage], ranking: Sequence[int], gold: int, answer: Mapping[str, object]
) -> Iterator[tuple[str, list[Passage]]]:
    """The evidence of each variant."""
    best = ranking[:EVIDENCE]
    if gold in best:
        yield VARIANTS[0], [passages[number] for number in best]
        yield (
            VARIANTS[2],
            [
                without_fact(passages[number], answer) if number == gold else passages[number]
                for number in best
            ],
        )
    others = [number for number in ranking if number != gold][:EVIDENCE]
    yield VARIANTS[1], [passages[number] for number in others]


async def prepare(
    question: Question,
    evidence: Sequence[Evidence],
    *,
    variant: str,
    gold: int,
    answer: Mapping[str, object],
    target: Vector,
    embedder: Embedder,
    analyzer: Analyzer,
    known: dict[str, Vector],
) -> Asked:
    """What the pipeline does before it weighs, and which statements are right."""
    readings = read(candidates_of(evidence), analyzer)
    rarities = rarity(readings)
    likely = shortlist(
        [covered(question, reading, rarities) for reading in readings],
        [reading.candidate.evidence.rank for reading in readings],
        STATEMENTS,
    )
    kept = [readings[position] for position in likely]
    new = [
        each.candidate.embedded_text for each in kept if each.candidate.embedded_text not in known
    ]
    if new:
        known.update(zip(new, await embedder.embed_documents(new), strict=True))
    start = int(str(answer["start"]))
    end = start + len(str(answer["text"]))
    return Asked(
        variant=variant,
        held_out=gold // PARAGRAPHS_OF_AN_ARTICLE % 2 == 1,
        question=question,
        readings=readings,
        kept=kept,
        target=target,
        vectors=np.stack([known[each.candidate.embedded_text] for each in kept]),
        gold=[
            variant == VARIANTS[0]
            and each.candidate.evidence.passage.chunk_no == gold
            and each.candidate.start < end
            and start < each.candidate.end
            for each in kept
        ],
    )


def fit(signals: Floats, right: Floats, weights: Floats, names: Sequence[str]) -> Logistic:
    """Ridge logistic regression by Newton's method on standardised signals."""
    mean, spread = signals.mean(0), signals.std(0)
    spread[spread == 0] = np.inf
    design = np.column_stack([np.ones(len(signals)), (signals - mean) / spread])
    penalty = np.diag([0.0, *[RIDGE] * len(names)])
    found = np.zeros(design.shape[1])
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-design @ found))
        slope = design.T @ (weights * (chance - right)) + penalty @ found
        curve = (design * (weights * chance * (1 - chance))[:, None]).T @ design + penalty
        found -= np.linalg.solve(curve + 1e-9 * np.eye(len(curve)), slope)
    scaled = found[1:] / spread
    return Logistic(
        intercept=round(float(found[0] - scaled @ np.where(np.isinf(spread), 0, mean)), 3),
        weights={
            name: round(float(value), 3) for name, value in zip(names, scaled, strict=True) if value
        },
    )


def weigh_all(asked: Sequence[Asked], trust: Trust) -> list[list[Weighed]]:
    return [
        weigh(
            each.question,
            each.kept,
            vectors=None if trust is Trust.NONE else each.vectors,
            target=each.target,
            trusts=[trust] * len(each.kept),
            rarities=rarity(each.readings),
        )
        for each in asked
    ]


def with_set_weights(model: Logistic) -> Logistic:
    """The model with the weights that these sets cannot teach."""
    return replace(model, weights={**model.weights, **SET_WEIGHTS})


def row_of(record: object, names: Sequence[str]) -> list[float]:
    return [float(getattr(record, name)) for name in names]


def fit_support(asked: Sequence[Asked], weighed: Sequence[Sequence[Weighed]]) -> Logistic:
    rows, right = [], []
    for question, statements in zip(asked, weighed, strict=True):
        if not question.held_out:
            rows += [row_of(each.signals, SIGNAL_NAMES) for each in statements]
            right += question.gold
    return with_set_weights(
        fit(np.array(rows), np.array(right, dtype=float), np.ones(len(rows)), SIGNAL_NAMES)
    )


def outlooks(asked: Sequence[Asked], weighed: Sequence[Sequence[Weighed]]) -> list[Outlook]:
    return [
        look_out(question.question, question.readings, by_strength(statements))
        for question, statements in zip(asked, weighed, strict=True)
    ]


def fit_answerability(asked: Sequence[Asked], views: Sequence[Outlook]) -> Logistic:
    """Answerable and unanswerable questions weigh the same in all."""
    used = [
        (view, each.variant == VARIANTS[0])
        for each, view in zip(asked, views, strict=True)
        if not each.held_out
    ]
    right = np.array([good for _, good in used], dtype=float)
    weights = np.where(right == 1, 1.0, right.sum() / (1 - right).sum())
    return fit(
        np.array([row_of(view, OUTLOOK_NAMES) for view, _ in used]), right, weights, OUTLOOK_NAMES
    )


def area_under_curve(good: Floats, bad: Floats) -> float:
    return float(np.mean(good[:, None] > bad[None, :]) + 0.5 * np.mean(good[:, None] == bad[None]))


def judge(
    asked: Sequence[Asked],
    weighed: Sequence[Sequence[Weighed]],
    views: Sequence[Outlook],
    model: Logistic,
) -> None:
    """Print what the held-out half says."""
    chances: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
    hits: list[bool] = []
    for question, statements, view in zip(asked, weighed, views, strict=True):
        if not question.held_out:
            continue
        chances[question.variant].append(
            probability(model, {name: getattr(view, name) for name in OUTLOOK_NAMES})
        )
        if question.variant == VARIANTS[0]:
            right = {id(r) for r, g in zip(question.kept, question.gold, strict=True) if g}
            hits.append(id(by_strength(statements)[0].reading) in right)
    good = np.array(chances[VARIANTS[0]])
    print(f"  best statement holds the answer: {np.mean(hits):.3f} of {len(hits)}")
    for variant in VARIANTS[1:]:
        print(f"  AUC against {variant}: {area_under_curve(good, np.array(chances[variant])):.3f}")
    for threshold in (0.3, 0.4, 0.5, 0.6):
        shares = "  ".join(
            f"{variant} {np.mean(np.array(values) >= threshold):.3f}"
            for variant, values in chances.items()
        )
        print(f"  answered at {threshold}: {shares}")


def show(table: Mapping[Trust, tuple[Logistic, Logistic]]) -> None:
    """Print the fitted table as Python."""
    for position, name in enumerate(("SUPPORT", "ANSWERABILITY")):
        print(f"{name}: Mapping[Trust, Logistic] = {{")
        for trust, models in table.items():
            model = models[position]
            print(f"    Trust.{trust.name}: Logistic(")
            print(f"        intercept={model.intercept},\n        weights={{")
            for signal, weight in model.weights.items():
                print(f'            "{signal}": {weight},')
            print("        },\n    ),")
        print("}")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", help="native=FOLDER or foreign=FOLDER")
    parser.add_argument("--judge-only", action="store_true", help="judge the committed numbers")
    parser.add_argument(
        "--models",
        type=Path,
        default=Path(tempfile.gettempdir()) / "footnote-bench",
        help="folder of built models",
    )
    arguments = parser.parse_args()
    embedder = load_minilm(arguments.models, "int8", threads=1, batch_tokens=8192)
    analyzer = RememberingAnalyzer(TextAnalyzer())
    asked: dict[Trust, list[Asked]] = {trust: [] for trust in Trust}
    for each in arguments.sets:
        trust, _, folder = each.partition("=")
        found = await ask_all(Path(folder), embedder, analyzer)
        asked[Trust(trust)] += found
        asked[Trust.NONE] += found
    table = {}
    for trust, questions in asked.items():
        if not questions:
            continue
        print(f"{trust.value}: {len(questions)} questions")
        if not arguments.judge_only:
            SUPPORT[trust] = fit_support(questions, weigh_all(questions, trust))  # type: ignore[index]  # the fitted numbers replace the committed ones for this run
        weighed = weigh_all(questions, trust)
        views = outlooks(questions, weighed)
        model = (
            ANSWERABILITY[trust] if arguments.judge_only else fit_answerability(questions, views)
        )
        judge(questions, weighed, views, model)
        table[trust] = (SUPPORT[trust], model)
    if not arguments.judge_only:
        show(table)


if __name__ == "__main__":
    asyncio.run(main())
