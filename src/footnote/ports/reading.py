"""A model that reads: a question beside passages, a statement beside a quote."""

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
    """What stands above it, such as its document's title: read before it, never the answer."""
    stretches: tuple[tuple[int, int], ...] = ()
    """Where in the text an answer is looked for, such as its sentences: a reader that can gives the
    best span of each, and none across two. Empty for anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSpan:
    """A stretch of a passage that may be the answer.

    Law: `text[start:end]` of the passage is not empty and has no outer white space.
    """

    start: int
    end: int
    score: float
    """Log-odds against "the passage does not answer"; positive speaks for the span."""
    probability: float
    """Calibrated, 0…1: how likely the passage answers with this span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageReading:
    """What was read in one passage for one question."""

    spans: tuple[AnswerSpan, ...]
    """Best first; no two of them overlap. Empty where the passage was not read."""
    relevance: float
    """Log-odds that the passage holds an answer at all."""
    probability: float
    """Calibrated, 0…1: how likely the passage answers; that of its best span, 0 without one."""
    unmet: float = 0.0
    """How much speaks for it that the question is about something that the passage is not: about 0
    where all its words are met, or from a reader that cannot tell, and log-odds above that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportOdds:
    """How a quote stands to a statement; the three sum to 1."""

    supported: float
    contradicted: float
    neither: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSpan:
    """A stretch of a text that is the name of something: `text[start:end]`."""

    start: int
    end: int
    kind: str
    """`person`, `organisation`, `place` or `other`."""
    probability: float
    """0…1: of its least likely token."""


class Operation(StrEnum):
    """What is done with the numbers or the rows of a table's column."""

    LARGEST = "largest"
    SMALLEST = "smallest"
    SUM = "sum"
    AVERAGE = "average"
    COUNT = "count"
    OTHER = "other"
    """Any other calculation over rows, which is not made: a median, one number for each group, a
    share, what one row is more than another, the two largest, a sum over several columns."""


class RowRange(StrEnum):
    """Which rows of a table are meant by the one or two of them that a question names."""

    BETWEEN = "between"
    """From one to the other, with both."""
    FROM = "from"
    """One and all behind it."""
    AFTER = "after"
    UNTIL = "until"
    """All up to one, with it."""
    BEFORE = "before"


class Bound(StrEnum):
    """How the numbers, dates or times of a column have to stand to what a question says."""

    MORE = "more"
    """Above it, or later."""
    AT_LEAST = "at_least"
    LESS = "less"
    AT_MOST = "at_most"
    BETWEEN = "between"
    """From one of two to the other, with both."""
    EQUAL = "equal"
    """That number, or a date within that day, month or year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitledColumn:
    """A column as a model is shown it."""

    title: str
    cells: Sequence[str] = ()
    """Some of its cells, which tell what a short title leaves open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeantColumn:
    """A column of a table that a question is about."""

    number: int
    """Among those that were given, behind the one that names the rows."""
    probability: float
    """That it is this one, and of this table, 0…1."""
    extreme: Operation
    """Which of its ends is meant, were it one: the oldest building has the smallest year."""
    extreme_odds: float = 0.0
    """How much likelier that end is than the other one, in log-odds from 0 on."""
    narrowing: Sequence[str] = ()
    """What of the question says which of the rows are meant, such as the name of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnChances:
    """How likely a question is about each column of a table."""

    each: Sequence[float]
    """Of those that were given behind the one that names the rows, in their order, 0…1."""
    none: float
    """That it is about none of them; all of these sum to 1."""
    narrowing: Sequence[str] = ()
    """As in `MeantColumn`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldOperation:
    """What a question asks of a table, told beside its columns."""

    operation: Operation | None
    """None for nothing, and for a cell."""
    probability: float
    """That it is this one, 0…1."""
    none: float
    """That the question is about no column of the table, 0…1."""
    chances: Mapping[Operation, float] = field(default_factory=dict)
    """Of each operation, 0…1; the rest is that of nothing and of a cell. Empty where not told."""
    ranges: Mapping[RowRange, float] = field(default_factory=dict)
    """That such rows are meant, 0…1; the rest is that of rows named one by one, and of none."""
    bounds: Mapping[Bound, float] = field(default_factory=dict)
    """That rows are meant which keep to such a bound, 0…1; the rest is that of no bound."""
    bounded: Sequence[float] = ()
    """That a bound would be about each of the columns that were given, the first among them; what
    these lack of 1 is that it is about none."""


class Reader(Protocol):
    """A model that reads, mostly two texts together."""

    @property
    def name(self) -> str:
        """What explanations call it."""

    async def read(
        self, question: str, passages: Sequence[PassageText]
    ) -> Sequence[PassageReading]:
        """What each passage says to the question, in their order.

        What a passage is read as does not depend on those beside it; but a reader may have a
        budget, and then leaves out the last ones. Raises ModelUnavailable.
        """

    async def judge(self, statements: Sequence[str], quotes: Sequence[str]) -> list[SupportOdds]:
        """How each statement is carried by the quote of the same place. Raises ModelUnavailable."""

    async def orders(self, texts: Sequence[str]) -> Sequence[float] | None:
        """How likely a text gives orders to a model that reads it, 0…1: from .5 on it does.

        None from a reader that cannot tell. Raises ModelUnavailable.
        """

    async def operation(self, question: str) -> Operation | None:
        """What a question asks of a column, were its answer to come from one.

        None for a question after a single cell, and from a reader that cannot tell. Raises
        ModelUnavailable.
        """


class NameFinder(Protocol):
    """A model that finds names of persons, organisations, places and other things."""

    async def names(self, texts: Sequence[str]) -> Sequence[Sequence[NamedSpan]] | None:
        """The names in each text, in order and without overlap.

        None from a model that cannot tell. Raises ModelUnavailable.
        """


class QuestionRewriter(Protocol):
    """A model that puts questions so that they can be searched and read."""

    async def stand_alone(self, question: str, asked: str, answered: str) -> str | None:
        """The question so that it says all that it means, from the one before and its answer.

        `asked` itself stands alone; `answered` may be empty. The question as it was where it says
        all already; None from a model that cannot tell. Raises ModelUnavailable.
        """

    async def parts(self, question: str) -> Sequence[str]:
        """What the question asks for or compares, each as a question that stands alone.

        The question itself for one thing. Raises ModelUnavailable.
        """


class ColumnFinder(Protocol):
    """A model that tells which column of a table a question is about, and which rows.

    The first of the columns that it is shown names the rows.
    """

    async def column(self, question: str, columns: Sequence[TitledColumn]) -> MeantColumn | None:
        """The column that the question is about, whether or not it says its title.

        "Which ship of Tarn is the longest?" is about "length (m)" of the rows "of Tarn". None where
        the question is about none of these columns, or of other things, and from a model that
        cannot tell. Raises ModelUnavailable.
        """

    async def chances(self, question: str, columns: Sequence[TitledColumn]) -> ColumnChances | None:
        """How likely it is about each column; None from a model that cannot tell.

        Raises ModelUnavailable.
        """

    async def operation_beside(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ToldOperation | None:
        """What it asks of a column or of the rows: a question alone does not always tell.

        "How many people work in the lab?" counts rows, unless a column says how many. None from a
        model that cannot tell. Raises ModelUnavailable.
        """
