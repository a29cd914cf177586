"""Normalise numbers with separators to one canonical form, whatever the locale."""

from __future__ import annotations

import re

_GROUPED = re.compile(r"([1-9][0-9]{0,2})([,.'])([0-9]{3}(?:\2[0-9]{3})*)(?:(?!\2)[.,]([0-9]+))?")
_DECIMAL = re.compile(r"([0-9]+)[.,]([0-9]+)")
_DOTTED = re.compile(r"[0-9]+(?:([./-])[0-9]+)(?:\1[0-9]+)+")
_ROUND = re.compile("00+")
_TELLING_DIGITS = 3  # A shorter integer part occurs in too many numbers to be a term.


def canonical_number(text: str) -> tuple[str, ...]:
    """Return the terms of a number with separators; none for any other text.

    `1,240.00`, `1'240.00`, `1.240,00` and `1240.00` give `1240`; `1240,5` gives `1240.5` and its
    whole part `1240`. A single separator before exactly three digits is read as grouping, which
    is wrong for some decimals but the same for a document and its query. Dates, versions and
    addresses (`30.11.2024`, `30/11/2024`, `2.3.1`) give a dotted whole and their parts.
    """
    grouped = _GROUPED.fullmatch(text)
    if grouped:
        head, separator, groups, fraction = grouped.groups()
        return _with_fraction(head + groups.replace(separator, ""), fraction)
    decimal = _DECIMAL.fullmatch(text)
    if decimal:
        return _with_fraction(decimal[1], decimal[2])
    dotted = _DOTTED.fullmatch(text)
    if dotted:
        parts = text.split(dotted[1])
        return (".".join(parts), *parts)
    return ()


def _with_fraction(integer: str, fraction: str | None) -> tuple[str, ...]:
    if not fraction or _ROUND.fullmatch(fraction):
        return (integer,)
    number = f"{integer}.{fraction}"
    return (number, integer) if len(integer) >= _TELLING_DIGITS else (number,)
