"""The rows of a table become those that do not sum up rows above them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal

from footnote.answering.tables import Row, Table
from footnote.language.quantities import Quantities

TELLING_DIGITS = 3
"""Of a number that is the sum of those above it, for that to be no accident."""


def own_rows(table: Table) -> tuple[Row, ...] | None:
    """The rows that do not sum up rows above them; None where that cannot be told of the last."""
    last = len(table.rows) - 1
    sums: dict[int, list[bool]] = {}
    for at in range(1, len(table.header)):
        quantities = table.quantities(table.column(at))
        if isinstance(quantities, Quantities):
            for number, sure in _sums(quantities.values):
                sums.setdefault(number, []).append(sure)
    totals = {
        number
        for number, sure in sums.items()
        if any(sure) or len(sure) > 1 or table.rows[number].is_emphasised
    }
    if last in sums.keys() - totals:
        return None
    return tuple(row for number, row in enumerate(table.rows) if number not in totals)


def _sums(values: Sequence[Decimal]) -> Iterator[tuple[int, bool]]:
    """The places of numbers that are the sum of all above them, or of those since the last sum.

    Each with whether that can be no accident; of such as can only the last.

    >>> list(_sums([Decimal(each) for each in (125, 80, 205, 50, 73, 123, 328)]))
    [(2, True), (5, True), (6, True)]
    >>> list(_sums([Decimal(each) for each in (10, 20, 30)]))
    [(2, False)]
    """
    every: list[Decimal] = []
    recent: list[Decimal] = []
    for place, value in enumerate(values):
        summed = next(
            (above for above in (every, recent) if len(above) > 1 and value == sum(above) != 0), ()
        )
        sure = _telling_digits((*summed, value)) + len(summed) > TELLING_DIGITS + 1
        if summed and (sure or place == len(values) - 1):
            yield place, sure
        if summed and sure:
            recent = []
        else:
            every.append(value)
            recent.append(value)


def _telling_digits(values: Sequence[Decimal]) -> int:
    """Of the largest number, without the zeros that all of them end with."""
    whole = [abs(int(each.scaleb(6))) for each in values]
    return len(str(max(whole) // math.gcd(*whole, 10 ** max(len(str(each)) for each in whole))))
