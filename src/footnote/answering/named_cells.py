"""A question after one cell of a table: the row that it names, under the column that it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from footnote.answering.asking import Asked
from footnote.answering.choosing import Located
from footnote.answering.meant_columns import MeantColumns, meant_columns
from footnote.answering.naming import place_of
from footnote.answering.tables import is_cell, tables_of
from footnote.answering.titles import Terms, spoken
from footnote.domain import Evidence
from footnote.ports import Analyzer, ColumnFinder

SURELY_ELSEWHERE = 0.5
"""Probability from which an answer elsewhere is said instead of what stands in such a cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCell:
    """Puts such a cell in the place of what was read, where that is unsure or another cell."""

    finder: ColumnFinder
    analyzer: Analyzer
    least: float
    """Probability from which an answer was found."""

    async def __call__(
        self, question: str, chosen: Sequence[Located], tables: Sequence[Evidence]
    ) -> list[Located]:
        """The answers that are said then. Raises ModelUnavailable."""
        best = chosen[0] if chosen and chosen[0].probability >= self.least else None
        if best is not None and not is_cell(best) and best.probability >= SURELY_ELSEWHERE:
            return list(chosen)
        terms = partial(self.analyzer.terms, language=tables[0].passage.language)
        found = list(tables_of(tables))
        asked = spoken(question, [title for each in found for title in each.header])
        meant = await meant_columns(self.finder, asked, found, terms)
        cell = cell_named(question, tables, terms, meant)
        if cell is None:
            return list(chosen)
        if best is None:
            return [cell]
        same_row = place_of(best.candidate) == place_of(cell.candidate)
        same_cell = same_row and best.start < cell.end and cell.start < best.end
        stays = same_cell or (not same_row and best.probability >= SURELY_ELSEWHERE)
        return list(chosen) if stays else [cell]


def cell_named(
    question: str, evidence: Sequence[Evidence], terms: Terms, meant: MeantColumns
) -> Located | None:
    """The cell of the one row that the question names, under the column that it says or means.

    None where two tables have such a row, and where the question narrows the rows further than
    their cells tell.
    """
    found = []
    for table in tables_of(evidence):
        own = meant.of(table)
        if own is None or any(len(each.cells) != len(table.header) for each in table.rows):
            continue
        row = table.rows[0].candidate
        place = Located(candidate=row, start=row.start, end=row.end, probability=0.0)
        asked = Asked(question=question, table=table, terms=terms, located=[place])
        rows = [each for each in table.rows if asked.groups and asked.is_among(each)]
        if len(rows) != 1 or not all(map(asked.narrows, own.narrowing)):
            continue
        said = [each for each in asked.titles if each in asked.ordered]
        cell = rows[0].cells[said[0] if len(said) == 1 else own.number]
        is_one = table.header.count(cell.title) == 1
        if cell.text and is_one and not rows[0].candidate.gives_orders:
            found.append(
                Located(
                    candidate=rows[0].candidate,
                    start=cell.start,
                    end=cell.end,
                    probability=own.probability,
                )
            )
    return found[0] if len(found) == 1 else None
