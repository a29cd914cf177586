"""Parse the cells of a table column as exact numbers with a unit, or say why they are not.

A currency amount has two decimals or none, seldom three. Where the language of its document would
read three, as `EUR 1.250` in English, other amounts must resolve the ambiguity.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, reduce
from operator import and_

from footnote.language.figures import currency_of
from footnote.language.number_words import SCALES

_GROUPS = " \u00a0\u2009\u202f'’"
_NUMBER = re.compile(
    rf"(?P<before>[^\d]*?)(?P<sign>[-−–+]?)\s?(?P<digits>\d(?:[\d.,{_GROUPS}]*\d)?)(?P<after>\D*)"
)
_SUFFIX = re.compile(r"\s?(?:[%‰°²³€$£¥/·^]|[^\W\d_])+(?: [^\W\d_]+){0,2}\.?")
_MINUS = frozenset("-−–")
_SIGNS = _MINUS | {"+"}
_CODE = re.compile(r"[A-Z]{2,3}\$?")
_POINT_LANGUAGES = frozenset("en zh ja ko th he hi bn ta te ur ms sw ga mt".split())
"""Languages whose numbers have a decimal point; the others have a decimal comma (CLDR)."""
_MULTIPLES = frozenset({"m", *SCALES})
"""Suffixes of amounts in thousands or millions."""
_MAJORITY = 0.5
_UNLIKELY_DECIMALS = 3
"""Decimals that an amount seldom has: a group of thousands is as long."""
_CURRENCY = r"(?:[$€£¥]|(?<![^\W_])(?:USD|EUR|GBP|CHF|JPY|CNY)(?![^\W_]))"
_AMOUNT = re.compile(rf"{_CURRENCY}\s?(\d[\d.,]*\d)|(?<![\d.,])(\d[\d.,]*\d)\s?{_CURRENCY}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The notation of the numbers of a column."""

    point: str = "."
    group: str = ""
    """The thousands separator; empty without one."""
    prefix: str = ""
    """The unit before a number, its space included."""
    suffix: str = ""
    """The unit after a number, its space included."""

    def __call__(self, value: Decimal) -> str:
        """Format a number in this notation.

        >>> Style(point=",", group=".", suffix=" EUR")(Decimal("-1234.50"))
        '-1.234,50 EUR'
        """
        integer, _, fraction = f"{abs(value):f}".partition(".")
        if self.group:
            integer = f"{int(integer):,}".replace(",", self.group)
        sign = "-" if value < 0 else ""
        return (
            f"{sign}{self.prefix}{integer}{self.point + fraction if fraction else ''}{self.suffix}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantities:
    """The numbers of a column, in the order of its rows."""

    values: tuple[Decimal, ...]
    style: Style

    @property
    def decimals(self) -> int:
        """The largest number of decimals of one of them."""
        return max((_decimals(value) for value in self.values), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotComparable:
    """Why the cells of a column are not numbers to compute with."""

    reason: str


@dataclass(frozen=True, slots=True)
class _ParsedCell:
    """A parsed cell."""

    digits: str
    negative: bool
    prefix: str
    suffix: str


def quantities_of(
    cells: Sequence[str], language: str | None, amounts: DecimalMarks | None = None
) -> Quantities | NotComparable | None:
    """Parse the cells of a column as numbers; None if most are something else.

    Each must be one number with the same unit before or after it; a currency that only some rows
    have, as in reports, applies to all. Thousands and decimals are told apart by all cells
    together, and if that is not enough by the language of the document; those of amounts by
    `point_of_amounts`, with the decimal marks of the other `amounts` of the document.
    """
    parsed = [_parse_cell(cell) for cell in cells]
    numbers = [number for number in parsed if number is not None]
    if not numbers or len(numbers) <= _MAJORITY * sum(map(_has_content, cells)):
        return None
    if len(numbers) < len(cells):
        return NotComparable(
            reason=f"{len(cells) - len(numbers)} of {len(cells)} rows have no number"
        )
    units = {_unit(number) for number in numbers}
    if len(units - {""}) > 1 or ("" in units and not all(map(_is_currency, units - {""}))):
        unit_names = ", ".join(sorted(unit or "no unit" for unit in units))
        return NotComparable(reason=f"its units differ ({unit_names})")
    digits = [number.digits for number in numbers]
    if any(map(_is_currency, units)):
        point = point_of_amounts(digits, language, amounts or DecimalMarks())
    else:
        point = _marks(digits).point(language)
    if point is None:
        return NotComparable(reason="its numbers can be read in two ways")
    values = tuple(
        _value(number.digits, point) * (-1 if number.negative else 1) for number in numbers
    )
    example = next((number for number in numbers if _unit(number)), numbers[0])
    marks = Counter(
        mark for number in numbers for mark in number.digits if not mark.isdigit() and mark != point
    )
    group = marks.most_common(1)[0][0] if marks else ""
    style = Style(point=point, group=group, prefix=example.prefix, suffix=example.suffix)
    return Quantities(values=values, style=style)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """The number of one cell."""

    value: Decimal
    unit: str
    """The code of a currency, or the unit as written; may be empty."""


@dataclass(frozen=True, slots=True)
class DecimalMarks:
    """The decimal marks with which numbers are well formed."""

    possible: str = ".,"
    alike: bool = True
    """Whether both marks give the same values, where both are possible."""

    def __and__(self, other: DecimalMarks) -> DecimalMarks:
        possible = "".join(mark for mark in self.possible if mark in other.possible)
        return DecimalMarks(possible, self.alike and other.alike)

    def point(self, language: str | None) -> str | None:
        """Return the decimal mark; None if none is possible, or both are without a language."""
        if len(self.possible) < 2:
            return self.possible or None
        if self.alike:
            return "."
        if language is None:
            return None
        return "." if language in _POINT_LANGUAGES else ","


def point_of_amounts(
    digits: Sequence[str], language: str | None, document_marks: DecimalMarks
) -> str | None:
    """Return the decimal mark of amounts in one notation, such as a column's; None if unclear.

    If both marks are possible, `document_marks` decide where they allow only one. Otherwise it is
    the mark with which not just some of the amounts have three decimals, if the language agrees or
    is unknown; otherwise that of the language, unless it gives some amount three decimals.

    >>> point_of_amounts(["820", "1,140"], None, DecimalMarks())
    '.'
    >>> point_of_amounts(["1,140"], "de", DecimalMarks()) is None
    True
    """
    marks = _marks(digits)
    if len(marks.possible) < 2 or marks.alike:
        return marks.point(language)
    if len(document_marks.possible) == 1:
        return document_marks.possible
    by_language = marks.point(language)
    decimals_by_mark = {
        mark: [_decimals(_value(number, mark)) for number in digits] for mark in ".,"
    }
    uniform = [
        mark
        for mark, decimals in decimals_by_mark.items()
        if _UNLIKELY_DECIMALS not in decimals or len(set(decimals)) == 1
    ]
    if len(uniform) == 1:
        return uniform[0] if by_language in (None, *uniform) else None
    if by_language is None or _UNLIKELY_DECIMALS in decimals_by_mark[by_language]:
        return None
    return by_language


@lru_cache(maxsize=2)
def marks_of_amounts(text: str) -> DecimalMarks:
    """Return the decimal marks with which all amounts in a text are well formed.

    Cached, as it is called for each fact of a document.
    """
    return marks_of([match[1] or match[2] for match in _AMOUNT.finditer(text)])


def marks_of(cells: Sequence[str]) -> DecimalMarks:
    """Return the decimal marks that fit the numbers of a column; numbers that none fits are
    ignored."""
    marks = [_marks([number.digits]) for number in map(_parse_cell, cells) if number is not None]
    return reduce(and_, (cell_marks for cell_marks in marks if cell_marks.possible), DecimalMarks())


def marks_of_column(
    cells: Sequence[str], language: str | None, document_marks: DecimalMarks
) -> DecimalMarks:
    """As `marks_of`, for a column of amounts; only the mark of `point_of_amounts` if it has one."""
    marks = marks_of(cells)
    if len(marks.possible) < 2:
        return marks
    digits = [number.digits for number in map(_parse_cell, cells) if number is not None]
    point = point_of_amounts(digits, language, document_marks)
    return marks if point is None else DecimalMarks(point)


def number_in(
    cell: str, language: str | None = None, neighbour_marks: DecimalMarks | None = None
) -> Quantity | None:
    """Parse a cell that has one number and nothing but its unit; None for another cell.

    Thousands and decimals are told apart by `neighbour_marks`, those of the cells beside it, then
    by the language; without either a point is a decimal mark. Amounts that depend on others are
    parsed by `amount_in`.

    >>> number_in("$ (1,452.4)")
    Quantity(value=Decimal('-1452.4'), unit='USD')
    """
    parsed = _parse_cell(cell)
    if parsed is None:
        return None
    cell_marks = _marks([parsed.digits])
    if not cell_marks.possible:
        return None
    common_marks = cell_marks if neighbour_marks is None else cell_marks & neighbour_marks
    point = common_marks.point(language) or cell_marks.point(language)
    value = _value(parsed.digits, point or ".")
    return Quantity(value=-value if parsed.negative else value, unit=_unit(parsed))


def amount_in(cell: str, language: str | None, document_marks: DecimalMarks) -> Quantity | None:
    """As `number_in`, for an amount of a currency; also None where its decimal mark is unclear.

    >>> amount_in("1.250", "en", DecimalMarks()) is None
    True
    """
    parsed = _parse_cell(cell)
    point = None if parsed is None else point_of_amounts([parsed.digits], language, document_marks)
    return None if point is None else number_in(cell, language, DecimalMarks(point))


def plain_number(value: Decimal) -> str:
    """Format a number without an exponent and without trailing zeros.

    >>> plain_number(Decimal("1452.40").scaleb(6)), plain_number(Decimal("-0.50"))
    ('1452400000', '-0.5')
    """
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _has_content(cell: str) -> bool:
    return any(map(str.isalnum, cell))


def _parse_cell(cell: str) -> _ParsedCell | None:
    """Parse a cell that has one number and nothing but its unit; None for another cell."""
    text = cell.strip()
    in_brackets = text.startswith("(") and text.endswith(")")
    match = _NUMBER.fullmatch(text[1:-1].strip() if in_brackets else text)
    if match is None:
        return None
    before, after = match["before"], match["after"]
    sign = match["sign"]
    if before[:1] in _SIGNS and not sign:
        before, sign = before[1:].lstrip(), before[:1]
    # Accountants write negative amounts in brackets, the currency before or within: `$ (5)`.
    if before.rstrip().endswith("(") and after.lstrip().startswith(")") and not sign:
        before, after, sign = before.rstrip()[:-1], after.lstrip()[1:], "-"
    unit_before = before.strip()
    if unit_before and not (_is_currency(unit_before) or _CODE.fullmatch(unit_before)):
        return None
    if after.strip() and not _SUFFIX.fullmatch(after.rstrip()):
        return None
    negative = in_brackets or sign in _MINUS
    return _ParsedCell(match["digits"], negative, before, after.rstrip())


def _unit(parsed: _ParsedCell) -> str:
    """Return the unit for comparisons: the code of a currency, else the unit as written."""
    prefix, suffix = parsed.prefix.strip(), parsed.suffix.strip()
    name = prefix or suffix
    unit = currency_of(name) or name
    # £1.2m is not comparable with £850k.
    return f"{unit} {suffix}" if prefix and suffix.casefold() in _MULTIPLES else unit


def _is_currency(unit: str) -> bool:
    return currency_of(unit) is not None


def _marks(numbers: Sequence[str]) -> DecimalMarks:
    """Return the decimal marks with which all of these numbers are well formed."""
    possible = "".join(
        mark for mark in ".," if all(_is_well_formed(number, mark) for number in numbers)
    )
    alike = len(possible) < 2 or all(
        _value(number, ".") == _value(number, ",") for number in numbers
    )
    return DecimalMarks(possible, alike)


def _is_well_formed(digits: str, point: str) -> bool:
    """Return whether a number is well formed with this decimal mark: groups of three digits.

    >>> [_is_well_formed(cell, ".") for cell in ("1,200.5", "1.200,5", "1,20", "0,250", "1 200")]
    [True, False, False, False, True]
    """
    integer, *fractions = digits.split(point)
    if len(fractions) > 1 or (fractions and not fractions[0].isdigit()):
        return False
    marks = {character for character in integer if not character.isdigit()}
    if not marks:
        return integer.isdigit()
    if len(marks) > 1:
        return False
    head, *groups = integer.split(marks.pop())
    return (
        0 < len(head) <= 3 and not head.startswith("0") and all(len(group) == 3 for group in groups)
    )


def _value(digits: str, point: str) -> Decimal:
    integer, _, fraction = digits.partition(point)
    integer = "".join(filter(str.isdigit, integer))
    return Decimal(f"{integer}.{fraction}" if fraction else integer)


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
