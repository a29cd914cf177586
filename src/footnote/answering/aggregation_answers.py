"""Compute the answers of questions that aggregate a table column."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp

from footnote.answering.aggregation_words import (
    ROWS_AMBIGUOUS,
    UNSUPPORTED_OPERATION,
    needs_several_rows,
    word_triggers_aggregation,
)
from footnote.answering.answer_selection import LocatedAnswer, by_probability
from footnote.answering.cell_selection import SURELY_ELSEWHERE, match_rows
from footnote.answering.column_aggregation import (
    Computed,
    NotComputed,
    ScoredComputation,
    TableReading,
    compute,
    row_names,
)
from footnote.answering.column_predictions import EXTREMES, NO_PREDICTIONS, predict_columns
from footnote.answering.filtered_rows import answer_over_rows, is_accepted
from footnote.answering.reading import locate, text_of
from footnote.answering.row_group_answers import RowGroupPrediction, predict_for_row_group
from footnote.answering.sentences import candidates_of
from footnote.answering.table_completion import lowest_mismatch, with_whole_tables
from footnote.answering.table_question import TableQuestion
from footnote.answering.table_selection import (
    TableMatch,
    bound_set,
    select_row_group,
    select_tables,
)
from footnote.answering.tables import Table, is_cell, tables_of, under_title
from footnote.answering.titles import Terms, with_plain_titles
from footnote.answering.wording import worded_for
from footnote.domain import Evidence
from footnote.ports import (
    Analyzer,
    ExpandPassages,
    NameFinder,
    Operation,
    PassageReading,
    Reader,
    TableOperationPrediction,
    TableQuestionModel,
)

MAX_ROW_MISMATCH = 0.7
"""Highest mismatch score of a table matched by its cells alone; a little lower than where an
answer was located in it (`answering/column_aggregation.py`)."""

MOST_TITLES, LEAST_SURE = 4, 0.5
"""Most tables that the model reads with the question; and the probability of "no column" from
which no table is preferred to the first."""

BY_ODDS, BY_SOUND, OF_END = 0.35, 0.2, 0.2
"""Log-odds that the predicted extreme (maximum or minimum) is right: a coefficient of the column
model's log-odds, plus or minus the second if the predicted operation agrees or not, plus the
third as bias. Fitted to 282 questions of `training/questions` used for nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregationAnswerer:
    """Predicts the operation, selects the column and computes the answer. Raises
    ModelUnavailable."""

    reader: Reader
    analyzer: Analyzer
    least: float
    """Probability from which an answer was found."""
    namer: NameFinder | None
    finder: TableQuestionModel | None
    around: ExpandPassages | None = None
    """What has the rest of a table of which a part was found."""

    async def __call__(
        self,
        question: str,
        found: Sequence[LocatedAnswer],
        evidence: Sequence[Evidence],
        tables: Sequence[Evidence],
        *,
        read: Sequence[LocatedAnswer],
    ) -> ScoredComputation | None:
        """What the question asks of a column, if the answer stands in one."""
        asked = with_plain_titles(
            question, [each for one in candidates_of(tables) for each in one.header]
        )
        terms = partial(self.analyzer.terms, language=tables[0].passage.language)
        held = await asyncio.to_thread(lambda: list(tables_of(tables)))
        known = await self._beside(asked, held)
        if self.finder is not None:
            beside_tables = TableQuestion.of(
                question,
                tables,
                reader=self.reader,
                finder=self.finder,
                analyzer=self.analyzer,
                around=self.around,
            )
            beside_tables.known.update(known)
            of_rows = await answer_over_rows(beside_tables)
            if of_rows is not None and is_accepted(of_rows, self.least):
                return None if found and _is_surer(found[0], of_rows) else of_rows
        rows = await asyncio.to_thread(predict_for_row_group, question, held, terms, known)
        beside = _surest([*known.values()]) if rows is None else rows.told
        told = await self._alone(asked) if beside is None else (beside.operation,)
        if not any(told) and not (rows and rows.names):
            return None
        parts, kept = tables, {each.passage.chunk_id for each in tables}
        if self.around is not None:
            evidence = await with_whole_tables(evidence, tables, self.around)
            tables = [each for each in evidence if each.passage.chunk_id in kept]
        meant = NO_PREDICTIONS
        if self.finder is not None:
            meant = await predict_columns(self.finder, asked, tables_of(tables), terms)
        # Tables are read anew: the title of a column points to it as well as a cell does.
        readings = await self.reader.read(question, [text_of(each.passage) for each in parts])
        over = _OverTables(
            question=question,
            asked=asked,
            told=told,
            evidence=evidence,
            tables=tables,
            terms=terms,
            analyzer=self.analyzer,
            reading=TableReading(
                names=await self._names_in(question),
                unmet=lowest_mismatch(parts, [each.mismatch for each in readings], tables),
                read=read,
                meant=meant,
                cell=0.0 if rows is None else rows.cell,
            ),
            reader=self.reader,
            least=self.least,
            sure=0.0 if beside is None else beside.probability,
        )
        if rows is not None and rows.names:
            return await over.names_of(rows, found)
        if Operation.OTHER in told:
            return await over.not_made(found, _likeliest_cell(parts, readings))
        named = await over.named()
        of_named = await over.of_named(named[0]) if len(named) == 1 else None
        if of_named is not None and not (found and _is_surer(found[0], of_named)):
            return of_named
        return await over.of_cells(found, _likeliest_cell(parts, readings), named)

    async def _alone(self, question: str) -> Sequence[Operation | None]:
        """Predict the operation from the question alone: as it is, without and with a question
        mark."""
        bare = question.rstrip(" ?")
        texts = dict.fromkeys((question, bare, f"{bare}?"))
        return await asyncio.gather(*map(self.reader.operation, texts))

    async def _beside(
        self, question: str, tables: Sequence[Table]
    ) -> Mapping[tuple[str, ...], TableOperationPrediction]:
        """What a model says of the question beside each table, by its titles, where it tells.

        Tables with the same titles are told by the first of them.
        """
        if self.finder is None:
            return {}
        first: dict[tuple[str, ...], Table] = {}
        for table in tables:
            first.setdefault(table.header, table)
        chosen = [*first.values()][:MOST_TITLES]
        told = await asyncio.gather(
            *(self.finder.predict_operation(question, each.shown()) for each in chosen)
        )
        return {
            table.header: each for table, each in zip(chosen, told, strict=True) if each is not None
        }

    async def _names_in(self, question: str) -> list[str]:
        """The names in a question; none where nothing finds them."""
        found = None if self.namer is None else await self.namer.names([question])
        return [] if found is None else [question[one.start : one.end] for one in found[0]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _OverTables:
    """A question that asks something of a column, and the tables that were found for it.

    A table of thousands of rows takes half a second, in a thread: no other question waits for it.
    """

    question: str
    asked: str
    """As it is spoken, without the spelling of titles."""
    told: Sequence[Operation | None]
    """The predicted operations: one from question and table, else one for each punctuation
    variant."""
    evidence: Sequence[Evidence]
    tables: Sequence[Evidence]
    """Those of the evidence that hold one."""
    terms: Terms
    """In the language of the likeliest of them."""
    analyzer: Analyzer
    reading: TableReading
    reader: Reader
    least: float
    sure: float
    """Probability of the operation predicted from question and table, 0…1; 0 without one."""

    @property
    def predicted_operations(self) -> set[Operation]:
        """Everything that may be asked."""
        return {each for each in self.told if each is not None}

    async def not_made(
        self, found: Sequence[LocatedAnswer], likeliest: Sequence[LocatedAnswer]
    ) -> ScoredComputation | None:
        """The refusal of an unsupported calculation, unless the reader found its result in the
        text.

        None where prose, or a cell whose title names the calculation, contains it, where a single
        row is named, whose cell may be asked for, and where the question is about no table.
        """
        best = found[0] if found and found[0].probability >= self.least else None
        if best is not None and not is_cell(best):
            return None
        named = await asyncio.to_thread(
            lambda: list(match_rows(self.question, self.tables, self.terms))
        )
        if len(named) == 1:
            return None
        if best is not None and not await needs_several_rows(
            self.reader, self.asked, {Operation.OTHER}, best, self._terms_of(best)
        ):
            return None
        is_about = best or self.reading.meant.by_titles or likeliest
        return (NotComputed(reason=UNSUPPORTED_OPERATION), 0.0) if is_about else None

    async def names_of(
        self, rows: RowGroupPrediction, found: Sequence[LocatedAnswer]
    ) -> ScoredComputation | None:
        """The names of the rows that the question names by their cells, unless it was read."""
        if found and found[0].probability >= self.least:
            return None
        named = await asyncio.to_thread(
            row_names,
            self.question,
            rows.table.rows[0].candidate,
            self.evidence,
            self.terms,
            self.reading,
            wording=worded_for(self.question, self.analyzer),
        )
        return None if named is None else (named, rows.names)

    async def named(self) -> list[TableMatch]:
        """The table whose column the question means or names; several where they are alike."""
        # Which end of a column is meant may be heard in two ways; the column tells it.
        if len(self.predicted_operations) > 1 and not self.predicted_operations <= EXTREMES:
            return []
        operation = self.told[0] or min(self.predicted_operations)
        return await asyncio.to_thread(
            select_tables, self.question, operation, self.tables, self.terms, self.reading.meant
        )

    async def of_named(self, named: TableMatch) -> ScoredComputation | None:
        """What is asked of its column, without a cell of it."""
        operation = self.told[0] or min(self.predicted_operations)
        asked = with_plain_titles(self.question, named.located.candidate.header)
        if not await word_triggers_aggregation(self.reader, asked, operation, named.unexplained):
            return None
        computed = await self._computed(operation, [named.located])
        if computed is None:
            return None
        sure = self.sure if operation is Operation.COUNT else named.located.probability
        is_of_all = operation in (Operation.SUM, Operation.AVERAGE)
        if named.meant is not None and is_of_all and not named.says_column:
            # Neither the column nor what is asked of it is said as the table has it.
            sure *= self.sure or 1.0
        if named.meant is not None and operation in EXTREMES:
            sounds = BY_SOUND if self.predicted_operations == {named.meant.extreme} else -BY_SOUND
            sure /= 1 + exp(-(BY_ODDS * named.meant.extreme_odds + sounds + OF_END))
        return computed, max(sure, self.least)

    async def of_cells(
        self,
        found: Sequence[LocatedAnswer],
        likeliest: Sequence[LocatedAnswer],
        named: Sequence[TableMatch],
    ) -> ScoredComputation | None:
        """Compute over the column of the best located cell, unless the question asks for the cell.

        Without such a cell, compute over the rows matched by their cell values.
        """
        least = max(self.least, *(each.reader_probability for each in found[:1]), 0.0)
        if self.told[0] is not None and likeliest and likeliest[0].probability >= least:
            computed = await self._computed(self.told[0], likeliest)
            return None if computed is None else (computed, likeliest[0].probability)
        if found and found[0].probability >= self.least:
            unclear = await needs_several_rows(
                self.reader,
                self.asked,
                self.predicted_operations,
                found[0],
                self._terms_of(found[0]),
            )
            return (NotComputed(reason=ROWS_AMBIGUOUS), found[0].probability) if unclear else None
        for each in self.predicted_operations if len(self.predicted_operations) == 1 else ():
            row = await asyncio.to_thread(
                select_row_group, self.question, each, self.tables, self.terms, self.reading.meant
            )
            if row is not None and self.reading.unmet[row.passage.chunk_id] <= MAX_ROW_MISMATCH:
                computed = await self._computed(each, [row])
                return None if computed is None else (computed, max(self.sure, self.least))
        if len(named) > 1:
            return _several(named), 0.0
        bound = await asyncio.to_thread(
            bound_set, self.question, self.tables, self.terms, self.reading.meant
        )
        reason = f"rows are chosen by their words and names, and {bound!r} is in none of them"
        return None if bound is None else (NotComputed(reason=reason), 0.0)

    async def _computed(
        self, operation: Operation, located: Sequence[LocatedAnswer]
    ) -> Computed | NotComputed | None:
        return await asyncio.to_thread(
            compute,
            self.question,
            operation,
            located,
            self.evidence,
            self._terms_of(located[0]),
            reading=self.reading,
            wording=worded_for(self.question, self.analyzer),
        )

    def _terms_of(self, found: LocatedAnswer) -> Terms:
        return partial(self.analyzer.terms, language=found.passage.language)


def _surest(told: Sequence[TableOperationPrediction]) -> TableOperationPrediction | None:
    """What is said beside the table that the question is about; None of none."""
    surest = min(told, key=lambda each: each.no_column_probability, default=None)
    return surest if surest is None or surest.no_column_probability < LEAST_SURE else told[0]


def _several(named: Sequence[TableMatch]) -> NotComputed:
    """That more than one table may be meant."""
    files = sorted({each.located.passage.filename for each in named})
    return NotComputed(
        reason=f"{len(named)} tables may be meant, of {', '.join(files)}; name what one is about"
    )


def _is_surer(found: LocatedAnswer, over: ScoredComputation) -> bool:
    """Whether a statement that was read in prose is said instead of what a column gives."""
    computed, probability = over
    least = probability if isinstance(computed, Computed) else SURELY_ELSEWHERE
    return found.probability >= least and not is_cell(found)


def _likeliest_cell(
    tables: Sequence[Evidence], readings: Sequence[PassageReading]
) -> list[LocatedAnswer]:
    """The cells that were read, and those below titles that were, the likeliest first."""
    located = []
    for item, reading in zip(tables, readings, strict=True):
        candidates = candidates_of([item])
        for span in reading.spans:
            located += [*locate(span, candidates), *under_title(span, candidates)]
    return by_probability(each for each in located if is_cell(each))
