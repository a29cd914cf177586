"""A question over the column of a table becomes a number, and the rows it was computed from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal

from footnote.answering.asking import Asked
from footnote.answering.choosing import Located
from footnote.answering.cite import Footnotes
from footnote.answering.sentences import Candidate
from footnote.answering.tables import Row, Table, table_around
from footnote.answering.titles import Terms
from footnote.domain import Evidence
from footnote.language.quantities import Quantities, quantities_of
from footnote.ports import Operation

MOST_CITED = 12
"""Rows that have a footnote each; of more the stretches of the table are cited."""
FURTHER_DECIMALS = 2
"""Of an average, beyond those of its numbers."""
TELLING_DIGITS = 3
"""Of a number that is the sum of those above it, for that to be no accident."""

_FEWEST_ROWS = 2
"""Of fewer nothing is asked."""

_NAMES = {
    Operation.SUM: "Sum",
    Operation.AVERAGE: "Average",
    Operation.LARGEST: "largest",
    Operation.SMALLEST: "smallest",
    Operation.COUNT: "Count",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """What was asked of a column, and where it comes from."""

    text: str
    """As it is said, such as `Sum of Price: 1,234 EUR (12 rows)`."""
    rows: tuple[Candidate, ...]
    """For the largest and the smallest those that have it, else all that were computed with."""

    def cited(self, footnotes: Footnotes) -> tuple[int, ...]:
        """The markers of its rows; of many, one for each stretch of the table."""
        if len(self.rows) <= MOST_CITED:
            stretches = [(row.evidence.passage, row.start, row.end) for row in self.rows]
        else:
            by_passage: dict[str, list[Candidate]] = {}
            for row in self.rows:
                by_passage.setdefault(row.evidence.passage.chunk_id, []).append(row)
            stretches = [
                (rows[0].evidence.passage, rows[0].start, rows[-1].end)
                for rows in by_passage.values()
            ]
        return tuple(footnotes.citation(*each).marker for each in stretches)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotComputed:
    """Why a column was not computed with, although the question asks for it."""

    reason: str


def compute(
    question: str,
    operation: Operation,
    located: Sequence[Located],
    evidence: Sequence[Evidence],
    terms: Terms,
) -> Computed | NotComputed | None:
    """What the question asks of the column that the likeliest answer was located in.

    None where there is no column to compute with, where the question names one row, whose cell is
    then the answer, and where it names a number that the table does not have. Rows whose numbers
    sum up those above them are no rows of their own.
    """
    table = table_around(located[0].candidate, evidence) if located else None
    if table is None or len(table.rows) < _FEWEST_ROWS:
        return None
    if any(len(row.cells) != len(table.header) for row in table.rows):
        return NotComputed(reason="a row of its table could not be read")
    asked = Asked(question=question, table=table, terms=terms, located=located)
    column = asked.column(operation)
    return None if column is None else _over_column(operation, asked, column)


def _over_column(operation: Operation, asked: Asked, column: int) -> Computed | NotComputed | None:
    table = asked.table
    own = _own_rows(table)
    kept = tuple(row for row in own or table.rows if asked.is_among(row))
    if len(kept) < (1 if operation is Operation.COUNT else _FEWEST_ROWS):
        return None
    if not table.is_whole:
        return NotComputed(reason="a part of its table is not among the passages that were read")
    if own is None:
        return NotComputed(reason="the last row of its table may be the sum of the others")
    narrowed = replace(table, rows=kept)
    if operation is Operation.COUNT:
        return _counted(narrowed, column, asked.groups_text)
    quantities = quantities_of(narrowed.column(column), table.language)
    if isinstance(quantities, Quantities):
        return _aggregated(operation, narrowed, column, quantities, asked.groups_text)
    why = quantities.reason if quantities else "it holds other things than numbers"
    return NotComputed(reason=f"the column {table.header[column]!r} cannot be compared: {why}")


def _counted(table: Table, column: int, groups: str) -> Computed:
    cells = [each for each in table.column(column) if each]
    different, rows = len(set(cells)), len(table.rows)
    number = f"{rows}" if different in (0, rows) or column == 0 else f"{different} different"
    where = groups or ("all rows of the table" if number == str(rows) else f"{_rows(rows)}")
    title = table.header[column] or "rows"
    return Computed(
        text=f"Count of {title}: {number} ({where})",
        rows=tuple(each.candidate for each in table.rows),
    )


def _aggregated(
    operation: Operation, table: Table, column: int, quantities: Quantities, groups: str
) -> Computed:
    values, title = quantities.values, table.header[column]
    over = ", ".join(filter(None, (_rows(len(values)), groups)))
    if operation in (Operation.LARGEST, Operation.SMALLEST):
        extreme = max(values) if operation is Operation.LARGEST else min(values)
        best = [row for row, value in zip(table.rows, values, strict=True) if value == extreme]
        named = "; ".join(filter(None, (row.cells[0].text for row in best))) if column else ""
        value = f"{title}: {best[0].cells[column].text}" if title else best[0].cells[column].text
        text = f"{named} — {value}" if named else value
        return Computed(
            text=f"{text} ({_NAMES[operation]} of {over})",
            rows=tuple(row.candidate for row in best),
        )
    number = sum(values, Decimal(0))
    if operation is Operation.AVERAGE:
        digits = Decimal(1).scaleb(-quantities.decimals - FURTHER_DECIMALS)
        mean = number / len(values)
        rounded = mean.quantize(digits, ROUND_HALF_EVEN)
        # Without trailing zeros, but with as many decimals as the column has.
        least = Decimal(1).scaleb(-quantities.decimals)
        number = rounded.quantize(least) if rounded == rounded.quantize(least) else rounded
    name = f"{_NAMES[operation]} of {title}" if title else _NAMES[operation]
    return Computed(
        text=f"{name}: {quantities.style(number)} ({over})",
        rows=tuple(row.candidate for row in table.rows),
    )


def _own_rows(table: Table) -> tuple[Row, ...] | None:
    """The rows that do not sum up rows above them; None where that cannot be told of the last."""
    last = len(table.rows) - 1
    sums: dict[int, list[bool]] = {}
    for at in range(1, len(table.header)):
        quantities = quantities_of(table.column(at), table.language)
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


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
