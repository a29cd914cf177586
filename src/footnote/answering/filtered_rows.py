"""Answer questions over the rows that satisfy a comparison: "How many cost more than 20?".

A model predicts the comparison operator and its column; the comparison itself is exact.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footnote.answering.column_aggregation import (
    MAX_CITED,
    MAX_MISMATCH,
    Computed,
    NotComputed,
    ScoredComputation,
    aggregate_column,
)
from footnote.answering.column_predictions import EXTREMES
from footnote.answering.partial_mentions import unsupported_reason
from footnote.answering.row_ranges import compute_over_range
from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.table_question import TableQuestion, link_to_tables
from footnote.answering.tables import Row, RowSelection
from footnote.answering.value_filters import FilteredRows, filter_rows, mentions_value
from footnote.domain import Evidence
from footnote.language.figures import first_unknown_number
from footnote.language.quantities import NotComparable
from footnote.ports import (
    ColumnPrediction,
    ColumnProbabilities,
    ComparisonOperator,
    Operation,
    TableOperationPrediction,
)

MIN_BOUND, MIN_BOUNDED, MIN_NONE = 0.5, 0.6, 0.5
"""Probability thresholds: for a comparison operator, for the column it applies to, and for "the
row names are asked for, not a column". The second was selected on 599 lines of
`training/questions` that were used in no fit."""
MISMATCH_REASON = "the question speaks of something that the table in {file!r} does not have"
_NEGATED_OPERATORS = (ComparisonOperator.AT_LEAST, ComparisonOperator.AT_MOST)
"""Comparison operators that may be worded as a negation: "no more than"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    """A comparison that a question applies to the rows of a table."""

    linked: LinkedQuestion
    prediction: TableOperationPrediction
    operator: ComparisonOperator
    filter_column: int
    """The column that the comparison applies to."""
    probability: float

    @property
    def file(self) -> str:
        """The file of the table."""
        return self.linked.located[0].passage.filename


async def answer_over_filtered_rows(question: TableQuestion) -> ScoredComputation | None:
    """Compute the answer over the rows that satisfy the question's comparison; None without one.

    Also None if the question mentions a single row, whose cell is then the answer, or asks for an
    unsupported calculation. Of several tables, only those that explain most of its words are used.
    Raises ModelUnavailable.
    """
    comparisons = await _predicted_comparisons(question, question.tables)
    if not all(comparison.linked.table.is_whole for comparison in comparisons):
        comparisons = await _predicted_comparisons(question, await question.whole())
    best: ScoredComputation | None = None
    for comparison in comparisons:
        table = comparison.linked.table
        column_probabilities = await question.finder.column_probabilities(
            question.question, table.titled_columns()
        )
        if column_probabilities is None:
            continue
        prediction = await question.predicted_column(table)
        result = await asyncio.to_thread(
            _compute_over_rows, question, comparison, column_probabilities, prediction
        )
        if result is not None and isinstance(result[0], Computed):
            passage = comparison.linked.located[0].passage
            if await question.mismatch(passage) > MAX_MISMATCH:
                result = NotComputed(reason=MISMATCH_REASON.format(file=comparison.file)), 0.0
        if result is not None and (best is None or result[1] > best[1]):
            best = result
    return best


async def answer_over_rows(question: TableQuestion) -> ScoredComputation | None:
    """The answer over several rows, selected by a comparison or by their names.

    Raises ModelUnavailable.
    """
    result = await answer_over_filtered_rows(question)
    return await compute_over_range(question) if result is None else result


def is_accepted(scored: ScoredComputation, minimum: float) -> bool:
    """Whether the probability reaches the threshold, or the result is an explained refusal."""
    computation, probability = scored
    return isinstance(computation, NotComputed) or probability >= minimum


async def _predicted_comparisons(
    question: TableQuestion, tables: Sequence[Evidence]
) -> list[_Comparison]:
    """Predict, for each best matching table, the comparison operator and its column."""
    if not mentions_value(question.question, tables[0].passage.language):
        return []
    comparisons = []
    linked_questions = link_to_tables(question.question, tables, question.terms)
    candidates = await asyncio.to_thread(
        lambda: [
            (linked, (len(linked.unlinked_words), not linked.mentions_row_type))
            for linked in linked_questions
        ]
    )
    min_distance = min((distance for _, distance in candidates), default=None)
    for linked, distance in candidates:
        if distance != min_distance:
            continue
        prediction = await question.predicted_operation(linked.table)
        if (
            prediction is None
            or not prediction.filter_column_probabilities
            or prediction.operation is Operation.OTHER
        ):
            continue
        operator = max(
            prediction.operator_probabilities,
            key=lambda candidate: prediction.operator_probabilities[candidate],
        )
        column_index = max(
            range(len(prediction.filter_column_probabilities)),
            key=lambda index: prediction.filter_column_probabilities[index],
        )
        if (
            prediction.operator_probabilities[operator] < MIN_BOUND
            or prediction.filter_column_probabilities[column_index] < MIN_BOUNDED
        ):
            continue
        probability = (
            prediction.operator_probabilities[operator]
            * prediction.filter_column_probabilities[column_index]
        )
        comparisons.append(
            _Comparison(
                linked=linked,
                prediction=prediction,
                operator=operator,
                filter_column=column_index,
                probability=probability,
            )
        )
    return comparisons


def _compute_over_rows(
    question: TableQuestion,
    comparison: _Comparison,
    column_probabilities: ColumnProbabilities,
    column_prediction: ColumnPrediction | None,
) -> ScoredComputation | None:
    filtered = filter_rows(comparison.linked, comparison.filter_column, comparison.operator)
    if isinstance(filtered, NotComparable):
        return (
            None
            if comparison.linked.matches_one_name
            else (NotComputed(reason=filtered.reason), 0.0)
        )
    cells = frozenset(row.cells[comparison.filter_column].text for row in filtered.rows)
    selection = RowSelection(column=comparison.filter_column, cells=cells, text=filtered.text)
    # "Plot 6" is not mentioned by "plots with at least 6 trees".
    linked = replace(comparison.linked, question=filtered.rest)
    if linked.matches_one_name:
        return None
    linked = replace(linked, selection=selection)
    rows = [row for row in linked.totals.own if linked.matches_filter(row)]
    operation = comparison.prediction.operation
    refusal = _refusal_reason(linked, comparison, filtered, column_probabilities.filter_phrases)
    if refusal is None and not (rows or operation is Operation.COUNT):
        refusal = f"no row of the table in {comparison.file!r} has {linked.matched_cells_text}"
    if refusal is not None:
        return NotComputed(reason=refusal), 0.0
    column, probability = _requested_column(
        linked, comparison, column_probabilities, column_prediction
    )
    computation: Computed | NotComputed | None = None
    if operation is Operation.COUNT:
        computation = _count_rows(question, linked, rows)
    elif operation is None or len(rows) == 1:
        computation = _list_rows(question, linked, rows, column, comparison.filter_column)
    elif column is not None:
        is_predicted_extreme = (
            column_prediction is not None
            and column_prediction.number == column
            and operation in EXTREMES
        )
        column_operation = (
            column_prediction.extreme
            if is_predicted_extreme and column_prediction is not None
            else operation
        )
        computation = aggregate_column(
            column_operation, replace(linked, predicted_column=column), column, question.wording
        )
    if computation is None:
        return None
    return computation, comparison.probability * probability if isinstance(
        computation, Computed
    ) else 0.0


def _refusal_reason(
    linked: LinkedQuestion,
    comparison: _Comparison,
    filtered: FilteredRows,
    filter_phrases: Sequence[str],
) -> str | None:
    """The reason why the question may select other rows than these; None without a reason."""
    if not linked.table.is_whole:
        return (
            f"a part of the table in {comparison.file!r} is not among the passages that were read"
        )
    if comparison.operator not in _NEGATED_OPERATORS or comparison.prediction.operation in EXTREMES:
        reason = unsupported_reason(linked, comparison.prediction.operation or Operation.COUNT)
        if reason is not None:
            return reason
    linked_numbers = linked.linked_numbers(excluding=comparison.filter_column)
    if (number := first_unknown_number(filtered.rest, linked_numbers)) is not None:
        return (
            f"besides its bound the question says {number!r}, which names nothing of the table in "
            f"{comparison.file!r}; ask with one bound"
        )
    titles = linked.table.header
    unlinked = next(
        (
            phrase
            for phrase in filter_phrases
            if phrase in filtered.rest and not linked.is_linked(phrase, titles)
        ),
        None,
    )
    return (
        None
        if unlinked is None
        else f"no row of the table in {comparison.file!r} says {unlinked!r}"
    )


def _requested_column(
    linked: LinkedQuestion,
    comparison: _Comparison,
    column_probabilities: ColumnProbabilities,
    column_prediction: ColumnPrediction | None,
) -> tuple[int | None, float]:
    """The index of the column whose cells are asked for, and its probability.

    The index is None where the rows are counted or their names are asked for.
    """
    operation = comparison.prediction.operation
    if operation is Operation.COUNT:
        return None, comparison.prediction.probability
    if operation is None:
        if comparison.prediction.no_column_probability >= MIN_NONE:
            return None, comparison.prediction.no_column_probability
        best_index = max(
            range(len(column_probabilities.probabilities)),
            key=lambda index: column_probabilities.probabilities[index],
        )
        return (
            (None, 1.0 - column_probabilities.no_column_probability)
            if best_index + 1 == comparison.filter_column
            else (best_index + 1, column_probabilities.probabilities[best_index])
        )
    if column_prediction is not None:
        return column_prediction.number, column_prediction.probability
    columns = [
        index
        for index in linked.titles
        if index in linked.orderable_columns and index != comparison.filter_column
    ]
    return (
        (columns[0], 1.0 - comparison.prediction.no_column_probability)
        if len(columns) == 1
        else (None, 0.0)
    )


def _count_rows(
    question: TableQuestion, linked: LinkedQuestion, rows: Sequence[Row]
) -> Computed | NotComputed | None:
    """Count the rows. A count of 0 cites all rows that were compared."""
    if len(rows) > 1:
        return aggregate_column(Operation.COUNT, linked, 0, question.wording)
    if any(map(linked.matches_filter, linked.totals.unclear)):
        return None
    phrases = question.wording(linked.located[0].passage.language)
    text = phrases.value.format(
        what=phrases.of_title(phrases.count, linked.table.header[0] or phrases.untitled),
        number=len(rows),
        over=linked.matched_cells_text,
    )
    return Computed(text=text, rows=tuple(row.candidate for row in rows or linked.totals.own))


def _list_rows(
    question: TableQuestion,
    linked: LinkedQuestion,
    rows: Sequence[Row],
    column: int | None,
    filter_column: int,
) -> Computed | None:
    """The names of the rows, or their cells in a column."""
    table = linked.table
    safe_rows = [row for row in rows if not row.candidate.is_prompt_injection]
    if not safe_rows or not all(row.cells[0].text for row in safe_rows):
        return None
    names = [table.name_of(row, (filter_column,)) for row in safe_rows]
    if column:
        title = table.header[column]
        cells = [
            f"{title}: {row.cells[column].text or '–'}".removeprefix(": ") for row in safe_rows
        ]
        names = [f"{name} — {cell}" for name, cell in zip(names, cells, strict=True)]
    phrases = question.wording(linked.located[0].passage.language)
    note = phrases.joined(linked.matched_cells_text, phrases.rows_of(len(safe_rows)))
    return Computed(
        text=phrases.noted.format(found=phrases.listed(names, MAX_CITED), note=note),
        rows=tuple(row.candidate for row in safe_rows),
    )
