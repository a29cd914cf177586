"""The other ways a date in a query may be written in documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

_MONTHS: Mapping[str, tuple[str, ...]] = {
    language: tuple(names.split())
    for language, names in {
        "en": "january february march april may june july august september october november "
        "december",
        "de": "januar februar märz april mai juni juli august september oktober november dezember",
        "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre "
        "décembre",
        "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
        "diciembre",
        "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre "
        "novembre dicembre",
        "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
        "dezembro",
        "nl": "januari februari maart april mei juni juli augustus september oktober november "
        "december",
        "sv": "januari februari mars april maj juni juli augusti september oktober november "
        "december",
        "da": "januar februar marts april maj juni juli august september oktober november december",
        "no": "januar februar mars april mai juni juli august september oktober november desember",
    }.items()
}
_NUMBERED_MONTHS = ("ja", "ko", "zh")
_NUMBER = {name: at for names in _MONTHS.values() for at, name in enumerate(names, start=1)}
_NAMES = "|".join(sorted(_NUMBER, key=lambda name: (-len(name), name)))
_YEAR = "[12][0-9]{3}"
_DATE = re.compile(
    rf"""(?<![0-9A-Za-z.])(?:
      (?P<y1>{_YEAR})[-/.](?P<m1>[0-9]{{1,2}})[-/.](?P<d1>[0-9]{{1,2}})
    | (?P<d2>[0-9]{{1,2}})[.](?P<m2>[0-9]{{1,2}})[.](?P<y2>{_YEAR})
    | (?P<a3>[0-9]{{1,2}})/(?P<b3>[0-9]{{1,2}})/(?P<y3>{_YEAR})
    | (?P<d4>[0-9]{{1,2}})(?:st|nd|rd|th|er|º|\.)?\s+(?:de\s+|of\s+)?(?P<m4>{_NAMES}),?
      \s+(?:de\s+)?(?P<y4>{_YEAR})
    | (?P<m5>{_NAMES})\s+(?P<d5>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y5>{_YEAR})
    | (?P<y6>{_YEAR})年(?P<m6>[0-9]{{1,2}})月(?P<d6>[0-9]{{1,2}})日
    )(?![0-9A-Za-z])""",
    re.VERBOSE | re.IGNORECASE,
)


def dates_in(text: str) -> list[date]:
    """The full dates that a text mentions, in order.

    Of `3/6/2024` nobody can tell the month, so it is none; `13/6/2024` is.
    """
    return [found for match in _DATE.finditer(text) if (found := _read(match)) is not None]


def written_forms(day: date, languages: Sequence[str]) -> Iterator[str]:
    """What other spellings of a date leave in the index, as tokens: wholes, then words."""
    yield f"{day:%Y.%m.%d}"
    yield f"{day:%d.%m.%Y}"
    yield f"{day:%m.%d.%Y}"
    yield f"{day.day}.{day.month}.{day.year}"
    yield f"{day.month}.{day.day}.{day.year}"
    yield str(day.day)
    yield str(day.year)
    for language in languages:
        if language in _MONTHS:
            yield _MONTHS[language][day.month - 1]
        elif language in _NUMBERED_MONTHS:
            yield str(day.month)


def _read(match: re.Match[str]) -> date | None:
    found = {name[0]: text for name, text in match.groupdict().items() if text is not None}
    if "a" in found:
        first, second = int(found["a"]), int(found["b"])
        if first <= 12 and second <= 12 and first != second:
            return None
        day, month = max(first, second), min(first, second)
    else:
        day = int(found["d"])
        month = _NUMBER.get(found["m"].lower()) or int(found["m"])
    try:
        return date(int(found["y"]), month, day)
    except ValueError:
        return None
