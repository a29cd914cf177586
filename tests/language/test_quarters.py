"""Quarters of years have one form, however they are written."""

from __future__ import annotations

import pytest

from footnote.language.quarters import quarters_in


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
