"""Answer a comparison of named table rows with the cells of all of them.

"Which shop made more from repairs, Otterhaven or Tinnock?" and "How much more did Tinnock make than
Otterhaven?" are both answered with the two figures.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote.answering.column_aggregation import Computed
from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.table_question import TableQuestion, link_to_tables
from footnote.answering.tables import Row
from footnote.answering.wording import Wording
from footnote.domain import Evidence
from footnote.language.moments import Moments
from footnote.language.quantities import Quantities
from footnote.ports import ColumnPrediction, Operation

JOINT_OPERATIONS = (Operation.SUM, Operation.AVERAGE, Operation.COUNT)
"""Operations over several rows together. A maximum, a difference or a look-up is answered by
showing the cells of each row."""
MAX_COMPARED = 6
"""Most rows whose cells are shown."""
SURE_END = 1.0
"""Minimum log-odds of maximum against minimum for sorting the rows: for "cheaper" the smallest
comes first."""
_SEVERAL = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRows:
    """The rows of a table that a question names."""

    linked: LinkedQuestion
    rows: Sequence[Row]
    name_column: int
    """The column with their names."""

    @property
    def names(self) -> list[str]:
        """The names of the rows in that column."""
        return [row.cells[self.name_column].text for row in self.rows]


async def compare_cells(question: TableQuestion) -> tuple[Computed, float] | None:
    """The compared cells and the probability that the question asks for them.

    None where fewer than two rows of one table are named, where something else is asked, or where
    the column is unclear. If a table is incomplete it is completed first, as its missing part may
    have rows of the same names. Raises ModelUnavailable.
    """
    candidates = await asyncio.to_thread(lambda: list(_named_rows(question, question.tables)))
    if not all(group.linked.table.is_whole for group in candidates):
        completed_tables = await question.whole()
        candidates = await asyncio.to_thread(lambda: list(_named_rows(question, completed_tables)))
    best: tuple[Computed, float] | None = None
    for group in candidates:
        table = group.linked.table
        prediction = await question.predicted_operation(table)
        if prediction is None:
            continue
        comparison_probability = 1.0 - sum(
            prediction.operation_probabilities.get(operation, 0.0) for operation in JOINT_OPERATIONS
        )
        column = await question.predicted_column(table)
        if column is None or column.number == group.name_column:
            continue
        text = comparison_text(group, column, question.wording)
        probability = comparison_probability * column.probability
        if text is not None and (best is None or probability > best[1]):
            best = Computed(text=text, rows=tuple(row.candidate for row in group.rows)), probability
    return best


async def is_over_rows(question: TableQuestion) -> bool:
    """Whether a question names several rows of one table and asks for an operation over a column.

    Raises ModelUnavailable.
    """
    for group in await asyncio.to_thread(lambda: list(_named_rows(question, question.tables))):
        prediction = await question.predicted_operation(group.linked.table)
        if prediction is not None and prediction.operation is not None:
            return True
    return False


def _named_rows(question: TableQuestion, tables: Sequence[Evidence]) -> Iterator[NamedRows]:
    """Yield, for each table, the rows named in its first column of distinct cells.

    Tables with fewer than 2 or more than 6 named rows are skipped.
    """
    for linked in link_to_tables(question.question, tables, question.terms):
        table = linked.table
        for column in range(len(table.header)):
            names = table.column(column)
            if len(set(names)) < len(names):
                continue
            names_mentioned = linked.mentioned_names(column)
            if (
                _SEVERAL <= len(names_mentioned) <= MAX_COMPARED
                and column not in linked.orderable_columns
            ):
                rows = [row for row in table.rows if row.cells[column].text in names_mentioned]
                yield NamedRows(linked=linked, rows=rows, name_column=column)
                break


def comparison_text(
    named_rows: NamedRows, column_prediction: ColumnPrediction, wording: Wording
) -> str | None:
    """Format the compared cells, sorted if a maximum or minimum is predicted; None if one is
    empty."""
    linked, name_column, column = (
        named_rows.linked,
        named_rows.name_column,
        column_prediction.number,
    )
    table, rows = linked.table, list(named_rows.rows)
    title = table.header[column]
    if not all(
        linked.is_linked(phrase, (title, *named_rows.names))
        for phrase in column_prediction.filter_phrases
    ):
        return None
    cells = [row.cells[column].text for row in rows]
    sort_keys = (table.moments(cells), table.quantities(cells))
    comparable = next(
        (parsed for parsed in sort_keys if isinstance(parsed, Moments | Quantities)), None
    )
    if comparable is None or not title or any(row.candidate.is_prompt_injection for row in rows):
        return None
    values = comparable.values
    suffix = ""
    if column_prediction.extreme_odds >= SURE_END:
        is_largest = column_prediction.extreme is Operation.LARGEST
        order = sorted(range(len(rows)), key=lambda index: values[index], reverse=is_largest)
        rows, cells = [rows[index] for index in order], [cells[index] for index in order]
        first, second = values[order[0]], values[order[1]]
        if first == second:
            phrases = wording(linked.located[0].passage.language)
            suffix = f"{phrases.comma}{phrases.equal}"
    names = [
        table.name_of(row) if name_column == 0 else row.cells[name_column].text for row in rows
    ]
    other_cells = "; ".join(
        f"{name}: {cell}" for name, cell in zip(names[1:], cells[1:], strict=True)
    )
    return f"{names[0]} — {title}: {cells[0]} ({other_cells}{suffix})"
