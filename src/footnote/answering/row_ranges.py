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
    MAX_COMPARED,
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

MIN_RANGE, MAX_RANGE = 0.4, 0.3
"""Minimum probability of a row range, and maximum probability of one at which listed rows are still
aggregated; selected on 312 lines of `training/questions` that are in no fit."""
ADDED_UP = (Operation.SUM, Operation.AVERAGE)
"""Operations over listed rows. A comparison is answered with the cells of all of them."""
MANY_OR_FEW = "the rows that are named, or all from one to the other, may be meant; name them all"
NO_ROWS = "a range of rows is asked for, and '{names}' tells none; name its ends as the table does"
NO_OPERATION = "a range of rows is asked for, and nothing over them; ask for their sum or average"
_ENDS_OF = {RowRange.BETWEEN: 2}
"""Number of named rows that define a range; 1 for all other ranges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _MentionedRows:
    """The rows of a table that a question names by one column, whose cells all differ."""

    linked: LinkedQuestion
    name_column: int
    mentioned_names: frozenset[str]

    def predicted_range(
        self, prediction: TableOperationPrediction
    ) -> tuple[RowRange | None, float]:
        """The predicted range, or None for exactly the named rows, and its probability."""
        best_range = max(
            prediction.range_probabilities,
            key=lambda row_range: prediction.range_probabilities[row_range],
            default=None,
        )
        if best_range is not None and prediction.range_probabilities[best_range] >= MIN_RANGE:
            return best_range, prediction.range_probabilities[best_range]
        return None, 1.0 - sum(prediction.range_probabilities.values())

    def select_rows(self, row_range: RowRange | None) -> RowSelection | None:
        """The rows of this range; None if there are none, or if the named rows are not its ends."""
        linked, column = self.linked, self.name_column
        rows = [row for row in linked.totals.own if row.cells[column].text]
        if row_range is None:
            selected = [row for row in rows if row.cells[column].text in self.mentioned_names]
            return _row_selection(column, selected, " / ")
        keys = _sort_keys(linked.table, [row.cells[column].text for row in rows])
        end_keys = sorted(
            key
            for key, row in zip(keys, rows, strict=True)
            if row.cells[column].text in self.mentioned_names
        )
        if len(end_keys) != _ENDS_OF.get(row_range, 1):
            return None
        first, last = end_keys[0], end_keys[-1]
        masks: dict[RowRange, Sequence[bool]] = {
            RowRange.BETWEEN: [first <= key <= last for key in keys],
            RowRange.FROM: [key >= first for key in keys],
            RowRange.AFTER: [key > first for key in keys],
            RowRange.UNTIL: [key <= first for key in keys],
            RowRange.BEFORE: [key < first for key in keys],
        }
        keyed_rows = compress(zip(keys, rows, strict=True), masks[row_range])
        selected = [row for _, row in sorted(keyed_rows, key=lambda pair: pair[0])]
        return _row_selection(column, selected[:1] + selected[1:][-1:], " – ", of=selected)


async def compute_over_range(question: TableQuestion) -> ScoredComputation | None:
    """Compute the answer over the named rows, with its probability; 0 for a refusal.

    None where fewer than two rows are selected or the column is unclear. Comparisons of rows are
    answered by `compare_cells`. Raises ModelUnavailable.
    """
    named_rows = []
    for group in await asyncio.to_thread(
        lambda: list(_find_mentioned_rows(question, question.tables))
    ):
        prediction = await question.predicted_operation(group.linked.table)
        if prediction is not None and _is_over_several(group, prediction):
            named_rows.append(group)
    if not all(group.linked.table.is_whole for group in named_rows):
        completed_tables = await question.whole()
        completed = await asyncio.to_thread(
            lambda: list(_find_mentioned_rows(question, completed_tables))
        )
        headers = {group.linked.table.header for group in named_rows}
        named_rows = [group for group in completed if group.linked.table.header in headers]
    best: ScoredComputation | None = None
    for group in named_rows:
        table = group.linked.table
        operation_prediction, column = (
            await question.predicted_operation(table),
            await question.predicted_column(table),
        )
        if operation_prediction is None:
            continue
        computation = await asyncio.to_thread(
            _aggregate_rows, group, operation_prediction, column, question.wording
        )
        if computation is not None and (best is None or computation[1] > best[1]):
            best = computation
    return await compare_cells(question) if best is None else best


def _find_mentioned_rows(
    question: TableQuestion, tables: Sequence[Evidence]
) -> Iterator[_MentionedRows]:
    """The named rows of each table, by the first column with distinct cells."""
    for linked in link_to_tables(question.question, tables, question.terms):
        for column in range(len(linked.table.header)):
            names = linked.table.column(column)
            # A number in a later column is not the name of its row.
            if len(set(names)) < len(names) or (column > 0 and column in linked.numeric):
                continue
            if names_mentioned := linked.mentioned_names(column):
                yield _MentionedRows(
                    linked=linked, name_column=column, mentioned_names=names_mentioned
                )
                break


def _is_over_several(group: _MentionedRows, prediction: TableOperationPrediction) -> bool:
    """Whether a range is meant, or the named rows are added up."""
    row_range, _ = group.predicted_range(prediction)
    return row_range is not None or (
        len(group.mentioned_names) > 1 and prediction.operation in ADDED_UP
    )


def _aggregate_rows(
    group: _MentionedRows,
    prediction: TableOperationPrediction,
    column_prediction: ColumnPrediction | None,
    wording: Wording,
) -> ScoredComputation | None:
    row_range, range_probability = group.predicted_range(prediction)
    linked, name_column = group.linked, group.name_column
    column, column_probability = _target_column(group, prediction, column_prediction)
    if column_probability == 0.0:
        return None
    if row_range is None and range_probability < 1.0 - MAX_RANGE:
        return NotComputed(reason=MANY_OR_FEW), 0.0
    selection = group.select_rows(row_range)
    if selection is None:
        reason = NO_ROWS.format(names=" / ".join(sorted(group.mentioned_names)))
        return NotComputed(reason=reason), 0.0
    linked = replace(linked, selection=selection, predicted_column=column)
    # A prediction for another column has no extreme for this one.
    target_prediction = (
        column_prediction
        if column_prediction is not None and column_prediction.number == column
        else None
    )
    unexplained = _unexplained_reason(
        linked,
        prediction.operation,
        column,
        () if column_prediction is None else column_prediction.filter_phrases,
    )
    computation: Computed | NotComputed | None
    if unexplained is not None:
        computation = NotComputed(reason=unexplained)
    elif prediction.operation is None:
        computation = _listed_cells(linked, name_column, target_prediction, wording) or NotComputed(
            reason=NO_OPERATION
        )
    else:
        is_extreme = target_prediction is not None and prediction.operation in EXTREMES
        operation = (
            target_prediction.extreme
            if target_prediction is not None and is_extreme
            else prediction.operation
        )
        computation = aggregate_column(
            operation, linked, name_column if column is None else column, wording
        )
    if isinstance(computation, Computed):
        return computation, range_probability * column_probability
    # Something else may be asked about individually named rows.
    return None if computation is None or row_range is None else (computation, 0.0)


def _unexplained_reason(
    linked: LinkedQuestion,
    operation: Operation | None,
    column: int | None,
    filter_phrases: Sequence[str],
) -> str | None:
    """The reason why other rows may be meant; None without one."""
    if operation is not None and (reason := unsupported_reason(linked, operation)) is not None:
        return reason
    if (number := linked.unlinked_number) is not None:
        return f"rows are chosen by their words and names, and {number!r} is in none of them"
    titles = () if column is None else (linked.table.header[column],)
    unexplained = next(
        (phrase for phrase in filter_phrases if not linked.is_linked(phrase, titles)), None
    )
    return None if unexplained is None else f"no row of its table says {unexplained!r}"


def _target_column(
    group: _MentionedRows,
    prediction: TableOperationPrediction,
    column_prediction: ColumnPrediction | None,
) -> tuple[int | None, float]:
    """The requested column, by its title or by prediction, and its probability.

    None if rows are counted; probability 0 if nothing is to be computed.
    """
    linked, name_column = group.linked, group.name_column
    titled_columns = [
        index
        for index in linked.titles
        if index in linked.orderable_columns and index != name_column
    ]
    column = None if column_prediction is None else column_prediction.number
    if len(titled_columns) == 1:
        column = titled_columns[0]
    if column == name_column or prediction.operation is Operation.OTHER:
        return None, 0.0
    if prediction.operation is Operation.COUNT:
        return None, prediction.probability
    if column is None:
        return None, 0.0
    if column_prediction is not None and column_prediction.number == column:
        return column, column_prediction.probability
    return column, 1.0 - prediction.no_column_probability


def _listed_cells(
    linked: LinkedQuestion,
    name_column: int,
    column_prediction: ColumnPrediction | None,
    wording: Wording,
) -> Computed | None:
    """The cells of the rows, if no operation over them is asked for."""
    selected = [row for row in linked.totals.own if linked.matches_filter(row)]
    if column_prediction is None or len(selected) > MAX_COMPARED:
        return None
    named_rows = NamedRows(linked=linked, rows=selected, name_column=name_column)
    text = comparison_text(named_rows, replace(column_prediction, extreme_odds=0.0), wording)
    return (
        None if text is None else Computed(text=text, rows=tuple(row.candidate for row in selected))
    )


def _row_selection(
    column: int, shown_rows: Sequence[Row], separator: str, *, of: Sequence[Row] | None = None
) -> RowSelection | None:
    """A selection of the shown rows, or of the rows between them."""
    rows = shown_rows if of is None else of
    if not rows:
        return None
    return RowSelection(
        column=column,
        cells=frozenset(row.cells[column].text for row in rows),
        text=separator.join(row.cells[column].text for row in shown_rows),
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
