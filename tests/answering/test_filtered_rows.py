"""Rows whose number, date or time keeps to a bound are counted, computed with and named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from footnote.answering.column_aggregation import MAX_MISMATCH
from footnote.answering.reader_answers import ReaderAnswerer
from footnote.domain import Answer, BlockKind
from footnote.index.analysis import TextAnalyzer
from footnote.ports import (
    ColumnPrediction,
    ColumnProbabilities,
    ComparisonOperator,
    Operation,
    Reader,
    TableOperationPrediction,
    TitledColumn,
)

from .drawn import assert_every_statement_can_be_opened
from .factories import make_evidence, make_passage
from .test_reader_answers import MarkingReader

VANS = """| Van | Parcels | Driver | Out | Serviced | Cost £ |
|---|---|---|---|---|---|
| Heron | 212 | Okoro | 07:30 | 12/03/2024 | 84.20 |
| Dipper | 148 | Lindqvist | 08:15 | 04/11/2023 | 61.00 |
| Swift | 305 | Pell | 06:50 | 19/06/2024 | 120.75 |
| Wren | 200 | Okoro | 09:00 | 30/01/2024 | 40.05 |
| Total | 865 | | | | 306.00 |"""

SEATS = """| Van | Seats |
|---|---|
| Van 2 | 3 |
| Van 4 | 8 |
| Van 5 | 4 |"""

DEPOTS = """| Depot | Parcels |
|---|---|
| Tarn | 900 |
| Ulm | 300 |
| Vik | 100 |"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Tells a bound, the column that it is about, what is asked for and of which column."""

    bound: ComparisonOperator = ComparisonOperator.MORE
    bounded: str | None = "Parcels"
    operation: Operation | None = Operation.COUNT
    asked: str | None = None
    narrowing: Sequence[str] = ()
    sure: float = 0.9

    async def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        titles = [each.title for each in columns[1:]]
        if self.asked not in titles or self.operation is None:
            return None
        is_end = self.operation in (Operation.LARGEST, Operation.SMALLEST)
        return ColumnPrediction(
            number=titles.index(self.asked),
            probability=0.9,
            extreme=self.operation if is_end else Operation.LARGEST,
            extreme_odds=3.0,
            filter_phrases=self.narrowing,
        )

    async def column_probabilities(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnProbabilities | None:
        each = [0.9 if one.title == self.asked else 0.01 for one in columns[1:]]
        return ColumnProbabilities(
            probabilities=each, no_column_probability=1.0 - sum(each), filter_phrases=self.narrowing
        )

    async def predict_operation(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> TableOperationPrediction | None:
        told: dict[Operation, float] = {} if self.operation is None else {self.operation: 0.9}
        return TableOperationPrediction(
            operation=self.operation,
            probability=0.9,
            no_column_probability=0.05 if self.asked else 0.95,
            operation_probabilities=dict.fromkeys(Operation, 0.01) | told,
            operator_probabilities=dict.fromkeys(ComparisonOperator, 0.01)
            | {self.bound: self.sure},
            filter_column_probabilities=[
                0.95 if one.title == self.bounded else 0.0 for one in columns
            ],
        )


async def answered(
    question: str, finder: Telling, *tables: str, reader: Reader | None = None
) -> Answer:
    answerer = ReaderAnswerer(
        reader=reader or MarkingReader(marked=()), finder=finder, analyzer=TextAnalyzer()
    )
    passages = [
        make_passage(each, kinds=[BlockKind.TABLE], name=f"table {at}")
        for at, each in enumerate(tables or (VANS,))
    ]
    return await answerer(question, make_evidence(*passages))


NAMES = None


@pytest.mark.parametrize(
    ("question", "finder", "said"),
    [
        (
            "How many vans took more than 200 parcels?",
            Telling(),
            "Count of Van: 2 (Parcels: > 200)",
        ),
        (
            "How many vans took two hundred parcels or more?",
            Telling(bound=ComparisonOperator.AT_LEAST),
            "Count of Van: 3 (Parcels: ≥ two hundred)",
        ),
        (
            "How many vans took no more than 200 parcels?",
            Telling(bound=ComparisonOperator.AT_MOST),
            "Count of Van: 2 (Parcels: ≤ 200)",
        ),
        (
            "What did the vans with 150 to 250 parcels cost in all?",
            Telling(bound=ComparisonOperator.BETWEEN, operation=Operation.SUM, asked="Cost £"),
            "Sum of Cost £: 124.25 (2 rows, Parcels: 150 – 250)",
        ),
        (
            "What do vans that leave before 8 cost on average?",
            Telling(
                bound=ComparisonOperator.LESS,
                bounded="Out",
                operation=Operation.AVERAGE,
                asked="Cost £",
            ),
            "Average of Cost £: 102.4750 (2 rows, Out: < 8)",
        ),
        (
            "Which of the vans that leave after 7 am took most parcels?",
            Telling(bounded="Out", operation=Operation.LARGEST, asked="Parcels"),
            "Heron — Parcels: 212 (largest of 3 rows, Out: > 7 am)",
        ),
        (
            "Which vans were looked at in 2024?",
            Telling(bound=ComparisonOperator.EQUAL, bounded="Serviced", operation=NAMES),
            "Heron; Swift; Wren (Serviced: 2024, 3 rows)",
        ),
        (
            "Which vans were last looked at before March 2024?",
            Telling(bound=ComparisonOperator.LESS, bounded="Serviced", operation=NAMES),
            "Dipper; Wren (Serviced: < March 2024, 2 rows)",
        ),
        (
            "Who drives the vans that were serviced since 1 March 2024?",
            Telling(
                bound=ComparisonOperator.AT_LEAST,
                bounded="Serviced",
                operation=NAMES,
                asked="Driver",
            ),
            "Heron — Driver: Okoro; Swift — Driver: Pell (Serviced: ≥ 1 March 2024, 2 rows)",
        ),
        (
            "Which van cost over £100?",
            Telling(bounded="Cost £", operation=NAMES),
            "Swift (Cost £: > 100, 1 row)",
        ),
        (
            "How many vans took more than 400 parcels?",
            Telling(),
            "Count of Van: 0 (Parcels: > 400)",
        ),
        (
            "How many took more than 300?",
            Telling(),
            "Count of Van: 1 (Parcels: > 300)",
        ),
        (
            "Which vans have less than 4 seats?",
            Telling(bound=ComparisonOperator.LESS, bounded="Seats", operation=NAMES),
            "Van 2 (Seats: < 4, 1 row)",
        ),
        (
            "Which of Okoro's vans took more than 205 parcels?",
            Telling(operation=NAMES),
            "Heron (Parcels: > 205, Driver: Okoro, 1 row)",
        ),
    ],
)
async def test_rows_that_keep_to_a_bound_are_what_is_asked_about(
    question: str, finder: Telling, said: str
) -> None:
    answer = await answered(question, finder, SEATS if finder.bounded == "Seats" else VANS)
    assert [each.text for each in answer.sentences] == [said]
    assert_every_statement_can_be_opened(answer, answer.evidence)


@pytest.mark.parametrize(
    ("question", "operation", "said"),
    [
        ("How many vans took over 250 parcels?", Operation.COUNT, "Count of Van: 1 ("),
        ("How many vans took over 450 parcels?", Operation.COUNT, "Count of Van: 0 ("),
        ("Which depots have over 450 parcels?", NAMES, "Tarn (Parcels: > 450"),
        ("How many depots had over 100 m² for parcels?", Operation.COUNT, "Count of Depot: 2 ("),
        ("How many depots have over 990 parcels?", Operation.COUNT, "Count of Depot: 0 ("),
    ],
)
@pytest.mark.parametrize("tables", [(VANS, DEPOTS), (DEPOTS, VANS)])
async def test_of_two_tables_the_one_is_meant_that_explains_more_words(
    question: str, operation: Operation | None, said: str, tables: tuple[str, str]
) -> None:
    answer = await answered(question, Telling(operation=operation), *tables)
    assert [each.text[: len(said)] for each in answer.sentences] == [said]


@pytest.mark.parametrize(
    ("question", "finder", "why"),
    [
        (
            "Which vans took more than 400 parcels?",
            Telling(operation=NAMES),
            "no row of the table in 'table 0.pdf' has Parcels: > 400",
        ),
        (
            "How many vans took more than 200 parcels in under 3 hours?",
            Telling(),
            "not told by one number",
        ),
        (
            "How many vans of depot 7 took more than 200 parcels?",
            Telling(),
            "not told by one number",
        ),
        (
            "How many vans cost more than $90?",
            Telling(bounded="Cost £"),
            "is in another unit than 'USD'",
        ),
        (
            "How many vans were serviced in March?",
            Telling(bound=ComparisonOperator.EQUAL, bounded="Serviced"),
            "the year is not said",
        ),
        (
            "How many vans were serviced in Q1 2024?",
            Telling(bound=ComparisonOperator.EQUAL, bounded="Serviced"),
            "not by quarter",
        ),
        (
            "How many drivers are over 50?",
            Telling(bounded="Driver"),
            "holds other things than numbers",
        ),
        (
            "How many vans from Tarn took more than 200 parcels?",
            Telling(narrowing=("from Tarn",)),
            "says 'from Tarn'",
        ),
        (
            "How many vans took more than 200 parcels without a break?",
            Telling(),
            "leaves out by 'without'",
        ),
    ],
)
async def test_a_bound_that_is_not_wholly_told_is_refused_with_the_reason(
    question: str, finder: Telling, why: str
) -> None:
    answer = await answered(question, finder)
    assert not answer.found
    assert [each for each in answer.degraded if why in each]


@pytest.mark.parametrize(("unmet", "is_said"), [(MAX_MISMATCH, True), (MAX_MISMATCH + 0.1, False)])
async def test_nothing_is_computed_over_a_table_that_lacks_what_is_asked(
    unmet: float, is_said: bool
) -> None:
    reader = MarkingReader(marked=(), unmet=unmet)
    answer = await answered("How many carts took over 200 parcels?", Telling(), reader=reader)
    assert answer.found == is_said
    assert is_said or [each for each in answer.degraded if "'table 0.pdf' does not have" in each]


@pytest.mark.parametrize(
    ("question", "finder"),
    [
        ("How many vans took more than 200 parcels?", Telling(sure=0.4)),
        ("How long have 2 of the vans been running?", Telling(bounded=None)),
        ("How many vans took more parcels than others?", Telling()),
        ("Did Heron take more than 200 parcels?", Telling(operation=NAMES)),
    ],
)
async def test_without_a_bound_that_is_told_nothing_is_computed(
    question: str, finder: Telling
) -> None:
    answer = await answered(question, finder)
    assert not [each for each in answer.sentences if ">" in each.text]
