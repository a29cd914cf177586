"""Fits how the search's ranks and similarities weigh beside what the reader reads.

    python bench/fit_reading.py --data ../shared/data/reading [--reader FILE] [--questions 40]

Of each reading set the paragraphs that training keeps apart (every twentieth block of ten) are
searched by their own questions: the eight best by Reciprocal Rank Fusion of dense and BM25 scores
are read, with the paragraph that answers and without it. A logistic regression over the best span
of each paragraph tells spans that hit an answer from the others. Prints the numbers of
`answering/weighing.py`, and how well the answers that they choose do, in five folds.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from answerability_sets import bm25, fused, passage_of
from footnote.answering.reader_answers import text_of
from footnote.answering.weighing import lead_of, middle_similarity
from footnote.domain import Evidence, Passage
from footnote.index.analysis import TextAnalyzer
from footnote.models.embedders import EmbedderChoices, Embedders, opener, parse_spec
from footnote.models.readers import LazyReader, reader_from
from footnote.ports import Embedder
from footnote.settings import Settings
from reporting import finish, show

Floats = npt.NDArray[np.float64]

SETS = ("squad-train-parts", "squad2-dev-half", "piaf", "drcd", "squad-es-dev", "norquad", "jaquad")
"""Well annotated, in English, French, Chinese, Spanish, Norwegian and Japanese; German has none."""
EVIDENCE = 8
MOST_PARAGRAPHS = 160
LONGEST_PARAGRAPH = 2_500
FOLDS = 5
PENALTY = 0.1
SIGNALS = ("reader", "rank", "lead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A paragraph kept apart, with its questions that it answers."""

    passage: Passage
    questions: Sequence[dict[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The best span of a paragraph for a question."""

    asked: int
    answerable: bool
    signals: tuple[float, ...]
    hits: bool


def kept_apart(folder: Path, name: str) -> list[Kept]:
    """The paragraphs that `training/examples.py` leaves for evaluation."""
    found: list[Kept] = []
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for place, line in enumerate(lines):
            if (place // 10) % 20 != 19 or len(found) == MOST_PARAGRAPHS:
                continue
            row = json.loads(line)
            language = row["lang"].split(">")[-1].partition("-")[0]
            text = row["context"][:LONGEST_PARAGRAPH]
            passage = passage_of(
                f"{name}-{place}", len(found), row.get("title") or "", text, language
            )
            asked = [
                each for each in row["questions"] if each["answers"] and not each.get("impossible")
            ]
            found.append(Kept(passage=passage, questions=asked))
    return found


async def candidates_of_set(
    kept: Sequence[Kept], count: int, embedder: Embedder, reader: LazyReader, first: int
) -> list[Candidate]:
    """What the reader finds for questions drawn from a set."""
    questions = [(at, each) for at, one in enumerate(kept) for each in one.questions]
    drawn = random.Random(3).sample(questions, min(count, len(questions)))
    texts = [str(each["question"]) for _, each in drawn]
    passages = [each.passage for each in kept]
    vectors = await embedder.embed_documents([each.text for each in passages])
    targets = np.stack([await embedder.embed_query(text) for text in texts])
    similar = (targets @ vectors.T).astype(np.float64)
    rankings = fused(similar, bm25(passages, texts, TextAnalyzer()))
    found: list[Candidate] = []
    for row, ((gold, question), ranking) in enumerate(zip(drawn, rankings, strict=True)):
        for answerable in (True, False):
            best = [each for each in ranking if answerable or each != gold][:EVIDENCE]
            if answerable and gold not in best:
                continue
            evidence = [
                Evidence(
                    passage=passages[each], rank=rank, score=0.0, similarity=similar[row, each]
                )
                for rank, each in enumerate(best, start=1)
            ]
            found += await _read(
                question, evidence, gold, reader, asked=2 * (first + row) + answerable
            )
    return found


async def _read(
    question: dict[str, object],
    evidence: Sequence[Evidence],
    gold: int,
    reader: LazyReader,
    *,
    asked: int,
) -> list[Candidate]:
    answers = question["answers"]
    assert isinstance(answers, list)
    places = [(each["start"], each["start"] + len(each["text"])) for each in answers]
    middle = middle_similarity(evidence)
    readings = await reader.read(
        str(question["question"]), [text_of(each.passage) for each in evidence]
    )
    found = []
    for item, reading in zip(evidence, readings, strict=True):
        if reading.spans:
            best = reading.spans[0]
            odds = min(max(best.probability, 1e-6), 1 - 1e-6)
            signals = (math.log(odds / (1 - odds)), math.log(item.rank), lead_of(item, middle))
            hits = item.passage.chunk_no == gold and any(
                best.start < end and start < best.end for start, end in places
            )
            found.append(
                Candidate(asked=asked, answerable=bool(asked % 2), signals=signals, hits=hits)
            )
    return found


def fit(signals: Floats, hits: Floats) -> Floats:
    """The coefficients of a logistic regression, the bias last."""
    spread = signals.std(axis=0) + 1e-9
    rows = np.c_[signals / spread, np.ones(len(signals))]
    penalty = np.diag([*[PENALTY] * signals.shape[1], 0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-rows @ weights))
        curvature = (rows.T * (likely * (1 - likely) + 1e-9)) @ rows + penalty
        weights -= np.linalg.solve(curvature, rows.T @ (likely - hits) + penalty @ weights)
    return np.append(weights[:-1] / spread, weights[-1])


def chosen(candidates: Sequence[Candidate], odds: Floats) -> list[tuple[Candidate, float]]:
    """Of each question the likeliest candidate, with its probability."""
    best: dict[int, tuple[Candidate, float]] = {}
    for each, one in zip(candidates, odds, strict=True):
        if each.asked not in best or one > best[each.asked][1]:
            best[each.asked] = (each, float(one))
    return [(each, 1 / (1 + math.exp(-one))) for each, one in best.values()]


def figures(answers: Sequence[tuple[Candidate, float]]) -> dict[str, float]:
    """Shares at the probability that tells answerable ones best, and how well it tells them."""
    told = [(each, one) for each, one in answers if each.answerable]
    untold = [one for each, one in answers if not each.answerable]
    least = max(
        np.arange(0.05, 0.95, 0.05),
        key=lambda cut: (
            np.mean([one >= cut for _, one in told]) + np.mean([one < cut for one in untold])
        ),
    )
    given = [each.hits for each, one in told if one >= least]
    above = np.array([one for _, one in told])[:, None] - np.array(untold)[None, :]
    return {
        "questions": len(told),
        "best right": round(float(np.mean([each.hits for each, _ in told])), 3),
        "from": round(float(least), 2),
        "answered": round(len(given) / len(told), 3),
        "precision": round(float(np.mean(given)), 3) if given else math.nan,
        "refused": round(float(np.mean([one < least for one in untold])), 3),
        "AUC": round(float(((above > 0) + 0.5 * (above == 0)).mean()), 3),
    }


async def main() -> None:
    """Read, fit and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the reading sets")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--questions", type=int, default=40, help="of each set")
    parser.add_argument("--models", type=Path, default=Settings().home / "models")
    parser.add_argument("--embedder", default="e5", help="what searches")
    parser.add_argument("--reader", type=Path, help="weights of another reader")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    choices = EmbedderChoices(
        models_folder=options.models, precision="int8", threads=0, batch_tokens=8192
    )
    embedder = await Embedders(
        specs=(parse_spec(options.embedder),), open=opener(choices)
    ).primary()
    reader = reader_from(str(options.reader or "packaged"), models_folder=options.models, threads=0)
    if reader is None:
        parser.error("there are no weights; name a file with --reader")
    candidates: list[Candidate] = []
    for number, name in enumerate(options.sets):
        kept = kept_apart(options.data, name)
        candidates += await candidates_of_set(
            kept, options.questions, embedder, reader, first=number * options.questions
        )
    await reader.close()
    signals = np.array([each.signals for each in candidates])
    hits = np.array([float(each.hits) for each in candidates])
    fold = np.array([each.asked // 2 % FOLDS for each in candidates])
    rows, report = [], {}
    for name, columns in (("reader", [0]), ("with rank", [0, 1]), ("with both", [0, 1, 2])):
        odds = np.zeros(len(hits))
        for each in range(FOLDS):
            weights = fit(signals[fold != each][:, columns], hits[fold != each])
            odds[fold == each] = signals[fold == each][:, columns] @ weights[:-1] + weights[-1]
        report[name] = figures(chosen(candidates, odds))
        rows.append([name, *(f"{value:g}" for value in report[name].values())])
    show("Chosen by", ["", *report["reader"]], rows)
    fitted = fit(signals, hits)
    print(", ".join(f"{n}={w:.2f}" for n, w in zip((*SIGNALS, "bias"), fitted, strict=True)))
    finish({**report, "weights": [round(float(each), 3) for each in fitted]}, options.json)


if __name__ == "__main__":
    asyncio.run(main())
