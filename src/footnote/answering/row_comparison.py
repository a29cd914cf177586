"""Answer a comparison of named table rows with the cells of all of them.

"Which shop made more from repairs, Otterhaven or Tinnock?" and "How much more did Tinnock make than
Otterhaven?" are both answered with the two figures.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote.answering.column_aggregation import Computed
from footnote.answering.schema_linking import LinkedQuestion, link_to_tables
from footnote.answering.table_question import TableQuestion
from footnote.answering.tables import Row
from footnote.answering.wording import Wording
from footnote.domain import Evidence
from footnote.language.moments import Moments
from footnote.language.quantities import Quantities
from footnote.ports import ColumnPrediction, Operation

JOINT_OPERATIONS = (Operation.SUM, Operation.AVERAGE, Operation.COUNT)
"""Operations over several rows together. A maximum, a difference or a look-up is answered by
showing the cells of each row."""
MOST_COMPARED = 6
"""Most rows whose cells are shown."""
SURE_END = 1.0
"""Log-odds of maximum against minimum from which the rows are sorted: for "cheaper" the smallest
comes first."""
_SEVERAL = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRows:
    """The rows of a table that a question names."""

    asked: LinkedQuestion
    rows: Sequence[Row]
    at: int
    """The column of their names."""

    @property
    def names(self) -> list[str]:
        """What the rows are called in that column."""
        return [row.cells[self.at].text for row in self.rows]


async def compare_cells(question: TableQuestion) -> tuple[Computed, float] | None:
    """The compared cells and the probability that the question asks for them.

    None where fewer than two rows of one table are named, where something else is asked, or where
    the column is unclear. If a table is incomplete it is completed first, as its missing part may
    have rows of the same names. Raises ModelUnavailable.
    """
    found = await asyncio.to_thread(lambda: list(_compared(question, question.tables)))
    if not all(each.asked.table.is_whole for each in found):
        whole = await question.whole()
        found = await asyncio.to_thread(lambda: list(_compared(question, whole)))
    best: tuple[Computed, float] | None = None
    for each in found:
        table = each.asked.table
        told = await question.predicted_operation(table)
        if told is None:
            continue
        comparing = 1.0 - sum(
            told.operation_probabilities.get(one, 0.0) for one in JOINT_OPERATIONS
        )
        meant = await question.predicted_column(table)
        if meant is None or meant.number == each.at:
            continue
        text = comparison_text(each, meant, question.wording)
        sure = comparing * meant.probability
        if text is not None and (best is None or sure > best[1]):
            best = Computed(text=text, rows=tuple(one.candidate for one in each.rows)), sure
    return best


async def is_over_rows(question: TableQuestion) -> bool:
    """Whether a question names several rows of one table and asks for an operation over a column.

    Raises ModelUnavailable.
    """
    for each in await asyncio.to_thread(lambda: list(_compared(question, question.tables))):
        told = await question.predicted_operation(each.asked.table)
        if told is not None and told.operation is not None:
            return True
    return False


def _compared(question: TableQuestion, tables: Sequence[Evidence]) -> Iterator[NamedRows]:
    """Yield, for each table, the rows named in its first column of distinct cells.

    Tables with fewer than 2 or more than 6 named rows are skipped.
    """
    for asked in link_to_tables(question.question, tables, question.terms):
        table = asked.table
        for at in range(len(table.header)):
            names = table.column(at)
            if len(set(names)) < len(names):
                continue
            said = asked.mentioned_names(at)
            if _SEVERAL <= len(said) <= MOST_COMPARED and at not in asked.orderable_columns:
                rows = [each for each in table.rows if each.cells[at].text in said]
                yield NamedRows(asked=asked, rows=rows, at=at)
                break


def comparison_text(named: NamedRows, meant: ColumnPrediction, wording: Wording) -> str | None:
    """Format the compared cells, sorted if a maximum or minimum is predicted; None if one is
    empty."""
    asked, at, column = named.asked, named.at, meant.number
    table, rows = asked.table, list(named.rows)
    title = table.header[column]
    if not all(asked.is_linked(each, (title, *named.names)) for each in meant.filter_phrases):
        return None
    cells = [row.cells[column].text for row in rows]
    compared_by = (table.moments(cells), table.quantities(cells))
    found = next((each for each in compared_by if isinstance(each, Moments | Quantities)), None)
    if found is None or not title or any(row.candidate.is_prompt_injection for row in rows):
        return None
    values = found.values
    end = ""
    if meant.extreme_odds >= SURE_END:
        is_largest = meant.extreme is Operation.LARGEST
        order = sorted(range(len(rows)), key=lambda each: values[each], reverse=is_largest)
        rows, cells = [rows[each] for each in order], [cells[each] for each in order]
        first, second = values[order[0]], values[order[1]]
        if first == second:
            phrases = wording(asked.located[0].passage.language)
            end = f"{phrases.comma}{phrases.equal}"
    names = [table.name_of(row) if at == 0 else row.cells[at].text for row in rows]
    others = "; ".join(f"{name}: {cell}" for name, cell in zip(names[1:], cells[1:], strict=True))
    return f"{names[0]} — {title}: {cells[0]} ({others}{end})"
