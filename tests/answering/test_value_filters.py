"""Which cells of a column keep to a bound is exact: by number, by time, and by what a date says."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.table_question import link_to_tables
from footnote.answering.value_filters import FilteredRows, filter_rows
from footnote.domain import BlockKind
from footnote.index.analysis import TextAnalyzer
from footnote.language.quantities import NotComparable
from footnote.ports import ComparisonOperator

from .factories import make_evidence, make_passage

MORE, BETWEEN = ComparisonOperator.MORE, ComparisonOperator.BETWEEN

ANALYZER = TextAnalyzer()
HOLDS: dict[ComparisonOperator, Callable[[Any, Any], bool]] = {
    ComparisonOperator.MORE: operator.gt,
    ComparisonOperator.AT_LEAST: operator.ge,
    ComparisonOperator.LESS: operator.lt,
    ComparisonOperator.AT_MOST: operator.le,
    ComparisonOperator.EQUAL: operator.eq,
}


def beside(
    question: str, cells: Sequence[str], *, title: str = "What", language: str = "en"
) -> LinkedQuestion:
    """A question beside a table of two columns, the rows called by letters."""
    rows = "\n".join(f"| r{chr(97 + at)} | {cell} |" for at, cell in enumerate(cells))
    passage = make_passage(f"| Row | {title} |\n|---|---|\n{rows}", kinds=[BlockKind.TABLE])
    evidence = make_evidence(replace(passage, language=language))
    terms = partial(ANALYZER.terms, language=language)
    return next(link_to_tables(question, evidence, terms))


def kept(asked: LinkedQuestion, bound: ComparisonOperator) -> list[str]:
    """The cells that keep to it."""
    found = filter_rows(asked, 1, bound)
    assert isinstance(found, FilteredRows), found
    return [each.cells[1].text for each in found.rows]


@given(
    numbers=st.lists(st.integers(0, 60), min_size=2, max_size=8, unique=True),
    value=st.integers(0, 60),
    bound=st.sampled_from(list(HOLDS)),
)
def test_numbers_are_compared_as_numbers(
    numbers: list[int], value: int, bound: ComparisonOperator
) -> None:
    # Whether the last row sums up the others is told elsewhere.
    numbers = [*sorted(numbers, reverse=True)]
    asked = beside(f"Is it {value}?", [f"{each}" for each in numbers])
    own = [int(each.cells[1].text) for each in asked.totals.own]
    assert kept(asked, bound) == [f"{each}" for each in own if HOLDS[bound](each, value)]


@given(
    days=st.lists(st.integers(0, 900), min_size=3, max_size=8, unique=True),
    day=st.integers(0, 900),
    bound=st.sampled_from(list(HOLDS)),
    said=st.sampled_from(["%d %B %Y", "%B %Y", "%Y"]),
)
def test_dates_are_compared_by_as_much_as_is_said(
    days: list[int], day: int, bound: ComparisonOperator, said: str
) -> None:
    first = date(2022, 1, 1)
    cells = [(first + timedelta(days=each)).isoformat() for each in days]
    value = first + timedelta(days=day)
    parts = {"%d %B %Y": 10, "%B %Y": 7, "%Y": 4}[said]
    wanted = [each for each in cells if HOLDS[bound](each[:parts], value.isoformat()[:parts])]
    assert kept(beside(f"Is it {value.strftime(said)}?", cells), bound) == wanted


@pytest.mark.parametrize(
    ("question", "cells", "bound", "wanted"),
    [
        ("between 3 and 6 March 2024", ["2024-03-02", "2024-03-06"], BETWEEN, [1]),
        ("from March to May 2024", ["2023-04-01", "2024-05-31"], ComparisonOperator.BETWEEN, [1]),
        ("before May", ["7 March", "1 May", "30 April"], ComparisonOperator.LESS, [0, 2]),
        ("after March", ["31-Mar-24", "14-Sep-24", "01-Jan-24"], ComparisonOperator.MORE, [1]),
        ("since June 2023", ["05/2023", "06/2023", "01/2024"], ComparisonOperator.AT_LEAST, [1, 2]),
        ("vor dem 13.5.", ["12.05.2024", "13.05.2024", "14.05.2024"], ComparisonOperator.LESS, [0]),
        ("before 8", ["7:40", "8:00", "17:05"], ComparisonOperator.LESS, [0]),
        ("until 1 pm", ["12:59", "13:00", "13:01"], ComparisonOperator.AT_MOST, [0, 1]),
        ("below -5", ["-7", "-5", "3"], ComparisonOperator.LESS, [0]),
        ("¿Qué habitaciones cuestan más de 1.000 euros?", ["65", "210", "1200"], MORE, [2]),
        ("over 1.200 Euro", ["900", "1.250", "1.200"], ComparisonOperator.MORE, [1]),
        ("more than 10k", ["9,000", "10,001", "25,000"], ComparisonOperator.MORE, [1, 2]),
        ("more than one", ["1", "2", "4"], ComparisonOperator.MORE, [1, 2]),
        ("between 20 and 12", ["11", "12", "20"], ComparisonOperator.BETWEEN, [1, 2]),
        ("rb and others with 4", ["4", "5", "4"], ComparisonOperator.EQUAL, [0, 2]),
        ("over 5", ["7", "", "4"], ComparisonOperator.MORE, [0]),
    ],
)  # fmt: skip
def test_values_are_read_as_they_are_written(
    question: str, cells: list[str], bound: ComparisonOperator, wanted: list[int]
) -> None:
    language = "de" if "Euro" in question or "vor" in question else "en"
    assert kept(beside(question, cells, language=language), bound) == [
        cells[each] for each in wanted
    ]


@pytest.mark.parametrize(
    ("question", "cells", "title", "why"),
    [
        ("over 3", ["red", "blue", "green"], "Colour", "holds other things"),
        ("over 3", ["5 kg", "7 m", "9 kg"], "Size", "its units differ"),
        ("over 3 kg", ["500", "700", "9,000"], "Weight (g)", "in another unit than 'kg'"),
        ("over €30", ["$50", "$70", "$9"], "Price", "in another unit than 'EUR'"),
        ("over 300,000", ["298", "372", "245"], "Price k£", "says thousands or millions"),
        ("on 3/6/2024", ["2024-06-03", "2024-03-06", "2024-01-01"], "Sent", "name its month"),
        ("in May", ["2023-05-01", "2024-05-01", "2024-06-01"], "Sent", "the year is not said"),
        ("in 2023", ["3 May", "4 May", "9 May"], "Sent", "have no year"),
        ("after May", ["3 August", "4 November", "9 January", "2 March"], "Sent", "of two years"),
        ("in Q2 2023", ["2023-05-01", "2024-05-01", "2024-06-01"], "Sent", "not by quarter"),
        ("more than 40 minutes", ["0:52:10", "0:47:31", "1:04:55"], "Time", "have seconds"),
        ("more than £1.5m", ["£1.2m", "£850k", "£120,000"], "Cost", "its units differ"),
        ("before 31 February 2021", ["2021-02-01", "2021-04-01"], "Sent", "in no calendar"),
        ("more than most", ["5", "7", "9"], "Size", "not told by one number"),
        ("3 of those over 5", ["5", "7", "9"], "Size", "not told by one number"),
    ],
)
def test_what_cannot_be_compared_is_told(
    question: str, cells: list[str], title: str, why: str
) -> None:
    found = filter_rows(beside(question, cells, title=title), 1, ComparisonOperator.MORE)
    assert isinstance(found, NotComparable)
    assert why in found.reason


def test_a_minus_belongs_to_what_is_said() -> None:
    found = filter_rows(
        beside("lower than -20 °C", ["-21", "-3", "-40"]), 1, ComparisonOperator.LESS
    )
    assert isinstance(found, FilteredRows)
    assert (found.text, len(found.rows)) == ("< -20", 2)


def test_the_values_of_a_bound_are_said_and_left_out() -> None:
    found = filter_rows(
        beside("from 4 to 9, if there are", ["5", "3", "9"]), 1, ComparisonOperator.BETWEEN
    )
    assert isinstance(found, FilteredRows)
    assert (found.text, found.rest.split()) == ("4 – 9", "from to , if there are".split())
