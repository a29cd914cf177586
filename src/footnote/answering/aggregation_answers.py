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
from footnote.answering.table_completion import lowest_mismatch, with_complete_tables
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

MAX_TITLES, MIN_SURE = 4, 0.5
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
    """Minimum probability of a located answer."""
    namer: NameFinder | None
    finder: TableQuestionModel | None
    around: ExpandPassages | None = None
    """Loads the rest of a table that was retrieved in part."""

    async def __call__(
        self,
        question: str,
        answers: Sequence[LocatedAnswer],
        evidence: Sequence[Evidence],
        tables: Sequence[Evidence],
        *,
        read_answers: Sequence[LocatedAnswer],
    ) -> ScoredComputation | None:
        """The computed answer, if the question aggregates a column."""
        plain_question = with_plain_titles(
            question, [title for candidate in candidates_of(tables) for title in candidate.header]
        )
        terms = partial(self.analyzer.terms, language=tables[0].passage.language)
        parsed_tables = await asyncio.to_thread(lambda: list(tables_of(tables)))
        predictions = await self._predict_with_tables(plain_question, parsed_tables)
        if self.finder is not None:
            table_question = TableQuestion.of(
                question,
                tables,
                reader=self.reader,
                finder=self.finder,
                analyzer=self.analyzer,
                around=self.around,
            )
            table_question.cached_predictions.update(predictions)
            row_answer = await answer_over_rows(table_question)
            if row_answer is not None and is_accepted(row_answer, self.least):
                return None if answers and _is_surer(answers[0], row_answer) else row_answer
        row_group = await asyncio.to_thread(
            predict_for_row_group, question, parsed_tables, terms, predictions
        )
        prediction = _surest_prediction([*predictions.values()])
        if row_group is not None:
            prediction = row_group.prediction
        operations = (
            await self._predict_from_question(plain_question)
            if prediction is None
            else (prediction.operation,)
        )
        if not any(operations) and not (row_group and row_group.names):
            return None
        table_parts, table_chunk_ids = tables, {item.passage.chunk_id for item in tables}
        if self.around is not None:
            evidence = await with_complete_tables(evidence, tables, self.around)
            tables = [item for item in evidence if item.passage.chunk_id in table_chunk_ids]
        column_predictions = NO_PREDICTIONS
        if self.finder is not None:
            column_predictions = await predict_columns(
                self.finder, plain_question, tables_of(tables), terms
            )
        # The tables are read again, because a column title can also point to the answer.
        readings = await self.reader.read(question, [text_of(item.passage) for item in table_parts])
        mismatch = lowest_mismatch(table_parts, [reading.mismatch for reading in readings], tables)
        aggregation = _TableAggregation(
            question=question,
            plain_question=plain_question,
            operations=operations,
            evidence=evidence,
            tables=tables,
            terms=terms,
            analyzer=self.analyzer,
            reading=TableReading(
                names=await self._find_names(question),
                mismatch=mismatch,
                read_answers=read_answers,
                columns=column_predictions,
                cell=0.0 if row_group is None else row_group.cell,
            ),
            reader=self.reader,
            least=self.least,
            sure=0.0 if prediction is None else prediction.probability,
        )
        if row_group is not None and row_group.names:
            return await aggregation.names_of(row_group, answers)
        if Operation.OTHER in operations:
            return await aggregation.refusal(answers, _likeliest_cells(table_parts, readings))
        table_matches = await aggregation.matching_tables()
        matched_answer = (
            await aggregation.over_table(table_matches[0]) if len(table_matches) == 1 else None
        )
        if matched_answer is not None and not (answers and _is_surer(answers[0], matched_answer)):
            return matched_answer
        return await aggregation.over_cells(
            answers, _likeliest_cells(table_parts, readings), table_matches
        )

    async def _predict_from_question(self, question: str) -> Sequence[Operation | None]:
        """Predict the operation from the question alone: as it is, without and with a question
        mark."""
        unpunctuated = question.rstrip(" ?")
        variants = dict.fromkeys((question, unpunctuated, f"{unpunctuated}?"))
        return await asyncio.gather(*map(self.reader.operation, variants))

    async def _predict_with_tables(
        self, question: str, tables: Sequence[Table]
    ) -> Mapping[tuple[str, ...], TableOperationPrediction]:
        """The predictions of the table model, by the titles of the tables.

        Of tables with the same titles only the first is read.
        """
        if self.finder is None:
            return {}
        tables_by_header: dict[tuple[str, ...], Table] = {}
        for table in tables:
            tables_by_header.setdefault(table.header, table)
        distinct = [*tables_by_header.values()][:MAX_TITLES]
        predictions = await asyncio.gather(
            *(self.finder.predict_operation(question, table.titled_columns()) for table in distinct)
        )
        return {
            table.header: prediction
            for table, prediction in zip(distinct, predictions, strict=True)
            if prediction is not None
        }

    async def _find_names(self, question: str) -> list[str]:
        """The names in a question; empty without a name finder."""
        spans = None if self.namer is None else await self.namer.names([question])
        return [] if spans is None else [question[span.start : span.end] for span in spans[0]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _TableAggregation:
    """A question that aggregates a column, and the tables that were retrieved for it.

    It runs in threads: a table of thousands of rows takes half a second.
    """

    question: str
    plain_question: str
    """The question with its column titles as plain words."""
    operations: Sequence[Operation | None]
    """The predicted operations: one from question and table, else one for each punctuation
    variant."""
    evidence: Sequence[Evidence]
    tables: Sequence[Evidence]
    """The evidence that holds a table."""
    terms: Terms
    """Extracts terms in the language of the likeliest table."""
    analyzer: Analyzer
    reading: TableReading
    reader: Reader
    least: float
    sure: float
    """Probability of the operation predicted from question and table, 0…1; 0 without one."""

    @property
    def predicted_operations(self) -> set[Operation]:
        """All operations that may be asked for."""
        return {operation for operation in self.operations if operation is not None}

    async def refusal(
        self, answers: Sequence[LocatedAnswer], likeliest: Sequence[LocatedAnswer]
    ) -> ScoredComputation | None:
        """Refuse an unsupported calculation, unless the reader found its result in the text.

        None if prose or a cell titled like the calculation has the result, if the question names
        one row, whose cell may be asked for, and if it is not about a table.
        """
        best = answers[0] if answers and answers[0].probability >= self.least else None
        if best is not None and not is_cell(best):
            return None
        named_rows = await asyncio.to_thread(
            lambda: list(match_rows(self.question, self.tables, self.terms))
        )
        if len(named_rows) == 1:
            return None
        if best is not None and not await needs_several_rows(
            self.reader, self.plain_question, {Operation.OTHER}, best, self._terms_of(best)
        ):
            return None
        concerns_table = best or self.reading.columns.by_titles or likeliest
        return (NotComputed(reason=UNSUPPORTED_OPERATION), 0.0) if concerns_table else None

    async def names_of(
        self, rows: RowGroupPrediction, answers: Sequence[LocatedAnswer]
    ) -> ScoredComputation | None:
        """The names of the rows whose cells the question mentions, unless the reader found an
        answer."""
        if answers and answers[0].probability >= self.least:
            return None
        computed = await asyncio.to_thread(
            row_names,
            self.question,
            rows.table.rows[0].candidate,
            self.evidence,
            self.terms,
            self.reading,
            wording=worded_for(self.question, self.analyzer),
        )
        return None if computed is None else (computed, rows.names)

    async def matching_tables(self) -> list[TableMatch]:
        """The table with the column that the question is about; several if they match equally
        well."""
        # Maximum and minimum may both be predicted; the column decides between them.
        if len(self.predicted_operations) > 1 and not self.predicted_operations <= EXTREMES:
            return []
        operation = self.operations[0] or min(self.predicted_operations)
        return await asyncio.to_thread(
            select_tables, self.question, operation, self.tables, self.terms, self.reading.columns
        )

    async def over_table(self, match: TableMatch) -> ScoredComputation | None:
        """Compute over the matched column without a located cell."""
        operation = self.operations[0] or min(self.predicted_operations)
        plain_question = with_plain_titles(self.question, match.located.candidate.header)
        if not await word_triggers_aggregation(
            self.reader, plain_question, operation, match.unlinked_word
        ):
            return None
        computed = await self._compute_column(operation, [match.located])
        if computed is None:
            return None
        probability = self.sure if operation is Operation.COUNT else match.located.probability
        prediction = match.column_prediction
        is_sum_or_average = operation in (Operation.SUM, Operation.AVERAGE)
        if prediction is not None and is_sum_or_average and not match.says_column:
            # The question mentions neither the column nor the operation literally.
            probability *= self.sure or 1.0
        if prediction is not None and operation in EXTREMES:
            agreement = BY_SOUND if self.predicted_operations == {prediction.extreme} else -BY_SOUND
            probability /= 1 + exp(-(BY_ODDS * prediction.extreme_odds + agreement + OF_END))
        return computed, max(probability, self.least)

    async def over_cells(
        self,
        answers: Sequence[LocatedAnswer],
        likeliest: Sequence[LocatedAnswer],
        matches: Sequence[TableMatch],
    ) -> ScoredComputation | None:
        """Compute over the column of the best located cell, unless the question asks for the cell.

        Without such a cell, compute over the rows matched by their cell values.
        """
        threshold = max(self.least, *(answer.reader_probability for answer in answers[:1]), 0.0)
        if self.operations[0] is not None and likeliest and likeliest[0].probability >= threshold:
            computed = await self._compute_column(self.operations[0], likeliest)
            return None if computed is None else (computed, likeliest[0].probability)
        if answers and answers[0].probability >= self.least:
            ambiguous = await needs_several_rows(
                self.reader,
                self.plain_question,
                self.predicted_operations,
                answers[0],
                self._terms_of(answers[0]),
            )
            return (
                (NotComputed(reason=ROWS_AMBIGUOUS), answers[0].probability) if ambiguous else None
            )
        for op in self.predicted_operations if len(self.predicted_operations) == 1 else ():
            row = await asyncio.to_thread(
                select_row_group, self.question, op, self.tables, self.terms, self.reading.columns
            )
            if row is not None and self.reading.mismatch[row.passage.chunk_id] <= MAX_ROW_MISMATCH:
                computed = await self._compute_column(op, [row])
                return None if computed is None else (computed, max(self.sure, self.least))
        if len(matches) > 1:
            return _ambiguous_tables(matches), 0.0
        number = await asyncio.to_thread(
            bound_set, self.question, self.tables, self.terms, self.reading.columns
        )
        reason = f"rows are chosen by their words and names, and {number!r} is in none of them"
        return None if number is None else (NotComputed(reason=reason), 0.0)

    async def _compute_column(
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

    def _terms_of(self, answer: LocatedAnswer) -> Terms:
        return partial(self.analyzer.terms, language=answer.passage.language)


def _surest_prediction(
    predictions: Sequence[TableOperationPrediction],
) -> TableOperationPrediction | None:
    """The prediction for the table that the question is about; None without predictions."""
    surest = min(predictions, key=lambda prediction: prediction.no_column_probability, default=None)
    return surest if surest is None or surest.no_column_probability < MIN_SURE else predictions[0]


def _ambiguous_tables(matches: Sequence[TableMatch]) -> NotComputed:
    """A refusal because several tables match."""
    files = sorted({match.located.passage.filename for match in matches})
    return NotComputed(
        reason=f"{len(matches)} tables may be meant, of {', '.join(files)}; name what one is about"
    )


def _is_surer(answer: LocatedAnswer, scored: ScoredComputation) -> bool:
    """Whether an answer in prose is likelier than the value computed from a column."""
    computed, probability = scored
    threshold = probability if isinstance(computed, Computed) else SURELY_ELSEWHERE
    return answer.probability >= threshold and not is_cell(answer)


def _likeliest_cells(
    tables: Sequence[Evidence], readings: Sequence[PassageReading]
) -> list[LocatedAnswer]:
    """The cells that the reader located, directly or by their titles, likeliest first."""
    located = []
    for item, reading in zip(tables, readings, strict=True):
        candidates = candidates_of([item])
        for span in reading.spans:
            located += [*locate(span, candidates), *under_title(span, candidates)]
    return by_probability(cell for cell in located if is_cell(cell))
