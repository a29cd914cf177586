"""Of several tables the one is taken that a question names, and of its rows all that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from footnote.answering.reader_answers import ReaderAnswerer
from footnote.domain import Answer, BlockKind, Passage
from footnote.index.analysis import TextAnalyzer
from footnote.ports import (
    ColumnPrediction,
    ColumnProbabilities,
    Operation,
    TableOperationPrediction,
    TitledColumn,
)

from .drawn import assert_every_statement_can_be_opened
from .factories import make_evidence, make_passage
from .test_reader_answers import MarkingReader

ORDERS = """| Order No | Customer | Product | Units | Unit price EUR | Status |
|---|---|---|---|---|---|
| OR-1 | Bram Bakery | Deck oven | 2 | 7200 | delivered |
| OR-2 | Castell | Mixer | 1 | 3890 | delivered |
| OR-3 | Castell | Deck oven | 4 | 6990 | cancelled |"""
MACHINES = """| Article | Name | Price | Weeks |
|---|---|---|---|
| M-1 | Mixer | 3950 | 4 |
| M-2 | Deck oven | 7250 | 8 |"""
PARTS = """| Article | Name | Price | Fits |
|---|---|---|---|
| A-1 | Baking stone | 145 | Deck oven, Mixer |
| A-2 | Door seal | 38 | Deck oven |
| A-3 | Bowl cover | 56 | Mixer |"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideTitles:
    """Tells a column and what is asked of it by the titles of its table alone."""

    columns: Mapping[str, str]
    """The title that is meant of a table, by the title of its rows."""
    operation: Operation | None
    probability: float = 0.8
    each: Mapping[Operation, float] = field(default_factory=dict)
    """How likely each operation is."""
    offered: list[Sequence[str]] = field(default_factory=list)

    async def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        row, *titles = (each.title for each in columns)
        title = self.columns.get(row)
        if title not in titles:
            return None
        return ColumnPrediction(
            number=titles.index(title), probability=0.9, extreme=Operation.LARGEST, extreme_odds=4.0
        )

    async def column_probabilities(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnProbabilities | None:
        return None

    async def predict_operation(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> TableOperationPrediction | None:
        row, *titles = (each.title for each in columns)
        self.offered.append((row, *titles))
        none = 0.1 if row in self.columns else 0.9
        return TableOperationPrediction(
            operation=self.operation,
            probability=self.probability,
            no_column_probability=none,
            operation_probabilities=self.each,
        )


def three_tables() -> Sequence[Passage]:
    return (
        make_passage(PARTS, name="prices", kinds=[BlockKind.TABLE], headings=("List", "Parts")),
        make_passage(
            MACHINES,
            name="prices",
            ordinal=1,
            offset=1000,
            kinds=[BlockKind.TABLE],
            headings=("List", "Machines"),
        ),
        make_passage(ORDERS, name="orders", kinds=[BlockKind.TABLE]),
    )


def answering(reader: MarkingReader, finder: BesideTitles) -> ReaderAnswerer:
    return ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())


async def answered(
    question: str, finder: BesideTitles, *, alone: Operation | None = None
) -> Answer:
    evidence = make_evidence(*three_tables())
    answerer = answering(MarkingReader(marked=(), asks=alone), finder)
    answer = await answerer(question, evidence)
    if answer.found:
        assert_every_statement_can_be_opened(answer, evidence)
    return answer


EVERY_PRICE = {"Article": "Price", "Order No": "Unit price EUR"}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        # The title that is said in whole is that of another table than the word "price" alone.
        ("What is the highest unit price?", "OR-1 — Unit price EUR: 7200 (largest of 3 rows)"),
        (
            "What is the highest unit price of what was delivered?",
            "OR-1, Bram Bakery — Unit price EUR: 7200 (largest of 2 rows, Status: delivered)",
        ),
        # What stands above a table says what its rows are.
        ("Which of the parts has the highest price?", "A-1, Baking stone — Price: 145"),
        ("Which of the machines has the highest price?", "M-2, Deck oven — Price: 7250"),
    ],
)
async def test_a_table_is_known_by_its_titles_and_by_what_stands_above_it(
    question: str, said: str
) -> None:
    finder = BesideTitles(columns=EVERY_PRICE, operation=Operation.LARGEST)
    answer = await answered(question, finder)
    assert answer.text.startswith(said)


async def test_what_is_asked_is_told_beside_the_titles() -> None:
    question = "How many units of the Deck oven were ordered?"
    finder = BesideTitles(columns={"Order No": "Units"}, operation=Operation.SUM)
    # The question alone sounds like a count of rows.
    answer = await answered(question, finder, alone=Operation.COUNT)
    assert answer.text.startswith("Sum of Units: 6 (2 rows, Product: Deck oven)")
    assert ("Article", "Name", "Price", "Fits") in finder.offered
    cell = replace(finder, operation=None)
    assert not (await answered(question, cell, alone=Operation.COUNT)).found


async def test_a_count_is_as_sure_as_that_it_is_asked_for() -> None:
    for probability in (0.61, 0.93):
        finder = BesideTitles(columns={}, operation=Operation.COUNT, probability=probability)
        rows = await answered("How many orders has Castell?", finder)
        assert rows.text.startswith("Count of Order No: 2 (Customer: Castell)")
        assert rows.confidence == probability
        every = await answered("How many machines are there?", finder)
        assert every.text.startswith("Count of Article: 2 (all rows of the table)")
        assert every.confidence == probability


async def test_a_cell_of_several_things_says_each_of_them() -> None:
    finder = BesideTitles(columns=EVERY_PRICE, operation=Operation.LARGEST)
    answer = await answered("Which of the parts that fit the Deck oven has the top price?", finder)
    assert answer.text.startswith("A-1, Baking stone — Price: 145 (largest of 2 rows, Fits: ")
    evidence = make_evidence(*three_tables()[:1])
    for marked in ("Deck oven |", "A-2"):
        reader = MarkingReader(marked=[(marked, 0.9)])
        answerer = ReaderAnswerer(reader=reader, analyzer=TextAnalyzer())
        found = await answerer("Which parts fit the Deck oven?", evidence)
        assert [each.text for each in found.sentences] == [
            "A-1 — Name: Baking stone, Fits: Deck oven, Mixer",
            "A-2 — Name: Door seal, Fits: Deck oven",
        ]
        assert_every_statement_can_be_opened(found, evidence)
