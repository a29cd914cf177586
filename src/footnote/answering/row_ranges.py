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
from footnote.answering.schema_linking import LinkedQuestion, RowSelection, link_to_tables
from footnote.answering.table_question import TableQuestion
from footnote.answering.tables import Row, Table
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
        likeliest = max(
            told.range_probabilities, key=lambda each: told.range_probabilities[each], default=None
        )
        if likeliest is not None and told.range_probabilities[likeliest] >= LEAST_RANGE:
            return likeliest, told.range_probabilities[likeliest]
        return None, 1.0 - sum(told.range_probabilities.values())

    def chosen(self, meant: RowRange | None) -> RowSelection | None:
        """The rows of this range; None where it has none, or its ends are not what is named."""
        asked, at = self.asked, self.at
        rows = [each for each in asked.totals.own if each.cells[at].text]
        if meant is None:
            kept = [each for each in rows if each.cells[at].text in self.said]
            return _chosen(at, kept, " / ")
        places = _places(asked.table, [each.cells[at].text for each in rows])
        ends = sorted(
            place
            for place, each in zip(places, rows, strict=True)
            if each.cells[at].text in self.said
        )
        if len(ends) != _ENDS_OF.get(meant, 1):
            return None
        first, last = ends[0], ends[-1]
        are_inside: dict[RowRange, Sequence[bool]] = {
            RowRange.BETWEEN: [first <= each <= last for each in places],
            RowRange.FROM: [each >= first for each in places],
            RowRange.AFTER: [each > first for each in places],
            RowRange.UNTIL: [each <= first for each in places],
            RowRange.BEFORE: [each < first for each in places],
        }
        inside = compress(zip(places, rows, strict=True), are_inside[meant])
        kept = [row for _, row in sorted(inside, key=lambda each: each[0])]
        return _chosen(at, kept[:1] + kept[1:][-1:], " – ", of=kept)


async def over_rows_named(question: TableQuestion) -> ScoredComputation | None:
    """Compute the answer over the named rows, with its probability; 0 for a refusal.

    None where fewer than two rows are selected or the column is unclear. Comparisons of rows are
    answered by `compared`. Raises ModelUnavailable.
    """
    found = []
    for each in await asyncio.to_thread(lambda: list(_named(question, question.tables))):
        own = await question.predicted_operation(each.asked.table)
        if own is not None and _is_over_several(each, own):
            found.append(each)
    if not all(each.asked.table.is_whole for each in found):
        whole = await question.whole()
        again = await asyncio.to_thread(lambda: list(_named(question, whole)))
        known = {each.asked.table.header for each in found}
        found = [each for each in again if each.asked.table.header in known]
    best: ScoredComputation | None = None
    for each in found:
        table = each.asked.table
        told, meant = (
            await question.predicted_operation(table),
            await question.predicted_column(table),
        )
        if told is None:
            continue
        over = await asyncio.to_thread(_over, each, told, meant, question.wording)
        if over is not None and (best is None or over[1] > best[1]):
            best = over
    return await compare_cells(question) if best is None else best


def _named(question: TableQuestion, tables: Sequence[Evidence]) -> Iterator[_Named]:
    """Of each table of which it names rows, by the first column whose cells all differ."""
    for asked in link_to_tables(question.question, tables, question.terms):
        for at in range(len(asked.table.header)):
            names = asked.table.column(at)
            # What a number of a further column says is no name of its row.
            if len(set(names)) < len(names) or (at > 0 and at in asked.numeric):
                continue
            if said := asked.mentioned_names(at):
                yield _Named(asked=asked, at=at, said=said)
                break


def _is_over_several(named: _Named, told: TableOperationPrediction) -> bool:
    """Whether a range is meant, or rows that are named are added up."""
    meant, _ = named.meant(told)
    return meant is not None or (len(named.said) > 1 and told.operation in ADDED_UP)


def _over(
    named: _Named, told: TableOperationPrediction, meant: ColumnPrediction | None, wording: Wording
) -> ScoredComputation | None:
    rows, sure = named.meant(told)
    asked, at = named.asked, named.at
    column, of_column = _column(named, told, meant)
    if of_column == 0.0:
        return None
    if rows is None and sure < 1.0 - MOST_RANGE:
        return NotComputed(reason=MANY_OR_FEW), 0.0
    chosen = named.chosen(rows)
    if chosen is None:
        reason = NO_ROWS.format(said=" / ".join(sorted(named.said)))
        return NotComputed(reason=reason), 0.0
    asked = replace(asked, chosen=chosen, predicted_column=column)
    # Of a column that its title tells a model has said no end.
    own = meant if meant is not None and meant.number == column else None
    lacking = _lacking(asked, told.operation, column, () if meant is None else meant.filter_phrases)
    found: Computed | NotComputed | None
    if lacking is not None:
        found = NotComputed(reason=lacking)
    elif told.operation is None:
        found = _each_said(asked, at, own, wording) or NotComputed(reason=NOTHING_ASKED)
    else:
        is_end = own is not None and told.operation in EXTREMES
        operation = own.extreme if own is not None and is_end else told.operation
        found = aggregate_column(operation, asked, at if column is None else column, wording)
    if isinstance(found, Computed):
        return found, sure * of_column
    # Of rows that are named one by one something else may be asked.
    return None if found is None or rows is None else (found, 0.0)


def _lacking(
    asked: LinkedQuestion, operation: Operation | None, column: int | None, narrowing: Sequence[str]
) -> str | None:
    """Why something else than these rows may be asked for; None where nothing speaks for it."""
    if operation is not None and (reason := unsupported_reason(asked, operation)) is not None:
        return reason
    if (bound := asked.unlinked_number) is not None:
        return f"rows are chosen by their words and names, and {bound!r} is in none of them"
    titles = () if column is None else (asked.table.header[column],)
    lacking = next((each for each in narrowing if not asked.is_linked(each, titles)), None)
    return None if lacking is None else f"no row of its table says {lacking!r}"


def _column(
    named: _Named, told: TableOperationPrediction, meant: ColumnPrediction | None
) -> tuple[int | None, float]:
    """The column that is asked about, by its title or as a model tells, and how likely it is.

    None where rows are counted; 0 where nothing is to be computed.
    """
    asked, at = named.asked, named.at
    said = [each for each in asked.titles if each in asked.orderable_columns and each != at]
    column = said[0] if len(said) == 1 else None if meant is None else meant.number
    if column == at or told.operation is Operation.OTHER:
        return None, 0.0
    if told.operation is Operation.COUNT:
        return None, told.probability
    if column is None:
        return None, 0.0
    if meant is not None and meant.number == column:
        return column, meant.probability
    return column, 1.0 - told.no_column_probability


def _each_said(
    asked: LinkedQuestion, at: int, meant: ColumnPrediction | None, wording: Wording
) -> Computed | None:
    """The cells of the rows, where no operation over them is asked for."""
    kept = [each for each in asked.totals.own if asked.matches_filter(each)]
    if meant is None or len(kept) > MOST_COMPARED:
        return None
    rows = NamedRows(asked=asked, rows=kept, at=at)
    text = comparison_text(rows, replace(meant, extreme_odds=0.0), wording)
    return None if text is None else Computed(text=text, rows=tuple(e.candidate for e in kept))


def _chosen(
    at: int, shown: Sequence[Row], between: str, *, of: Sequence[Row] | None = None
) -> RowSelection | None:
    """These rows, or those of which the shown ones are the ends."""
    kept = shown if of is None else of
    if not kept:
        return None
    return RowSelection(
        column=at,
        cells=frozenset(each.cells[at].text for each in kept),
        text=between.join(each.cells[at].text for each in shown),
    )


def _places(table: Table, names: Sequence[str]) -> Sequence[Decimal | int]:
    """The sort keys of the row names: their dates, times or numbers.

    Other names keep the order of their rows, except months listed in descending order.
    """
    for found in (table.moments(names), table.quantities(names)):
        if isinstance(found, Moments | Quantities):
            return found.values
    months = [MONTH_NUMBERS.get(each.casefold().rstrip(".")) for each in names]
    numbers = [each for each in months if each is not None]
    if len(numbers) == len(names) and numbers == sorted(numbers, reverse=True):
        return numbers
    return range(len(names))
