"""A date is the same in any format and language; a quarter too."""

from __future__ import annotations

from datetime import date

import pytest
from babel.dates import format_date, get_day_names, get_month_names
from hypothesis import given
from hypothesis import strategies as st

from footnote.language.calendar import MONTHS, WEEKDAYS
from footnote.language.dates import (
    bears_out,
    complete_dates,
    dates_mentioned,
    periods_in_name,
    quarters_in,
    short_dates,
    without_periods,
)


@pytest.mark.parametrize("language", MONTHS)
def test_months_and_weekdays_have_the_names_of_the_cldr(language: str) -> None:
    months = get_month_names("wide", locale=language)
    assert MONTHS[language] == tuple(months[each].casefold() for each in range(1, 13))
    if language in WEEKDAYS:
        days = get_day_names("wide", locale=language)
        assert WEEKDAYS[language] == tuple(days[each].casefold() for each in range(7))


@given(
    st.dates(date(1000, 1, 1), date(2999, 12, 31)),
    st.sampled_from([*MONTHS, "zh", "ja"]),
    st.sampled_from(("full", "long")),
)
def test_a_date_that_is_written_out_is_read_back(day: date, language: str, length: str) -> None:
    written = format_date(day, length, locale=language)
    assert list(complete_dates(f"({written}).")) == [day]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("due 2024-06-03.", ["2024-06-03"]),
        ("from 1 July 2024 until 30.06.2027", ["2024-07-01", "2027-06-30"]),
        ("17 April 2025 and April 18, 2025", ["2025-04-17", "2025-04-18"]),
        ("on the 1st of May, 1999", ["1999-05-01"]),
        ("1º de mayo de 1999, 30. 6. 2027", ["1999-05-01", "2027-06-30"]),
        ("am 3. März 2024, le 4 mai 2024", ["2024-03-03", "2024-05-04"]),
        ("5 de junio de 2024, 3 janv. 2024", ["2024-06-05", "2024-01-03"]),
        ("在2024年6月3日的会议", ["2024-06-03"]),
        ("sent 2024-06-03T09:30", ["2024-06-03"]),
        ("25/12/2024 or 12/25/2024", ["2024-12-25", "2024-12-25"]),
        ("13-6-2024, 6/6/2024", ["2024-06-13", "2024-06-06"]),
        ("03/04/2025, 3-6-2024 may be either", []),
        ("31 February 2024, version 1.2.3", []),
        ("v2024.06.03.1 is 12024-06-03, 10.12.13", []),
        ("May 2024", []),
    ],
)
def test_only_complete_and_unambiguous_dates_are_taken(text: str, dates: list[str]) -> None:
    assert [day.isoformat() for day in complete_dates(text)] == dates


DATES = [
    "3 June 2024",
    "June 3rd, 2024",
    "2024-06-03",
    "03.06.2024",
    "3. Juni 2024",
    "el 3 de junio de 2024",
    "3 juin 2024",
    "3 giugno 2024",
    "2024年6月3日",
    "06/03/2024",
]


@pytest.mark.parametrize("one", DATES)
@pytest.mark.parametrize("other", DATES)
def test_a_date_is_the_same_in_any_format(one: str, other: str) -> None:
    [claimed] = dates_mentioned(one)
    assert bears_out(claimed, dates_mentioned(other), frozenset())


@pytest.mark.parametrize("other", ["4 June 2024", "3 July 2024", "3 June 2025", "03.07.2024"])
def test_another_date_is_another(other: str) -> None:
    [claimed] = dates_mentioned("3 June 2024")
    assert not bears_out(claimed, dates_mentioned(other), frozenset())


def test_a_date_may_say_less_but_not_more() -> None:
    [month], [day] = dates_mentioned("June 2024"), dates_mentioned("3 June 2024")
    assert bears_out(month, [day], frozenset())
    assert not bears_out(day, [month], frozenset())
    [yearless] = dates_mentioned("on 3 June")
    assert bears_out(day, [yearless], frozenset({2024}))


def test_words_that_are_also_months_are_no_dates() -> None:
    assert dates_mentioned("You may march on. Mars is red, and mai piu.") == []


@pytest.mark.parametrize(
    "text",
    [
        "Q3 2022",
        "2022 Q3",
        "2022_Q3_ACME",
        "2022-Q3",
        "3Q 2022",
        "the third quarter of 2022",
        "3rd quarter of fiscal year 2022",
        "Q3 FY2022",
        "q3 of 2022?",
    ],
)
def test_a_quarter_is_read_however_it_is_written(text: str) -> None:
    assert quarters_in(text) == ("2022q3",)


@pytest.mark.parametrize("text", ["Q3", "2022", "Q5 2022", "FAQ3 2022", "third 2022", "Q3 12022"])
def test_what_names_no_quarter_of_a_year_gives_none(text: str) -> None:
    assert quarters_in(text) == ()


def test_each_is_given_once_and_in_order() -> None:
    assert quarters_in("from Q1 2023 to Q2 2023, and Q1 2023 again") == ("2023q1", "2023q2")


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("2023 Q2 Norvane", {"quarter": (2023, 2), "year": (2023,)}),
        ("minutes_2024-02-03", {"date": (2024, 2, 3), "year": (2024,)}),
        ("minutes 20240203", {"date": (2024, 2, 3), "year": (2024,)}),
        ("Protokoll März 2024", {"month": (2024, 3), "year": (2024,)}),
        ("report_2024-03", {"month": (2024, 3), "year": (2024,)}),
        ("Budget 2023/2024", {"year": (2024,)}),
        ("Norvane FY2024", {"year": (2024,)}),
        ("POL-88213-X", {}),
        ("0f2019ab20240203ce", {}),
        ("room 1204", {}),
    ],
)
def test_a_name_states_its_period(name: str, stated: dict[str, tuple[int, ...]]) -> None:
    assert periods_in_name(name) == stated


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2023 Q2 Norvane", "2022 Q4 Norvane"),
        ("minutes_2024-02-03", "minutes_20241104"),
        ("Protokoll März 2024", "Protokoll April 2023"),
        ("Report, third quarter of 2022", "Report, first quarter of 2023"),
    ],
)
def test_names_of_one_series_differ_in_their_period_alone(one: str, other: str) -> None:
    assert without_periods(one) == without_periods(other) != ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("who started before May", [(5, None)]),
        ("bis zum 31.3. oder 1. 4. eingereicht", [(3, 31), (4, 1)]),
        ("8月以后, 12 월", [(8, None), (12, None)]),
        ("Version 3.1.4, 45.13. and 13月", []),
    ],
)
def test_short_dates_are_read_where_dates_are_spoken_of(
    text: str, said: list[tuple[int, int | None]]
) -> None:
    found = [each.readings[0] for each in short_dates(text)]
    assert [(each.month, each.day) for each in found] == said
