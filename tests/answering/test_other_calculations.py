"""What is asked over rows and not computed is refused with the reason, and rows are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from footnote.answering.reader_answers import ReaderAnswerer
from footnote.domain import Answer, BlockKind
from footnote.index.analysis import TextAnalyzer
from footnote.ports import Operation

from .factories import make_evidence, make_passage
from .test_column_answers import EXPENSES, HearingReader
from .test_column_predictions import Finder
from .test_reader_answers import MarkingReader

FINDER = Finder(columns={"spent": ("amount eur", Operation.LARGEST)})


async def asked(
    question: str,
    *marked: tuple[str, float],
    asks: Operation | None = Operation.OTHER,
    table: str = EXPENSES,
    prose: str = "Berlin keeps its receipts.",
) -> Answer:
    """The answer where this operation is heard, beside the table and a sentence."""
    reader = MarkingReader(marked=marked, asks=asks)
    answerer = ReaderAnswerer(reader=reader, finder=FINDER, analyzer=TextAnalyzer())
    passages = make_passage(table, kinds=[BlockKind.TABLE]), make_passage(prose, name="prose")
    return await answerer(question, make_evidence(*passages))


@pytest.mark.parametrize("marked", [(), (("540", 0.9),), (("540", 0.4),)])
async def test_another_calculation_is_refused_with_the_reason(
    marked: Sequence[tuple[str, float]],
) -> None:
    answer = await asked("What is the median of what was spent?", *marked)
    assert not answer.found
    assert "largest, smallest, sum, average and count" in answer.degraded[0]


async def test_another_calculation_that_prose_gives_is_said() -> None:
    prose = "The median of what was spent is 540 EUR."
    answer = await asked("What is the median?", ("540 EUR", 0.9), prose=prose)
    assert answer.sentences[0].text == prose


async def test_a_question_for_another_calculation_that_no_table_is_about_has_no_reason() -> None:
    answer = await asked("What is the median age?")
    assert not answer.found
    assert not answer.degraded


class _Median(HearingReader):
    """Reads what is marked, too."""

    read = MarkingReader.read


async def test_a_column_of_medians_is_read() -> None:
    table = EXPENSES.replace("amount_eur", "median")
    reader = _Median(marked=[("760", 0.9)], asks=Operation.OTHER, heard=("median",))
    finder = Finder(columns={"median": ("median", Operation.LARGEST)})
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    evidence = make_evidence(make_passage(table, kinds=[BlockKind.TABLE]))
    answer = await answerer("What is the median of T-4?", evidence)
    assert answer.sentences[0].text == "T-4 — median: 760"


COUNTS: Mapping[str, str | None] = {
    "How many expenses has Berlin?": "Count of id: 3 (office: Berlin)",
    "How many trips has the Berlin office under travel?": (
        "Count of id: 2 (office: Berlin, category: travel)"
    ),
    # A column of numbers that is said or meant has its number in a cell, or is added up.
    "How many euros, by amount_eur, has Berlin?": None,
    "How many euros were spent by Berlin?": None,
    "How many expenses has Hamburg?": None,
    "How many expenses has T-1 of Berlin?": None,
}


@pytest.mark.parametrize(("question", "answer"), COUNTS.items())
async def test_rows_of_a_group_are_counted(question: str, answer: str | None) -> None:
    found = await asked(question, asks=Operation.COUNT)
    assert (found.sentences[0].text if found.found else None) == answer


async def test_a_bound_is_named_that_no_row_has() -> None:
    for question, bound in (
        ("How much was spent over 500 in all?", "500"),
        ("How much was spent in 2023 by Berlin?", "2023"),
    ):
        answer = await asked(question, asks=Operation.SUM)
        assert not answer.found
        assert f"'{bound}' is in none of them" in answer.degraded[0]


FAIRS = """| fair | town | cost_eur |
|---|---|---|
| Wenlock Festival | Ostby | 300 |
| Wenlock Festival | Selm | 250 |
| Spring Market | Ostby | 120 |
| Pageant of Lanterns, Kites and Boats | Selm | 70 |"""


@pytest.mark.parametrize(
    ("question", "asks", "answer"),
    [
        # No other name has the word.
        ("What was spent on the Festival?", Operation.SUM, "Sum of cost_eur: 550"),
        ("What was spent on the Pageant?", Operation.SUM, None),
        ("What was spent on the Wenlock Festival?", Operation.SUM, "Sum of cost_eur: 550"),
        # The name of the column of names is no piece of one.
        ("What was spent on each fair in all?", Operation.SUM, "Sum of cost_eur: 740"),
    ],
)
async def test_a_piece_of_a_name_is_not_left_out(
    question: str, asks: Operation, answer: str | None
) -> None:
    finder = Finder(columns={"spent": ("cost eur", Operation.LARGEST)})
    reader = MarkingReader(marked=(), asks=asks)
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    found = await answerer(question, make_evidence(make_passage(FAIRS, kinds=[BlockKind.TABLE])))
    if answer is None:
        assert not found.found
        assert "'Pageant' may mean 'Pageant of Lanterns, Kites and Boats'" in found.degraded[0]
    else:
        assert found.sentences[0].text.startswith(answer)
