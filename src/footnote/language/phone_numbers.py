"""Find telephone numbers in a text, in international and national notations."""

from __future__ import annotations

import re
from collections.abc import Iterator

import phonenumbers
from phonenumbers import NumberParseException

_GAP = r"[ \u00a0\u2009\u202f\-\u2010-\u2013./()]{0,3}"
_WORLDWIDE = re.compile(
    r"(?<![\w+/=])(?<!\d[.,:/-])(?:\+|(?<!\d[ \u00a0])00)"
    rf"(?P<digits>{_GAP}[1-9](?:{_GAP}\d){{6,16}})",
    re.ASCII,
)
_COUNTRIES = ("US", "GB", "DE", "ES", "FR", "IT", "CN")
"""Countries whose national notation is known; the same as those whose national ids are."""
_SEP = r"[ \u00a0\u2009\u202f.\-]"
_NATIONAL = tuple(
    (re.compile(rf"(?<![\w+/=])(?<!\d[.,:/-])(?:{form})(?!\w)(?![.,:/-]\d)", re.ASCII), countries)
    for form, countries in (
        # With the trunk prefix 0: (030) 901820, 020 7946 0958, 01 23 45 67 89.
        (rf"\(?0\d(?:{_GAP}\d){{7,11}}", ("GB", "DE", "FR", "IT", "CN")),
        (rf"(?:1{_SEP})?(?:\([2-9]\d\d\){_SEP}?|[2-9]\d\d{_SEP})[2-9]\d\d{_SEP}\d{{4}}", ("US",)),
        (rf"[6-9]\d\d(?P<sep>{_SEP})\d\d(?P=sep)\d\d(?P=sep)\d\d", ("ES",)),
        (r"3\d\d[ -]\d{6,7}", ("IT",)),
        (r"1[3-9]\d(?P<sep>[ -]?)\d{4}(?P=sep)\d{4}", ("CN",)),
    )
)
_AFTER_PHONE_WORD = re.compile(
    r"(?:\b(?:tel|telephone|telefon|teléfono|telefono|téléphone|fax|phone|mobile|mobil|móvil|"
    r"cell(?:ulare)?|handy|call)\b|电话|手机|传真)"
    rf"[^\w\n+]{{0,4}}(?P<number>\(?\d(?:{_GAP}\d){{6,14}})",
    re.IGNORECASE,
)
"""After a word for a telephone, any number that is valid in one of the countries."""
_GROUP_END = re.compile(r"\d(?!\d)")


def phone_numbers_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the half-open spans of telephone numbers in a text; some may overlap."""
    for match in _WORLDWIDE.finditer(text):
        for end in _ends(text, match.start("digits"), match.end()):
            if _is_possible("+" + text[match.start("digits") : end]):
                yield match.start(), end
                break
    for form, countries in _NATIONAL:
        for match in form.finditer(text):
            if _is_valid(match.group(), countries):
                yield match.span()
    for match in _AFTER_PHONE_WORD.finditer(text):
        start = match.start("number")
        for end in _ends(text, start, match.end()):
            if _is_valid(text[start:end], _COUNTRIES):
                yield start, end
                break


def _ends(text: str, start: int, end: int) -> list[int]:
    """Return where a number may end: after each of its groups of digits, the last one first."""
    return [start + match.end() for match in _GROUP_END.finditer(text[start:end])][::-1]


def _is_possible(number: str) -> bool:
    """Return whether an international number has a known country code and a possible length."""
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number, None))
    except NumberParseException:
        return False


def _is_valid(number: str, countries: tuple[str, ...]) -> bool:
    for country in countries:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(number, country)):
                return True
        except NumberParseException:
            continue
    return False
