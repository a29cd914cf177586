"""Parse the cells of a table column as dates or times, or say why they cannot be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from footnote.language.calendar import WEEKDAYS
from footnote.language.dates import Day, dates_mentioned
from footnote.language.quantities import NotComparable

_MAJORITY = 0.5
_LONGEST = 60
"""Most characters of a cell with a date, a time and a weekday; longer cells are not parsed."""
_MINUTES_OF_DAY = 24 * 60
NO_YEAR = 4
"""The year of dates that have none: a leap year, so that 29 February is valid."""
_TIME = re.compile(
    r"""(?<![\w.:])(?:
      (?P<hour1>\d{1,2})(?:[:.](?P<minute1>[0-5]\d))?\s?(?P<half>[ap])\.?\s?m\b\.?
    | (?P<hour2>\d{1,3}):(?P<minute2>[0-5]\d)(?::(?P<second>[0-5]\d))?(?:[.,](?P<part>\d{1,3}))?
      (?:\s?(?:uhr|hrs?|h|min)\b)?
    | (?P<hour3>\d{1,2})\.(?P<minute3>[0-5]\d)\s?uhr\b
    | (?P<hour4>\d{1,2})\s?[h時时点]\s?(?P<minute4>[0-5]\d)(?:\s?(?:min\b|分))?
    )(?![\w:])""",
    re.VERBOSE | re.IGNORECASE,
)
_MONTH_OF_YEAR = re.compile(
    r"(?P<m>0?[1-9]|1[0-2])[/.](?P<year>(?:19|20)\d\d)|(?P<year1>(?:19|20)\d\d)-(?P<m1>0[1-9]|1[0-2])"
)
_WEEKDAYS = frozenset(
    name[:length] for names in WEEKDAYS.values() for name in names for length in (2, 3, len(name))
)
_WORD = re.compile(r"\w+")
_FIRST_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """The dates or times of a column, in the order of its rows."""

    values: tuple[Decimal, ...]
    """Minutes since the same origin."""
    are_dates: bool
    """Whether they are dates, with or without a time; times alone may also be durations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """A parsed cell."""

    days: tuple[Day, ...]
    """Empty for a time alone; two where day and month are ambiguous."""
    first: int
    """The first number in the date; 0 without one."""
    minutes: Decimal
    parts: str
    """The finest part of the time, so that hours and minutes are not compared with minutes and
    seconds; empty without a time."""

    @property
    def kind(self) -> tuple[bool, bool, str]:
        """What all cells of a column must share."""
        return bool(self.days), any(day.day for day in self.days), self.parts

    @property
    def day_first(self) -> bool | None:
        """Whether the day precedes the month; None where that is unclear."""
        if len(self.days) != 1 or self.days[0].day == self.days[0].month:
            return None
        return {self.days[0].day: True, self.days[0].month: False}.get(self.first)


def moments_of(
    cells: Sequence[str], language: str | None, *, of_one_year: bool = False
) -> Moments | NotComparable | None:
    """Parse the cells of a column as dates or times; None if most are something else.

    All cells must be of the same kind. The order of day and month is inferred from all cells
    together, and if that is not enough from the language: every language but English puts the day
    first. Dates without a year are comparable only if taken to be `of_one_year`, then `NO_YEAR`.

    >>> moments_of(["6:40", "18:05"], None)
    Moments(values=(Decimal('400'), Decimal('1085')), are_dates=False)
    """
    moments = [moment for cell in cells if (moment := _moment(cell)) is not None]
    non_empty = sum(any(map(str.isalnum, cell)) for cell in cells)
    if not moments or len(moments) <= _MAJORITY * non_empty:
        return None
    missing = len(cells) - len(moments)
    reasons = {
        f"{missing} of {len(cells)} rows have no date or time": missing > 0,
        "its dates or times are not written alike": len({moment.kind for moment in moments}) > 1,
        "its dates have no year": not of_one_year
        and any(day.year is None for moment in moments for day in moment.days),
    }
    if any(reasons.values()):
        return NotComparable(reason=next(reason for reason, applies in reasons.items() if applies))
    orders = {moment.day_first for moment in moments} - {None}
    if len(orders) != 1 and any(len(moment.days) > 1 for moment in moments):
        orders = {True} if not orders and language not in (None, "en") else {True, False}
    if len(orders) > 1:
        return NotComparable(reason="month and day of its dates cannot be told apart")
    try:
        starts = [
            _ordinal(moment, day_first=orders != {False}) * _MINUTES_OF_DAY for moment in moments
        ]
    except ValueError:
        return NotComparable(reason="one of its dates is in no calendar")
    return Moments(
        values=tuple(start + moment.minutes for start, moment in zip(starts, moments, strict=True)),
        are_dates=bool(moments[0].days),
    )


def times_mentioned(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """Yield start, end and minutes since midnight of each time of day in a text.

    >>> list(times_mentioned("from 8 am to 17:30"))
    [(5, 9, Decimal('480')), (13, 18, Decimal('1050'))]
    """
    for match in _TIME.finditer(text):
        yield match.start(), match.end(), _minutes(match)[0]


def _ordinal(moment: _Moment, *, day_first: bool) -> int:
    """Return the ordinal of its day; 0 for a time alone. Raises ValueError for an invalid date."""
    if not moment.days:
        return 0
    day = moment.days[0 if day_first else -1]
    return date(day.year or NO_YEAR, day.month or 1, day.day or 1).toordinal()


def _moment(cell: str) -> _Moment | None:
    """Parse a cell that has a date, a time or both, and nothing else but a weekday; else None."""
    dates, remainder = dates_mentioned(cell[:_LONGEST]), cell
    if (month := _MONTH_OF_YEAR.fullmatch(cell.strip())) is not None:
        day = Day(year=int(month["year"] or month["year1"]), month=int(month["m"] or month["m1"]))
        return _Moment(days=(day,), first=0, minutes=Decimal(0), parts="")
    if len(dates) > 1 or len(cell) > _LONGEST:
        return None
    for mention in dates:
        remainder = f"{cell[: mention.start]} {cell[mention.end :]}"
    time = _TIME.search(remainder)
    if time is not None:
        remainder = f"{remainder[: time.start()]} {remainder[time.end() :]}"
    words = _WORD.findall(remainder.casefold())
    if len(words) > 1 or not _WEEKDAYS.issuperset(words) or not (dates or time):
        return None
    days = dates[0].readings if dates else ()
    if time is None and not any(reading.day or reading.year for reading in days):
        return None  # Month names alone label groups of rows.
    number = _FIRST_NUMBER.search(cell[dates[0].start : dates[0].end]) if dates else None
    minutes, parts = (Decimal(0), "") if time is None else _minutes(time)
    return _Moment(
        days=days, first=int(number.group()) if number else 0, minutes=minutes, parts=parts
    )


def _minutes(time: re.Match[str]) -> tuple[Decimal, str]:
    """Return a time in minutes, and its finest part."""
    groups = {name.rstrip("1234"): value for name, value in time.groupdict().items() if value}
    hours = int(groups["hour"])
    if half := groups.get("half"):
        hours = hours % 12 + (12 if half.casefold() == "p" else 0)
    seconds = Decimal(".".join([groups.get("second", "0"), *filter(None, [groups.get("part")])]))
    parts = "seconds" if "second" in groups else "part" if "part" in groups else "minutes"
    return hours * 60 + int(groups.get("minute", 0)) + seconds / 60, parts
