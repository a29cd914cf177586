"""Predict the answer type of a question whose words match several rows.

The table model sees the titles and a few cells only, so "How many plays are in the Studio?" may ask
for a cell of a row called Studio. That several rows contain "Studio" is exact, and is combined with
the model's probabilities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from footnote.answering.answer_features import log_odds
from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.tables import Table
from footnote.answering.titles import Terms
from footnote.ports import Operation, TableOperationPrediction

Floats = npt.NDArray[np.float64]

ANSWER_TYPES: Sequence[frozenset[Operation]] = (
    frozenset(),  # a cell, or nothing in the table
    frozenset(),  # the names of the rows
    frozenset((Operation.COUNT,)),
    frozenset((Operation.SUM,)),
    frozenset((Operation.AVERAGE,)),
    frozenset((Operation.LARGEST, Operation.SMALLEST)),
    frozenset((Operation.OTHER,)),
)
"""Answer types, each with the operations of the model that belong to it."""
CELL, LIST, COUNT, END, OTHER = 0, 1, 2, 5, 6
_NUMBERS = (Operation.COUNT, Operation.SUM)
"""What "how many" may ask for."""
MIN_NUMBER = 0.25
"""Probability of `_NUMBERS` from which "how many" does not ask for a cell."""

WEIGHTS = (
    *(1.31, 0.15),
    *(0.66, 0.77, 2.23, 0.12, 1.02, -1.32),
    *(0.00, 0.03, -0.46, -0.54, 1.16),
)
"""Weights of `features`, fitted to 250 questions by `bench/fit_groups.py`."""
LEAST, MIN_NAMES = 0.5, 0.3
"""Minimum probability of an operation, and of the names of the rows."""
MAX_UNEXPLAINED = 1
"""Most unexplained words of a question that row names answer, if it mentions the kind of rows:
"Which plays are on at the Studio?". They do not answer "Who pays for the Studio?"."""
_FEWEST_ROWS = 2
_MIN_CHANCE = 1e-4
"""Minimum probability of an operation, since its logarithm is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroupPrediction:
    """The prediction of what is asked about a group of rows."""

    prediction: TableOperationPrediction
    """With the most probable operation and its probability."""
    table: Table
    cell: float
    """Probability that a cell is asked for, by the model alone."""
    names: float = 0.0
    """Probability that the names of the rows are asked for, 0…1; 0 if something else is
    likelier."""


def predict_for_row_group(
    question: str,
    tables: Iterable[Table],
    terms: Terms,
    predictions: Mapping[tuple[str, ...], TableOperationPrediction],
) -> RowGroupPrediction | None:
    """Predict what is asked about the rows that the question names; None if it does not name
    several.

    Of several tables with such rows, the one with the fewest unexplained words is used.
    `predictions` has the model's prediction for each table, by its titles.
    """
    candidates = []
    for table in tables:
        prediction = predictions.get(tuple(table.header))
        linked = link_row_group(question, table, terms)
        if linked is not None and prediction is not None and prediction.operation_probabilities:
            candidates.append(
                (len(linked.unlinked_words), prediction.no_column_probability, linked, prediction)
            )
    if not candidates:
        return None
    *_, linked, prediction = min(candidates, key=lambda candidate: candidate[:2])
    return _combined_prediction(prediction, linked)


def _combined_prediction(
    prediction: TableOperationPrediction, linked: LinkedQuestion
) -> RowGroupPrediction:
    utilities = features(prediction, linked) @ np.array(WEIGHTS)
    utilities[LIST] = utilities[LIST] if may_name(linked) else -np.inf
    if linked.titles_explained_by_cells and not any(
        column in linked.orderable_columns for column in linked.titles
    ):
        # The predicted column is only the name of the rows, and no other column is mentioned:
        # nothing is added up, and a count is not in a cell.
        utilities[COUNT + 1 : END + 1] = -np.inf
        if (
            sum(prediction.operation_probabilities[operation] for operation in _NUMBERS)
            >= MIN_NUMBER
        ):
            utilities[CELL] = -np.inf
    probabilities = np.exp(utilities - utilities.max())
    probabilities /= probabilities.sum()
    best_type = int(probabilities.argmax())
    probability = float(probabilities[best_type])
    operation = None
    if ANSWER_TYPES[best_type] and probability >= LEAST:
        operation = max(
            ANSWER_TYPES[best_type],
            key=lambda candidate: prediction.operation_probabilities[candidate],
        )
    return RowGroupPrediction(
        prediction=replace(prediction, operation=operation, probability=probability),
        table=linked.table,
        cell=1.0 - sum(prediction.operation_probabilities.values()),
        names=probability if best_type == LIST and probability >= MIN_NAMES else 0.0,
    )


def link_row_group(question: str, table: Table, terms: Terms) -> LinkedQuestion | None:
    """Link the question to the table, if it mentions several rows by their cells, and no single
    row."""
    if any(len(row.cells) != len(table.header) for row in table.rows):
        return None
    candidate = table.rows[0].candidate
    located = LocatedAnswer(
        candidate=candidate, start=candidate.start, end=candidate.end, probability=0.0
    )
    linked = LinkedQuestion(question=question, table=table, terms=terms, located=[located])
    if not linked.matched_cells or linked.matches_one_name or linked.unlinked_number is not None:
        return None
    return linked if sum(map(linked.matches_filter, table.rows)) >= _FEWEST_ROWS else None


def may_name(linked: LinkedQuestion) -> bool:
    """Whether the names of the rows may answer: the question mentions the kind of rows, and little
    else."""
    return linked.mentions_row_type_or_document and len(linked.unlinked_words) <= MAX_UNEXPLAINED


def features(prediction: TableOperationPrediction, linked: LinkedQuestion) -> Floats:
    """The feature matrix, of shape (answer types, weights), float64."""
    no_operation = 1.0 - sum(prediction.operation_probabilities.values())
    no_column = log_odds(prediction.no_column_probability)
    matrix = np.zeros((len(ANSWER_TYPES), len(WEIGHTS)))
    for answer_type, operations in enumerate(ANSWER_TYPES):
        probability = (
            sum(prediction.operation_probabilities[operation] for operation in operations)
            if operations
            else no_operation
        )
        matrix[answer_type, 0 if operations else 1] = np.log(max(probability, _MIN_CHANCE))
        if answer_type:
            matrix[answer_type, answer_type + 1] = 1.0
    matrix[LIST, 8] = matrix[COUNT, 9] = no_column
    matrix[COUNT + 1 : END + 1, 10] = no_column
    matrix[0, 11] = len(linked.unlinked_words)
    matrix[COUNT, 12] = float(linked.mentions_row_type_or_document)
    return matrix
