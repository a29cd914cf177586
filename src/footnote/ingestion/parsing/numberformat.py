"""Format a cell's number as its sheet shows it: 0.125 under `0.0%` is 12.5%."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne

from footnote.language.calendar import MONTHS, WEEKDAYS

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "$#,##0;-$#,##0",
    6: "$#,##0;-$#,##0", 7: "$#,##0.00;-$#,##0.00", 8: "$#,##0.00;-$#,##0.00", 9: "0%",
    10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy",
    16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 41: "#,##0", 42: "$#,##0", 43: "#,##0.00", 44: "$#,##0.00",
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""ECMA-376 part 1, 18.8.30; 14 and 22 depend on the reader's locale and are shown as ISO dates."""
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_.|\*.|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General)|(?P<ampm>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|e+(?![+-])|g+|b+)"
    r"|(?P<digits>[0#?.,]+(?:E[+-][0#?]+)?(?:\s?[?#0]+/[?#0\d]+)?)"
    r"|(?P<percent>%)|(?P<text>@)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_SHIFTED = re.compile(r"(?<=[0#?]),+(?=\.|$)")
_ELAPSED = re.compile(r"(h+|m+|s+)", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_COMPARING = {"<": lt, ">": gt, "<=": le, ">=": ge, "=": eq, "<>": ne}
_MAX_SERIAL = 2_958_466
"""First serial number that is no date: midnight after 31 December 9999."""
_MAX_EXACT = 10**15
"""Number above which a double has no digits left after the decimal point."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """One section of a format; semicolons separate them."""

    tokens: tuple[_Token, ...]
    condition: str | None
    is_date: bool
    is_number: bool


def format_value(value: float, code: str, *, since_1904: bool = False) -> str:
    """Return the number as a cell of this format shows it.

    >>> format_value(45123, "d mmm yyyy"), format_value(3.0, "General"), format_value(-5, "0;(0)")
    ('16 Jul 2023', '3', '(5)')
    """
    if code == "General":
        return general(value)
    section, number = _section_for(code, value)
    if section.is_date:
        return _format_date(number, section.tokens, since_1904=since_1904)
    if section.is_number:
        return _format_number(number, section.tokens)
    plain = general(number)
    if not section.tokens:
        return "" if ";" in code else plain
    return "".join(
        plain if token.kind in ("general", "text") else token.text for token in section.tokens
    ).strip()


def general(value: float) -> str:
    """Return a number in the shortest form: no needless zeros, at most 10 significant digits.

    >>> general(3.0), general(2 / 3), general(1e21)
    ('3', '0.6666666667', '1e+21')
    """
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = f"{value:.10g}"
    if "e" in text and 1e-9 < abs(value) < 1e15:
        text = f"{Decimal(text):f}"
    return text


@lru_cache(maxsize=2000)
def _sections(code: str) -> tuple[_Section, ...]:
    """Return the sections of a format as tokens."""
    sections: list[tuple[_Token, ...]] = []
    current: list[_Token] = []
    for match in _TOKEN.finditer(code):
        if match.group("other") == ";":
            sections.append(tuple(current))
            current = []
        elif token := _token(match):
            current.append(token)
    sections.append(tuple(current))
    return tuple(_section(tokens) for tokens in sections[:4])


def _section(tokens: Sequence[_Token]) -> _Section:
    kinds = {token.kind for token in tokens}
    # `m` is a minute after an hour or before a second, else a month.
    section = [token for token in tokens if token.kind != "condition"]
    timed = [index for index, token in enumerate(section) if token.kind in ("date", "elapsed")]
    changed = list(section)
    for position, index in enumerate(timed):
        token = section[index]
        if token.kind != "date" or token.text not in ("m", "mm"):
            continue
        before = section[timed[position - 1]].text if position else ""
        after = section[timed[position + 1]].text if position + 1 < len(timed) else ""
        if before.startswith("h") or after.startswith("s"):
            changed[index] = _Token("date", token.text.replace("m", "n"))
    return _Section(
        tokens=tuple(changed),
        condition=next((token.text for token in tokens if token.kind == "condition"), None),
        is_date=not kinds.isdisjoint(("date", "elapsed")),
        is_number="digits" in kinds,
    )


def _token(match: re.Match[str]) -> _Token | None:
    kind = match.lastgroup
    if kind is None:
        return None
    text = match.group(kind)
    if kind in ("quoted", "escaped", "other"):
        return _Token("literal", text)
    if kind == "bracket":
        if _ELAPSED.fullmatch(text):
            return _Token("elapsed", text.lower())
        if text.startswith("$"):
            return _Token("literal", text[1:].partition("-")[0])
        return _Token("condition", text) if _CONDITION.fullmatch(text) else None
    return _Token(kind, text.lower() if kind == "date" else text)


def _section_for(code: str, value: float) -> tuple[_Section, float]:
    """Return the section for a number, and the number as that section shows it."""
    sections = _sections(code)
    if len(sections) == 1:
        return sections[0], value
    if any(section.condition for section in sections):
        for section in sections:
            if section.condition is None or _holds(value, section.condition):
                return section, value
        return sections[-1], value
    if value < 0:
        return sections[1], -value
    if value == 0 and len(sections) > 2:
        return sections[2], value
    return sections[0], value


def _holds(value: float, condition: str) -> bool:
    match = _CONDITION.fullmatch(condition)
    return match is not None and _COMPARING[match.group(1)](value, float(match.group(2)))


def _format_number(value: float, section: Sequence[_Token]) -> str:
    percents = sum(token.kind == "percent" for token in section)
    number = Decimal(repr(value)) * 100**percents if math.isfinite(value) else Decimal(0)
    digits = "".join(token.text for token in section if token.kind == "digits")
    formatted, first = _format_digits(abs(number), digits), True
    text = ""
    for token in section:
        if token.kind == "digits":
            text += formatted if first else ""
            first = False
        else:
            text += token.text
    negative = number < 0 and any(character in "123456789" for character in formatted)
    return ("-" if negative else "") + " ".join(text.split())


def _format_digits(number: Decimal, pattern: str) -> str:
    if "/" in pattern or number > _MAX_EXACT:
        return general(float(number))
    mantissa, marker, exponent = pattern.upper().partition("E")
    shift = _SHIFTED.search(mantissa)
    if shift:
        number /= 1000 ** len(shift.group())
        mantissa = _SHIFTED.sub("", mantissa)
    integer, _, fraction = mantissa.partition(".")
    if marker:
        text = f"{number:.{len(fraction)}E}"
        base, _, power = text.partition("E")
        return f"{base}E{'-' if int(power) < 0 else '+'}{abs(int(power)):0{len(exponent) - 1}d}"
    rounded = f"{number.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP):f}"
    before, _, after = rounded.partition(".")
    least_digits = integer.replace(",", "").count("0")
    before = before.lstrip("0").rjust(least_digits, "0")
    if "," in integer:
        before = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", before)
    optional = len(fraction) - len(fraction.rstrip("#?"))
    while optional and after.endswith("0"):
        after, optional = after[:-1], optional - 1
    return f"{before}.{after}" if after else before


def _format_date(value: float, section: Sequence[_Token], *, since_1904: bool) -> str:
    if not 0 <= value < _MAX_SERIAL:
        return general(value)
    precise = any(token.text.startswith(("s.", "ss.")) for token in section)
    moment = date_of_serial(value, since_1904=since_1904, parts=1000 if precise else 1)
    twelve_hours = any(token.kind == "ampm" for token in section)
    text = ""
    for token in section:
        if token.kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[token.text[0]]
            text += str(int(round(value * 86400) // unit)).rjust(len(token.text), "0")
        elif token.kind == "date":
            text += _date_part(token.text, moment, twelve_hours=twelve_hours)
        elif token.kind == "ampm":
            text += "AM" if moment.hour < 12 else "PM"
        elif token.kind in ("literal", "digits"):
            text += token.text
    return " ".join(text.split())


def date_of_serial(value: float, *, since_1904: bool = False, parts: int = 1) -> datetime:
    """Return the time of a serial number of days, rounded to 1/`parts` of a second.

    Excel counts a 29 February 1900 that never was; serials before it count from one day later.
    """
    year, month, day = (1904, 1, 1) if since_1904 else (1899, 12, 31 if value < 60 else 30)
    epoch = datetime(year, month, day)  # noqa: DTZ001 - a sheet's times have no zone
    seconds = round(value * 86400 * parts) / parts
    try:
        return epoch + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.max  # noqa: DTZ901 - as above


def _date_part(token: str, moment: datetime, *, twelve_hours: bool) -> str:
    letter, length = token[0], len(token)
    if letter in "ye":
        return f"{moment.year:04d}" if length > 2 or letter == "e" else f"{moment.year % 100:02d}"
    if letter == "m" and length > 2:
        month = MONTHS["en"][moment.month - 1].title()
        return month if length == 4 else month[:1] if length == 5 else month[:3]
    if letter == "d" and length > 2:
        day = WEEKDAYS["en"][moment.weekday()].title()
        return day if length > 3 else day[:3]
    if letter == "s" and "." in token:
        places = len(token.partition(".")[2])
        return f"{moment.second:02d}.{moment.microsecond:06d}"[: 3 + places]
    hour = (moment.hour + 11) % 12 + 1 if twelve_hours else moment.hour
    numbers = {"m": moment.month, "d": moment.day, "h": hour, "n": moment.minute}
    number = numbers.get(letter, moment.second if letter == "s" else 0)
    return f"{number:02d}" if length > 1 else str(number)
