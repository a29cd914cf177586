"""A period is the days that a text names, and none where it leaves them open."""

from __future__ import annotations

from datetime import date

import pytest

from footnote.knowledge.periods import NO_PERIOD, period_of

YEAR = (date(2024, 1, 1), date(2024, 12, 31))


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("2024", YEAR),
        ("FY2024", YEAR),
        ("Jahr 2024", YEAR),
        ("2024年", YEAR),
        ("2023/24", (date(2023, 1, 1), date(2024, 12, 31))),
        ("Q3 2024", (date(2024, 7, 1), date(2024, 9, 30))),
        ("the third quarter of 2024", (date(2024, 7, 1), date(2024, 9, 30))),
        ("February 2024", (date(2024, 2, 1), date(2024, 2, 29))),
        ("As of December 31, 2024", (date(2024, 12, 31), date(2024, 12, 31))),
        ("31.12.2024", (date(2024, 12, 31), date(2024, 12, 31))),
        ("Year ended September 30, 2024", (date(2023, 10, 1), date(2024, 9, 30))),
        ("Years ended September 30, 2024", (date(2023, 10, 1), date(2024, 9, 30))),
        ("Three months ended March 31, 2024", (date(2024, 1, 1), date(2024, 3, 31))),
        ("Geschäftsjahr zum 31.12.2024", YEAR),
        ("since 1 May 2024", (date(2024, 5, 1), None)),
        ("until 30.06.2024", (None, date(2024, 6, 30))),
        ("from 1 July 2024 to 30 June 2025", (date(2024, 7, 1), date(2025, 6, 30))),
    ],
)
def test_a_period_is_read(text: str, period: tuple[date | None, date | None]) -> None:
    assert period_of(text) == period


@pytest.mark.parametrize(
    "text",
    [
        *("", "Change", "1,200", "12024", "2024.5", "20%"),
        *("2023 and 2024", "Q1 2024 and Q2 2024", "December 31, 2023 and 2024"),
        *("3/6/2024", "30 June", "Years ended September 30,", "2024/31", "31 February 2024"),
        "1 May 2024, 2 May 2024 and 3 May 2024",
    ],
)
def test_what_names_none_or_several_has_none(text: str) -> None:
    assert period_of(text) == NO_PERIOD
