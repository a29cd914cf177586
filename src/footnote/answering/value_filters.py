"""Compare numbers, dates and times of a question with the cells of a column, exactly.

A model predicts that "older than 30" is a comparison, and its column; which cells satisfy it is
computed without a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import pairwise

from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.tables import Row
from footnote.language.dates import (
    DateMention,
    Day,
    dates_mentioned,
    months_after_time_words,
    quarters_in,
    short_dates,
)
from footnote.language.detection import detect_language
from footnote.language.figures import PERCENT, Figure, currency_of, figures_of
from footnote.language.moments import NO_YEAR, Moments, times_mentioned
from footnote.language.quantities import NotComparable, Quantities, marks_of, number_in
from footnote.ports import ComparisonOperator

SAID = {
    ComparisonOperator.MORE: "> {0}",
    ComparisonOperator.AT_LEAST: "≥ {0}",
    ComparisonOperator.LESS: "< {0}",
    ComparisonOperator.AT_MOST: "≤ {0}",
    ComparisonOperator.BETWEEN: "{0} – {1}",
    ComparisonOperator.EQUAL: "{0}",
}
"""A bound, as an answer says it."""
TWO_WAYS = "the number of the question can be read in two ways; write it without marks"
OTHER_UNIT = "the column {title!r} is in another unit than {unit!r}; ask in its own"
MULTIPLE = "the title {title!r} says thousands or millions, which bounds are not compared with"
QUARTER = "dates are compared by year, month and day, not by quarter; say its first and last month"
_MINUTES_OF_DAY, _MINUTES_OF_HOUR = 24 * 60, 60
_YEARS, _DAYS = range(1500, 2200), range(1, 32)
_PARTS = ("year", "month", "day")
_SYMBOLS = frozenset(
    "mm cm dm m km mg g kg t ml cl dl l hl m² m³ ha km² s min h W kW MW Wh kWh MWh V A Hz MB GB TB"
    "".split()
)
"""Unit symbols that are the same in every language."""
_UNIT = re.compile(r"\s?([^\W\d_]{1,3}[²³]?)(?![^\W_])")
_UNITS = re.compile(r"[$€£¥]|(?<![^\W_])[^\W\d_]{1,3}[²³]?(?![^\W_])")
_MINUS = re.compile(r"(?:^|\s)[-−–]$")
_MULTIPLE = re.compile(
    r"(?<![^\W_])(?:(?:k|m|bn|mn|mio\.?|mrd\.?|tsd\.?|t)\s?[$€£]|[$€£]\s?(?:k|m|bn|mn)"
    r"|k|tsd|mio|mrd|mln|mn|bn|thousands?|millions?)(?![^\W_])",
    re.IGNORECASE,
)
"""Matches titles whose cells are in thousands, millions or billions."""

Key = tuple[Decimal, ...]
"""The comparison key: one number, or the parts of a date from the largest unit on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredRows:
    """The rows of a table that satisfy a comparison."""

    rows: Sequence[Row]
    said: str
    """The comparison as the answer's text writes it: `> 200`."""
    rest: str
    """The question without the values that set it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """A number, date or time at a place in the question, with its comparison key."""

    start: int
    end: int
    key: Key = ()
    day: Day | None = None


def mentions_value(question: str, language: str | None) -> bool:
    """Whether a question contains a number, date or time, which every comparison needs."""
    return (
        any(map(str.isdecimal, question))
        or bool(_claimed(figures_of(question, language)))
        or bool(dates_mentioned(question) or months_after_time_words(question))
    )


def filter_rows(
    asked: LinkedQuestion, column: int, bound: ComparisonOperator
) -> FilteredRows | NotComparable:
    """Select the rows whose cell in the column satisfies the comparison.

    The values compared with are read from the question. Rows without a number, date or time in that
    cell are never selected. A value that occurs in a title or in a matched row name is used only if
    there is no other.
    """
    rows = [each for each in asked.totals.own if any(map(str.isalnum, each.cells[column].text))]
    cells = [each.cells[column].text for each in rows]
    held = asked.table.moments(cells, of_one_year=True) or asked.table.quantities(cells)
    if held is None:
        held = NotComparable(reason="it holds other things than numbers, dates and times")
    if isinstance(held, NotComparable):
        title = asked.table.header[column]
        return NotComparable(reason=f"the column {title!r} cannot be compared: {held.reason}")
    needed = 2 if bound is ComparisonOperator.BETWEEN else 1
    if isinstance(held, Quantities):
        values = _numbers(asked, column, cells, held)
    elif held.are_dates:
        values = _dates(asked, needed)
    else:
        values = _times(asked, cells)
    if isinstance(values, NotComparable):
        return values
    known = asked.linked_numbers(but=column)
    free = [each for each in values if not _digits_of(asked.question, each) <= known]
    values = next((each for each in (free, values) if len(each) == needed), [])
    if not values:
        return NotComparable(
            reason="a bound is set, and not told by one number, date or time; say it alone"
        )
    keys = _keys(
        values,
        held,
        is_of_order=bound not in (ComparisonOperator.EQUAL, ComparisonOperator.BETWEEN),
    )
    if isinstance(keys, NotComparable):
        return keys
    ends, own = keys
    kept = [row for row, key in zip(rows, own, strict=True) if _keeps(bound, key, ends)]
    said = [asked.question[each.start : each.end].strip() for each in values]
    rest = asked.question
    for each in reversed(values):
        rest = f"{rest[: each.start]} {rest[each.end :]}"
    return FilteredRows(rows=kept, said=SAID[bound].format(*said), rest=rest)


def _keeps(bound: ComparisonOperator, key: Key, ends: Sequence[Key]) -> bool:
    first, last = min(ends), max(ends)
    return {
        ComparisonOperator.MORE: key > last,
        ComparisonOperator.AT_LEAST: key >= first,
        ComparisonOperator.LESS: key < first,
        ComparisonOperator.AT_MOST: key <= last,
        ComparisonOperator.BETWEEN: first <= key <= last,
        ComparisonOperator.EQUAL: key == first,
    }[bound]


def _numbers(
    asked: LinkedQuestion, column: int, cells: Sequence[str], held: Quantities
) -> list[_Value] | NotComparable:
    """Parse the question's numbers; reject those in another unit than the column."""
    title = asked.table.header[column]
    dated = [(each.start, each.end) for each in dates_mentioned(asked.question)]
    marks, found = marks_of(cells), []
    figures = figures_of(asked.question, asked.table.language, dated)
    held_units = {(held.style.prefix or held.style.suffix).strip(), *_UNITS.findall(title)}
    for figure in _claimed(figures):
        readings = figure.values
        if len(readings) > 1:
            # In a Spanish question "1.000" is one thousand, whatever the language of the table.
            language = detect_language(asked.question)
            own_marks = marks if language in (None, asked.table.language) else None
            written = asked.question[figure.start : figure.end]
            own = number_in(written, language or asked.table.language, own_marks)
            readings = frozenset() if own is None else readings & {float(own.value)}
        if len(readings) != 1:
            return NotComparable(reason=TWO_WAYS)
        [value] = readings
        if (unit := _other_unit(asked.question, figure, held_units)) is not None:
            return NotComparable(reason=OTHER_UNIT.format(title=title, unit=unit))
        is_negative = _MINUS.search(asked.question[: figure.start]) is not None
        key = (Decimal(str(-value if is_negative else value)),)
        found.append(_Value(start=figure.start - is_negative, end=figure.end, key=key))
    if _MULTIPLE.search(title):
        return NotComparable(reason=MULTIPLE.format(title=title))
    return found


def _other_unit(question: str, figure: Figure, held: Set[str]) -> str | None:
    """The number's currency or unit symbol if the column has a different one; else None."""
    behind = _UNIT.match(question, figure.end)
    symbol = behind[1] if behind is not None and behind[1] in _SYMBOLS else ""
    currencies = {each for each in map(currency_of, held) if each is not None}
    kinds = ((figure.unit if figure.unit != PERCENT else "", currencies), (symbol, held & _SYMBOLS))
    return next((unit for unit, own in kinds if unit and own and unit not in own), None)


def _claimed(figures: Sequence[Figure]) -> list[Figure]:
    """The certain numbers; if there is none, the ambiguous number words, such as "one"."""
    numbers = [each for each in figures if each.values and not each.code]
    return [each for each in numbers if each.claims] or numbers


def _dates(asked: LinkedQuestion, needed: int) -> list[_Value] | NotComparable:
    """Parse the dates of the question, each to the precision given (year, month or day)."""
    question, language = asked.question, asked.table.language
    if quarters_in(question):
        return NotComparable(reason=QUARTER)
    found = []
    for each in (*dates_mentioned(question), *months_after_time_words(question)):
        readings = each.readings
        if len(readings) > 1 and language not in (None, "en"):
            readings = readings[:1]
        if len(readings) > 1:
            return NotComparable(
                reason="the date of the question can be read in two ways; name its month"
            )
        found.append(_Value(start=each.start, end=each.end, day=readings[0]))
    days = []
    taken = [(each.start, each.end) for each in found]
    for figure in _claimed(figures_of(question, language, taken)):
        number = max(figure.values)
        if number in _YEARS:
            day = Day(year=int(number))
            found.append(_Value(start=figure.start, end=figure.end, day=day))
        elif number in _DAYS:
            days.append(_Value(start=figure.start, end=figure.end, day=Day(day=int(number))))
    if len(found) < needed:
        short = [each for each in short_dates(question) if not _overlap(each, taken)]
        found += [_Value(start=one.start, end=one.end, day=one.readings[0]) for one in short]
    # A day of the month alone is one beside another date: "from 3 to 6 March".
    found += days if len(found) == len(days) == 1 else []
    return sorted(found, key=lambda each: each.start)


def _times(asked: LinkedQuestion, cells: Sequence[str]) -> list[_Value] | NotComparable:
    """Parse the times of the question, in minutes; a number without a unit counts hours.

    Times with seconds are rejected.
    """
    said = [
        _Value(start=start, end=end, key=(minutes,))
        for start, end, minutes in times_mentioned(asked.question)
    ]
    if said:
        return said
    if any(each.count(":") > 1 for each in cells):
        return NotComparable(reason="its times have seconds; say the time as they are written")
    return [
        _Value(start=each.start, end=each.end, key=(_as_decimal(each) * _MINUTES_OF_HOUR,))
        for each in _claimed(figures_of(asked.question, asked.table.language))
    ]


def _overlap(mention: DateMention, taken: Sequence[tuple[int, int]]) -> bool:
    return any(mention.start < end and start < mention.end for start, end in taken)


def _as_decimal(figure: Figure) -> Decimal:
    return Decimal(str(max(figure.values)))


def _keys(
    values: Sequence[_Value], held: Quantities | Moments, *, is_of_order: bool
) -> tuple[list[Key], list[Key]] | NotComparable:
    """The comparison keys of the values and of the cells.

    Dates are compared by only the parts (year, month, day) that the question gives.
    """
    days = [each.day for each in values if each.day is not None]
    if not days:
        return [each.key for each in values], [(each,) for each in held.values]
    own = [date.fromordinal(int(each // _MINUTES_OF_DAY)) for each in held.values]
    # "From 3 to 6 March 2024" says month and year once.
    for part in ("month", "year"):
        said = {getattr(each, part) for each in days} - {None}
        if len(said) == 1:
            days = [replace(each, **{part: min(said)}) for each in days]
    parts = [part for part in _PARTS if getattr(days[0], part) is not None]
    are_alike = all(
        [part for part in _PARTS if getattr(each, part) is not None] == parts for each in days
    )
    years = {each.year for each in own}
    descents = sum(later < each for each, later in pairwise(own))
    may_turn = is_of_order and descents == 1 and own[-1] < own[0]
    reasons = {
        "the dates of the question are not said alike": not are_alike,
        "the question says a day that is in no calendar": not all(map(_is_possible, days)),
        "its dates have no year, and the question says one": NO_YEAR in years and "year" in parts,
        "its dates may be of two years, which they do not say": NO_YEAR in years and may_turn,
        "its dates are of several years, and the year is not said": len(years) > 1
        and "year" not in parts,
    }
    if any(reasons.values()):
        return NotComparable(reason=next(each for each, holds in reasons.items() if holds))
    return [_parts_of(each, parts) for each in days], [_parts_of(each, parts) for each in own]


def _is_possible(day: Day) -> bool:
    try:
        date(day.year or NO_YEAR, day.month or 1, day.day or 1)
    except ValueError:
        return False
    return True


def _parts_of(day: Day | date, parts: Sequence[str]) -> Key:
    return tuple(Decimal(getattr(day, each)) for each in parts)


def _digits_of(question: str, value: _Value) -> frozenset[str]:
    return frozenset(re.findall(r"\d+", question[value.start : value.end]))
