"""A question with the retrieved tables, and what the table model predicts for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.column_predictions import predict_columns
from footnote.answering.reading import text_of
from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.sentences import candidates_of
from footnote.answering.table_completion import with_complete_tables
from footnote.answering.tables import Table, tables_of
from footnote.answering.titles import Terms, with_plain_titles
from footnote.answering.wording import Wording, worded_for
from footnote.domain import Evidence, Passage
from footnote.ports import (
    Analyzer,
    ColumnPrediction,
    ExpandPassages,
    Reader,
    TableOperationPrediction,
    TableQuestionModel,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuestion:
    """A question that may be over rows of these tables. Its methods raise ModelUnavailable."""

    reader: Reader
    finder: TableQuestionModel
    question: str
    """With column titles as plain words."""
    tables: Sequence[Evidence]
    terms: Terms
    """Extracts terms in the language of the likeliest table."""
    wording: Wording
    around: ExpandPassages | None = None
    """Loads the rest of a table that was retrieved in part."""
    cached_predictions: dict[tuple[str, ...], TableOperationPrediction] = field(
        default_factory=dict
    )
    """Cached predictions of the table model, keyed by the table's titles."""

    @classmethod
    def of(
        cls,
        question: str,
        tables: Sequence[Evidence],
        *,
        reader: Reader,
        finder: TableQuestionModel,
        analyzer: Analyzer,
        around: ExpandPassages | None,
    ) -> TableQuestion:
        """Build it from a question and passages with tables, at least one."""
        titles = [title for candidate in candidates_of(tables) for title in candidate.header]
        return cls(
            reader=reader,
            finder=finder,
            question=with_plain_titles(question, titles),
            tables=tables,
            terms=partial(analyzer.terms, language=tables[0].passage.language),
            wording=worded_for(question, analyzer),
            around=around,
        )

    async def predicted_operation(self, table: Table) -> TableOperationPrediction | None:
        """The predicted operation for a table; None without a prediction."""
        if table.header not in self.cached_predictions:
            prediction = await self.finder.predict_operation(self.question, table.titled_columns())
            if prediction is None:
                return None
            self.cached_predictions[table.header] = prediction
        cached = self.cached_predictions[table.header]
        return cached if cached.operation_probabilities else None

    async def predicted_column(self, table: Table) -> ColumnPrediction | None:
        """The predicted column of numbers or moments."""
        return (await predict_columns(self.finder, self.question, [table], self.terms)).of(table)

    async def mismatch(self, passage: Passage) -> float:
        """The lowest mismatch score over the retrieved tables of the passage's document, in
        log-odds."""
        parts = [
            table.passage
            for table in self.tables
            if table.passage.document_id == passage.document_id
        ]
        readings = await self.reader.read(self.question, [text_of(part) for part in parts])
        return min((reading.mismatch for reading in readings), default=0.0)

    async def whole(self) -> Sequence[Evidence]:
        """The tables, completed by their missing parts."""
        if self.around is None:
            return self.tables
        return await with_complete_tables(self.tables, self.tables, self.around)


def link_to_tables(
    question: str, evidence: Sequence[Evidence], terms: Terms
) -> Iterator[LinkedQuestion]:
    """The question linked to each table of the evidence whose rows were all read in full."""
    for table in tables_of(evidence):
        candidate = table.rows[0].candidate
        located = LocatedAnswer(
            candidate=candidate, start=candidate.start, end=candidate.end, probability=0.0
        )
        if all(len(row.cells) == len(table.header) for row in table.rows):
            yield LinkedQuestion(question=question, table=table, terms=terms, located=[located])
