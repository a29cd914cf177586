"""Find the dates and quarters in a text, in many formats and languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from footnote.language.calendar import ABBREVIATED_MONTHS, ANY_MONTH, MONTH_NUMBERS

_AMBIGUOUS_MONTHS = {"may": 5, "march": 3, "mars": 3, "mai": 5, "maj": 5, "mei": 5}
"""Month numbers by those names that are also other words."""
_UNAMBIGUOUS_MONTHS = MONTH_NUMBERS.keys() - ABBREVIATED_MONTHS.keys() - _AMBIGUOUS_MONTHS.keys()
"""Month names without another meaning, which are dates even without a day or a year."""
_YEAR = "[12][0-9]{3}"
_DAY_ENDING = r"(?:st|nd|rd|th|er|º|°|\.)?"
_DATE = re.compile(
    rf"""(?<![0-9A-Za-z.])(?:
      (?P<y1>{_YEAR})(?P<s1>[-/.])(?P<m1>[0-9]{{1,2}})(?P=s1)(?P<d1>[0-9]{{1,2}})
    | (?P<a2>[0-9]{{1,2}})(?P<s2>[./-])(?P<b2>[0-9]{{1,2}})(?P=s2)(?P<y2>{_YEAR}|[0-9]{{2}})
    | (?P<d9>[0-9]{{1,2}})\.\s?(?P<m9>[0-9]{{1,2}})\.\s?(?P<y9>{_YEAR})
    | (?P<d0>[0-9]{{1,2}})-(?P<m0>{ANY_MONTH})\.?-(?P<y0>{_YEAR}|[0-9]{{2}})
    | (?P<d3>[0-9]{{1,2}}){_DAY_ENDING}\s+(?:de\s+|of\s+|day\s+of\s+)?
      (?P<m3>{ANY_MONTH})(?![^\W\d_])\.?(?:,?\s+(?:(?:de|del|of)\s+)?(?P<y3>{_YEAR}))?
    | (?P<m4>{ANY_MONTH})\.?\s+(?:the\s+)?(?P<d4>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9])
      (?:,?\s+(?P<y4>{_YEAR}))?
    | (?P<m5>{ANY_MONTH})\.?,?\s+(?:(?:de|del|of)\s+)?(?P<y5>{_YEAR})
    | (?P<m6>{ANY_MONTH})(?![^\W\d_])
    )(?![0-9])
    | (?P<y7>{_YEAR})\s*年\s*(?:(?P<m7>[0-9]{{1,2}})\s*月\s*(?:(?P<d7>[0-9]{{1,2}})\s*[日号])?)?
    | (?P<m8>[0-9]{{1,2}})\s*月\s*(?:(?P<d8>[0-9]{{1,2}})\s*[日号])""",
    re.VERBOSE | re.IGNORECASE,
)
_MONTH_AFTER_TIME_WORD = re.compile(
    r"(?<![^\W_])(?:in|im|en|i|since|seit|depuis|until|till|bis|during|early|late|last|next|every"
    r"|each|throughout|début|fin|anfang|mitte|ende|mid|mi|(?:end|start|beginning|middle|month) of)"
    rf"[\s-]+(?:(?:early|late|mid)[\s-]+)?(?P<month>{'|'.join(_AMBIGUOUS_MONTHS)})(?![^\W_])",
    re.IGNORECASE,
)
_ANY_MONTH = re.compile(rf"(?<![^\W\d_])(?:{ANY_MONTH})(?![^\W\d_])", re.IGNORECASE)
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?!\s?\d)")
_NUMBERED_MONTH = re.compile(r"(?<!\d)(1[0-2]|0?[1-9])\s?[月월](?!\s?\d)")
_FOUR_DIGITS = re.compile(r"(?<!\d)\d{4}(?!\d)")
_CALENDAR_YEAR = re.compile(r"(?<![^\W_])(?:FY\s?)?((?:19|20)\d\d)(?![^\W_])", re.IGNORECASE)
_COMPACT = re.compile(r"(?<![^\W_])((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![^\W_])")
_YEAR_AND_MONTH = re.compile(r"(?<![^\W_])(?<!-)((?:19|20)\d\d)[-. ](0[1-9]|1[0-2])(?![^\W_])(?!-)")
_BEFORE_YEAR = 40
_AFTER_YEAR = 12

_ORDINALS = {
    name: number
    for number, names in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th"), start=1)
    for name in names.split()
}
_QUARTER = (
    r"(?:Q(?P<{0}a>[1-4])|(?P<{0}b>[1-4])Q"
    rf"|(?P<{{0}}c>{'|'.join(_ORDINALS)})[\s-]+quarter)"
)
_YEAR_OF_QUARTER = r"(?:FY\s?)?(?P<{0}y>(?:19|20)\d{{2}})"
_BETWEEN = r"(?:[\s,/_-]|\b(?:of|fiscal|year|the)\b){0,20}"
_QUARTER_OF_YEAR = re.compile(
    rf"(?<![^\W_])(?:{_QUARTER.format('q')}{_BETWEEN}{_YEAR_OF_QUARTER.format('q')}"
    rf"|{_YEAR_OF_QUARTER.format('r')}{_BETWEEN}{_QUARTER.format('r')})(?![^\W_])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date, perhaps partial: parts that are not given are None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """A date in a text."""

    start: int
    end: int
    readings: tuple[Day, ...]
    """Several where day and month are ambiguous."""


def dates_mentioned(text: str) -> list[DateMention]:
    """Return the dates in a text, in order; years that stand alone are left to `figures.py`.

    >>> [mention.readings[0].month for mention in dates_mentioned("3 June 2024, 03.06.2024")]
    [6, 6]
    """
    return [
        DateMention(start=match.start(), end=match.end(), readings=readings)
        for match in _DATE.finditer(text)
        if (readings := tuple(_readings(match)))
    ]


def months_after_time_words(text: str) -> list[DateMention]:
    """Return the months with ambiguous names that stand alone after a word for time.

    `dates_mentioned` leaves these names out: "may" and "march" are also verbs.

    >>> [date.readings[0].month for date in months_after_time_words("due in May, as in March")]
    [5, 3]
    >>> months_after_time_words("they may march in line")
    []
    """
    dates = dates_mentioned(text)
    return [
        DateMention(
            start=match.start("month"),
            end=match.end("month"),
            readings=(Day(month=_AMBIGUOUS_MONTHS[match["month"].casefold()]),),
        )
        for match in _MONTH_AFTER_TIME_WORD.finditer(text)
        # English ones have a capital, which the others may have.
        if match["month"].casefold() not in ("may", "march") or match["month"][0].isupper()
        if all(
            match.end() <= mention.start or mention.end <= match.start("month") for mention in dates
        )
    ]


def short_dates(text: str) -> list[DateMention]:
    """Return the days written with dots (`31.3.`), or else each month by name or number.

    Use it only where the text is known to be about dates, since these may mean something else.

    >>> [mention.readings[0].month for mention in short_dates("who started before May or in 8月")]
    [5, 8]
    """
    dotted = [
        DateMention(start=match.start(), end=match.end(), readings=(Day(month=month, day=day),))
        for match in _DOTTED.finditer(text)
        if _is_possible(day := int(match[1]), month := int(match[2]))
    ]
    if dotted:
        return dotted
    by_name = [
        (match, MONTH_NUMBERS[match.group().casefold()]) for match in _ANY_MONTH.finditer(text)
    ]
    by_number = [(match, int(match[1])) for match in _NUMBERED_MONTH.finditer(text)]
    return [
        DateMention(start=match.start(), end=match.end(), readings=(Day(month=month),))
        for match, month in (*by_name, *by_number)
    ]


def mentioned_months(text: str) -> frozenset[int]:
    """Return the number of every month whose name occurs in a text, whatever it means there.

    >>> sorted(mentioned_months("You may pay by Sept. 3"))
    [5, 9]
    """
    names = (match.group().casefold() for match in _ANY_MONTH.finditer(text))
    return frozenset(MONTH_NUMBERS[name] for name in names)


def complete_dates(text: str) -> Iterator[date]:
    """Yield the dates in a text that have a day, a month and a four-digit year, in order.

    Ambiguous dates are left out: `3/6/2024` is, `13/6/2024` is not.

    >>> [day.isoformat() for day in complete_dates("from 1 July 2024 until 30.06.2027")]
    ['2024-07-01', '2027-06-30']
    """
    for start, end in _around_years(text):
        for match in _DATE.finditer(text, start, end):
            readings = tuple(_readings(match))
            if len(readings) != 1 or len(match["y2"] or "four") < 4:
                continue
            [reading] = readings
            if reading.year is None or reading.month is None or reading.day is None:
                continue
            try:
                yield date(reading.year, reading.month, reading.day)
            except ValueError:
                continue


def quarters_in(text: str) -> tuple[str, ...]:
    """Return each quarter that a text names, once, in the form `2022q3`.

    >>> quarters_in("the third quarter of 2022, Q1 2023 and 2023-Q2")
    ('2022q3', '2023q1', '2023q2')
    """
    quarters: dict[str, None] = {}
    for match in _QUARTER_OF_YEAR.finditer(text):
        parts = {name: value for name, value in match.groupdict().items() if value}
        year = next(value for name, value in parts.items() if name.endswith("y"))
        quarter = next(value.lower() for name, value in parts.items() if not name.endswith("y"))
        quarters[f"{year}q{_ORDINALS.get(quarter, quarter)}"] = None
    return tuple(quarters)


def periods_in_name(text: str) -> Mapping[str, tuple[int, ...]]:
    """Return the latest quarter, date, month and year in a name; a kind that it lacks is absent.

    >>> periods_in_name("2022 Q3 Arkwell")
    {'quarter': (2022, 3), 'year': (2022,)}
    >>> periods_in_name("report_2024-03")
    {'month': (2024, 3), 'year': (2024,)}
    """
    name = text.replace("_", " ")
    periods: dict[str, tuple[int, ...]] = {}
    if quarters := quarters_in(name):
        periods["quarter"] = max((int(quarter[:4]), int(quarter[-1])) for quarter in quarters)
    days = [mention.readings[0] for mention in dates_mentioned(name) if len(mention.readings) == 1]
    compact = [(int(year), int(month), int(day)) for year, month, day in _COMPACT.findall(name)]
    complete = [(d.year, d.month, d.day) for d in days if d.year and d.month and d.day]
    months = [(d.year, d.month) for d in days if d.year and d.month and not d.day]
    months += [(int(year), int(month)) for year, month in _YEAR_AND_MONTH.findall(name)]
    if dates := [*complete, *compact]:
        periods["date"] = max(dates)
    if months:
        periods["month"] = max(months)
    years = [int(year) for year in _CALENDAR_YEAR.findall(name)]
    if years := [*years, *(period[0] for period in (*dates, *months))]:
        periods["year"] = (max(years),)
    return periods


def without_periods(text: str) -> str:
    """Return the case-folded words of a name without periods, month names and words with digits.

    >>> without_periods("Board minutes, third quarter of 2022 (v2)")
    'board minutes'
    """
    name = _QUARTER_OF_YEAR.sub(" ", text.replace("_", " "))
    for mention in reversed(dates_mentioned(name)):
        name = f"{name[: mention.start]} {name[mention.end :]}"
    return " ".join(
        word
        for word in re.findall(r"\w+", name.casefold())
        if word not in MONTH_NUMBERS and not any(map(str.isdigit, word))
    )


def bears_out(
    claimed: DateMention, source_dates: Sequence[DateMention], years: frozenset[int]
) -> bool:
    """Return whether a date in `source_dates` has every part of the claimed date.

    A source date without a year may take one from `years`.
    """
    return any(
        _matches(day, reading)
        or (
            day.year is None
            and reading.year in years
            and _matches(Day(year=reading.year, month=day.month, day=day.day), reading)
        )
        for reading in claimed.readings
        for mention in source_dates
        for day in mention.readings
    )


def _matches(source: Day, claimed: Day) -> bool:
    return (
        claimed.year in (None, source.year)
        and claimed.month in (None, source.month)
        and claimed.day in (None, source.day)
    )


def _around_years(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans around years; searching the whole text for dates takes ten times as long."""
    start = end = 0
    for year in _FOUR_DIGITS.finditer(text):
        if year.start() - _BEFORE_YEAR > end:
            if end:
                yield start, end
            start = year.start() - _BEFORE_YEAR
        end = year.end() + _AFTER_YEAR
    if end:
        yield start, min(end, len(text))


def _readings(match: re.Match[str]) -> Iterator[Day]:
    parts = {name[0]: text for name, text in match.groupdict().items() if text is not None}
    year = _full_year(parts["y"]) if "y" in parts else None
    if "a" in parts:
        first, second = int(parts["a"]), int(parts["b"])
        for day, month in dict.fromkeys(((first, second), (second, first))):
            # With full stops the day precedes the month everywhere.
            if _is_possible(day, month) and (parts["s"] != "." or day == first):
                yield Day(year=year, month=month, day=day)
        return
    if "m" not in parts:
        return
    name = parts["m"].casefold()
    if parts.keys() == {"m"} and name not in _UNAMBIGUOUS_MONTHS:
        return
    month = MONTH_NUMBERS.get(name) or int(parts["m"])
    last = int(parts["d"]) if "d" in parts else None
    if _is_possible(last or 1, month):
        yield Day(year=year, month=month, day=last)


def _full_year(text: str) -> int:
    year = int(text)
    if len(text) > 2:
        return year
    return year + (2000 if year < 70 else 1900)


def _is_possible(day: int, month: int) -> bool:
    return 1 <= day <= 31 and 1 <= month <= 12
