"""Models that read a question with passages, or a statement with a quote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageText:
    """A passage as it is read."""

    text: str
    heading: str = ""
    """The text above it, such as its document's title: read before it, never the answer."""
    allowed_spans: tuple[tuple[int, int], ...] = ()
    """Character ranges that an answer span must lie in, such as sentences. A reader that
    supports them returns the best span of each and none that crosses two. Empty allows any span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSpan:
    """A span of a passage that may be the answer.

    Law: `text[start:end]` of the passage is not empty and has no outer white space.
    """

    start: int
    end: int
    score: float
    """Log-odds against "the passage does not answer"; positive favours the span."""
    probability: float
    """Calibrated, 0…1: how likely the passage answers with this span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageReading:
    """The result of reading one passage for one question."""

    spans: tuple[AnswerSpan, ...]
    """Best first; no two of them overlap. Empty where the passage was not read."""
    relevance: float
    """Log-odds that the passage contains an answer at all."""
    probability: float
    """Calibrated, 0…1: how likely the passage answers; that of its best span, 0 without one."""
    mismatch: float = 0.0
    """Log-odds that the question is about something that the passage does not mention; about 0
    if all its words match, and for a reader without this score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportProbabilities:
    """Probabilities that a quote supports a statement, contradicts it or does neither; sum 1."""

    supported: float
    contradicted: float
    neither: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSpan:
    """A span of a text that is a name: `text[start:end]`."""

    start: int
    end: int
    kind: str
    """`person`, `organisation`, `place` or `other`."""
    probability: float
    """0…1: of its least likely token."""


class Operation(StrEnum):
    """An operation on the numbers or the rows of a table's column."""

    LARGEST = "largest"
    SMALLEST = "smallest"
    SUM = "sum"
    AVERAGE = "average"
    COUNT = "count"
    OTHER = "other"
    """Any other calculation over rows, which is not supported: a median, one number for each
    group, a share, a difference of rows, the two largest, a sum over several columns."""


class RowRange(StrEnum):
    """A range of rows, given by one or two rows that a question names."""

    BETWEEN = "between"
    """From the first to the second, both included."""
    FROM = "from"
    """The named row and all after it."""
    AFTER = "after"
    UNTIL = "until"
    """All rows up to the named one, included."""
    BEFORE = "before"


class ComparisonOperator(StrEnum):
    """Comparison of a column's numbers, dates or times with values of the question."""

    MORE = "more"
    """Above it, or later."""
    AT_LEAST = "at_least"
    LESS = "less"
    AT_MOST = "at_most"
    BETWEEN = "between"
    """Between two values, both included."""
    EQUAL = "equal"
    """That number, or a date within that day, month or year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitledColumn:
    """A column as a model reads it."""

    title: str
    cells: Sequence[str] = ()
    """Example cells, which make a short title clearer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPrediction:
    """The predicted column of a table that a question is about."""

    number: int
    """Index among the given columns, from 0, without the first, which names the rows."""
    probability: float
    """Probability that the question is about this column of this table, 0…1."""
    extreme: Operation
    """The extreme (largest or smallest) that is asked for, if one is: the oldest building has
    the smallest year."""
    extreme_odds: float = 0.0
    """Log-odds of this extreme against the other one, at least 0."""
    filter_phrases: Sequence[str] = ()
    """Parts of the question that restrict the rows, such as a row's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProbabilities:
    """How likely a question is about each column of a table."""

    probabilities: Sequence[float]
    """Of the given columns after the one that names the rows, in their order, 0…1."""
    no_column_probability: float
    """That it is about none of them; all of these sum to 1."""
    filter_phrases: Sequence[str] = ()
    """As in `ColumnPrediction`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOperationPrediction:
    """The predicted operation, row range and comparison of a question over a table."""

    operation: Operation | None
    """None if a cell or nothing of the table is asked for."""
    probability: float
    """Probability of this operation, 0…1."""
    no_column_probability: float
    """That the question is about no column of the table, 0…1."""
    operation_probabilities: Mapping[Operation, float] = field(default_factory=dict)
    """Probability of each operation, 0…1; the rest is that of a cell or nothing. Empty without a
    prediction."""
    range_probabilities: Mapping[RowRange, float] = field(default_factory=dict)
    """Probability of each row range, 0…1; the rest is that of listed rows or of no rows."""
    operator_probabilities: Mapping[ComparisonOperator, float] = field(default_factory=dict)
    """Probability of each comparison, 0…1; the rest is that of no comparison."""
    filter_column_probabilities: Sequence[float] = ()
    """Probability of each given column, the first included, to be the compared one; what is
    missing to 1 is the probability of none."""


class Reader(Protocol):
    """A model that reads, mostly two texts together."""

    @property
    def name(self) -> str:
        """What explanations call it."""

    async def read(
        self, question: str, passages: Sequence[PassageText]
    ) -> Sequence[PassageReading]:
        """Read each passage for the question; results are in the order of the passages.

        The result for a passage does not depend on the others; but a reader may have a budget, and
        then leaves out the last ones. Raises ModelUnavailable.
        """

    async def judge(
        self, statements: Sequence[str], quotes: Sequence[str]
    ) -> list[SupportProbabilities]:
        """Whether each quote supports the statement at its position. Raises ModelUnavailable."""

    async def injection_probabilities(self, texts: Sequence[str]) -> Sequence[float] | None:
        """Probability that each text is a prompt injection, 0…1; from .5 on it counts as one.

        None from a reader without this head. Raises ModelUnavailable.
        """

    async def operation(self, question: str) -> Operation | None:
        """The operation that a question asks for, if its answer comes from a column.

        None for a question about a single cell, and from a reader that cannot tell. Raises
        ModelUnavailable.
        """


class NameFinder(Protocol):
    """A model that finds names of persons, organisations, places and other things."""

    async def names(self, texts: Sequence[str]) -> Sequence[Sequence[NamedSpan]] | None:
        """The names in each text, in order and without overlap.

        None from a model that cannot tell. Raises ModelUnavailable.
        """


class QuestionRewriter(Protocol):
    """Rewrites follow-up questions and decomposes compound questions."""

    async def rewrite_follow_up(
        self, question: str, previous_question: str, previous_answer: str
    ) -> str | None:
        """Rewrite a follow-up question to be self-contained, from the previous question and answer.

        The previous question is self-contained; its answer may be empty. Returns the question
        unchanged if it is self-contained already, None from a model without this head. Raises
        ModelUnavailable.
        """

    async def decompose(self, question: str) -> Sequence[str]:
        """Decompose a question into self-contained questions, one for each thing asked or compared.

        A question for one thing is returned alone and unchanged. Raises ModelUnavailable.
        """


class TableQuestionModel(Protocol):
    """Predicts which column of a table a question is about, which rows, and which operation.

    The first of the given columns names the rows.
    """

    async def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        """The column that the question is about, whether or not it says its title.

        "Which ship of Tarn is the longest?" is about "length (m)" of the rows "of Tarn". None where
        the question is about none of these columns, or of other things, and from a model that
        cannot tell. Raises ModelUnavailable.
        """

    async def column_probabilities(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnProbabilities | None:
        """How likely the question is about each column; None from a model that cannot tell.

        Raises ModelUnavailable.
        """

    async def predict_operation(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> TableOperationPrediction | None:
        """The operation on a column or on rows: the question alone does not always determine it.

        "How many people work in the lab?" counts rows, unless a column says how many. None from a
        model that cannot tell. Raises ModelUnavailable.
        """
