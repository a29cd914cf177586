"""The cells of a column are read as exact numbers in one unit, or not at all."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.language.quantities import (
    NotComparable,
    Quantities,
    Quantity,
    Style,
    marks_of,
    marks_of_amounts,
    number_in,
    quantities_of,
)

READ = [
    pytest.param(["1,200", "950"], "en", ["1200", "950"], id="english thousands"),
    pytest.param(["1.200", "950"], "de", ["1200", "950"], id="german thousands"),
    pytest.param(["1,250", "0,800"], None, ["1.250", "0.800"], id="decimals that one cell proves"),
    pytest.param(["1,250", "2,5"], None, ["1.250", "2.5"], id="decimals that a length proves"),
    pytest.param(["1,234.50", "12"], None, ["1234.50", "12"], id="both marks"),
    pytest.param(["1.234,50", "12"], None, ["1234.50", "12"], id="both marks, other way round"),
    pytest.param(["1 234,5", "7"], "fr", ["1234.5", "7"], id="spaces"),
    pytest.param(["1'234.50", "7"], None, ["1234.50", "7"], id="apostrophes"),
    pytest.param(["CHF 1,450", "CHF 12"], "en", ["1450", "12"], id="code before"),
    pytest.param(
        ["$ 1,452.4", "44.1", "$1,496.5"], "en", ["1452.4", "44.1", "1496.5"], id="report"
    ),
    pytest.param(["(1,234)", "5"], "en", ["-1234", "5"], id="brackets"),
    pytest.param(["$ (5)", "$ 7"], "en", ["-5", "7"], id="brackets behind a currency"),
    pytest.param(["−5", "-$7", "+3"], "en", ["-5", "-7", "3"], id="signs"),
    pytest.param(["5 kg", "300 kg"], "en", ["5", "300"], id="unit behind"),
    pytest.param(["12 %", "7%"], "en", ["12", "7"], id="percent"),
    pytest.param(["3 days", "12 days"], "en", ["3", "12"], id="words behind"),
    pytest.param(["12元", "3元"], "zh", ["12", "3"], id="chinese"),
    pytest.param(["$820", "$1,140", "$790"], None, ["820", "1140", "790"], id="amounts of dollars"),
    pytest.param(["820 €", "1.140 €"], None, ["820", "1140"], id="amounts of euros"),
    pytest.param(["$1,140", "$2,300"], "en", ["1140", "2300"], id="amounts as in the language"),
]


@pytest.mark.parametrize(("cells", "language", "values"), READ)
def test_numbers_are_read_exactly(
    cells: list[str], language: str | None, values: list[str]
) -> None:
    found = quantities_of(cells, language)
    assert isinstance(found, Quantities)
    assert list(found.values) == [Decimal(each) for each in values]


REFUSED = [
    pytest.param(["5 kg", "300 g"], "en", "units differ", id="units"),
    pytest.param(["5 EUR", "7 USD"], "en", "units differ", id="currencies"),
    pytest.param(["5 kg", "7"], "en", "units differ", id="a unit and none"),
    pytest.param(["5", "", "7"], "en", "1 of 3 rows have no number", id="empty"),
    pytest.param(["5", "n/a", "7"], "en", "1 of 3 rows have no number", id="not available"),
    pytest.param(["1,200", "3,400"], None, "read in two ways", id="unknown language"),
    pytest.param(["1,20,0", "3"], "en", "read in two ways", id="no form at all"),
    pytest.param(["$1,140", "$2,300"], None, "read in two ways", id="amounts, unknown language"),
    pytest.param(["€1.250", "€2.400"], "en", "read in two ways", id="amounts of three decimals"),
    pytest.param(["$1.125", "$3"], "en", "read in two ways", id="amounts against the language"),
    pytest.param(["820", "1,140"], None, "read in two ways", id="numbers that are no amounts"),
]


@pytest.mark.parametrize(("cells", "language", "reason"), REFUSED)
def test_what_cannot_be_compared_says_why(
    cells: list[str], language: str | None, reason: str
) -> None:
    found = quantities_of(cells, language)
    assert isinstance(found, NotComparable)
    assert reason in found.reason


@pytest.mark.parametrize(
    "cells",
    [["Anna", "Ben"], ["B-12", "B-13"], ["03:30", "11:00"], ["5-10", "7-9"], ["", ""], []],
    ids=["names", "identifiers", "times", "ranges", "empty", "none"],
)
def test_other_columns_are_no_numbers(cells: list[str]) -> None:
    assert quantities_of(cells, "en") is None


STYLES = st.builds(
    Style,
    point=st.just("."),
    group=st.sampled_from(["", ",", "'", "\u202f"]),
    prefix=st.sampled_from(["", "$", "CHF "]),
    suffix=st.just(""),
) | st.builds(
    Style,
    point=st.just(","),
    group=st.sampled_from(["", ".", " "]),
    prefix=st.just(""),
    suffix=st.sampled_from(["", " €", " kg", "%"]),
)


@given(STYLES, st.lists(st.decimals(-(10**7), 10**7, places=2), min_size=1, max_size=8))
def test_numbers_are_read_as_they_were_written(style: Style, numbers: list[Decimal]) -> None:
    found = quantities_of([style(each) for each in numbers], None)
    assert isinstance(found, Quantities)
    assert list(found.values) == numbers
    assert quantities_of([found.style(each) for each in numbers], None) == found


@pytest.mark.parametrize(
    ("around", "values"),
    [("A day costs EUR 12,50.", [1250, 2400]), ("A day costs EUR 12.50.", [1.25, 2.4])],
    ids=["comma", "point"],
)
def test_amounts_of_a_column_are_read_as_others_of_the_document(
    around: str, values: list[float]
) -> None:
    found = quantities_of(["€1.250", "€2.400"], "en", marks_of_amounts(around))
    assert isinstance(found, Quantities)
    assert list(map(float, found.values)) == values


def test_a_number_is_read_as_those_beside_it_can_be() -> None:
    beside = marks_of(["1.500", "2.250,5", "no number", "1,2,3,"])
    assert number_in("1.500", "en", beside) == Quantity(value=Decimal(1500), unit="")
    assert number_in("1.500", "en") == Quantity(value=Decimal("1.500"), unit="")
    # What they cannot tell, or contradict, is read by itself.
    assert number_in("1,500.5", "de", beside) == Quantity(value=Decimal("1500.5"), unit="")
