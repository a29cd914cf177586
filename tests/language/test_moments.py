"""The cells of a column are read as dates and times of one kind, or not at all."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.language.moments import NO_YEAR, Moments, moments_of, times_mentioned
from footnote.language.quantities import NotComparable

IN_ORDER = [
    pytest.param(["1931-04-02", "1931-11-30", "1954-01-01"], None, id="as the standard has it"),
    pytest.param(["2 April 1931", "30 November 1931", "January 1, 1954"], "en", id="words"),
    pytest.param(["2. April 1931", "30. November 1931"], "de", id="german words"),
    pytest.param(["02.04.1931", "30.11.1931"], None, id="full stops"),
    pytest.param(["02/04/1931", "30/11/1931"], "en", id="the day first, as one cell shows"),
    pytest.param(["04/02/1931", "11/30/1931"], "en", id="the month first, as one cell shows"),
    pytest.param(["05/01/2024", "02/04/2024"], "fr", id="the day first, as the language has it"),
    pytest.param(["March 2019", "January 2021"], "en", id="months of years"),
    pytest.param(["3/2019", "01/2021"], None, id="months of years in numbers"),
    pytest.param(["2019-03", "2021-01"], None, id="the same, the year first"),
    pytest.param(["31-Mar-24", "14-Sep-25"], "en", id="as sheets have them"),
    pytest.param(["2019年3月5日", "2021年1月7日"], "zh", id="chinese"),
    pytest.param(["Mon, 3 June 2024", "Tuesday 4 June 2024"], "en", id="weekdays"),
    pytest.param(["6:40", "07:05", "18:00", "24:00"], None, id="times"),
    pytest.param(["12:15 am", "7 am", "12 p.m.", "1:30 PM"], "en", id="halves of the day"),
    pytest.param(["06.40 Uhr", "7.05 Uhr"], "de", id="german times"),
    pytest.param(["6h40", "7 h 05"], "fr", id="french times"),
    pytest.param(["1:02.33", "1:02.4", "59:01.0"], None, id="minutes and seconds"),
    pytest.param(["0:59:01", "1:02:33"], None, id="hours, minutes and seconds"),
    pytest.param(["2024-06-03 18:00", "2024-06-04 06:40"], None, id="dates with times"),
]


@pytest.mark.parametrize(("cells", "language"), IN_ORDER)
def test_later_ones_are_larger(cells: list[str], language: str | None) -> None:
    found = moments_of(cells, language)
    assert isinstance(found, Moments)
    assert list(found.values) == sorted(set(found.values))
    turned = moments_of(cells[::-1], language)
    assert isinstance(turned, Moments)
    assert turned.values == found.values[::-1]


REFUSED = [
    pytest.param(["02/04/1931", "05/06/1931"], "en", "cannot be told apart", id="english"),
    pytest.param(["02/04/1931", "05/06/1931"], None, "cannot be told apart", id="no language"),
    pytest.param(["13/04/1931", "05/16/1931"], "de", "cannot be told apart", id="two orders"),
    pytest.param(["2 April", "30 November"], "en", "no year", id="no year"),
    pytest.param(["2 April 1931", "", "3 May 1931"], "en", "1 of 3 rows have no date", id="empty"),
    pytest.param(["2 April 1931", "May 1932"], "en", "not written alike", id="a month among days"),
    pytest.param(["1:02", "1:02.5"], None, "not written alike", id="which part is what"),
    pytest.param(["30 February 1931", "3 May 1931"], "en", "in no calendar", id="no such day"),
]


def test_dates_without_a_year_are_in_order_within_one() -> None:
    found = moments_of(["29 February", "1 March", "30 November"], "en", of_one_year=True)
    assert isinstance(found, Moments)
    assert {date.fromordinal(int(each // (24 * 60))).year for each in found.values} == {NO_YEAR}
    assert list(found.values) == sorted(found.values)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("from 8 am to 17:30", [(480, "8 am"), (1050, "17:30")]),
        ("um 7.05 Uhr", [(425, "7.05 Uhr")]),
        ("at 8 with 30", []),
    ],
)
def test_times_are_found_where_they_stand(text: str, wanted: list[tuple[int, str]]) -> None:
    assert [(int(m), text[start:end]) for start, end, m in times_mentioned(text)] == wanted


@pytest.mark.parametrize(("cells", "language", "reason"), REFUSED)
def test_what_cannot_be_put_in_order_says_why(
    cells: list[str], language: str | None, reason: str
) -> None:
    found = moments_of(cells, language)
    assert isinstance(found, NotComparable)
    assert reason in found.reason


@pytest.mark.parametrize(
    "cells",
    [
        ["Anna", "Ben"],
        ["12", "7.5"],
        ["1,200", "950"],
        ["1998", "2003"],
        ["January", "February"],
        ["6:40–7:10", "8:00–8:30"],
        ["Version 6:40", "Version 7:10"],
        ["Monday", "Tuesday"],
        ["12 h", "7 h"],
        [],
    ],
    ids=str,
)
def test_other_columns_are_no_moments(cells: list[str]) -> None:
    assert moments_of(cells, "en") is None


@given(
    st.lists(st.dates(date(1600, 1, 1), date(2200, 1, 1)), min_size=2, max_size=8),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y"]),
)
def test_days_are_as_far_apart_as_in_the_calendar(days: list[date], written: str) -> None:
    found = moments_of([each.strftime(written) for each in days], "en")
    assert isinstance(found, Moments)
    first = found.values[0]
    apart = [timedelta(minutes=float(each - first)) for each in found.values]
    assert apart == [each - days[0] for each in days]
    assert all(isinstance(each, Decimal) for each in found.values)
