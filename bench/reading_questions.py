"""The questions that `fit_reading.py` fits on, and a reader that remembers what it said."""

from __future__ import annotations

import gzip
import json
import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from footnote.answering.answer_selection import contains_phrase
from footnote.answering.cite import Footnotes
from footnote.answering.reading_order import MAX_PASSAGES
from footnote.domain import Citation, Passage
from footnote.index.analysis import TextAnalyzer
from footnote.models.readers import LazyReader
from footnote.ports import (
    Embedder,
    Operation,
    PassageReading,
    PassageText,
    SupportProbabilities,
)
from office_search import search_office
from reading import Asked, office
from reading_sets import bm25, evidence_of, fused, passage_of
from written_questions import asked_of_written, search_mixed, search_written

SETS = {
    "squad-train-parts": 30,
    "squad2-dev-half": 20,
    "omosqa-en": 10,
    "tatqa-text": 13,
    "covidqa": 15,
    "nq-open-oracle": 15,
    "qed-dev": 8,
    "selqa-sent": 8,
    "piaf": 15,
    "omosqa-fr": 9,
    "squad-es-dev": 18,
    "squad-it-test": 13,
    "squad1-pt-sample": 10,
    "drcd": 13,
    "jaquad-dev": 8,
    "norquad": 8,
    "squad2-sv-dev": 8,
    "tydiqa-goldp-dev": 10,
    "afriqa": 10,
}
"""Questions of each; of those that a set calls impossible, half as many more."""
EVIDENCE = 8
"""Passages of a paragraph's set; of office papers there are `MAX_PASSAGES`."""
MAX_PARAGRAPHS = 250
LONGEST_PARAGRAPH = 1_200
"""Characters, about those of a chunk; what stands behind is neither read nor asked for."""

Drawn = tuple[int, str, dict[str, Any]]
"""The place of a paragraph, its block, and one of its questions as the file has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question over its evidence, and the paragraphs or papers it is kept together with."""

    collection: str
    group: str
    asked: Asked


async def questions_of_set(
    folder: Path, name: str, count: int, embedder: Embedder
) -> list[Question]:
    """Questions drawn from the paragraphs that `training/examples.py` leaves for evaluation.

    A paragraph that a set holds twice is one. A question whose paragraph was left out is not asked
    where another that is shown holds the words of its answer: whether that answers, nobody said.
    """
    passages: list[Passage] = []
    places: dict[str, int] = {}
    possible: list[Drawn] = []
    impossible: list[Drawn] = []
    read = 0
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for place, line in enumerate(lines):
            if (place // 10) % 20 != 19 or read == MAX_PARAGRAPHS:
                continue
            read += 1
            row = json.loads(line)
            text = row["context"][:LONGEST_PARAGRAPH]
            at = places.setdefault(text, len(passages))
            language = row["lang"].split(">")[-1].partition("-")[0]
            for each in row["questions"]:
                kind = impossible if each.get("impossible") else possible
                if each.get("impossible") or any(map(_is_read, each["answers"])):
                    kind.append((at, f"{name}-{place // 10}", each))
            if at < len(passages):
                continue
            passages.append(
                passage_of(
                    f"{name}-{place}",
                    len(passages),
                    row.get("title") or "",
                    text,
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
        words = [each["text"] for each in answers]
        for answerable, best in shown:
            if answerable and gold not in best:
                continue
            texts_shown = [passages[each].text for each in best]
            if not answerable and any(
                contains_phrase(one, text) for one in words for text in texts_shown
            ):
                continue
            evidence = evidence_of(passages, best, similar[row])
            asked = Asked(
                identity=f"{group}-{row}",
                question=texts[row],
                evidence=evidence,
                answerable=answerable,
                is_right=right,
            )
            found.append(Question(collection="reading sets", group=group, asked=asked))
    return found


def _is_read(answer: dict[str, Any]) -> bool:
    return bool(answer["start"] + len(answer["text"]) <= LONGEST_PARAGRAPH)


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
        for each in office(found, "development", MAX_PASSAGES)
    ]


async def questions_of_written(models: Path) -> list[Question]:
    """Questions about the written papers that training keeps apart."""
    found, questions = await search_written(models)
    return [
        Question(collection="written", group=paper, asked=asked)
        for paper, asked in asked_of_written(found, questions, MAX_PASSAGES)
    ]


async def questions_of_mixed(models: Path) -> list[Question]:
    """Questions about such papers in several languages at once."""
    found, questions = await search_mixed(models)
    return [
        Question(collection="mixed", group=paper, asked=asked)
        for paper, asked in asked_of_written(found, questions, MAX_PASSAGES)
    ]


def group_of(asked: Asked) -> str:
    """The paper that answers a question; without one, the question."""
    for each in asked.evidence:
        passage = each.passage
        cited = Footnotes().citation(passage, passage.body_offset, len(passage.text), None)
        if asked.answerable and asked.is_right(cited):
            return passage.filename
    return asked.question


class RememberingReader:
    """Reads and judges each pair of texts once, and keeps that in a file for the next run."""

    def __init__(self, reader: LazyReader, file: Path) -> None:
        self.name = reader.name
        self._reader, self._file = reader, file
        self._known: dict[tuple[str, PassageText], PassageReading] = {}
        self._judged: dict[tuple[str, str], SupportProbabilities] = {}
        if file.exists():
            self._known, self._judged = pickle.loads(file.read_bytes())

    async def read(self, question: str, passages: Sequence[PassageText]) -> list[PassageReading]:
        new = [each for each in dict.fromkeys(passages) if (question, each) not in self._known]
        if new:
            found = await self._reader.read(question, new)
            self._known.update(zip(((question, each) for each in new), found, strict=True))
        return [self._known[question, each] for each in passages]

    async def judge(
        self, statements: Sequence[str], quotes: Sequence[str]
    ) -> list[SupportProbabilities]:
        asked = list(zip(statements, quotes, strict=True))
        if new := [each for each in dict.fromkeys(asked) if each not in self._judged]:
            found = await self._reader.judge([one for one, _ in new], [one for _, one in new])
            self._judged.update(zip(new, found, strict=True))
        return [self._judged[each] for each in asked]

    async def injection_probabilities(self, texts: Sequence[str]) -> Sequence[float] | None:
        return await self._reader.injection_probabilities(texts)

    async def operation(self, question: str) -> Operation | None:
        return await self._reader.operation(question)

    def keep(self) -> None:
        """Write beside the file first: a run that ends meanwhile leaves what was kept."""
        beside = self._file.with_suffix(".part")
        beside.write_bytes(pickle.dumps((self._known, self._judged)))
        beside.replace(self._file)
