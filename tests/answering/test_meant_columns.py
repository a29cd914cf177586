"""A column is computed over that the question is about without saying its title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from footnote.answering.reader_answers import ReaderAnswerer
from footnote.domain import BlockKind
from footnote.index.analysis import TextAnalyzer
from footnote.ports import MeantColumn, Operation

from .factories import make_evidence, make_passage
from .test_column_answers import HearingReader

SHIPS = """| ship | length_m | crew | built | port |
|---|---|---|---|---|
| Heron | 31 | 9 | 1958 | Selm |
| Petrel | 24 | 14 | 1911 | Tarn |
| Gannet | 27 | 6 | 1984 | Tarn |"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """Knows the column of some words, and remembers what it was asked beside."""

    columns: Mapping[str, tuple[str, Operation]]
    asked: list[tuple[str, Sequence[str]]] = field(default_factory=list)

    async def column(self, question: str, row: str, titles: Sequence[str]) -> MeantColumn | None:
        self.asked.append((row, titles))
        for word, (title, extreme) in self.columns.items():
            if word in question:
                return MeantColumn(number=titles.index(title), extreme=extreme)
        return None


KNOWN = {
    "longest": ("length m", Operation.LARGEST),
    "oldest": ("built", Operation.SMALLEST),
    "aboard": ("crew", Operation.LARGEST),
}


async def said(question: str, finder: Finder | None, asks: Operation = Operation.LARGEST) -> str:
    reader = HearingReader(marked=(), asks=asks, heard=("longest", "oldest", "most", "aboard"))
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    answer = await answerer(question, make_evidence(make_passage(SHIPS, kinds=[BlockKind.TABLE])))
    return answer.text if answer.found else ""


@pytest.mark.parametrize(
    ("question", "asks", "answer"),
    [
        (
            "Which ship is the longest?",
            Operation.LARGEST,
            "Heron — length_m: 31 (largest of 3 rows) [1]",
        ),
        # The model that hears operations does not see that a year is asked about.
        (
            "Which ship is the oldest?",
            Operation.LARGEST,
            "Petrel — built: 1911 (smallest of 3 rows) [1]",
        ),
        ("What is aboard?", Operation.SUM, "Sum of crew: 29 (3 rows) [1] [2] [3]"),
        ("Which wooden ship is the longest?", Operation.LARGEST, ""),
        ("Which ship has most fans?", Operation.LARGEST, ""),
    ],
)
async def test_a_word_that_means_a_column_is_enough(
    question: str, asks: Operation, answer: str
) -> None:
    assert await said(question, Finder(columns=KNOWN), asks) == answer
    assert await said(question, None, asks) == ""


async def test_columns_of_numbers_are_offered_where_the_question_says_none() -> None:
    finder = Finder(columns=KNOWN)
    await said("Which ship is the longest?", finder)
    assert finder.asked == [("ship", ["length m", "crew", "built"])]
    await said("Which ship has most crew?", finder)
    assert len(finder.asked) == 1
