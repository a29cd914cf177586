"""Answer questions over the rows that satisfy a comparison: "How many cost more than 20?".

A model predicts the comparison operator and its column; the comparison itself is exact.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footnote.answering.column_aggregation import (
    MAX_MISMATCH,
    MOST_CITED,
    Computed,
    NotComputed,
    ScoredComputation,
    aggregate_column,
)
from footnote.answering.column_predictions import EXTREMES
from footnote.answering.partial_mentions import unsupported_reason
from footnote.answering.row_ranges import over_rows_named
from footnote.answering.schema_linking import (
    LinkedQuestion,
    RowSelection,
    link_to_tables,
    number_beside,
)
from footnote.answering.table_question import TableQuestion
from footnote.answering.tables import Row
from footnote.answering.value_filters import FilteredRows, filter_rows, mentions_value
from footnote.domain import Evidence
from footnote.language.quantities import NotComparable
from footnote.ports import (
    ColumnPrediction,
    ColumnProbabilities,
    ComparisonOperator,
    Operation,
    TableOperationPrediction,
)

LEAST_BOUND, LEAST_BOUNDED, LEAST_NONE = 0.5, 0.6, 0.5
"""Probability thresholds: for a comparison operator, for the column it applies to, and for "the
row names are asked for, not a column". The second was selected on 599 lines of
`training/questions` that were used in no fit."""
MISMATCH_REASON = "the question speaks of something that the table in {file!r} does not have"
_DENYING = (ComparisonOperator.AT_LEAST, ComparisonOperator.AT_MOST)
"""Comparison operators that may be worded as a negation: "no more than"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meant:
    """A comparison that a question applies to the rows of a table."""

    asked: LinkedQuestion
    told: TableOperationPrediction
    bound: ComparisonOperator
    at: int
    """The column that it is about."""
    probability: float

    @property
    def file(self) -> str:
        """The document that the table stands in."""
        return self.asked.located[0].passage.filename


async def answer_over_filtered_rows(question: TableQuestion) -> ScoredComputation | None:
    """Compute the answer over the rows that satisfy the question's comparison; None without one.

    Also None if the question mentions a single row, whose cell is then the answer, or asks for an
    unsupported calculation. Of several tables, only those that explain most of its words are used.
    Raises ModelUnavailable.
    """
    found = await _meant(question, question.tables)
    if not all(each.asked.table.is_whole for each in found):
        found = await _meant(question, await question.whole())
    best: ScoredComputation | None = None
    for each in found:
        table = each.asked.table
        chances = await question.finder.column_probabilities(question.question, table.shown())
        if chances is None:
            continue
        meant = await question.predicted_column(table)
        over = await asyncio.to_thread(_over, question, each, chances, meant)
        if over is not None and isinstance(over[0], Computed):
            passage = each.asked.located[0].passage
            if await question.mismatch(passage) > MAX_MISMATCH:
                over = NotComputed(reason=MISMATCH_REASON.format(file=each.file)), 0.0
        if over is not None and (best is None or over[1] > best[1]):
            best = over
    return best


async def answer_over_rows(question: TableQuestion) -> ScoredComputation | None:
    """What the question asks of several rows: by a bound, or by their names.

    Raises ModelUnavailable.
    """
    over = await answer_over_filtered_rows(question)
    return await over_rows_named(question) if over is None else over


def is_accepted(over: ScoredComputation, least: float) -> bool:
    """Whether the probability reaches the threshold, or the result is an explained refusal."""
    found, probability = over
    return isinstance(found, NotComputed) or probability >= least


async def _meant(question: TableQuestion, tables: Sequence[Evidence]) -> list[_Meant]:
    """Predict, for each best matching table, the comparison operator and its column."""
    if not mentions_value(question.question, tables[0].passage.language):
        return []
    found = []
    beside = link_to_tables(question.question, tables, question.terms)
    each_asked = await asyncio.to_thread(
        lambda: [(each, (len(each.unlinked_words), not each.mentions_row_type)) for each in beside]
    )
    closest = min((distance for _, distance in each_asked), default=None)
    for asked, distance in each_asked:
        if distance != closest:
            continue
        told = await question.predicted_operation(asked.table)
        if (
            told is None
            or not told.filter_column_probabilities
            or told.operation is Operation.OTHER
        ):
            continue
        bound = max(told.operator_probabilities, key=lambda each: told.operator_probabilities[each])
        at = max(
            range(len(told.filter_column_probabilities)),
            key=lambda each: told.filter_column_probabilities[each],
        )
        if (
            told.operator_probabilities[bound] < LEAST_BOUND
            or told.filter_column_probabilities[at] < LEAST_BOUNDED
        ):
            continue
        sure = told.operator_probabilities[bound] * told.filter_column_probabilities[at]
        found.append(_Meant(asked=asked, told=told, bound=bound, at=at, probability=sure))
    return found


def _over(
    question: TableQuestion,
    each: _Meant,
    chances: ColumnProbabilities,
    meant: ColumnPrediction | None,
) -> ScoredComputation | None:
    kept = filter_rows(each.asked, each.at, each.bound)
    if isinstance(kept, NotComparable):
        return None if each.asked.matches_one_name else (NotComputed(reason=kept.reason), 0.0)
    cells = frozenset(row.cells[each.at].text for row in kept.rows)
    chosen = RowSelection(column=each.at, cells=cells, text=kept.said)
    # "Plot 6" is not mentioned by "plots with at least 6 trees".
    asked = replace(each.asked, question=kept.rest)
    if asked.matches_one_name:
        return None
    asked = replace(asked, chosen=chosen)
    rows = [row for row in asked.totals.own if asked.matches_filter(row)]
    operation = each.told.operation
    lacking = _lacking(asked, each, kept, chances.filter_phrases)
    if lacking is None and not (rows or operation is Operation.COUNT):
        lacking = f"no row of the table in {each.file!r} has {asked.matched_cells_text}"
    if lacking is not None:
        return NotComputed(reason=lacking), 0.0
    column, sure = _column(asked, each, chances, meant)
    found: Computed | NotComputed | None = None
    if operation is Operation.COUNT:
        found = _counted(question, asked, rows)
    elif operation is None or len(rows) == 1:
        found = _said(question, asked, rows, column, each.at)
    elif column is not None:
        is_end = meant is not None and meant.number == column and operation in EXTREMES
        of_column = meant.extreme if is_end and meant is not None else operation
        found = aggregate_column(
            of_column, replace(asked, predicted_column=column), column, question.wording
        )
    if found is None:
        return None
    return found, each.probability * sure if isinstance(found, Computed) else 0.0


def _lacking(
    asked: LinkedQuestion, each: _Meant, kept: FilteredRows, narrowing: Sequence[str]
) -> str | None:
    """The reason why the question may select other rows than these; None without a reason."""
    if not asked.table.is_whole:
        return f"a part of the table in {each.file!r} is not among the passages that were read"
    if each.bound not in _DENYING or each.told.operation in EXTREMES:
        reason = unsupported_reason(asked, each.told.operation or Operation.COUNT)
        if reason is not None:
            return reason
    known = asked.linked_numbers(but=each.at)
    if (number := number_beside(kept.rest, known)) is not None:
        return (
            f"besides its bound the question says {number!r}, which names nothing of the table in "
            f"{each.file!r}; ask with one bound"
        )
    titles = asked.table.header
    lacking = next(
        (one for one in narrowing if one in kept.rest and not asked.is_linked(one, titles)), None
    )
    return None if lacking is None else f"no row of the table in {each.file!r} says {lacking!r}"


def _column(
    asked: LinkedQuestion,
    each: _Meant,
    chances: ColumnProbabilities,
    meant: ColumnPrediction | None,
) -> tuple[int | None, float]:
    """The index of the column whose cells are asked for, and its probability.

    The index is None where the rows are counted or their names are asked for.
    """
    operation = each.told.operation
    if operation is Operation.COUNT:
        return None, each.told.probability
    if operation is None:
        if each.told.no_column_probability >= LEAST_NONE:
            return None, each.told.no_column_probability
        best = max(range(len(chances.probabilities)), key=lambda at: chances.probabilities[at])
        return (
            (None, 1.0 - chances.no_column_probability)
            if best + 1 == each.at
            else (best + 1, chances.probabilities[best])
        )
    if meant is not None:
        return meant.number, meant.probability
    said = [at for at in asked.titles if at in asked.orderable_columns and at != each.at]
    return (said[0], 1.0 - each.told.no_column_probability) if len(said) == 1 else (None, 0.0)


def _counted(
    question: TableQuestion, asked: LinkedQuestion, rows: Sequence[Row]
) -> Computed | NotComputed | None:
    """Count the rows. A count of 0 cites all rows that were compared."""
    if len(rows) > 1:
        return aggregate_column(Operation.COUNT, asked, 0, question.wording)
    if any(map(asked.matches_filter, asked.totals.unclear)):
        return None
    phrases = question.wording(asked.located[0].passage.language)
    text = phrases.value.format(
        what=phrases.of_title(phrases.count, asked.table.header[0] or phrases.untitled),
        number=len(rows),
        over=asked.matched_cells_text,
    )
    return Computed(text=text, rows=tuple(each.candidate for each in rows or asked.totals.own))


def _said(
    question: TableQuestion, asked: LinkedQuestion, rows: Sequence[Row], column: int | None, at: int
) -> Computed | None:
    """The names of the rows, or their cells in a column."""
    table = asked.table
    named = [each for each in rows if not each.candidate.is_prompt_injection]
    if not named or not all(each.cells[0].text for each in named):
        return None
    names = [table.name_of(each, (at,)) for each in named]
    if column:
        title = table.header[column]
        cells = [f"{title}: {each.cells[column].text or '–'}".removeprefix(": ") for each in named]
        names = [f"{name} — {cell}" for name, cell in zip(names, cells, strict=True)]
    phrases = question.wording(asked.located[0].passage.language)
    which = phrases.joined(asked.matched_cells_text, phrases.rows_of(len(named)))
    return Computed(
        text=phrases.noted.format(found=phrases.listed(names, MOST_CITED), note=which),
        rows=tuple(each.candidate for each in named),
    )
