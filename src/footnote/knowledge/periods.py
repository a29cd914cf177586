"""Parse the period that a heading, a label or a sentence states into its first and last day."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

from footnote.knowledge.scales import without_scale
from footnote.language.calendar import MONTH_NUMBERS
from footnote.language.dates import dates_mentioned, quarters_in

Period = tuple[date | None, date | None]
"""First and last day; None for an open end."""

NO_PERIOD: Period = (None, None)
_YEAR = re.compile(
    r"(?<![\w.,])(?:FY\s?)?(?P<first>(?:19|20)\d{2})(?:\s?[/–-]\s?(?P<last>\d{2,4}))?"
    r"(?:年|(?![\w%]|[.,]\d))"
)
_MONTHS_ENDED = re.compile(
    r"\b(?:(?P<count>three|six|nine|twelve|3|6|9|12|drei|sechs|neun|zwölf)[\s-]+(?:months?|monate)"
    r"|(?P<quarter>quarters?|quartal|trimestre)"
    r"|(?P<year>(?:fiscal\s+)?years?|geschäftsjahre?|exercice|ejercicio|ann[ée]e))"
    r"[\s,]+(?:ended|ending|zum|bis|clos|cerrado|terminado)\b",
    re.IGNORECASE,
)
_COUNTS = {
    **dict.fromkeys(("three", "3", "drei"), 3),
    **dict.fromkeys(("six", "6", "sechs"), 6),
    **dict.fromkeys(("nine", "9", "neun"), 9),
    **dict.fromkeys(("twelve", "12", "zwölf"), 12),
}
_SINCE = re.compile(
    r"(?:\b(?:since|from|effective|seit|ab|depuis|desde|à partir du)|自)\s*$", re.IGNORECASE
)
_UNTIL = re.compile(
    r"(?:\b(?:until|till|to|through|by|expires? on|ends on|bis(?: zum)?|jusqu['’]au|hasta(?: el)?)"
    r"|至|到)\s*$",
    re.IGNORECASE,
)

_IN_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_TIME_PHRASE = re.compile(
    r"(?:(?:for|as of|at|the|fiscal|three|six|nine|twelve|\d{1,2})\b[\s-]*)*"
    r"\b(?:years?|months?|quarters?|period|jahre?|monate|quartal|geschäftsjahr|exercice|ejercicio)"
    r"[\s,]*(?:ended|ending|zum|bis|clos le|cerrado el)?\b",
    re.IGNORECASE,
)
_TIME_WORDS = frozenset(
    "as of at for the on in to and fy fiscal ended ending restated audited unaudited q".split()
)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class _Dated:
    """A date of a text, which may be a whole month or year."""

    start: int
    end: int
    first: date
    last: date


def period_of(text: str) -> Period:
    """Parse the period of a text; NO_PERIOD if it states none or several.

    A date is that day or, after "year ended" and the like, the period that ended then; a quarter
    and a year are all of their days.

    >>> period_of("Years ended September 30, 2019")
    (datetime.date(2018, 10, 1), datetime.date(2019, 9, 30))
    >>> period_of("2018 and 2019")
    (None, None)
    """
    quarters = quarters_in(text)
    if quarters:
        return _quarter(quarters[0]) if len(quarters) == 1 else NO_PERIOD
    dated = _dates_in(text)
    if dated is None:
        return NO_PERIOD
    years = [
        match
        for match in _YEAR.finditer(text)
        if not any(date_span.start <= match.start() < date_span.end for date_span in dated)
    ]
    if dated:
        return NO_PERIOD if years else _between(text, dated)
    return _year(text, years[0]) if len(years) == 1 else NO_PERIOD


def period_and_rest(head: str) -> tuple[Period, str]:
    """Return the period of a column head, and the head itself unless it states only a period.

    >>> period_and_rest("Estimated at June 30, 2019")[1]
    'Estimated at June 30, 2019'
    >>> period_and_rest("Years ended September 30, 2019 (in millions)")[1]
    ''
    """
    without_brackets = _IN_BRACKETS.sub(" ", head)
    period = period_of(without_brackets)
    if period == NO_PERIOD:
        return NO_PERIOD, head
    remainder = without_scale(_TIME_PHRASE.sub(" ", without_brackets))
    words = (word.casefold() for word in _WORD.findall(remainder))
    says_more = any(word not in MONTH_NUMBERS and word not in _TIME_WORDS for word in words)
    return period, head if says_more else ""


def _dates_in(text: str) -> list[_Dated] | None:
    """Return the dates with a year; None if one is ambiguous or invalid."""
    dates = []
    for mention in dates_mentioned(text):
        [reading, *alternatives] = mention.readings
        if reading.year is None:
            continue
        if alternatives:
            return None
        if reading.month is None:
            first, last = date(reading.year, 1, 1), date(reading.year, 12, 31)
        elif reading.day is None:
            first, last = _month(reading.year, reading.month)
        elif _is_day(reading.year, reading.month, reading.day):
            first = last = date(reading.year, reading.month, reading.day)
        else:
            return None
        dates.append(_Dated(mention.start, mention.end, first, last))
    return dates


def _between(text: str, dated: list[_Dated]) -> Period:
    """The period of one date, or from the first of two dates to the second."""
    if len(dated) == 1:
        [only] = dated
        # A date with the words before it.
        preceding = text[: only.start]
        ended = _MONTHS_ENDED.search(preceding)
        if ended is not None:
            return _months_before(only.last, _months(ended)), only.last
        if _SINCE.search(preceding):
            return only.first, None
        if _UNTIL.search(preceding):
            return None, only.last
        return only.first, only.last
    if len(dated) == 2 and dated[0].first <= dated[1].last:
        between = text[dated[0].end : dated[1].start]
        if between.strip() in "–-" or _UNTIL.search(between):
            return dated[0].first, dated[1].last
    return NO_PERIOD


def _year(text: str, match: re.Match[str]) -> Period:
    """The period of a single year, of a business year across two, or of one that ended in it."""
    year = last_year = int(match["first"])
    ended = _ended_without_year(text)
    if ended is not None:
        month, day, months = ended
        if not _is_day(year, month, day):
            return NO_PERIOD
        last = date(year, month, day)
        return (_months_before(last, months) if months else last), last
    if match["last"]:
        last_year = int(str(year)[: 4 - len(match["last"])] + match["last"])
        if not year <= last_year <= year + 1:
            return NO_PERIOD
    return date(year, 1, 1), date(last_year, 12, 31)


def _ended_without_year(text: str) -> tuple[int, int, int] | None:
    """Month, day and length in months of a period whose end date lacks its year: `2019` below
    `Years ended September 30,`."""
    for mention in dates_mentioned(text):
        reading = mention.readings[0]
        if len(mention.readings) == 1 and reading.year is None and reading.month and reading.day:
            ended = _MONTHS_ENDED.search(text[: mention.start])
            return reading.month, reading.day, _months(ended) if ended else 0
    return None


def _months(ended: re.Match[str]) -> int:
    if ended["count"]:
        return _COUNTS[ended["count"].casefold()]
    return 3 if ended["quarter"] else 12


def _months_before(last: date, months: int) -> date:
    """First day of a period of so many months that ends on `last`; month ends map to month ends."""
    number = last.year * 12 + last.month - 1 - months
    year, month = divmod(number, 12)
    length = calendar.monthrange(year, month + 1)[1]
    ends = last.day == calendar.monthrange(last.year, last.month)[1]
    return date(year, month + 1, length if ends else min(last.day, length)) + timedelta(days=1)


def _quarter(quarter_text: str) -> Period:
    year, quarter = int(quarter_text[:4]), int(quarter_text[-1])
    first, _ = _month(year, 3 * quarter - 2)
    return first, _month(year, 3 * quarter)[1]


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _is_day(year: int, month: int, day: int) -> bool:
    return year > 0 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]
