"""The names of months and weekdays in written dates."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

MONTHS: Mapping[str, tuple[str, ...]] = {
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
"""Case-folded names from January, by ISO 639-1 code; a test compares them with the CLDR."""
WEEKDAYS: Mapping[str, tuple[str, ...]] = {
    language: tuple(names.split())
    for language, names in {
        "en": "monday tuesday wednesday thursday friday saturday sunday",
        "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    }.items()
}
"""Case-folded names from Monday, by ISO 639-1 code."""
ABBREVIATED_MONTHS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "jan janv ene",
            "feb févr",
            "mar mrz mrt",
            "apr avr abr",
            "may",
            "jun",
            "jul juil",
            "aug",
            "sep sept",
            "oct okt",
            "nov",
            "dec dez déc dic",
        ),
        start=1,
    )
    for name in names.split()
}
"""Month numbers by abbreviated name without its full stop; the English words `set` and `out` are
left out."""
MONTH_NUMBERS: Mapping[str, int] = {
    **{name: number for names in MONTHS.values() for number, name in enumerate(names, start=1)},
    **ABBREVIATED_MONTHS,
    **{"jänner": 1, "maerz": 3, "setiembre": 9},
}
"""Month numbers, 1 to 12, by every name of a month in any of the languages."""
ANY_MONTH = "|".join(sorted(MONTH_NUMBERS, key=lambda name: (-len(name), name)))
"""These names as alternatives of a regular expression, longest first."""


_WORD = re.compile(r"[^\W\d_]+")
_FEWEST = 2
"""Minimum number of different months in a list of months."""


def months_of(*languages: str) -> frozenset[str]:
    """Return the names of the months in the given languages."""
    return frozenset(name for language in languages for name in MONTHS[language])


def months_as_called(text: str, names: Collection[str]) -> Mapping[str, str]:
    """Map names of months to the words that a text uses for the same months, where they differ.

    Empty unless most of the names are months, and at least two different ones.

    >>> months_as_called("How much in April and May?", ["Apr", "May", "Jun.", "Total"])
    {'Apr': 'April'}
    """
    words_by_month = {
        MONTH_NUMBERS[word.casefold()]: word
        for word in _WORD.findall(text)
        if word.casefold() in MONTH_NUMBERS
    }
    if not words_by_month:
        return {}
    months = {name: MONTH_NUMBERS.get(name.casefold().rstrip(".")) for name in names}
    recognised = {name: number for name, number in months.items() if number is not None}
    if len(set(recognised.values())) < _FEWEST or 2 * len(recognised) <= len(months):
        return {}
    return {
        name: words_by_month[number]
        for name, number in recognised.items()
        if number in words_by_month and words_by_month[number].casefold() != name.casefold()
    }
