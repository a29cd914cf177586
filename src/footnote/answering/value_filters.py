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

COMPARISON_TEXTS = {
    ComparisonOperator.MORE: "> {0}",
    ComparisonOperator.AT_LEAST: "≥ {0}",
    ComparisonOperator.LESS: "< {0}",
    ComparisonOperator.AT_MOST: "≤ {0}",
    ComparisonOperator.BETWEEN: "{0} – {1}",
    ComparisonOperator.EQUAL: "{0}",
}
"""How an answer writes a comparison."""
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
    text: str
    """The comparison as the answer's text writes it: `> 200`."""
    rest: str
    """The question without the compared values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """A number, date or time in the question, with its comparison key."""

    start: int
    end: int
    key: Key = ()
    day: Day | None = None


def mentions_value(question: str, language: str | None) -> bool:
    """Whether a question contains a number, date or time, which every comparison needs."""
    return (
        any(map(str.isdecimal, question))
        or bool(_certain_figures(figures_of(question, language)))
        or bool(dates_mentioned(question) or months_after_time_words(question))
    )


def filter_rows(
    linked: LinkedQuestion, column: int, operator: ComparisonOperator
) -> FilteredRows | NotComparable:
    """Select the rows whose cell in the column satisfies the comparison.

    The values compared with are read from the question. Rows without a number, date or time in that
    cell are never selected. A value that occurs in a title or in a matched row name is used only if
    there is no other.
    """
    rows = [row for row in linked.totals.own if any(map(str.isalnum, row.cells[column].text))]
    cells = [row.cells[column].text for row in rows]
    column_values = linked.table.moments(cells, of_one_year=True) or linked.table.quantities(cells)
    if column_values is None:
        column_values = NotComparable(reason="it holds other things than numbers, dates and times")
    if isinstance(column_values, NotComparable):
        title = linked.table.header[column]
        return NotComparable(
            reason=f"the column {title!r} cannot be compared: {column_values.reason}"
        )
    needed = 2 if operator is ComparisonOperator.BETWEEN else 1
    if isinstance(column_values, Quantities):
        values = _question_numbers(linked, column, cells, column_values)
    elif column_values.are_dates:
        values = _question_dates(linked, needed)
    else:
        values = _question_times(linked, cells)
    if isinstance(values, NotComparable):
        return values
    linked_numbers = linked.linked_numbers(excluding=column)
    unlinked_values = [
        value for value in values if not _digit_runs(linked.question, value) <= linked_numbers
    ]
    values = next((choice for choice in (unlinked_values, values) if len(choice) == needed), [])
    if not values:
        return NotComparable(
            reason="a bound is set, and not told by one number, date or time; say it alone"
        )
    keys = _comparison_keys(
        values,
        column_values,
        is_of_order=operator not in (ComparisonOperator.EQUAL, ComparisonOperator.BETWEEN),
    )
    if isinstance(keys, NotComparable):
        return keys
    value_keys, row_keys = keys
    matching_rows = [
        row
        for row, key in zip(rows, row_keys, strict=True)
        if _satisfies(operator, key, value_keys)
    ]
    value_texts = [linked.question[value.start : value.end].strip() for value in values]
    remainder = linked.question
    for value in reversed(values):
        remainder = f"{remainder[: value.start]} {remainder[value.end :]}"
    return FilteredRows(
        rows=matching_rows, text=COMPARISON_TEXTS[operator].format(*value_texts), rest=remainder
    )


def _satisfies(operator: ComparisonOperator, key: Key, ends: Sequence[Key]) -> bool:
    lowest, highest = min(ends), max(ends)
    return {
        ComparisonOperator.MORE: key > highest,
        ComparisonOperator.AT_LEAST: key >= lowest,
        ComparisonOperator.LESS: key < lowest,
        ComparisonOperator.AT_MOST: key <= highest,
        ComparisonOperator.BETWEEN: lowest <= key <= highest,
        ComparisonOperator.EQUAL: key == lowest,
    }[operator]


def _question_numbers(
    linked: LinkedQuestion, column: int, cells: Sequence[str], quantities: Quantities
) -> list[_Value] | NotComparable:
    """Parse the question's numbers; reject those in another unit than the column."""
    title = linked.table.header[column]
    date_spans = [(mention.start, mention.end) for mention in dates_mentioned(linked.question)]
    marks, numbers = marks_of(cells), []
    figures = figures_of(linked.question, linked.table.language, date_spans)
    column_units = {
        (quantities.style.prefix or quantities.style.suffix).strip(),
        *_UNITS.findall(title),
    }
    for figure in _certain_figures(figures):
        readings = figure.values
        if len(readings) > 1:
            # In a Spanish question "1.000" is one thousand, whatever the language of the table.
            language = detect_language(linked.question)
            decimal_marks = marks if language in (None, linked.table.language) else None
            figure_text = linked.question[figure.start : figure.end]
            number = number_in(figure_text, language or linked.table.language, decimal_marks)
            readings = frozenset() if number is None else readings & {float(number.value)}
        if len(readings) != 1:
            return NotComparable(reason=TWO_WAYS)
        [value] = readings
        if (unit := _other_unit(linked.question, figure, column_units)) is not None:
            return NotComparable(reason=OTHER_UNIT.format(title=title, unit=unit))
        is_negative = _MINUS.search(linked.question[: figure.start]) is not None
        key = (Decimal(str(-value if is_negative else value)),)
        numbers.append(_Value(start=figure.start - is_negative, end=figure.end, key=key))
    if _MULTIPLE.search(title):
        return NotComparable(reason=MULTIPLE.format(title=title))
    return numbers


def _other_unit(question: str, figure: Figure, column_units: Set[str]) -> str | None:
    """The number's currency or unit symbol if the column has a different one; else None."""
    unit_match = _UNIT.match(question, figure.end)
    symbol = unit_match[1] if unit_match is not None and unit_match[1] in _SYMBOLS else ""
    currencies = {currency for currency in map(currency_of, column_units) if currency is not None}
    unit_kinds = (
        (figure.unit if figure.unit != PERCENT else "", currencies),
        (symbol, column_units & _SYMBOLS),
    )
    return next(
        (
            unit
            for unit, known_units in unit_kinds
            if unit and known_units and unit not in known_units
        ),
        None,
    )


def _certain_figures(figures: Sequence[Figure]) -> list[Figure]:
    """The certain numbers; if there is none, the ambiguous number words, such as "one"."""
    numbers = [figure for figure in figures if figure.values and not figure.code]
    return [figure for figure in numbers if figure.claims] or numbers


def _question_dates(linked: LinkedQuestion, needed: int) -> list[_Value] | NotComparable:
    """Parse the dates of the question, each to the precision given (year, month or day)."""
    question, language = linked.question, linked.table.language
    if quarters_in(question):
        return NotComparable(reason=QUARTER)
    dates = []
    for mention in (*dates_mentioned(question), *months_after_time_words(question)):
        readings = mention.readings
        if len(readings) > 1 and language not in (None, "en"):
            readings = readings[:1]
        if len(readings) > 1:
            return NotComparable(
                reason="the date of the question can be read in two ways; name its month"
            )
        dates.append(_Value(start=mention.start, end=mention.end, day=readings[0]))
    days_of_month = []
    date_spans = [(value.start, value.end) for value in dates]
    for figure in _certain_figures(figures_of(question, language, date_spans)):
        number = max(figure.values)
        if number in _YEARS:
            day = Day(year=int(number))
            dates.append(_Value(start=figure.start, end=figure.end, day=day))
        elif number in _DAYS:
            days_of_month.append(
                _Value(start=figure.start, end=figure.end, day=Day(day=int(number)))
            )
    if len(dates) < needed:
        short_mentions = [
            mention for mention in short_dates(question) if not _overlaps_any(mention, date_spans)
        ]
        dates += [
            _Value(start=mention.start, end=mention.end, day=mention.readings[0])
            for mention in short_mentions
        ]
    # A single day of the month beside another date: "from 3 to 6 March".
    dates += days_of_month if len(dates) == len(days_of_month) == 1 else []
    return sorted(dates, key=lambda value: value.start)


def _question_times(linked: LinkedQuestion, cells: Sequence[str]) -> list[_Value] | NotComparable:
    """Parse the times of the question, in minutes; a number without a unit counts hours.

    Times with seconds are rejected.
    """
    times = [
        _Value(start=start, end=end, key=(minutes,))
        for start, end, minutes in times_mentioned(linked.question)
    ]
    if times:
        return times
    if any(cell.count(":") > 1 for cell in cells):
        return NotComparable(reason="its times have seconds; say the time as they are written")
    return [
        _Value(start=figure.start, end=figure.end, key=(_as_decimal(figure) * _MINUTES_OF_HOUR,))
        for figure in _certain_figures(figures_of(linked.question, linked.table.language))
    ]


def _overlaps_any(mention: DateMention, spans: Sequence[tuple[int, int]]) -> bool:
    return any(mention.start < end and start < mention.end for start, end in spans)


def _as_decimal(figure: Figure) -> Decimal:
    return Decimal(str(max(figure.values)))


def _comparison_keys(
    values: Sequence[_Value], column_values: Quantities | Moments, *, is_of_order: bool
) -> tuple[list[Key], list[Key]] | NotComparable:
    """The comparison keys of the values and of the cells.

    Dates are compared by only the parts (year, month, day) that the question gives.
    """
    days = [value.day for value in values if value.day is not None]
    if not days:
        return [value.key for value in values], [(number,) for number in column_values.values]
    cell_dates = [
        date.fromordinal(int(minutes // _MINUTES_OF_DAY)) for minutes in column_values.values
    ]
    # "From 3 to 6 March 2024" gives month and year once.
    for part in ("month", "year"):
        stated_values = {getattr(day, part) for day in days} - {None}
        if len(stated_values) == 1:
            days = [replace(day, **{part: min(stated_values)}) for day in days]
    parts = [part for part in _PARTS if getattr(days[0], part) is not None]
    have_same_parts = all(
        [part for part in _PARTS if getattr(day, part) is not None] == parts for day in days
    )
    years = {day.year for day in cell_dates}
    descent_count = sum(later < earlier for earlier, later in pairwise(cell_dates))
    may_span_years = is_of_order and descent_count == 1 and cell_dates[-1] < cell_dates[0]
    reasons = {
        "the dates of the question are not said alike": not have_same_parts,
        "the question says a day that is in no calendar": not all(map(_is_calendar_day, days)),
        "its dates have no year, and the question says one": NO_YEAR in years and "year" in parts,
        "its dates may be of two years, which they do not say": NO_YEAR in years and may_span_years,
        "its dates are of several years, and the year is not said": len(years) > 1
        and "year" not in parts,
    }
    if any(reasons.values()):
        return NotComparable(reason=next(reason for reason, applies in reasons.items() if applies))
    return [_date_key(day, parts) for day in days], [_date_key(day, parts) for day in cell_dates]


def _is_calendar_day(day: Day) -> bool:
    try:
        date(day.year or NO_YEAR, day.month or 1, day.day or 1)
    except ValueError:
        return False
    return True


def _date_key(day: Day | date, parts: Sequence[str]) -> Key:
    return tuple(Decimal(getattr(day, part)) for part in parts)


def _digit_runs(question: str, value: _Value) -> frozenset[str]:
    return frozenset(re.findall(r"\d+", question[value.start : value.end]))
