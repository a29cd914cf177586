"""What is asked of several rows that a question names by what their cells say."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.column_aggregation import Computed, NotComputed, TableReading, compute
from footnote.answering.row_group_answers import predict_for_row_group
from footnote.answering.tables import tables_of
from footnote.domain import Answer, BlockKind
from footnote.index.analysis import TextAnalyzer
from footnote.ports import Operation, TableOperationPrediction

from .drawn import assert_every_statement_can_be_opened
from .factories import make_evidence, make_passage
from .test_reader_answers import MarkingReader
from .test_tables_beside_each_other import BesideTitles, answering

PLAYS = """| Play | Author | Stage | Shows | Opens |
|---|---|---|---|---|
| Saltmarsh | Ida Romney | Studio | 12 | 2025-03-01 |
| The Goose | Ida Romney | Main stage | 30 | 2025-04-10 |
| Small Hours | Kai Lund | Studio | 9 | 2025-05-12 |
| Night Bus | Kai Lund | Main stage | 21 | 2025-06-03 |
| Low Tide | Ida Romney | Studio | 14 | 2025-09-20 |"""
FLEET = """| Vessel | Type | Passengers | Opened | Status | Minutes |
|---|---|---|---|---|---|
| Dunlin | Ro-ro ferry | 540 | 2025-03-01 | open | 70 |
| Bramble | Passenger ferry | 140 | 2025-04-10 | closed | 55 |
| Kittiwake | Passenger ferry | 300 | 2025-05-12 | open | 55 |
| Heron | Passenger ferry | 85 | 2025-06-03 | closed | 55 |"""
NOTHING = dict.fromkeys(Operation, 0.01)
"""Of a question that a model takes for one about a cell."""


async def answered(question: str, finder: BesideTitles) -> Answer:
    evidence = make_evidence(make_passage(PLAYS, name="plays", kinds=[BlockKind.TABLE]))
    answer = await answering(MarkingReader(marked=(), asks=None), finder)(question, evidence)
    if answer.found:
        assert_every_statement_can_be_opened(answer, evidence)
    return answer


UNSURE = BesideTitles(columns={}, operation=None, each=NOTHING)


async def test_rows_are_counted_though_a_model_takes_their_group_for_a_row() -> None:
    unsure = replace(UNSURE, each=NOTHING | {Operation.COUNT: 0.45})
    counted = await answered("How many plays are in the Studio?", unsure)
    assert counted.text.startswith("Count of Play: 3 (Stage: Studio)")
    # One row alone is called so, and has no number of such things.
    assert not (await answered("How many plays are in Saltmarsh?", unsure)).found


async def test_a_column_of_numbers_is_added_up_for_the_rows_that_are_named() -> None:
    finder = BesideTitles(
        columns={"Play": "Shows"}, operation=None, each=NOTHING | {Operation.SUM: 0.4}
    )
    summed = await answered("How many shows did Ida Romney have?", finder)
    assert summed.text.startswith("Sum of Shows: 56 (3 rows, Author: Ida Romney)")


async def test_the_rows_of_a_group_are_named_where_nothing_else_is_asked() -> None:
    listed = await answered("Which plays are in the Studio?", UNSURE)
    assert listed.text.startswith("Saltmarsh; Small Hours; Low Tide (Stage: Studio, 3 rows)")
    assert len(listed.citations) == 3
    assert 0.3 <= listed.confidence < 0.7

    for absent in ("Who pays for the Studio?", "Which plays won awards in the Studio last year?"):
        assert not (await answered(absent, UNSURE)).found


async def test_rows_are_counted_though_a_column_of_numbers_may_be_meant() -> None:
    finder = BesideTitles(columns={"Play": "Shows"}, operation=Operation.COUNT)
    for question, said in (
        ("How many plays?", "Count of Play: 5 (all rows of the table)"),
        ("How many plays are by Kai Lund?", "Count of Play: 2 (Author: Kai Lund)"),
    ):
        assert (await answered(question, finder)).text.startswith(said)
    # Neither are all rows counted for words that nothing explains.
    assert not (await answered("How many plays still wait for their costumes?", finder)).found


async def of_fleet(question: str, column: str, **chances: float) -> Answer:
    finder = BesideTitles(
        columns={"Vessel": column},
        operation=None,
        each=NOTHING | {Operation(each): at for each, at in chances.items()},
    )
    evidence = make_evidence(make_passage(FLEET, name="fleet", kinds=[BlockKind.TABLE]))
    return await answering(MarkingReader(marked=(), asks=None), finder)(question, evidence)


async def test_a_title_that_is_said_in_saying_a_group_is_no_column_to_add_up() -> None:
    counted = await of_fleet(
        "How many passenger ferries are there?", "Passengers", count=0.2, sum=0.2
    )
    assert counted.text.startswith("Count of Vessel: 3 (Type: Passenger ferry)")
    summed = await of_fleet(
        "How many passengers do the passenger ferries carry?", "Passengers", count=0.1, sum=0.6
    )
    assert summed.text.startswith("Sum of Passengers: 525 (3 rows, Type: Passenger ferry)")


async def test_a_column_of_dates_is_nothing_that_is_counted_instead_of_rows() -> None:
    counted = await of_fleet("How many ships are a passenger ferry?", "Opened", count=0.6)
    assert counted.text.startswith("Count of Vessel: 3 (Type: Passenger ferry)")
    unsure = await of_fleet("How many ships are a passenger ferry?", "Minutes", count=0.6)
    assert not unsure.found


async def test_a_cell_that_is_said_literally_comes_before_a_title_of_the_same_stem() -> None:
    counted = await of_fleet("How many vessels are open?", "Opened", count=0.6)
    assert counted.text.startswith("Count of Vessel: 2 (Status: open)")


async def test_a_number_that_all_rows_of_a_group_have_is_said_once() -> None:
    asked = "How many minutes does a passenger ferry take?"
    said = await of_fleet(asked, "Minutes", sum=0.3)
    assert said.text.startswith("Minutes: 55 (in all of 3 rows, Type: Passenger ferry)")
    assert len(said.citations) == 3
    # Where a sum is asked for, it is one.
    summed = await of_fleet(asked, "Minutes", sum=0.8)
    assert summed.text.startswith("Sum of Minutes: 165")


@given(
    chances=st.lists(st.floats(0, 1), min_size=len(Operation) + 1, max_size=len(Operation) + 1),
    none=st.floats(0, 1),
)
def test_whatever_a_model_says_one_thing_is_asked_at_most(
    chances: list[float], none: float
) -> None:
    total = sum(chances) or 1.0
    told = TableOperationPrediction(
        operation=None,
        probability=0.5,
        no_column_probability=none,
        operation_probabilities={
            each: at / total for each, at in zip(Operation, chances, strict=False)
        },
    )
    passage = make_passage(PLAYS, name="plays", kinds=[BlockKind.TABLE])
    tables = list(tables_of(make_evidence(passage)))
    terms = partial(TextAnalyzer().terms, language="en")
    known = {tuple(tables[0].header): told}
    asked = predict_for_row_group("Which plays are in the Studio?", tables, terms, known)
    assert asked is not None
    assert 0 < asked.prediction.probability <= 1
    assert asked.prediction.operation is None or asked.names == 0
    assert asked.names in (0, asked.prediction.probability)


@pytest.mark.parametrize("question", ["Where is Saltmarsh played?", "Which plays are on?"])
def test_a_question_that_names_no_several_rows_is_left_to_the_model(question: str) -> None:
    passage = make_passage(PLAYS, name="plays", kinds=[BlockKind.TABLE])
    tables = list(tables_of(make_evidence(passage)))
    terms = partial(TextAnalyzer().terms, language="en")
    told = TableOperationPrediction(
        operation=None, probability=0.9, no_column_probability=0.5, operation_probabilities=NOTHING
    )
    known = {tuple(tables[0].header): told}
    assert predict_for_row_group(question, tables, terms, known) is None


@pytest.mark.parametrize(
    ("question", "is_counted"),
    [
        ("How many vessels are open?", True),
        ("How many open vessels lost their anchor last winter?", False),
    ],
)
def test_nothing_is_unmet_where_the_rows_explain_all_that_is_asked(
    question: str, is_counted: bool
) -> None:
    evidence = make_evidence(make_passage(FLEET, name="fleet", kinds=[BlockKind.TABLE]))
    row = next(iter(tables_of(evidence))).rows[0].candidate
    found = compute(
        question,
        Operation.COUNT,
        [LocatedAnswer(candidate=row, start=row.start, end=row.end, probability=0.0)],
        evidence,
        partial(TextAnalyzer().terms, language="en"),
        reading=TableReading(mismatch={row.evidence.passage.chunk_id: 2.0}),
    )
    assert isinstance(found, Computed if is_counted else NotComputed)
