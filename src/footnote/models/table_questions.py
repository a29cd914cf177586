"""Predict column, rows and operation of a question over a table.

A network on the reader's lower layers reads the question together with the titles and some cells of
the columns. `training/table_questions.py` fits it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.models.question_rewriting import marked
from footnote.models.question_tokens import CharSpan, EncodedTurns, encode_turns
from footnote.models.reader_encoder import ReaderEncoder
from footnote.models.tokenizing import UnigramPieces
from footnote.ports import (
    ColumnPrediction,
    ColumnProbabilities,
    ComparisonOperator,
    Operation,
    RowRange,
    TableOperationPrediction,
    TitledColumn,
)

EXTREMES = (Operation.LARGEST, Operation.SMALLEST)
OPERATIONS = ("none", *(operation.value for operation in Operation))
RANGES = ("none", *(row_range.value for row_range in RowRange))
BOUNDS = ("none", *(operator.value for operator in ComparisonOperator))
MIN_OTHER = 0.25
"""Probability from which an unsupported calculation is predicted; mistaking one for a supported
operation gives a wrong answer."""
HEADS = (
    *("columns", "extremes", "narrowing", "operations", "operations_beside", "ranges"),
    *("bounds", "bounded"),
)
"""Names of the output heads; in the reader's file each has the prefix `tables.`."""
BETWEEN_COLUMNS, BETWEEN_CELLS = " | ", "; "
TABLE_TOKENS = 320
"""Most tokens of titles and cells; where all are more, fewer cells of each column are read."""
MAX_CELLS, CELL_LETTERS = 2, 24
"""Most cells encoded of a column, and most characters of a cell."""

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesHead:
    """The weights of the output heads for table questions."""

    columns: _Floats
    """Shape (width, 2), with biases. Output 0, averaged over the tokens of a column's title and
    cells, is the column's logit; output 1 of the question's first special token is the logit of
    no column."""
    columns_bias: _Floats
    extremes: _Floats
    """Shape (width, 2), with biases. Applied to the mean state of a column: the logits of whether
    the question asks for its largest or its smallest value."""
    extremes_bias: _Floats
    narrowing: _Floats
    """Shape (width, labels), with biases. Applied to the state of each token of a question with a
    table: the logits of the labels that tag the phrases which select rows."""
    narrowing_bias: _Floats
    operations: _Floats
    """Shape (width, operations), with biases. Applied to the first special token of a question that
    is encoded without a table."""
    operations_bias: _Floats
    operations_beside: _Floats
    """Same as `operations`, for a question that is encoded with a table."""
    operations_beside_bias: _Floats
    ranges: _Floats
    """Shape (width, ranges), with biases. The logit of each row range is the largest over the
    question's tokens."""
    ranges_bias: _Floats
    bounds: _Floats
    """Shape (width, bounds), with biases. The logit of each comparison operator is the largest over
    the question's tokens."""
    bounds_bias: _Floats
    bounded: _Floats
    """Shape (width, 2), with biases. Like `columns`, for the column that a comparison filters."""
    bounded_bias: _Floats
    least_column: float
    """Least probability at which a column is predicted, 0…1."""
    least_operation: float
    """Least probability at which an operation is predicted, 0…1."""

    @classmethod
    def of(cls, tensors: Mapping[str, npt.NDArray[np.generic]]) -> TablesHead:
        """From a file's tensors. Raises KeyError, or ValueError for tensors of another shape."""
        arrays = {
            name: tensors[f"tables.{name}"].astype(np.float32)
            for head in HEADS
            for name in (head, f"{head}_bias")
        }
        least_column, least_operation = map(float, tensors["tables.least"].astype(np.float32))
        return cls(**arrays, least_column=least_column, least_operation=least_operation)

    def column_chances(
        self, states: _Floats, encoded: EncodedTurns, places: Sequence[CharSpan]
    ) -> _Floats:
        """The probability of each column, and last that of none; sum 1."""
        return self._span_probabilities(states @ self.columns + self.columns_bias, encoded, places)

    def bounded_chances(
        self, states: _Floats, encoded: EncodedTurns, places: Sequence[CharSpan]
    ) -> _Floats:
        """Same as `column_chances`, for the column that a comparison filters."""
        return self._span_probabilities(states @ self.bounded + self.bounded_bias, encoded, places)

    def _span_probabilities(
        self, logits_by_token: _Floats, encoded: EncodedTurns, places: Sequence[CharSpan]
    ) -> _Floats:
        logits = np.full(len(places) + 1, -np.inf, np.float32)
        for column_index, span in enumerate(places):
            if token_positions := encoded.asked.tokens_of(span):
                logits[column_index] = logits_by_token[token_positions, 0].mean()
        logits[-1] = logits_by_token[0, 1]
        return _softmax(logits)


def encode_table_question(
    tokenizer: UnigramPieces, question: str, columns: Sequence[TitledColumn]
) -> tuple[EncodedTurns, list[CharSpan]]:
    """The token ids of question and table, and the character span of each column.

    The first column names the rows. Cells are left out, one per column at a time, until the table
    fits.
    """
    spans: list[CharSpan] = []
    for cell_count in range(MAX_CELLS, -1, -1):
        text, spans = "", []
        for column in columns:
            text += BETWEEN_COLUMNS if spans else ""
            start = len(text)
            cells = [cell[:CELL_LETTERS] for cell in column.cells[:cell_count]]
            text += ": ".join(part for part in (column.title, BETWEEN_CELLS.join(cells)) if part)
            spans.append((start, len(text)))
        encoded = encode_turns(tokenizer, question, text, max_previous_tokens=TABLE_TOKENS)
        if len(encoded.asked.offsets) < TABLE_TOKENS:
            break
    return encoded, spans


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuestions:
    """The head, and the layers below it. Every run is in the calling thread.

    Its methods raise ModelUnavailable when the model cannot run, for lack of memory say.
    """

    encoder: ReaderEncoder
    tokenizer: UnigramPieces
    head: TablesHead
    layers: int
    """Number of the reader's lowest layers that run before the layers for table questions."""

    def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        """See `TableQuestionModel.predict_column`."""
        encoded, (_, *spans) = encode_table_question(self.tokenizer, question, columns)
        states = self._states(encoded)
        probabilities = self.head.column_chances(states, encoded, spans)
        best = int(probabilities.argmax())
        if best == len(spans) or probabilities[best] < self.head.least_column:
            return None
        column_state = states[encoded.asked.tokens_of(spans[best])].mean(axis=0)
        extreme_logits = column_state @ self.head.extremes + self.head.extremes_bias
        return ColumnPrediction(
            number=best,
            probability=float(probabilities[best]),
            extreme=EXTREMES[int(extreme_logits.argmax())],
            extreme_odds=float(extreme_logits.max() - extreme_logits.min()),
            filter_phrases=self._filter_phrases(encoded, states),
        )

    def column_probabilities(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnProbabilities:
        """See `TableQuestionModel.column_probabilities`."""
        encoded, (_, *spans) = encode_table_question(self.tokenizer, question, columns)
        states = self._states(encoded)
        probabilities = self.head.column_chances(states, encoded, spans)
        return ColumnProbabilities(
            probabilities=probabilities[:-1].tolist(),
            no_column_probability=float(probabilities[-1]),
            filter_phrases=self._filter_phrases(encoded, states),
        )

    def predict_operation(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> TableOperationPrediction:
        """See `TableQuestionModel.predict_operation`."""
        encoded, spans = encode_table_question(self.tokenizer, question, columns)
        states = self._states(encoded)
        probabilities = _softmax(
            states[0] @ self.head.operations_beside + self.head.operations_beside_bias
        )
        operation, probability = self._predicted_operation(probabilities)
        operation_probabilities = zip(OPERATIONS[1:], probabilities[1:].tolist(), strict=True)
        question_states = states[: encoded.question.end]
        range_probabilities = _softmax(
            (question_states @ self.head.ranges + self.head.ranges_bias).max(axis=0)
        )
        operator_probabilities = _softmax(
            (question_states @ self.head.bounds + self.head.bounds_bias).max(axis=0)
        )
        return TableOperationPrediction(
            operation=operation,
            probability=probability,
            no_column_probability=float(self.head.column_chances(states, encoded, spans[1:])[-1]),
            operation_probabilities={
                Operation(name): value for name, value in operation_probabilities
            },
            range_probabilities=dict(zip(RowRange, range_probabilities[1:].tolist(), strict=True)),
            operator_probabilities=dict(
                zip(ComparisonOperator, operator_probabilities[1:].tolist(), strict=True)
            ),
            filter_column_probabilities=self.head.bounded_chances(states, encoded, spans)[
                :-1
            ].tolist(),
        )

    def operation(self, question: str) -> Operation | None:
        """See `Reader.operation`."""
        state = self._states(encode_turns(self.tokenizer, question))[0]
        return self._predicted_operation(
            _softmax(state @ self.head.operations + self.head.operations_bias)
        )[0]

    def _predicted_operation(self, chances: _Floats) -> tuple[Operation | None, float]:
        """Return the operation to predict, None if none is likely enough, and its probability."""
        other_probability = float(chances[OPERATIONS.index(Operation.OTHER)])
        if other_probability >= MIN_OTHER:
            return Operation.OTHER, other_probability
        best = int(chances.argmax())
        if best == 0 or chances[best] < self.head.least_operation:
            return None, float(chances[0])
        return Operation(OPERATIONS[best]), float(chances[best])

    def _filter_phrases(self, encoded: EncodedTurns, states: _Floats) -> list[str]:
        label_logits = states @ self.head.narrowing + self.head.narrowing_bias
        return marked(encoded.question, label_logits).pieces

    def _states(self, encoded: EncodedTurns) -> _Floats:
        states: _Floats = self.encoder.table_states([encoded.ids], self.layers)[0]
        return states


def _softmax(odds: _Floats) -> _Floats:
    exponentials = np.exp(odds - odds.max())
    probabilities: _Floats = exponentials / exponentials.sum()
    return probabilities
