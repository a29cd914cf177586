"""The dates a text mentions, in ISO form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

_MONTHS = (
    "january|jan|januar|janvier|enero|gennaio",
    "february|feb|februar|février|febrero|febbraio",
    "march|mar|märz|maerz|mars|marzo",
    "april|apr|avril|abril|aprile",
    "may|mai|mayo|maggio",
    "june|jun|juni|juin|junio|giugno",
    "july|jul|juli|juillet|julio|luglio",
    "august|aug|août|agosto",
    "september|sept|sep|septembre|septiembre|settembre",
    "october|oct|oktober|okt|octobre|octubre|ottobre",
    "november|nov|novembre|noviembre",
    "december|dec|dezember|dez|décembre|diciembre|dicembre",
)
_NUMBER = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split("|")}
_NAMES = "|".join(sorted(_NUMBER, key=len, reverse=True))
_DATE = re.compile(
    rf"""\b(?:
      (?P<iso>\d{{4}}-\d{{2}}-\d{{2}})
    | (?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?\s+(?:de\s+)?(?P<month>{_NAMES})\.?
      (?:\s+de)?,?\s+(?P<year>\d{{4}})
    | (?P<month_first>{_NAMES})\.?\s+(?P<day_second>\d{{1,2}})(?:st|nd|rd|th)?,?
      \s+(?P<year_last>\d{{4}})
    | (?P<dotted>\d{{1,2}}\.\s?\d{{1,2}}\.\s?\d{{4}})
    | (?P<slashed>\d{{1,2}}/\d{{1,2}}/\d{{4}})
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)


_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_BEFORE_YEAR = 40
_AFTER_YEAR = 10


def iso_dates(text: str, limit: int = 20) -> tuple[str, ...]:
    """Distinct dates in order of first mention.

    A slashed date counts only when one of its numbers cannot be a month.

    >>> iso_dates("from 1 July 2024 until 30.06.2027")
    ('2024-07-01', '2027-06-30')
    """
    found: dict[str, None] = {}
    for start, end in _around_years(text):
        for match in _DATE.finditer(text, start, end):
            for iso in _iso(match):
                found[iso] = None
            if len(found) >= limit:
                return tuple(found)
    return tuple(found)


def _around_years(text: str) -> Iterator[tuple[int, int]]:
    """Where a date may stand; to look everywhere takes ten times as long."""
    start = end = 0
    for year in _YEAR.finditer(text):
        if year.start() - _BEFORE_YEAR > end:
            if end:
                yield start, end
            start = year.start() - _BEFORE_YEAR
        end = year.end() + _AFTER_YEAR
    if end:
        yield start, min(end, len(text))


def _iso(match: re.Match[str]) -> Iterator[str]:
    if match["iso"]:
        year, month, day = (int(part) for part in match["iso"].split("-"))
    elif match["month"]:
        year, month, day = int(match["year"]), _NUMBER[match["month"].lower()], int(match["day"])
    elif match["month_first"]:
        month = _NUMBER[match["month_first"].lower()]
        year, day = int(match["year_last"]), int(match["day_second"])
    elif match["dotted"]:
        day, month, year = (int(part) for part in match["dotted"].split("."))
    else:
        day, month, year = (int(part) for part in match["slashed"].split("/"))
        if month > 12:
            day, month = month, day
        elif day <= 12 and day != month:
            return
    try:
        yield date(year, month, day).isoformat()
    except ValueError:
        return
