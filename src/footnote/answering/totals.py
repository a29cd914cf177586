"""The rows of a table become those that do not sum up rows above them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from footnote.answering.tables import Row, Table
from footnote.language.quantities import Quantities

TELLING_DIGITS = 3
"""Of a number that is the sum of those above it, for that to be no accident."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sum:
    """That a number is the sum of those above it."""

    place: int
    sure: bool
    """Whether that can be no accident in a table of one column of numbers."""
    very_sure: bool
    """Whether it can be none, whatever stands beside it."""


def own_rows(table: Table) -> tuple[Row, ...] | None:
    """The rows that do not sum up rows above them; None where that cannot be told of the last.

    Of several columns of numbers one may be such a sum by chance: 21 days after 3, 3, 5 and 10. So
    the others have to be sums as well, or cells left empty, as a row of totals leaves them.
    """
    last = len(table.rows) - 1
    sums: dict[int, list[_Sum]] = defaultdict(list)
    others: Counter[int] = Counter()
    for at in range(1, len(table.header)):
        quantities = table.quantities(table.column(at))
        if not isinstance(quantities, Quantities):
            continue
        found = {each.place: each for each in _sums(quantities.values)}
        for number, value in enumerate(quantities.values):
            if number in found:
                sums[number].append(found[number])
            elif value:
                others[number] += 1
    totals, unclear = set(), set()
    for number, agreeing in sums.items():
        row = table.rows[number]
        is_alone = not others[number] or _leaves_out(row, table)
        is_sure = any(each.very_sure or (each.sure and is_alone) for each in agreeing)
        if is_sure or len(agreeing) > 1 or row.is_emphasised:
            totals.add(number)
        elif is_alone:
            unclear.add(number)
    if last in unclear:
        return None
    return tuple(row for number, row in enumerate(table.rows) if number not in totals)


def _leaves_out(row: Row, table: Table) -> bool:
    """Whether a cell of the row is empty that those of most other rows are not."""
    return any(
        not cell.text and 2 * sum(map(bool, table.column(at))) > len(table.rows)
        for at, cell in enumerate(row.cells)
    )


def _sums(values: Sequence[Decimal]) -> Iterator[_Sum]:
    """The numbers that are the sum of all above them, or of those since the last sum.

    Of those that can be an accident only the last.

    >>> [each.place for each in _sums([*map(Decimal, (125, 81, 206, 50, 73, 123, 329))])]
    [2, 5, 6]
    >>> [each.sure for each in _sums([*map(Decimal, (10, 20, 30))])]
    [False]
    """
    every: list[Decimal] = []
    recent: list[Decimal] = []
    for place, value in enumerate(values):
        summed = next(
            (above for above in (every, recent) if len(above) > 1 and value == sum(above) != 0), ()
        )
        digits = _telling_digits((*summed, value))
        sure = digits + len(summed) > TELLING_DIGITS + 1
        if summed and (sure or place == len(values) - 1):
            yield _Sum(place=place, sure=sure, very_sure=digits > TELLING_DIGITS)
        if summed and sure:
            recent = []
        else:
            every.append(value)
            recent.append(value)


def _telling_digits(values: Sequence[Decimal]) -> int:
    """Of the largest number, without the zeros that all of them end with."""
    whole = [abs(int(each.scaleb(6))) for each in values]
    return len(str(max(whole) // math.gcd(*whole, 10 ** max(len(str(each)) for each in whole))))
