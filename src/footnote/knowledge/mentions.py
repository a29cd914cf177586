"""Find the mentions of a text: names found by a model, and values with a fixed format."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import phonenumbers
from phonenumbers import NumberParseException
from stdnum import iban
from stdnum.ch import vat as swiss_vat
from stdnum.eu import vat as european_vat
from stdnum.gb import vat as british_vat

from footnote.domain.entities import EntityKind
from footnote.domain.redaction import PersonalData
from footnote.knowledge.names import normal_name, words_of
from footnote.language.addresses import addresses_in
from footnote.language.dates import Day, dates_mentioned
from footnote.language.figures import PERCENT, Figure, figures_of
from footnote.language.identifiers import WORD, is_identifier
from footnote.language.number_words import SCALES
from footnote.language.personal_data import personal_data_in
from footnote.language.quantities import number_in
from footnote.language.scripts import UNSPACED
from footnote.ports import NamedSpan

_VAT = re.compile(r"(?<![\w])(?:[A-Z]{2}|CHE)[ -]?[A-Z0-9](?:[ .-]?[A-Z0-9]){6,13}(?![\w])")
_ADDRESS_OF_THE_WEB = re.compile(r"(?:https?://|www\.)[^\s<>\"'|]+", re.IGNORECASE)
_SYMBOL_BEFORE = re.compile(r"(?:[$€£¥]|(?<![^\W\d_])(?:USD|EUR|GBP|CHF|JPY|CNY|RMB))\s?$")
_LOOK_BACK = 5
_NUMBERS_ALONE = frozenset("hundert tausend cien ciento cent cento mil mille".split())
_IN = re.compile(r"(?<!\w)(?:in|en)\s$", re.IGNORECASE)
_UNSPACED = re.compile(f"[{UNSPACED}]")
_WORD_CATEGORIES = frozenset("LMN")
"""First letters of the Unicode categories of letters, combining marks and digits."""
_MEASURE = re.compile(r"\d[\d.,’' ]*[^\W\d_]{1,3}")
_FORMATTED_KINDS = {
    PersonalData.EMAIL: EntityKind.EMAIL,
    PersonalData.IBAN: EntityKind.IBAN,
    PersonalData.PHONE: EntityKind.PHONE,
}
_CHECKED, _FORM_ALONE = 1.0, 0.95
"""Confidence of a mention with valid check digits, and of one with a valid format only."""
_MAX_OF_A_NAME = 0.75
"""Share of the mentions of a name with one kind from which all get that kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A span of a text that names something: `text[start:end]`."""

    kind: EntityKind
    start: int
    end: int
    normal: str
    """The normalised form by which mentions of one kind are compared."""
    confidence: float
    """0…1."""


def mentions_of(
    text: str, language: str | None, named_spans: Sequence[NamedSpan], kinds: Collection[EntityKind]
) -> list[Mention]:
    """Find the mentions of these kinds in a text, in order and without overlap.

    Values with a fixed format take precedence over names.
    """
    exact = [mention for mention in exact_mentions(text, language) if mention.kind in kinds]
    occupied = sorted((mention.start, mention.end) for mention in exact)
    names: list[Mention] = []
    at = 0
    for span in sorted(named_spans, key=lambda named_span: named_span.start):
        start, end = _whole_words(text, *_trimmed(text, span.start, span.end))
        if names and start < names[-1].end:
            continue  # Its word is part of another name.
        while at < len(occupied) and occupied[at][1] <= start:
            at += 1
        overlaps = at < len(occupied) and occupied[at][0] < end
        if start < end and not overlaps and any(map(str.isalpha, text[start:end])):
            kind = EntityKind(span.kind)
            normal = normal_name(text[start:end], kind)
            if normal:
                names.append(
                    Mention(
                        kind=kind, start=start, end=end, normal=normal, confidence=span.probability
                    )
                )
    names = [mention for mention in _of_one_kind(text, names) if mention.kind in kinds]
    return sorted([*exact, *names], key=lambda mention: mention.start)


def exact_mentions(text: str, language: str | None) -> list[Mention]:
    """Find values with a fixed format, in order, without overlap: e-mail, IBAN, dates, amounts …

    >>> mentions = exact_mentions("Paid 1,500 EUR on 3 June 2024.", "en")
    >>> [(mention.kind.value, mention.normal) for mention in mentions]
    [('amount', '1500 EUR'), ('date', '2024-06-03')]
    """
    exact: list[Mention] = []
    web = [match.span() for match in _ADDRESS_OF_THE_WEB.finditer(text)]
    used = list(web)

    def add(mentions: Iterator[Mention]) -> None:
        for mention in mentions:
            free = all(mention.end <= start or mention.start >= end for start, end in used)
            if mention.normal and free:
                exact.append(mention)
                used.append((mention.start, mention.end))
        used.sort()

    add(_personal(text))
    add(_vat_numbers(text))
    add(_addresses(text))
    add(_dates(text))
    add(_amounts(text, language, used))
    add(_identifiers(text))
    return sorted(exact, key=lambda mention: mention.start)


def _personal(text: str) -> Iterator[Mention]:
    for match in personal_data_in(text, frozenset(_FORMATTED_KINDS)):
        kind = _FORMATTED_KINDS[match.kind]
        value = text[match.start : match.end]
        if kind is EntityKind.IBAN:
            normal = iban.compact(value)
        elif kind is EntityKind.EMAIL:
            normal = value.casefold()
        else:
            normal = _phone(value)
        confidence = _CHECKED if kind is EntityKind.IBAN else _FORM_ALONE
        yield Mention(
            kind=kind, start=match.start, end=match.end, normal=normal, confidence=confidence
        )


def _phone(number: str) -> str:
    """Return the number in E.164 format if it has a country code, else its digits."""
    try:
        parsed = phonenumbers.parse(number, None)
    except NumberParseException:
        return "".join(filter(str.isdigit, number))
    return str(phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164))


def _vat_numbers(text: str) -> Iterator[Mention]:
    for match in _VAT.finditer(text):
        matched = match.group()
        for country, form in (("", european_vat), ("GB", british_vat), ("CHE", swiss_vat)):
            number = matched.removeprefix(country) if country == "GB" else matched
            if matched.startswith(country) and form.is_valid(number):
                yield Mention(
                    kind=EntityKind.VAT,
                    start=match.start(),
                    end=match.end(),
                    normal=(country if country == "GB" else "") + form.compact(number),
                    confidence=_CHECKED,
                )
                break


def _addresses(text: str) -> Iterator[Mention]:
    for start, end in addresses_in(text):
        yield Mention(
            kind=EntityKind.ADDRESS, start=start, end=end,
            normal=" ".join(words_of(text[start:end])), confidence=_FORM_ALONE,
        )  # fmt: skip


def _dates(text: str) -> Iterator[Mention]:
    for mention in dates_mentioned(text):
        readings = {_iso(reading) for reading in mention.readings}
        if len(readings) == 1 and (normal := readings.pop()):
            yield Mention(
                kind=EntityKind.DATE, start=mention.start, end=mention.end, normal=normal,
                confidence=_FORM_ALONE,
            )  # fmt: skip


def _iso(day: Day) -> str:
    """Format a day or a month in ISO 8601; empty for anything less precise."""
    if day.year is None or day.month is None:
        return ""
    month = f"{day.year:04}-{day.month:02}"
    return month if day.day is None else f"{month}-{day.day:02}"


def _amounts(text: str, language: str | None, used: list[tuple[int, int]]) -> Iterator[Mention]:
    for figure in figures_of(text, language, tuple(used)):
        if figure.unit in ("", PERCENT) or not figure.values or _is_scale_alone(text, figure):
            continue
        symbol = _SYMBOL_BEFORE.search(text[max(0, figure.start - _LOOK_BACK) : figure.start])
        start = figure.start - len(symbol.group()) if symbol else figure.start
        yield Mention(
            kind=EntityKind.AMOUNT, start=start, end=figure.end,
            normal=f"{_value(text[figure.start : figure.end], figure, language)} {figure.unit}",
            confidence=_FORM_ALONE,
        )  # fmt: skip


def _is_scale_alone(text: str, figure: Figure) -> bool:
    """Whether it is the unit scale of other numbers, as in `(in thousands EUR)`, and no number.

    In some languages the words for hundred and thousand are numbers, but not after `in`.
    """
    scale = text[figure.start : figure.end].split(maxsplit=1)[0].casefold()
    if figure.claims or not figure.values.issubset(SCALES.get(scale, ())):
        return False
    return scale not in _NUMBERS_ALONE or bool(
        _IN.search(text[max(0, figure.start - _LOOK_BACK) : figure.start])
    )


def _value(text: str, figure: Figure, language: str | None) -> str:
    """The number of an amount; of several readings the one preferred by its language."""
    parsed = number_in(text, language)
    value = (
        float(parsed.value)
        if parsed and float(parsed.value) in figure.values
        else max(figure.values)
    )
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _identifiers(text: str) -> Iterator[Mention]:
    for match in WORD.finditer(text):
        word = match.group()
        if is_identifier(word.casefold()) and not _MEASURE.fullmatch(word):
            yield Mention(
                kind=EntityKind.IDENTIFIER, start=match.start(), end=match.end(),
                normal=word.casefold(), confidence=_FORM_ALONE,
            )  # fmt: skip


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a span to whole words."""
    while 0 < start < end and _is_in_word(text, start):
        start -= 1
    while start < end < len(text) and _is_in_word(text, end):
        end += 1
    return start, end


def _is_in_word(text: str, at: int) -> bool:
    """Whether an offset is inside a word of a script with spaces."""
    return all(
        unicodedata.category(character)[0] in _WORD_CATEGORIES and not _UNSPACED.match(character)
        for character in text[at - 1 : at + 1]
    )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Strip spaces, quotes and commas from a span."""
    while start < end and not (text[start].isalnum() or text[start] in "$€£"):
        start += 1
    while start < end and not (text[end - 1].isalnum() or text[end - 1] in ".)!?"):
        end -= 1
    if end > start and text[end - 1] == ")" and "(" not in text[start:end]:
        end -= 1
    if end > start and text[end - 1] == "." and not _ends_in_abbreviation(text[start:end]):
        end -= 1
    return start, end


def _ends_in_abbreviation(name: str) -> bool:
    """Whether the full stop at the end of a name belongs to it."""
    last = name.rsplit(maxsplit=1)[-1]
    return "." in last[:-1] or last.casefold() in ("inc.", "ltd.", "co.", "corp.", "jr.", "sr.")


def _of_one_kind(text: str, names: Sequence[Mention]) -> list[Mention]:
    """Give all mentions of one name the same kind where at least `_MAX_OF_A_NAME` have it."""
    kinds: dict[str, Counter[EntityKind]] = defaultdict(Counter)
    for mention in names:
        kinds[text[mention.start : mention.end].casefold()][mention.kind] += 1
    unified = []
    for mention in names:
        kind_counts = kinds[text[mention.start : mention.end].casefold()]
        kind, highest = kind_counts.most_common(1)[0]
        if kind is mention.kind or highest < _MAX_OF_A_NAME * kind_counts.total():
            unified.append(mention)
            continue
        normal = normal_name(text[mention.start : mention.end], kind)
        unified.append(replace(mention, kind=kind, normal=normal or mention.normal))
    return unified
