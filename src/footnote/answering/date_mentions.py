"""Text becomes the dates it mentions, in whatever format and language they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_MONTHS: Mapping[str, str] = {
    "en": "january february march april may june july august september october november december",
    "short": "jan feb mar apr may jun jul aug sep oct nov dec",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
}
_NUMBER = {
    **{name: at for names in _MONTHS.values() for at, name in enumerate(names.split(), start=1)},
    **{"sept": 9, "okt": 10, "dez": 12, "jänner": 1, "setiembre": 9, "mrz": 3},
}
_ALONE = frozenset(_NUMBER) - set(_MONTHS["short"].split()) - {"march", "mars", "mai", "sept"}
"""Months whose names mean nothing else, so that they are dates without a day or a year."""
_NAMES = "|".join(sorted(_NUMBER, key=lambda name: (-len(name), name)))
_YEAR = "[12][0-9]{3}"
_ORDINAL = r"(?:st|nd|rd|th|er|º|°|\.)?"
_DATE = re.compile(
    rf"""(?<![0-9A-Za-z.])(?:
      (?P<y1>{_YEAR})(?P<s1>[-/.])(?P<m1>[0-9]{{1,2}})(?P=s1)(?P<d1>[0-9]{{1,2}})
    | (?P<a2>[0-9]{{1,2}})(?P<s2>[./-])(?P<b2>[0-9]{{1,2}})(?P=s2)(?P<y2>{_YEAR}|[0-9]{{2}})
    | (?P<d3>[0-9]{{1,2}}){_ORDINAL}\s+(?:de\s+|of\s+|day\s+of\s+)?(?P<m3>{_NAMES})(?![^\W\d_])\.?
      (?:,?\s+(?:(?:de|del|of)\s+)?(?P<y3>{_YEAR}))?
    | (?P<m4>{_NAMES})\.?\s+(?:the\s+)?(?P<d4>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9])
      (?:,?\s+(?P<y4>{_YEAR}))?
    | (?P<m5>{_NAMES})\.?,?\s+(?:(?:de|del|of)\s+)?(?P<y5>{_YEAR})
    | (?P<m6>{_NAMES})(?![^\W\d_])
    )(?![0-9])
    | (?P<y7>{_YEAR})\s*年\s*(?:(?P<m7>[0-9]{{1,2}})\s*月\s*(?:(?P<d7>[0-9]{{1,2}})\s*[日号])?)?
    | (?P<m8>[0-9]{{1,2}})\s*月\s*(?:(?P<d8>[0-9]{{1,2}})\s*[日号])""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date as far as it is given."""

    year: int | None = None
    month: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """A date in a text."""

    start: int
    end: int
    readings: tuple[Day, ...]
    """More than one where nobody can tell the month from the day."""


def dates_mentioned(text: str) -> list[DateMention]:
    """The dates of a text in order; years that stand alone are left to the numbers.

    >>> [mention.readings[0].month for mention in dates_mentioned("3 June 2024, 03.06.2024")]
    [6, 6]
    """
    return [
        DateMention(start=match.start(), end=match.end(), readings=readings)
        for match in _DATE.finditer(text)
        if (readings := tuple(_readings(match)))
    ]


def bears_out(claimed: DateMention, held: Sequence[DateMention], years: frozenset[int]) -> bool:
    """Whether one of the dates held says as much; a year may also stand elsewhere."""
    return any(
        _says(other, reading)
        or (
            other.year is None
            and reading.year in years
            and _says(Day(year=reading.year, month=other.month, day=other.day), reading)
        )
        for reading in claimed.readings
        for mention in held
        for other in mention.readings
    )


def _says(held: Day, claimed: Day) -> bool:
    return (
        claimed.year in (None, held.year)
        and claimed.month in (None, held.month)
        and claimed.day in (None, held.day)
    )


def _readings(match: re.Match[str]) -> Iterator[Day]:
    found = {name[0]: text for name, text in match.groupdict().items() if text is not None}
    year = _full_year(found["y"]) if "y" in found else None
    if "a" in found:
        first, second = int(found["a"]), int(found["b"])
        for day, month in dict.fromkeys(((first, second), (second, first))):
            # A full stop parts day from month in that order everywhere.
            if _possible(day, month) and (found["s"] != "." or day == first):
                yield Day(year=year, month=month, day=day)
        return
    if "m" not in found:
        return
    name = found["m"].casefold()
    if found.keys() == {"m"} and (name not in _ALONE or (name == "may" and found["m"] != "May")):
        return
    month = _NUMBER.get(name) or int(found["m"])
    last = int(found["d"]) if "d" in found else None
    if _possible(last or 1, month):
        yield Day(year=year, month=month, day=last)


def _full_year(text: str) -> int:
    year = int(text)
    if len(text) > 2:
        return year
    return year + (2000 if year < 70 else 1900)


def _possible(day: int, month: int) -> bool:
    return 1 <= day <= 31 and 1 <= month <= 12
