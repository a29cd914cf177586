"""Predict which column of a table a question is about, whether or not it mentions the title.

"Which ship of Tarn is the longest?" is about "length (m)"; the oldest building has the smallest
year.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.tables import Table
from footnote.answering.titles import Terms
from footnote.ports import ColumnPrediction, Operation, TableQuestionModel

EXTREMES = frozenset((Operation.LARGEST, Operation.SMALLEST))
"""Operations that ask for an extreme of a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPredictions:
    """The predicted column of each table, keyed by the table's titles."""

    by_titles: Mapping[tuple[str, ...], ColumnPrediction] = field(default_factory=dict)
    is_predicted: bool = False
    """Whether a model made the predictions; then only a predicted column has a maximum or
    minimum."""

    def of(self, table: Table) -> ColumnPrediction | None:
        """The prediction for a table; None where the question is about none of its columns."""
        return self.by_titles.get(tuple(table.header))

    def number(self, table: Table) -> int | None:
        """The index of the predicted column."""
        prediction = self.of(table)
        return None if prediction is None else prediction.number

    def operation(self, operation: Operation, table: Table, column: int) -> Operation:
        """The operation for a column: for the predicted column, its predicted extreme replaces
        max or min."""
        prediction = self.of(table)
        if prediction is None or prediction.number != column or operation not in EXTREMES:
            return operation
        return prediction.extreme


NO_PREDICTIONS = ColumnPredictions()
"""No predictions."""


async def predict_columns(
    finder: TableQuestionModel, question: str, tables: Iterable[Table], terms: Terms
) -> ColumnPredictions:
    """Predict the number, date or time column of each table. Raises ModelUnavailable."""
    orderable = await asyncio.to_thread(_orderable_tables, question, tables, terms)
    predictions = await asyncio.gather(
        *(
            finder.predict_column(question, table.titled_columns(columns))
            for table, columns in orderable.values()
        )
    )
    return ColumnPredictions(
        is_predicted=True,
        by_titles={
            titles: replace(prediction, number=columns[prediction.number])
            for (titles, (_, columns)), prediction in zip(
                orderable.items(), predictions, strict=True
            )
            if prediction is not None
        },
    )


def _orderable_tables(
    question: str, tables: Iterable[Table], terms: Terms
) -> dict[tuple[str, ...], tuple[Table, list[int]]]:
    """Each table with columns of numbers or moments, with these columns by their titles."""
    tables_by_titles: dict[tuple[str, ...], tuple[Table, list[int]]] = {}
    for table in tables:
        linked = LinkedQuestion(question=question, table=table, terms=terms, located=())
        if linked.orderable_columns:
            tables_by_titles.setdefault(tuple(table.header), (table, linked.orderable_columns))
    return tables_by_titles
