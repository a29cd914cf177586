from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.ingestion.parsing.numberformat import format_value

EPOCH = datetime.combine(date(1899, 12, 30), time())


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (45123.5, "m/d/yyyy h:mm AM/PM", "7/16/2023 12:00 PM"),
        (45123, "[$-409]mmmm d, yyyy;@", "July 16, 2023"),
        (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
        (-3, "#,##0;[Red]-#,##0", "-3"),
        (-3, "0;(0)", "(3)"),
        (0, '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-', "-"),
        (1.5, "[h]:mm", "36:00"),
        (1234567, '0.0,,"M"', "1.2M"),
        (5, "000", "005"),
        (3, "0.##", "3"),
        (12345, "0.00E+00", "1.23E+04"),
        (150, '[>100]"big";"small"', "big"),
        (-0.001, "0.00", "0.00"),
        (1e300, "0.00", "1e+300"),
        (59, "yyyy-mm-dd", "1900-02-28"),
        (61, "yyyy-mm-dd", "1900-03-01"),
    ],
)
def test_a_number_is_shown_as_its_format_says(value: float, code: str, text: str) -> None:
    assert format_value(value, code) == text


def test_days_may_be_counted_from_1904() -> None:
    assert format_value(0, "yyyy-mm-dd", since_1904=True) == "1904-01-01"


@given(
    st.floats(-1e12, 1e12),
    st.sampled_from(
        [
            "General",
            "0",
            "0.00",
            "#,##0;(#,##0)",
            "0%",
            "yyyy-mm-dd",
            "[h]:mm",
            "0.0E+00",
            '[>5]0;"-"',
        ]
    ),
)
def test_every_number_has_a_text_under_every_format(value: float, code: str) -> None:
    assert format_value(value, code)


@given(st.integers(-(10**9), 10**9))
def test_a_grouped_number_loses_nothing(value: int) -> None:
    assert int(format_value(value, "#,##0").replace(",", "")) == value


@given(st.datetimes(EPOCH + timedelta(days=61), EPOCH + timedelta(days=2_958_000)))
def test_a_date_survives_its_serial_number(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    serial = (whole - EPOCH) / timedelta(days=1)
    assert format_value(serial, "yyyy-mm-dd hh:mm:ss") == f"{whole:%Y-%m-%d %H:%M:%S}"
