"""Find personal data in a text by form and check digits; people's names are not covered."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass

from stdnum import iban, luhn

from footnote.domain.redaction import PersonalData
from footnote.language.national_ids import national_ids_in
from footnote.language.phone_numbers import phone_numbers_in


@dataclass(frozen=True, slots=True)
class PersonalDataSpan:
    """The place of one piece of personal data: `text[start:end]`."""

    start: int
    end: int
    kind: PersonalData


# Alphabets only: in scripts without spaces, neighbouring words would be matched as parts of it.
_LETTER = "A-Za-z\u00c0-\u024f\u0370-\u058f\u05d0-\u06ff\u0900-\u0dff"
_EMAIL = re.compile(
    rf"(?<![{_LETTER}0-9.!#$%&'*+/=?^_`{{|}}~-])[{_LETTER}0-9!#$%&'*+/=?^_`{{|}}~.-]++@"
    rf"(?:[{_LETTER}0-9](?:[{_LETTER}0-9-]{{0,61}}[{_LETTER}0-9])?\.)+"
    rf"(?:xn--[a-z0-9-]{{1,59}}[a-z0-9]|[{_LETTER}]{{2,63}})"
)
_SEPARATOR = "[ \u00a0\u2009\u202f-]"
_IBAN_START = re.compile(
    rf"(?<![^\W_])[A-Z]{{2}}{_SEPARATOR}?\d{{2}}(?:{_SEPARATOR}?[A-Z0-9]){{11,30}}", re.I | re.ASCII
)
_DIGITS = re.compile(rf"(?<![^\W_])(?<!\d[.,])\d(?:{_SEPARATOR}?\d){{11,39}}(?!\d)", re.ASCII)
_GROUP_START = re.compile(r"(?<!\d)(?=\d{4}\D|\d{12})\d")
_GROUP_END = re.compile(r"[^\W_](?![^\W_])")
_NO_DIGIT = re.compile(r"\D")
_GROUPED = re.compile(
    r"\d{12,19}|\d{4}(?:\D\d{4}){2}\D\d{1,7}|\d{4}\D\d{6}\D\d{4,5}|"
    r"\d{4}(?:\D\d{4}){3}\D\d{3}"
)
"""Notations of a card number: without separators, or in the groups that are printed on cards."""
_ISSUED = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|6(?:011|4[4-9]|5\d|2\d)\d{12,15}"
    r"|35\d{14}|3(?:0|6|8|9)\d{12}|(?:50|5[6-9]|6[0-37-9])\d{10,17}|(?:220[0-5]|9792|81\d\d)\d{12}"
)
"""The prefixes of card issuers, and the lengths of their numbers (ISO/IEC 7812)."""
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)", re.ASCII)
_IPV6 = re.compile(
    r"(?<![\w:.])(?=[\da-f]*:[\da-f]*:)(?=:*[\da-f])[\da-f:]{2,39}(?:\.\d+){0,3}(?![\w:])", re.I
)


_FEW_DIGITS = re.compile(r"(?:\D*\d){0,5}+\D*\Z")
_WITHOUT_DIGITS = frozenset((PersonalData.EMAIL, PersonalData.IP))
"""The kinds that may have fewer than six digits."""


def personal_data_in(text: str, kinds: Set[PersonalData]) -> list[PersonalDataSpan]:
    """Return the personal data of these kinds in a text, in order, without overlaps.

    Overlapping matches are merged into one, of the kind of the longest.
    """
    if _FEW_DIGITS.match(text):
        kinds = kinds & _WITHOUT_DIGITS
    matches = sorted(
        (
            PersonalDataSpan(start, end, kind)
            for kind, search in _SEARCHES.items()
            if kind in kinds
            for start, end in search(text)
        ),
        key=lambda match: (match.start, -match.end, match.kind),
    )
    merged: list[PersonalDataSpan] = []
    for match in matches:
        if merged and match.start < merged[-1].end:
            last = merged[-1]
            longer = match if match.end - match.start > last.end - last.start else last
            merged[-1] = PersonalDataSpan(last.start, max(last.end, match.end), longer.kind)
        else:
            merged.append(match)
    return merged


def _emails(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _EMAIL.finditer(text)) if "@" in text else iter(())


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    for match in _IBAN_START.finditer(text):
        start = match.start()
        # Letters that follow may be the next words: take the longest with valid check digits.
        for end in _group_ends(text, start, match.end()):
            if iban.is_valid(re.sub(_SEPARATOR, "", text[start:end])):
                yield start, end
                break


def _cards(text: str) -> Iterator[tuple[int, int]]:
    for run in _DIGITS.finditer(text):
        next_start = run.start()
        for first in _GROUP_START.finditer(text, run.start(), run.end()):
            if first.start() < next_start:
                continue
            for end in _group_ends(text, first.start(), run.end()):
                if _is_card(text[first.start() : end]):
                    yield first.start(), end
                    next_start = end
                    break


def _is_card(text: str) -> bool:
    digits = _NO_DIGIT.sub("", text)
    return bool(
        12 <= len(digits) <= 19
        and _GROUPED.fullmatch(text)
        and _ISSUED.fullmatch(digits)
        and luhn.is_valid(digits)
    )


def _group_ends(text: str, start: int, end: int) -> list[int]:
    """Return the ends of the groups of letters and digits, the last one first."""
    return [match.end() for match in _GROUP_END.finditer(text, start, end)][::-1]


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    for form in (_IPV4, _IPV6):
        for match in form.finditer(text):
            try:
                ipaddress.ip_address(match.group())
            except ValueError:
                continue
            yield match.span()


_SEARCHES: Mapping[PersonalData, Callable[[str], Iterator[tuple[int, int]]]] = {
    PersonalData.EMAIL: _emails,
    PersonalData.PHONE: phone_numbers_in,
    PersonalData.IBAN: _ibans,
    PersonalData.CARD: _cards,
    PersonalData.NATIONAL_ID: national_ids_in,
    PersonalData.IP: _addresses,
}
