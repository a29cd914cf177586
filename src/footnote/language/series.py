"""Find which documents form a series, and in which order, by their names alone.

Documents form a series if their names differ only in a quarter, a date, a month, a year or a
version.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from footnote.language.dates import periods_in_name, without_periods

Stated = Mapping[str, tuple[int, ...]]
"""The values that a name states, by kind; within each kind they increase with time."""

YEAR, VERSION = "year", "version"
BEARS = "bears"
"""The kind of a document's own date, which its name need not state."""
_KINDS = ("quarter", "date", "month", YEAR, VERSION, BEARS)
"""Kinds by precedence: a series is ordered by the first that all its members state."""
_CALENDAR_YEAR = re.compile(r"(?<![\w.,-])(?:19|20)\d\d(?![\w-]|[.,]\d)")
_BEFORE_MARK = re.compile(r" (?=[?.!,;:])")
_VERSION = re.compile(
    r"(?<![^\W_])(?:v|ver|version|versión|versione|versão|rev|revision|révision|fassung|issue|edition"
    r"|édition|ausgabe)[ ._-]{0,2}(\d{1,3}(?:\.\d{1,3}){0,3})(?![\w%])",
    re.IGNORECASE,
)


def series_name(filename: str, title: str, *, by_file: bool = False) -> tuple[str, ...]:
    """Return the part of the names that a series has in common; empty strings if it is nothing.

    With `by_file`, files with equal names are a series whatever their titles are.

    >>> series_name("refund-policy-v4.txt", "Refunds, version 4")
    ('refund policy', 'refunds version')
    """
    stem = PurePath(filename).stem
    of_file = without_periods(stem)
    if by_file and of_file and stated(stem):
        return (of_file,)
    return of_file, without_periods(title)


def stated(text: str) -> Stated:
    """Return the periods and the version in a name or question; a kind that it lacks is absent.

    >>> stated("refund-policy-v4.2")
    {'version': (4, 2)}
    """
    periods = dict(periods_in_name(text))
    if versions := _VERSION.findall(text):
        periods[VERSION] = max(tuple(map(int, version.split("."))) for version in versions)
    return periods


def year_or_version(question: str) -> tuple[str, tuple[int, ...]] | None:
    """Return the only year or version in a question; None if it has none, or several.

    >>> year_or_version("What was the fare in 2023?")
    ('year', (2023,))
    """
    statements: set[tuple[str, tuple[int, ...]]] = {
        (YEAR, (int(year),)) for year in _CALENDAR_YEAR.findall(question)
    }
    statements |= {
        (VERSION, tuple(map(int, version.split(".")))) for version in _VERSION.findall(question)
    }
    return statements.pop() if len(statements) == 1 else None


def without_year_or_version(question: str) -> str:
    """Return the question without its years and versions.

    >>> without_year_or_version("What did a dog pay in version 4 of 2023?")
    'What did a dog pay in of?'
    """
    remaining = _CALENDAR_YEAR.sub("", _VERSION.sub("", question))
    return _BEFORE_MARK.sub("", " ".join(remaining.split()))


def ordered_by(members: Iterable[Stated]) -> str | None:
    """Return the first kind that all members state, with different values; None without one."""
    all_members = list(members)
    for kind in _KINDS:
        if (
            all(kind in member for member in all_members)
            and len({member[kind] for member in all_members}) > 1
        ):
            return kind
    return None
