"""Fits how likely a statement answers, by what the reader says of it and how the search found it.

    python bench/fit_reading.py --data ../shared/data/reading [--reader FILE] [--write]

Of each reading set the paragraphs that training keeps apart (every twentieth block of ten) are
searched by their own questions, and the office papers' half to develop on by its questions: the
eight best passages are read, and again without the paragraph or the papers that answer; questions
that the sets call impossible are asked too. A conditional logit over the statements and "none"
(`answering/weighing.py`) is fitted, and judged in five folds that share no paragraphs or papers.
What the reader said and the vectors are kept in files beside the models. `--write` writes the
numbers where Footnote reads them, with the least probability from which nine of ten answers to
answerable questions are right, in the mean of the two collections.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from footnote.answering.choosing import about_what_is_asked
from footnote.answering.cite import Footnotes
from footnote.answering.observing import OBSERVED, Floats, log_odds
from footnote.answering.reader_answers import once_each, read_statements
from footnote.answering.weighing import FILE, Coefficients, observed
from footnote.domain import Citation, Evidence, Passage
from footnote.index.analysis import TextAnalyzer
from footnote.models.embedders import EmbedderChoices, Embedders, opener, parse_spec
from footnote.models.readers import LazyReader, reader_from
from footnote.ports import (
    Embedder,
    Operation,
    PassageReading,
    PassageText,
    SupportOdds,
    Vector,
    Vectors,
)
from footnote.settings import Settings
from office_search import search_office
from reading import Asked, office
from reading_sets import bm25, fused, passage_of
from reporting import finish, progress, show

SETS = {
    "squad-train-parts": 60,
    "squad2-dev-half": 40,
    "omosqa-en": 20,
    "tatqa-text": 26,
    "covidqa": 30,
    "nq-open-oracle": 30,
    "qed-dev": 15,
    "selqa-sent": 15,
    "piaf": 30,
    "omosqa-fr": 18,
    "squad-es-dev": 35,
    "squad-it-test": 25,
    "squad1-pt-sample": 20,
    "drcd": 25,
    "jaquad-dev": 15,
    "norquad": 15,
    "squad2-sv-dev": 16,
    "tydiqa-goldp-dev": 20,
    "afriqa": 20,
}
"""Questions of each; of those that a set calls impossible, half as many more."""
EVIDENCE = 8
MOST_PARAGRAPHS = 250
LONGEST_PARAGRAPH = 2_500
FOLDS = 5
PENALTY = 3.0
"""Of the squared weights of features with unit variance."""
OFFICE_WEIGHT = 2.0
"""Of a question about office papers, of which there are few, beside one of a reading set."""
PRECISION = 0.9
REFUSED = (0.8, 0.85, 0.9, 0.95)
"""Shares of unanswerable questions refused, at which right answers are counted."""
WRITTEN = Path(__file__).parent.parent / "src" / "footnote" / "answering" / FILE

Bools = npt.NDArray[np.bool_]
Drawn = tuple[int, str, dict[str, Any]]
"""The place of a paragraph, its block, and one of its questions as the file has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question over its evidence, and the paragraphs or papers it is kept together with."""

    collection: str
    group: str
    asked: Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What is observed of the statements for a question."""

    collection: str
    fold: int
    answerable: bool
    rows: Floats
    right: Bools
    """Of each statement."""
    read: Floats
    """Log-odds of each by the reader alone."""


class RememberingReader:
    """Reads each passage for each question once, and keeps that in a file for the next run."""

    def __init__(self, reader: LazyReader, file: Path) -> None:
        self.name = reader.name
        self._reader, self._file = reader, file
        self._known: dict[tuple[str, PassageText], PassageReading] = {}
        if file.exists():
            self._known = pickle.loads(file.read_bytes())

    async def read(self, question: str, passages: Sequence[PassageText]) -> list[PassageReading]:
        new = [each for each in dict.fromkeys(passages) if (question, each) not in self._known]
        if new:
            self._known.update(
                zip(
                    ((question, each) for each in new),
                    await self._reader.read(question, new),
                    strict=True,
                )
            )
        return [self._known[question, each] for each in passages]

    async def judge(self, statements: Sequence[str], quotes: Sequence[str]) -> list[SupportOdds]:
        return await self._reader.judge(statements, quotes)

    async def orders(self, texts: Sequence[str]) -> Sequence[float] | None:
        return await self._reader.orders(texts)

    async def operation(self, question: str) -> Operation | None:
        return await self._reader.operation(question)

    def keep(self) -> None:
        self._file.write_bytes(pickle.dumps(self._known))


class RememberingEmbedder:
    """Embeds each text once, and keeps the vectors in a file for the next run."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.lane, self.max_tokens = embedder.lane, embedder.max_tokens
        self._embedder = embedder
        name = hashlib.sha256(self.lane.fingerprint.encode()).hexdigest()[:12]
        self._file = folder / f"embedded-by-{name}.pickle"
        self._documents: dict[str, Vector] = {}
        self._queries: dict[str, Vector] = {}
        if self._file.exists():
            self._documents, self._queries = pickle.loads(self._file.read_bytes())

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        new = [each for each in dict.fromkeys(texts) if each not in self._documents]
        if new:
            vectors = await self._embedder.embed_documents(new)
            self._documents.update(zip(new, vectors, strict=True))
        return np.stack([self._documents[each] for each in texts])

    async def embed_query(self, text: str) -> Vector:
        if text not in self._queries:
            self._queries[text] = await self._embedder.embed_query(text)
        return self._queries[text]

    def keep(self) -> None:
        self._file.write_bytes(pickle.dumps((self._documents, self._queries)))


async def questions_of_set(
    folder: Path, name: str, count: int, embedder: Embedder
) -> list[Question]:
    """Questions drawn from the paragraphs that `training/examples.py` leaves for evaluation."""
    passages: list[Passage] = []
    possible: list[Drawn] = []
    impossible: list[Drawn] = []
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for place, line in enumerate(lines):
            if (place // 10) % 20 != 19 or len(passages) == MOST_PARAGRAPHS:
                continue
            row = json.loads(line)
            language = row["lang"].split(">")[-1].partition("-")[0]
            for each in row["questions"]:
                kind = impossible if each.get("impossible") else possible
                if each["answers"] or each.get("impossible"):
                    kind.append((len(passages), f"{name}-{place // 10}", each))
            passages.append(
                passage_of(
                    f"{name}-{place}",
                    len(passages),
                    row.get("title") or "",
                    row["context"][:LONGEST_PARAGRAPH],
                    language,
                )
            )
    draw = random.Random(3)
    drawn = draw.sample(possible, min(count, len(possible)))
    drawn += draw.sample(impossible, min(count // 2, len(impossible)))
    texts = [str(each["question"]) for _, _, each in drawn]
    vectors = await embedder.embed_documents([each.text for each in passages])
    targets = np.stack([await embedder.embed_query(text) for text in texts])
    similar = (targets @ vectors.T).astype(np.float64)
    rankings = fused(similar, bm25(passages, texts, TextAnalyzer()))
    found: list[Question] = []
    for row, ((gold, group, question), ranking) in enumerate(zip(drawn, rankings, strict=True)):
        answers = [] if question.get("impossible") else question["answers"]
        right = _right_in(
            passages[gold].chunk_id,
            [(each["start"], each["start"] + len(each["text"])) for each in answers],
        )
        whole = ranking[:EVIDENCE]
        without = [each for each in ranking if each != gold][:EVIDENCE]
        shown = [(bool(answers), whole)] + ([(False, without)] if answers else [])
        for answerable, best in shown:
            if answerable and gold not in best:
                continue
            evidence = [
                Evidence(
                    passage=passages[each],
                    rank=rank,
                    score=1.0 / (60 + rank),
                    similarity=float(similar[row, each]),
                )
                for rank, each in enumerate(best, start=1)
            ]
            asked = Asked(
                identity=f"{group}-{row}",
                question=texts[row],
                evidence=evidence,
                answerable=answerable,
                is_right=right,
            )
            found.append(Question(collection="reading sets", group=group, asked=asked))
    return found


def _right_in(chunk: str, places: Sequence[tuple[int, int]]) -> Callable[[Citation], bool]:
    def is_right(each: Citation) -> bool:
        return each.chunk_id == chunk and any(
            each.char_start < end and start < each.char_end for start, end in places
        )

    return is_right


async def questions_of_office(models: Path) -> list[Question]:
    """The questions about the half of the papers to develop on; the other is not touched."""
    found = await search_office(models)
    return [
        Question(collection="office", group=group_of(each), asked=each)
        for each in office(found, "development")
    ]


def group_of(asked: Asked) -> str:
    """The paper that answers a question; without one, the question."""
    for each in asked.evidence:
        passage = each.passage
        cited = Footnotes().citation(passage, passage.body_offset, len(passage.text), None)
        if asked.answerable and asked.is_right(cited):
            return passage.filename
    return asked.question


async def example_of(
    question: Question, reader: RememberingReader, embedder: Embedder
) -> Example | None:
    """What is observed as an answer would be; None where no statement has a stretch."""
    asked = question.asked
    read = once_each(await read_statements(reader, asked.question, asked.evidence))
    about = about_what_is_asked(asked.question, read, asked.evidence)
    if not about:
        return None
    found, rows, _ = await observed(asked.question, about, asked.evidence, TextAnalyzer(), embedder)
    cited = [
        Footnotes().citation(each.passage, each.candidate.start, each.candidate.end, None)
        for each in found
    ]
    return Example(
        collection=question.collection,
        fold=int(hashlib.sha256(question.group.encode()).hexdigest(), 16) % FOLDS,
        answerable=asked.answerable,
        rows=rows,
        right=np.array([asked.answerable and asked.is_right(each) for each in cited]),
        read=np.array([log_odds(each.read) for each in found]),
    )


def fit(examples: Sequence[Example]) -> Coefficients:
    """By expectation and Newton steps: where several statements are right, any of them may be it.

    Answerable questions without a right statement among those observed teach nothing.
    """
    told = [each for each in examples if each.right.any() or not each.answerable]
    rows = np.concatenate([each.rows for each in told])
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    inputs = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    right = np.concatenate([each.right for each in told]).astype(np.float64)
    of = np.repeat(np.arange(len(told)), [len(each.right) for each in told])
    weight = np.array([OFFICE_WEIGHT if each.collection == "office" else 1.0 for each in told])[of]
    penalty = np.diag([*[PENALTY] * rows.shape[1], 0.0])
    weights = np.zeros(inputs.shape[1])
    for _ in range(100):
        odds = np.exp(np.clip(inputs @ weights, -40, 40))
        chance = odds / (1 + np.bincount(of, odds))[of]
        share = odds * right / np.maximum(np.bincount(of, odds * right), 1e-300)[of]
        weighed = inputs * (weight * chance)[:, None]
        means = np.zeros((len(told), inputs.shape[1]))
        np.add.at(means, of, inputs * (np.sqrt(weight) * chance)[:, None])
        curvature = weighed.T @ inputs - means.T @ means + penalty
        step = np.linalg.solve(
            curvature, inputs.T @ (weight * (share - chance)) - penalty @ weights
        )
        weights += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-6:
            break
    own = weights[:-1] / spread
    return Coefficients(
        weights={name: round(float(each), 4) for name, each in zip(OBSERVED, own, strict=True)},
        bias=round(float(weights[-1] - own @ middle), 4),
        least=0.5,
    )


def best_of(example: Example, chances: Floats) -> tuple[bool, float]:
    """Whether the likeliest statement is right, and how likely it is."""
    place = int(chances.argmax())
    return bool(example.right[place]), float(chances[place])


def figures(examples: Sequence[Example], best: Sequence[tuple[bool, float]]) -> dict[str, float]:
    """How often the best is right, how well probabilities tell, and shares at shares refused."""
    answerable = np.array([each.answerable for each in examples])
    right, chance = np.array([each for each, _ in best]), np.array([each for _, each in best])
    told, untold = chance[answerable], chance[~answerable]
    found = {
        "questions": len(told),
        "best right": float(right[answerable].mean()),
        "AUC answerable": area(told, untold),
        "AUC right": area(chance[right], chance[~right]),
        "Brier": float(((chance - right) ** 2).mean()),
    }
    for share in REFUSED:
        cut = np.quantile(untold, share, method="higher")
        found[f"@{share:g}"] = float((right[answerable] & (told > cut)).mean())
    return {name: round(value, 3) for name, value in found.items()}


def shares(
    examples: Sequence[Example], best: Sequence[tuple[bool, float]], least: float
) -> dict[str, float]:
    """Of what is answered and refused from a probability on, by the best statements."""
    told = [each for one, each in zip(examples, best, strict=True) if one.answerable]
    untold = [chance for one, (_, chance) in zip(examples, best, strict=True) if not one.answerable]
    given = [right for right, chance in told if chance >= least]
    found = {
        "answered": len(given) / len(told),
        "right": sum(given) / len(told),
        "precision": float(np.mean(given)) if given else float("nan"),
        "refused": float(np.mean([chance < least for chance in untold])),
    }
    return {name: round(value, 3) for name, value in found.items()}


def area(above: Floats, below: Floats) -> float:
    """Under the receiver operating characteristic."""
    apart = above[:, None] - below[None, :]
    return float(((apart > 0) + 0.5 * (apart == 0)).mean())


def least_precise(examples: Sequence[Example], best: Sequence[tuple[bool, float]]) -> float:
    """The least probability, in hundredths, with `PRECISION` in the mean of the collections."""
    for least in np.arange(0.01, 1.0, 0.01):
        found = [
            shares([examples[at] for at in places], [best[at] for at in places], least)
            for _, places in collections_of(examples)
        ]
        if np.mean([each["precision"] for each in found]) >= PRECISION:
            return round(float(least), 2)
    return 1.0


def collections_of(examples: Sequence[Example]) -> Iterator[tuple[str, list[int]]]:
    """The places of each collection's examples."""
    for name in dict.fromkeys(each.collection for each in examples):
        yield name, [at for at, each in enumerate(examples) if each.collection == name]


async def gathered(options: argparse.Namespace) -> list[Example]:
    """Search, read and observe."""
    choices = EmbedderChoices(
        models_folder=options.models, precision="int8", threads=0, batch_tokens=8192
    )
    embedder = RememberingEmbedder(
        await Embedders(
            specs=(parse_spec(Settings().embedding_model),), open=opener(choices)
        ).primary(),
        options.models,
    )
    opened = reader_from(str(options.reader or "packaged"), models_folder=options.models, threads=0)
    if opened is None:
        raise SystemExit("there are no weights; name a file with --reader")
    name = (await opened.opened()).name
    reader = RememberingReader(opened, options.models / f"read-by-{name}.pickle")
    examples: list[Example] = []
    collections = [questions_of_office(options.models)]
    collections += [
        questions_of_set(options.data, name, count, embedder) for name, count in SETS.items()
    ]
    with progress() as bars:
        for questions in bars.track(collections, description="Reading"):
            for each in await questions:
                example = await example_of(each, reader, embedder)
                examples += [] if example is None else [example]
            reader.keep()
            embedder.keep()
    await opened.close()
    return examples


async def main() -> None:
    """Read, fit and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the reading sets")
    parser.add_argument("--models", type=Path, default=Settings().home / "models")
    parser.add_argument("--reader", type=Path, help="weights of another reader")
    parser.add_argument(
        "--write", action="store_true", help="write the numbers where they are read"
    )
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    examples = await gathered(options)
    alone = [best_of(each, 1 / (1 + np.exp(-each.read))) for each in examples]
    weighed: list[tuple[bool, float]] = [(False, 0.0)] * len(examples)
    for fold in range(FOLDS):
        fitted = fit([each for each in examples if each.fold != fold])
        for at, each in enumerate(examples):
            if each.fold == fold:
                weighed[at] = best_of(each, fitted.probabilities(each.rows))
    rows, report = [], {}
    least = least_precise(examples, weighed)
    for name, places in collections_of(examples):
        own = [examples[at] for at in places]
        for how, best in (("by the reader", alone), ("weighed", weighed)):
            told = figures(own, [best[at] for at in places])
            report[f"{name}, {how}"] = told
            rows.append([f"{name}, {how}", *(f"{value:g}" for value in told.values())])
    show("The best statement, judged apart from the fit", ["", *told], rows)
    rows = []
    for name, places in collections_of(examples):
        own, best = [examples[at] for at in places], [weighed[at] for at in places]
        report[f"{name}, from {least:g}"] = shared = shares(own, best, least)
        rows.append([name, *(f"{value:g}" for value in shared.values())])
    show(f"From a probability of {least:g}", ["", *shared], rows)
    fitted = fit(examples)
    written = {"weights": fitted.weights, "bias": fitted.bias, "least": least}
    print(json.dumps(written, indent=1))
    if options.write:
        WRITTEN.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    finish({**report, **written}, options.json)


if __name__ == "__main__":
    asyncio.run(main())
