"""Find the figures in a text: numbers, amounts, percentages and identifiers, in many notations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from footnote.language.number_words import SCALES, chinese_value, spelled_numbers

_GAP = "\u00a0\u2009\u202f "
_NUMBER = re.compile(
    rf"(?<![0-9])(?:[0-9]{{1,3}}(?:[{_GAP}][0-9]{{3}})+(?![0-9])(?:[.,][0-9]+)?"
    r"|[0-9]+(?:[.,'’][0-9]+)*)(?P<part>[½¼¾⅓⅔])?"
)
_PARTS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
_LONE_PART = re.compile("(?<![0-9])[½¼¾⅓⅔]")
_SCALE = re.compile(
    rf"[{_GAP}-]?(?P<words>(?:{'|'.join(sorted(SCALES, key=lambda word: (-len(word), word)))})"
    rf"(?:[{_GAP}](?:millones|million))?)(?![^\W\d_])\.?|(?P<metre>m)(?![^\W_])"
    r"|\s?(?P<chinese>[十百千万亿]+)",
    re.IGNORECASE,
)
_UNIT_BEFORE = re.compile(
    r"(?:(?P<symbol>[$€£¥])|(?<![^\W_])(?P<code>USD|US\$|EUR|GBP|CHF|JPY|CNY|RMB)|(?P<share>百分之))"
    r"\s?$",
    re.IGNORECASE,
)
_UNIT_BEHIND = re.compile(
    r"\s?(?:(?P<share>%|％|per\s?cent(?!ile)|prozent|por\s+ciento|pour\s+cents?|per\s+cento)"
    r"|(?P<symbol>[€$£¥]|欧元|美元|英镑|日元|人民币)"
    r"|(?P<code>(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|euros?|dollars?|dólares|dollari|pounds?|pfund"
    r"|libras|livres|sterline|yen|yuan|franken|francs?|francos|franchi)(?![^\W\d_])))",
    re.IGNORECASE,
)
_CURRENCY = {
    **dict.fromkeys("$ usd us$ dollar dollars dólares dollari 美元".split(), "USD"),
    **dict.fromkeys("€ eur euro euros 欧元".split(), "EUR"),
    **dict.fromkeys("£ gbp pound pounds pfund libras livres sterline 英镑".split(), "GBP"),
    **dict.fromkeys("¥ jpy yen 日元".split(), "JPY"),
    **dict.fromkeys("cny rmb yuan 人民币".split(), "CNY"),
    **dict.fromkeys("chf franken franc francs francos franchi".split(), "CHF"),
}
PERCENT = "%"
_CODE = re.compile(r"[^\W_]+(?:[-–./&][^\W_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile("[0-9]{1,12}")
_LETTER_BY_DIGIT = re.compile(r"[^\W\d_][-–]?\d|\d[-–]?[^\W\d_]")
_MEASURED = re.compile(r"\d+(?:[.,]\d+)?[^\W\d_]{1,3}|[^\W\d_]{2,3}\d[\d.,']*")
_DECADE = re.compile(r"\s?(?:['’]?s|er|ern)(?![^\W_])")
_SHORT_RANGE = re.compile(r"(?<![0-9])([12][0-9])([0-9]{2})\s?[–/-]\s?$")
_ROMAN = re.compile(
    r"(?<![^\W_])(?=[IVXLC]{2,7}(?![^\W_]))X?[LC]?X{0,3}(?:IX|IV|V?I{0,3})(?![^\W_])"
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_HEDGED = re.compile(
    r"(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|over|under|more than"
    r"|less than|circa|ca\.|etwa|rund|ungefähr|fast|knapp|über|gut|unos|unas|cerca de|casi"
    r"|aproximadamente|environ|près de|presque|quasi|(?:大)?约|近|超过)\s*(?:[$€£¥]\s?)?$",
    re.IGNORECASE,
)
_LOOK_BACK = 24
_DEVIATION_OF_HEDGED = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number or an identifier in a text."""

    start: int
    end: int
    values: frozenset[float] = frozenset()
    """Each reading of a number: `1.200` is 1200 or 1.2."""
    code: str = ""
    """An identifier, case-folded, letters and digits alone; its `values` are the numbers in it."""
    unit: str = ""
    """`%`, or the code of a currency."""
    claims: bool = True
    """Whether a statement that contains it asserts it; `a` and `both` can only support a figure."""
    rounded: bool = False
    """Whether it is approximate: after "about", or in thousands or millions."""


def figures_of(
    text: str, language: str | None = None, excluded: Sequence[tuple[int, int]] = ()
) -> list[Figure]:
    """Return the figures of a text in order; spans in `excluded`, such as dates, are left out."""
    figures: list[Figure] = []
    occupied = list(excluded)
    for source in (_codes(text), _numerals(text), _words(text, language), _romans(text)):
        for figure in source:
            if all(figure.end <= start or figure.start >= end for start, end in occupied):
                figures.append(figure)
                occupied.append((figure.start, figure.end))
    return sorted(figures, key=lambda figure: figure.start)


def currency_of(unit: str) -> str | None:
    """Return the code of the currency that a unit names; None for another unit.

    >>> currency_of("€"), currency_of("kg")
    ('EUR', None)
    """
    return _CURRENCY.get(unit.casefold())


def agrees(claimed: Figure, source: Figure) -> bool:
    """Return whether a figure in a source supports the claimed figure."""
    if claimed.code:
        return claimed.code == source.code
    if claimed.unit and source.unit and claimed.unit != source.unit:
        return False
    # "Half" is also 50 %.
    values = source.values | (
        {value * 100 for value in source.values} if not source.claims else set()
    )
    return any(
        math.isclose(claimed_value, source_value, rel_tol=1e-9)
        or _rounds_to(source_value, claimed_value, claimed, source)
        for claimed_value in claimed.values
        for source_value in values
    )


def _rounds_to(source_value: float, claimed_value: float, claim: Figure, source: Figure) -> bool:
    """Return whether the claimed value is the source's value, rounded.

    It has fewer significant digits, and one of the two is approximate. If the claim is, it may
    deviate by less than 5 %.
    """
    if not source_value or not (claim.rounded or source.rounded):
        return False
    digits = _significant_digits(claimed_value)
    if digits >= _significant_digits(source_value):
        return False
    if digits > 1 and math.isclose(
        float(f"{source_value:.{digits}g}"), claimed_value, rel_tol=1e-9
    ):
        return True
    return claim.rounded and abs(claimed_value - source_value) < _DEVIATION_OF_HEDGED * abs(
        source_value
    )


def _significant_digits(value: float) -> int:
    return len(f"{value:.12g}".replace(".", "").strip("0"))


def _codes(text: str) -> Iterator[Figure]:
    """Identifiers and other tokens of letters and digits: `POL-2024/88-A`, `Q3`."""
    for match in _CODE.finditer(text):
        word = match.group()
        if not _LETTER_BY_DIGIT.search(word) or _MEASURED.fullmatch(word) or not word.isascii():
            continue
        # `24-year-old` and `mid-1970s` hold words, `Covid-19` a name.
        wordy = any(len(part) > 1 and not part.isupper() for part in _LETTERS.findall(word))
        if not wordy:
            yield Figure(
                start=match.start(),
                end=match.end(),
                code="".join(filter(str.isalnum, word.casefold())),
                values=frozenset(float(digits) for digits in _DIGITS.findall(word)[:8]),
            )


def _numerals(text: str) -> Iterator[Figure]:
    for match in _NUMBER.finditer(text):
        part = match["part"]
        digits = match.group()[: -1 if part else None]
        values = set(_readings(digits))
        if not values:
            # A version or an address: equal only to itself.
            yield Figure(start=match.start(), end=match.end(), code=digits)
            continue
        if part:
            values = {value + _PARTS[part] for value in values}
        end = match.end()
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        if decade := _DECADE.match(text, end):
            values |= {value % 100 for value in values if 1000 <= value < 2100}
            end = decade.end()
        if (short := _SHORT_RANGE.search(before)) and len(digits) == 2:
            values.add(float(short[1] + digits))
        values, end, scaled = _scaled(text, values, end)
        unit, end = _unit(text, match.start(), end)
        yield Figure(
            start=match.start(),
            end=end,
            values=frozenset(values),
            unit=unit,
            rounded=scaled or bool(_HEDGED.search(before)),
        )
    for match in _LONE_PART.finditer(text):
        value = _PARTS[match.group()]
        yield Figure(start=match.start(), end=match.end(), values=frozenset({value, value * 100}))


def _readings(digits: str) -> Iterator[float]:
    """Yield each value that digits with separators may stand for."""
    plain = re.sub(f"[{_GAP}'’]", "", digits)
    marks = re.findall("[.,]", plain)
    if not marks:
        yield float(plain)
        return
    head, *groups = re.split("[.,]", plain)
    if len(head) <= 3 and head != "0" and all(len(group) == 3 for group in groups):
        if len(set(marks)) == 1:
            yield float(head + "".join(groups))
        if len(marks) > 1 and len(set(marks)) == 1:
            return
    if len(set(marks[:-1])) <= 1 and (len(marks) == 1 or marks[-1] != marks[0]):
        yield float(f"{head}{''.join(groups[:-1])}.{groups[-1]}")


def _scaled(text: str, values: set[float], end: int) -> tuple[set[float], int, bool]:
    match = _SCALE.match(text, end)
    if match is None:
        return values, end, False
    if match["metre"]:
        return values | {value * 10**6 for value in values}, match.end(), False
    if match["chinese"]:
        scale = chinese_value("一" + match["chinese"]) or 1
        return {value * scale for value in values}, match.end(), True
    first, *further_words = re.split(f"[{_GAP}]", match["words"].casefold())
    scales = SCALES[first] if not further_words else tuple(scale * 10**6 for scale in SCALES[first])
    return {value * scale for value in values for scale in scales}, match.end(), True


def _unit(text: str, start: int, end: int) -> tuple[str, int]:
    """Return the unit of the figure in this span, and the figure's end with that unit."""
    suffix = _UNIT_BEHIND.match(text, end)
    if suffix:
        name = (suffix["symbol"] or suffix["code"] or "").casefold()
        return _CURRENCY.get(name, PERCENT), suffix.end()
    prefix = _UNIT_BEFORE.search(text[max(0, start - _LOOK_BACK) : start])
    if prefix:
        name = (prefix["symbol"] or prefix["code"] or "").casefold()
        return _CURRENCY.get(name, PERCENT), end
    return "", end


def _words(text: str, language: str | None) -> Iterator[Figure]:
    for start, end, value, claims in spelled_numbers(text, language):
        unit, stop = _unit(text, start, end)
        yield Figure(
            start=start, end=stop, values=frozenset({float(value)}), unit=unit, claims=claims
        )


def _romans(text: str) -> Iterator[Figure]:
    for match in _ROMAN.finditer(text):
        values = [_ROMAN_VALUES[letter] for letter in match.group()]
        total = sum(
            -value if value < max(values[index + 1 :], default=0) else value
            for index, value in enumerate(values)
        )
        yield Figure(
            start=match.start(), end=match.end(), values=frozenset({float(total)}), claims=False
        )


def first_unknown_number(text: str, known_digits: Set[str]) -> str | None:
    """Return the first word of a text with a number that is not among the known digit strings."""
    words = (word for word in text.split() if not known_digits >= {*digit_runs(word)})
    return next((word.strip("¿?¡!.,;:()\"'“”„«»") for word in words), None)


def digit_runs(text: str) -> list[str]:
    """Return the runs of digits in a text, such as "1" and "200" of "1,200"."""
    return "".join(character if character.isdecimal() else " " for character in text).split()
