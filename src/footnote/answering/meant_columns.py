"""Which column of a table a question is about, by a model, whether or not it says the title.

"Which ship of Tarn is the longest?" is about "length (m)", and the oldest building has the smallest
year.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from footnote.answering.asking import Asked
from footnote.answering.tables import Table
from footnote.answering.titles import Terms
from footnote.ports import ColumnFinder, MeantColumn, Operation

ENDS = frozenset((Operation.LARGEST, Operation.SMALLEST))
"""Operations that ask for an end of a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeantColumns:
    """The columns that are meant, by the titles of their tables."""

    by_titles: Mapping[tuple[str, ...], MeantColumn] = field(default_factory=dict)
    is_told: bool = False
    """Whether a model was asked; then no other column is one whose largest or smallest is meant."""

    def of(self, table: Table) -> MeantColumn | None:
        """That of a table; None where the question means none of it."""
        return self.by_titles.get(tuple(table.header))

    def number(self, table: Table) -> int | None:
        """The number of that column."""
        meant = self.of(table)
        return None if meant is None else meant.number

    def operation(self, heard: Operation, table: Table, column: int) -> Operation:
        """What is asked of a column; of the one that is meant, by which of its ends is meant."""
        meant = self.of(table)
        if meant is None or meant.number != column or heard not in ENDS:
            return heard
        return meant.extreme


NONE_MEANT = MeantColumns()
"""Where nothing tells."""


async def meant_columns(
    finder: ColumnFinder, question: str, tables: Iterable[Table], terms: Terms
) -> MeantColumns:
    """The column of numbers or moments that is meant in each table. Raises ModelUnavailable."""
    ordered = await asyncio.to_thread(_ordered, question, tables, terms)
    told = await asyncio.gather(
        *(finder.column(question, table.shown(own)) for table, own in ordered.values())
    )
    return MeantColumns(
        is_told=True,
        by_titles={
            titles: replace(meant, number=own[meant.number])
            for (titles, (_, own)), meant in zip(ordered.items(), told, strict=True)
            if meant is not None
        },
    )


def _ordered(
    question: str, tables: Iterable[Table], terms: Terms
) -> dict[tuple[str, ...], tuple[Table, list[int]]]:
    """Each table with columns of numbers or moments, and these, by its titles."""
    found: dict[tuple[str, ...], tuple[Table, list[int]]] = {}
    for table in tables:
        asked = Asked(question=question, table=table, terms=terms, located=())
        if asked.ordered:
            found.setdefault(tuple(table.header), (table, asked.ordered))
    return found
