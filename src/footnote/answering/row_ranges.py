"""Answer questions over rows that are listed or given as a range.

"From January to March" adds up three rows, "in January and March" two. A model predicts which is
meant; which rows lie in a range is exact.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import compress

from footnote.answering.column_aggregation import (
    Computed,
    NotComputed,
    ScoredComputation,
    aggregate_column,
)
from footnote.answering.column_predictions import EXTREMES
from footnote.answering.partial_mentions import unsupported_reason
from footnote.answering.row_comparison import (
    MOST_COMPARED,
    NamedRows,
    compare_cells,
    comparison_text,
)
from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.table_question import TableQuestion, link_to_tables
from footnote.answering.tables import Row, RowSelection, Table
from footnote.answering.wording import Wording
from footnote.domain import Evidence
from footnote.language.calendar import MONTH_NUMBERS
from footnote.language.moments import Moments
from footnote.language.quantities import Quantities
from footnote.ports import ColumnPrediction, Operation, RowRange, TableOperationPrediction

LEAST_RANGE, MOST_RANGE = 0.4, 0.3
"""Least probability of a row range, and most probability of one at which listed rows are still
aggregated; selected on 312 lines of `training/questions` that are in no fit."""
ADDED_UP = (Operation.SUM, Operation.AVERAGE)
"""Operations over listed rows. A comparison is answered with the cells of all of them."""
MANY_OR_FEW = "the rows that are named, or all from one to the other, may be meant; name them all"
NO_ROWS = "a range of rows is asked for, and '{said}' tells none; name its ends as the table does"
NOTHING_ASKED = "a range of rows is asked for, and nothing over them; ask for their sum or average"
_ENDS_OF = {RowRange.BETWEEN: 2}
"""Number of named rows that define a range; 1 for all other ranges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """The rows of a table that a question names by one column, whose cells all differ."""

    asked: LinkedQuestion
    at: int
    said: frozenset[str]

    def meant(self, told: TableOperationPrediction) -> tuple[RowRange | None, float]:
        """The predicted range, or None for exactly the named rows, and its probability."""
        best_range = max(
            told.range_probabilities, key=lambda each: told.range_probabilities[each], default=None
        )
        if best_range is not None and told.range_probabilities[best_range] >= LEAST_RANGE:
            return best_range, told.range_probabilities[best_range]
        return None, 1.0 - sum(told.range_probabilities.values())

    def chosen(self, meant: RowRange | None) -> RowSelection | None:
        """The rows of this range; None where it has none, or its ends are not what is named."""
        linked, column = self.asked, self.at
        rows = [row for row in linked.totals.own if row.cells[column].text]
        if meant is None:
            selected = [row for row in rows if row.cells[column].text in self.said]
            return _row_selection(column, selected, " / ")
        keys = _sort_keys(linked.table, [row.cells[column].text for row in rows])
        end_keys = sorted(
            key for key, row in zip(keys, rows, strict=True) if row.cells[column].text in self.said
        )
        if len(end_keys) != _ENDS_OF.get(meant, 1):
            return None
        first, last = end_keys[0], end_keys[-1]
        masks: dict[RowRange, Sequence[bool]] = {
            RowRange.BETWEEN: [first <= key <= last for key in keys],
            RowRange.FROM: [key >= first for key in keys],
            RowRange.AFTER: [key > first for key in keys],
            RowRange.UNTIL: [key <= first for key in keys],
            RowRange.BEFORE: [key < first for key in keys],
        }
        keyed_rows = compress(zip(keys, rows, strict=True), masks[meant])
        selected = [row for _, row in sorted(keyed_rows, key=lambda each: each[0])]
        return _row_selection(column, selected[:1] + selected[1:][-1:], " – ", of=selected)


async def over_rows_named(question: TableQuestion) -> ScoredComputation | None:
    """Compute the answer over the named rows, with its probability; 0 for a refusal.

    None where fewer than two rows are selected or the column is unclear. Comparisons of rows are
    answered by `compare_cells`. Raises ModelUnavailable.
    """
    named_rows = []
    for named in await asyncio.to_thread(lambda: list(_rows_named(question, question.tables))):
        prediction = await question.predicted_operation(named.asked.table)
        if prediction is not None and _is_over_several(named, prediction):
            named_rows.append(named)
    if not all(named.asked.table.is_whole for named in named_rows):
        completed_tables = await question.whole()
        completed = await asyncio.to_thread(lambda: list(_rows_named(question, completed_tables)))
        headers = {named.asked.table.header for named in named_rows}
        named_rows = [named for named in completed if named.asked.table.header in headers]
    best: ScoredComputation | None = None
    for named in named_rows:
        table = named.asked.table
        operation_prediction, column = (
            await question.predicted_operation(table),
            await question.predicted_column(table),
        )
        if operation_prediction is None:
            continue
        computation = await asyncio.to_thread(
            _aggregate_rows, named, operation_prediction, column, question.wording
        )
        if computation is not None and (best is None or computation[1] > best[1]):
            best = computation
    return await compare_cells(question) if best is None else best


def _rows_named(question: TableQuestion, tables: Sequence[Evidence]) -> Iterator[_Named]:
    """Of each table of which it names rows, by the first column whose cells all differ."""
    for linked in link_to_tables(question.question, tables, question.terms):
        for column in range(len(linked.table.header)):
            names = linked.table.column(column)
            # What a number of a further column says is no name of its row.
            if len(set(names)) < len(names) or (column > 0 and column in linked.numeric):
                continue
            if mentioned := linked.mentioned_names(column):
                yield _Named(asked=linked, at=column, said=mentioned)
                break


def _is_over_several(named: _Named, told: TableOperationPrediction) -> bool:
    """Whether a range is meant, or rows that are named are added up."""
    row_range, _ = named.meant(told)
    return row_range is not None or (len(named.said) > 1 and told.operation in ADDED_UP)


def _aggregate_rows(
    named: _Named, told: TableOperationPrediction, meant: ColumnPrediction | None, wording: Wording
) -> ScoredComputation | None:
    row_range, range_probability = named.meant(told)
    linked, name_column = named.asked, named.at
    column, column_probability = _target_column(named, told, meant)
    if column_probability == 0.0:
        return None
    if row_range is None and range_probability < 1.0 - MOST_RANGE:
        return NotComputed(reason=MANY_OR_FEW), 0.0
    selection = named.chosen(row_range)
    if selection is None:
        reason = NO_ROWS.format(said=" / ".join(sorted(named.said)))
        return NotComputed(reason=reason), 0.0
    linked = replace(linked, chosen=selection, predicted_column=column)
    # Of a column that its title tells a model has said no end.
    column_prediction = meant if meant is not None and meant.number == column else None
    unexplained = _unexplained_reason(
        linked, told.operation, column, () if meant is None else meant.filter_phrases
    )
    computation: Computed | NotComputed | None
    if unexplained is not None:
        computation = NotComputed(reason=unexplained)
    elif told.operation is None:
        computation = _listed_cells(linked, name_column, column_prediction, wording) or NotComputed(
            reason=NOTHING_ASKED
        )
    else:
        is_extreme = column_prediction is not None and told.operation in EXTREMES
        operation = (
            column_prediction.extreme
            if column_prediction is not None and is_extreme
            else told.operation
        )
        computation = aggregate_column(
            operation, linked, name_column if column is None else column, wording
        )
    if isinstance(computation, Computed):
        return computation, range_probability * column_probability
    # Of rows that are named one by one something else may be asked.
    return None if computation is None or row_range is None else (computation, 0.0)


def _unexplained_reason(
    asked: LinkedQuestion, operation: Operation | None, column: int | None, narrowing: Sequence[str]
) -> str | None:
    """Why something else than these rows may be asked for; None where nothing speaks for it."""
    if operation is not None and (reason := unsupported_reason(asked, operation)) is not None:
        return reason
    if (number := asked.unlinked_number) is not None:
        return f"rows are chosen by their words and names, and {number!r} is in none of them"
    titles = () if column is None else (asked.table.header[column],)
    unexplained = next(
        (phrase for phrase in narrowing if not asked.is_linked(phrase, titles)), None
    )
    return None if unexplained is None else f"no row of its table says {unexplained!r}"


def _target_column(
    named: _Named, told: TableOperationPrediction, meant: ColumnPrediction | None
) -> tuple[int | None, float]:
    """The column that is asked about, by its title or as a model tells, and how likely it is.

    None where rows are counted; 0 where nothing is to be computed.
    """
    linked, name_column = named.asked, named.at
    mentioned = [
        index
        for index in linked.titles
        if index in linked.orderable_columns and index != name_column
    ]
    column = mentioned[0] if len(mentioned) == 1 else None if meant is None else meant.number
    if column == name_column or told.operation is Operation.OTHER:
        return None, 0.0
    if told.operation is Operation.COUNT:
        return None, told.probability
    if column is None:
        return None, 0.0
    if meant is not None and meant.number == column:
        return column, meant.probability
    return column, 1.0 - told.no_column_probability


def _listed_cells(
    asked: LinkedQuestion, at: int, meant: ColumnPrediction | None, wording: Wording
) -> Computed | None:
    """The cells of the rows, where no operation over them is asked for."""
    selected = [row for row in asked.totals.own if asked.matches_filter(row)]
    if meant is None or len(selected) > MOST_COMPARED:
        return None
    named_rows = NamedRows(asked=asked, rows=selected, at=at)
    text = comparison_text(named_rows, replace(meant, extreme_odds=0.0), wording)
    return (
        None if text is None else Computed(text=text, rows=tuple(row.candidate for row in selected))
    )


def _row_selection(
    at: int, shown: Sequence[Row], between: str, *, of: Sequence[Row] | None = None
) -> RowSelection | None:
    """These rows, or those of which the shown ones are the ends."""
    rows = shown if of is None else of
    if not rows:
        return None
    return RowSelection(
        column=at,
        cells=frozenset(row.cells[at].text for row in rows),
        text=between.join(row.cells[at].text for row in shown),
    )


def _sort_keys(table: Table, names: Sequence[str]) -> Sequence[Decimal | int]:
    """The sort keys of the row names: their dates, times or numbers.

    Other names keep the order of their rows, except months listed in descending order.
    """
    for comparable in (table.moments(names), table.quantities(names)):
        if isinstance(comparable, Moments | Quantities):
            return comparable.values
    months = [MONTH_NUMBERS.get(name.casefold().rstrip(".")) for name in names]
    numbers = [month for month in months if month is not None]
    if len(numbers) == len(names) and numbers == sorted(numbers, reverse=True):
        return numbers
    return range(len(names))
