"""Separate a table's total rows from its data rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from itertools import compress

from footnote.answering.tables import Row, Table
from footnote.language.quantities import Quantities
from footnote.language.total_names import has_total_name, is_total_name

TELLING_DIGITS = 3
"""Significant digits from which a number in the last row that equals the sum of those above is
no coincidence. A data row with exactly that value is far rarer than a total row, whatever its
name: the value would have to equal all others together, to the last digit."""
AMID_DIGITS = 5
"""The same for a row in the middle, where total rows are rare and a row near the top easily
equals the sum above it. The digits of one such row, or of several together."""
MIN_DIGITS = 2
"""The same for each of several such rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The total rows and the other rows of a table. Law: each row is in `own` or in `sums`."""

    own: tuple[Row, ...]
    sums: tuple[Row, ...]
    unclear: tuple[Row, ...]
    """The rows of `own` that may be totals."""


class _Verdict(Enum):
    OWN = "own"
    SUM = "sum"
    LIKE_OTHERS = "a sum if the table has another one"
    UNCLEAR = "unclear"


_SUMMING = (_Verdict.SUM, _Verdict.LIKE_OTHERS)


def totals_of(table: Table) -> Totals:
    """Classify rows as totals by their numbers and names.

    One column often equals the sum above it by chance. A row is therefore a total only if it is
    named like one, has no name, is in bold, or if all its numbers agree. In the middle of the table
    these numbers need more digits, or the table another total.
    """
    classify = _RowClassifier(table=table)
    classified = classify(believing=True)
    total_digits = [digits for verdict, digits in classified if verdict in _SUMMING]
    has_several_totals = len(total_digits) > 1 and sum(total_digits) >= AMID_DIGITS
    verdicts = [verdict for verdict, _ in classified]
    if _Verdict.LIKE_OTHERS in verdicts and (
        not has_several_totals or _Verdict.UNCLEAR in verdicts
    ):
        verdicts = [verdict for verdict, _ in classify(believing=False)]
    is_sum = [verdict in _SUMMING for verdict in verdicts]
    return Totals(
        own=tuple(compress(table.rows, (not flag for flag in is_sum))),
        sums=tuple(compress(table.rows, is_sum)),
        unclear=tuple(compress(table.rows, (verdict is _Verdict.UNCLEAR for verdict in verdicts))),
    )


@dataclass(slots=True)
class _RowsAbove:
    """Rows that a later row may sum up, with the sum and the count of each column."""

    rows: list[int] = field(default_factory=list)
    sums: dict[int, Decimal] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)

    def add(self, number: int, columns: Sequence[Sequence[Decimal | None]]) -> None:
        self.rows.append(number)
        for column_index, column in enumerate(columns):
            if (value := column[number]) is not None:
                self.sums[column_index] = self.sums.get(column_index, Decimal(0)) + value
                self.counts[column_index] = self.counts.get(column_index, 0) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Agreement:
    """How far the numbers of a row agree with the sums of the rows above."""

    agreeing: int = 0
    differing: int = 0
    digits: int = 0
    """Significant digits of the agreeing numbers, added up."""
    is_sure: bool = False
    """Whether one of these is no coincidence in the last row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _RowClassifier:
    """Classifies the rows of a table."""

    table: Table

    def __call__(self, *, believing: bool) -> list[tuple[_Verdict, int]]:
        """The verdict for each row, with its significant digits.

        `believing` decides about rows that are totals only if others are.
        """
        columns = list(_number_columns(self.table))
        all_above, recent = _RowsAbove(), _RowsAbove()
        verdicts = []
        for number in range(len(self.table.rows)):
            verdict, digits = self._verdict(number, columns, all_above, recent)
            if verdict is _Verdict.LIKE_OTHERS and not believing:
                verdict = _Verdict.OWN
            verdicts.append((verdict, digits))
            if verdict in _SUMMING:
                recent = _RowsAbove()
            else:
                all_above.add(number, columns)
                recent.add(number, columns)
        return verdicts

    def _verdict(
        self,
        number: int,
        columns: Sequence[Sequence[Decimal | None]],
        all_above: _RowsAbove,
        recent: _RowsAbove,
    ) -> tuple[_Verdict, int]:
        is_named_total = self._is_named_total(number)
        agreement = max(
            (
                _sum_agreement(number, columns, above, 1 if is_named_total else 2)
                for above in (all_above, recent)
            ),
            key=lambda candidate: candidate.agreeing,
        )
        if not agreement.agreeing:
            is_unclear = (agreement.differing or number == 0) and self._is_only_named_total(number)
            return (_Verdict.UNCLEAR if is_unclear else _Verdict.OWN), 0
        stands_out = self._stands_out(number, all_above)
        if is_named_total or (stands_out and agreement.is_sure):
            return _Verdict.SUM, agreement.digits
        is_last = number == len(self.table.rows) - 1
        verdict = (
            _last_row_verdict(agreement, stands_out) if is_last else _middle_row_verdict(agreement)
        )
        return verdict, agreement.digits

    def _is_named_total(self, number: int) -> bool:
        return is_total_name(self._name(number))

    def _is_only_named_total(self, number: int) -> bool:
        """Whether it is the only row with the name of a total, at a position of totals."""
        last = len(self.table.rows) - 1
        if number not in (0, last) or last == 0 or not self._is_named_total(number):
            return False
        return sum(map(self._is_named_total, range(last + 1))) == 1

    def _stands_out(self, number: int, above: _RowsAbove) -> bool:
        """Whether it has a total's name, or is without a name or bold, unlike all rows above."""
        row, name = self.table.rows[number], self._name(number)
        other_rows = [row_index for row_index in above.rows if row_index != number]
        return (
            has_total_name(name)
            or (not name and all(map(self._name, other_rows)))
            or (
                row.is_emphasised
                and not any(self.table.rows[row_index].is_emphasised for row_index in other_rows)
            )
        )

    def _name(self, number: int) -> str:
        cells = self.table.rows[number].cells
        return cells[0].text if cells else ""


def _last_row_verdict(agreement: _Agreement, stands_out: bool) -> _Verdict:
    """The verdict for a last row with an undecisive name, if one of its numbers agrees."""
    if agreement.differing == 0 or agreement.agreeing > 1:
        is_sum = agreement.is_sure or (
            agreement.differing == 0 and (stands_out or agreement.agreeing > 1)
        )
        return _Verdict.SUM if is_sum else _Verdict.UNCLEAR
    # An average may stand beside the total of another column.
    return _Verdict.UNCLEAR if agreement.is_sure or stands_out else _Verdict.OWN


def _middle_row_verdict(agreement: _Agreement) -> _Verdict:
    """The same for a row before the last one."""
    if agreement.differing:
        is_likely = agreement.agreeing > 1 and agreement.digits >= AMID_DIGITS
        return _Verdict.LIKE_OTHERS if is_likely else _Verdict.OWN
    if agreement.digits >= AMID_DIGITS:
        return _Verdict.SUM
    return _Verdict.LIKE_OTHERS if agreement.digits >= MIN_DIGITS else _Verdict.OWN


def _sum_agreement(
    number: int, columns: Sequence[Sequence[Decimal | None]], above: _RowsAbove, fewest: int
) -> _Agreement:
    agreeing = differing = digits = 0
    is_sure = False
    for column_index, column in enumerate(columns):
        value, summed = column[number], above.sums.get(column_index, Decimal(0))
        if value is None or above.counts.get(column_index, 0) < fewest or value == summed == 0:
            continue
        if value != summed:
            differing += 1
            continue
        agreeing += 1
        # A sum of nothing is no evidence.
        addends = [addend for row in above.rows if (addend := column[row])]
        significant_digits = _significant_digits([*addends, value])
        digits += significant_digits
        is_sure = is_sure or significant_digits + len(addends) > TELLING_DIGITS + 1
    return _Agreement(agreeing=agreeing, differing=differing, digits=digits, is_sure=is_sure)


def _number_columns(table: Table) -> Iterator[list[Decimal | None]]:
    """The number columns, with None for cells without a number; without the first column, of
    names."""
    for column_index in range(1, len(table.header)):
        cells = table.column(column_index)
        quantities = table.quantities([cell for cell in cells if _has_digit(cell)])
        if table.quantities(cells) is not None and isinstance(quantities, Quantities):
            values = iter(quantities.values)
            yield [next(values) if _has_digit(cell) else None for cell in cells]


def _has_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))


def _significant_digits(values: Sequence[Decimal]) -> int:
    """The significant digits of the largest number, without the zeros that all of them end with."""
    integers = [abs(int(value.scaleb(6))) for value in values]
    return len(
        str(
            max(integers)
            // math.gcd(*integers, 10 ** max(len(str(integer)) for integer in integers))
        )
    )
