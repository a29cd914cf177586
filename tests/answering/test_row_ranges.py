"""Rows that a question names by their first and last, or one by one, are computed with together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from footnote.answering.reader_answers import ReaderAnswerer
from footnote.domain import Answer, BlockKind
from footnote.index.analysis import TextAnalyzer
from footnote.ports import Operation, RowRange

from .drawn import assert_every_statement_can_be_opened
from .factories import make_evidence, make_passage
from .test_reader_answers import MarkingReader
from .test_row_comparison import Titled

FERRY = """| Month | Line | Passengers | Late |
|---|---|---|---|
| January | red | 1,200 | 4 |
| February | red | 1,350 | 6 |
| March | blue | 1,820 | 2 |
| April | red | 2,210 | 1 |
| Total | | 6,580 | 13 |"""

BACKWARDS = """| Month | Passengers |
|---|---|
| Apr | 2,210 |
| Mar | 1,820 |
| Feb | 1,350 |
| Jan | 1,200 |"""

YEARS = """| Year | Orders |
|---|---|
| 2021 | 40 |
| 2024 | 90 |
| 2023 | 70 |
| 2022 | 50 |"""

STAGES = """| Stage | Hours |
|---|---|
| Survey | 3 |
| Digging | 20 |
| Planting | 8 |
| Watering | 5 |"""


def telling(
    title: str = "Passengers",
    operation: Operation | None = Operation.SUM,
    ranges: Mapping[RowRange, float] | None = None,
    extreme: Operation = Operation.LARGEST,
    narrowing: Sequence[str] = (),
) -> Titled:
    """What tells a column, what is asked of it, and which rows are meant."""
    chances = {} if operation is None else {operation: 0.9}
    return Titled(
        title=title,
        operation=operation,
        heard=dict.fromkeys(Operation, 0.01) | chances,
        ranges=ranges or {},
        extreme=extreme,
        narrowing=narrowing,
    )


async def answered(question: str, table: str, finder: Titled) -> Answer:
    answerer = ReaderAnswerer(
        reader=MarkingReader(marked=()), finder=finder, analyzer=TextAnalyzer()
    )
    return await answerer(question, make_evidence(make_passage(table, kinds=[BlockKind.TABLE])))


BETWEEN, FROM = {RowRange.BETWEEN: 0.95}, {RowRange.FROM: 0.95}


@pytest.mark.parametrize(
    ("question", "table", "finder", "said"),
    [
        (
            "How many passengers were there from January to March?",
            FERRY,
            telling(ranges=BETWEEN),
            "Sum of Passengers: 4,370 (3 rows, Month: January – March)",
        ),
        (
            "How many passengers were there in January and March?",
            FERRY,
            telling(),
            "Sum of Passengers: 3,020 (2 rows, Month: January / March)",
        ),
        (
            "How many passengers on the red line from January to March?",
            FERRY,
            telling(ranges=BETWEEN),
            "Sum of Passengers: 2,550 (2 rows, Month: January – March, Line: red)",
        ),
        (
            "In which month from February on were there the fewest passengers?",
            FERRY,
            telling(ranges=FROM, operation=Operation.SMALLEST, extreme=Operation.SMALLEST),
            "February — Passengers: 1,350 (smallest of 3 rows, Month: February – April)",
        ),
        (
            "Average number of passengers after January",
            FERRY,
            telling(ranges={RowRange.AFTER: 0.95}, operation=Operation.AVERAGE),
            "Average of Passengers: 1,793.33 (3 rows, Month: February – April)",
        ),
        (
            "Passengers before March",
            FERRY,
            telling(ranges={RowRange.BEFORE: 0.95}),
            "Sum of Passengers: 2,550 (2 rows, Month: January – February)",
        ),
        (
            "How many passengers were there until the end of February?",
            BACKWARDS,
            telling(ranges={RowRange.UNTIL: 0.95}),
            "Sum of Passengers: 2,550 (2 rows, Month: Jan – Feb)",
        ),
        (
            "How many orders were there between 2021 and 2023?",
            YEARS,
            telling(title="Orders", ranges=BETWEEN),
            "Sum of Orders: 160 (3 rows, Year: 2021 – 2023)",
        ),
        (
            "How many hours are there from digging to watering?",
            STAGES,
            telling(title="Hours", ranges=BETWEEN),
            "Sum of Hours: 33 (3 rows, Stage: Digging – Watering)",
        ),
        (
            "How many passengers did each month from January to March have?",
            FERRY,
            telling(ranges=BETWEEN, operation=None),
            "January — Passengers: 1,200 (February: 1,350; March: 1,820)",
        ),
    ],
)
async def test_the_rows_that_are_meant_are_computed_with(
    question: str, table: str, finder: Titled, said: str
) -> None:
    answer = await answered(question, table, finder)
    assert [each.text for each in answer.sentences] == [said]
    assert_every_statement_can_be_opened(answer, answer.evidence)


@pytest.mark.parametrize(
    ("question", "table", "finder", "why"),
    [
        (
            "How many passengers were there from January to Easter?",
            FERRY,
            telling(ranges=BETWEEN),
            "'January' tells none; name its ends as",
        ),
        (
            "How many passengers were there after April?",
            FERRY,
            telling(ranges={RowRange.AFTER: 0.95}),
            "'April' tells none",
        ),
        (
            "How many of the months from January to March had over 1500 passengers?",
            FERRY,
            telling(ranges=BETWEEN, operation=Operation.COUNT),
            "'1500' is in none of them",
        ),
        (
            "How many passengers from Tarn were there from January to March?",
            FERRY,
            telling(ranges=BETWEEN, narrowing=("from Tarn",)),
            "no row of its table says 'from Tarn'",
        ),
        (
            "How many passengers were there from January to March, without the red line?",
            FERRY,
            telling(ranges=BETWEEN),
            "leaves out by 'without'",
        ),
        (
            "How many passengers were there in January and March?",
            FERRY,
            telling(ranges={RowRange.BETWEEN: 0.35}),
            "may be meant; name them all",
        ),
        (
            "What was late from January to April?",
            FERRY,
            telling(ranges=BETWEEN, operation=None, title="Line"),
            "nothing over them",
        ),
    ],
)
async def test_rows_that_are_not_all_told_are_not_computed_with(
    question: str, table: str, finder: Titled, why: str
) -> None:
    answer = await answered(question, table, finder)
    assert not answer.found
    assert [each for each in answer.degraded if why in each]


@pytest.mark.parametrize(
    ("question", "ranges", "operation"),
    [
        ("Were there more passengers in January or in March?", {}, Operation.LARGEST),
        ("How did passengers change from January to March?", BETWEEN, Operation.OTHER),
        ("Passengers from January to March", {RowRange.BETWEEN: 0.35}, Operation.OTHER),
    ],
)
async def test_rows_that_are_compared_keep_their_cells(
    question: str, ranges: Mapping[RowRange, float], operation: Operation
) -> None:
    answer = await answered(question, FERRY, telling(ranges=ranges, operation=operation))
    said = [each.text for each in answer.sentences]
    assert said == ["March — Passengers: 1,820 (January: 1,200)"]
