"""An answer and its footnotes, and questions to go on with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from uuid import UUID

from footnote.domain.json_form import json_form
from footnote.domain.search import Evidence

_FULL_STOPS = (".", "!", "?", "…", "。", "！", "？", "।", "؟")


class Verdict(StrEnum):
    """How far the quotes of a statement carry it."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    UNSUPPORTED = "unsupported"
    UNCITED = "uncited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the models that were asked have read and written."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """None where the price of a model is not known."""

    def __add__(self, other: Usage) -> Usage:
        """The sum; an unknown cost makes the total unknown, unless it is of no request.

        >>> (Usage() + Usage(requests=1, cost_usd=0.5)).cost_usd
        0.5
        """
        costs = [usage.cost_usd for usage in (self, other) if usage.requests]
        known_costs = [cost for cost in costs if cost is not None]
        return Usage(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=sum(known_costs) if known_costs and len(known_costs) == len(costs) else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A marker in an answer, bound to evidence and to the exact quoted span."""

    marker: int
    chunk_id: str
    document_id: UUID
    document_title: str
    filename: str
    heading_path: tuple[str, ...]
    page: int | None
    paragraph: int
    quote: str
    char_start: int
    """Offsets of the quote in the document's canonical text."""
    char_end: int
    start_seconds: float | None = None
    """When the utterance of the quote begins, from the beginning of a recording."""
    end_seconds: float | None = None
    answer_start: int | None = None
    """Where in the quote the answer itself stands, as offsets in the document's canonical text,
    within `char_start` and `char_end`; None where it was not told apart."""
    answer_end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosestPassage:
    """What comes closest to an answer that there is not."""

    text: str
    """Statements that follow each other in one passage, table rows spelled out with their header;
    nothing in it is or becomes a link."""
    citation: Citation
    """Its footnote, with the exact words; its marker is 1."""

    @property
    def prose(self) -> str:
        """The text with its marker, and what it is."""
        return f"Closest passage: “{self.text}” [{self.citation.marker}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictingStatement:
    """What one document says of something that others say otherwise."""

    fact_id: UUID
    text: str
    """The value as it is written; nothing in it is or becomes a link."""
    value: str | None = None
    """As a decimal number, its scale applied; null where it is none."""
    unit: str = ""
    citation: Citation
    """Where it stands: a footnote of the answer, or one with a further marker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerConflict:
    """Something that the answer quotes and that documents do not agree about."""

    subject: str
    predicate: str
    valid_from: date | None = None
    valid_to: date | None = None
    statements: tuple[ConflictingStatement, ...]
    """At least two; what the answer quotes comes first."""

    @property
    def prose(self) -> str:
        """A sentence that the documents disagree, with their statements and markers."""
        statements = "; ".join(
            f"“{statement.text}” [{statement.citation.marker}]" for statement in self.statements
        )
        return f"{self.headline}: {statements}"

    @property
    def headline(self) -> str:
        """A sentence that the documents disagree, with the subject and predicate."""
        topic = " – ".join(filter(None, (self.subject, self.predicate)))
        return f"The documents disagree about {topic}"

    @property
    def document_ids(self) -> frozenset[UUID]:
        """The documents of its statements."""
        return frozenset(statement.citation.document_id for statement in self.statements)

    def without_documents(self, removed: Collection[UUID]) -> AnswerConflict | None:
        """The conflict without the statements of these documents; None if less than two remain.

        Also None if the statement of the answer itself is removed.
        """
        remaining = tuple(
            statement
            for statement in self.statements
            if statement.citation.document_id not in removed
        )
        if len(remaining) < 2 or remaining[0] is not self.statements[0]:
            return None
        return replace(self, statements=remaining)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSentence:
    """One statement of an answer."""

    text: str
    markers: tuple[int, ...]
    support: float
    """How well its quotes carry it, 0…1."""
    verdict: Verdict = Verdict.UNCITED
    gap: str | None = None
    """The white space before it, where its writer chose it; None after what is quoted: a space
    after a full stop, else a line break, since a row or a bullet has no full stop."""

    def piece(self, previous: AnswerSentence | None) -> str:
        """The text that it adds to the answer's prose after the previous sentence, with markers.

        >>> first = AnswerSentence(text="Rent: 900", markers=(1,), support=1.0)
        >>> first.piece(None) + AnswerSentence(text="Due.", markers=(), support=0.0).piece(first)
        'Rent: 900 [1]\\nDue.'
        """
        marks = "".join(f" [{marker}]" for marker in self.markers)
        return self.gap_after(previous) + self.text + marks

    def gap_after(self, previous: AnswerSentence | None) -> str:
        """The white space between the previous sentence and this one."""
        if previous is None:
            return ""
        return self.gap or (" " if previous.text.endswith(_FULL_STOPS) else "\n")


@json_form(computed=("text",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer whose every statement carries its footnotes."""

    question: str
    found: bool
    """False when the documents do not answer; `sentences` then says so, uncited."""
    closest: ClosestPassage | None = None
    """What comes closest, where nothing answers although the evidence is about the question."""
    conflicts: tuple[AnswerConflict, ...] = ()
    """Facts in its quotes that documents do not agree about, where the workspace extracts facts."""
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    confidence: float
    """0…1, how far the evidence answers the question."""
    corrected_question: str | None = None
    """The question with its spelling mended, if that is what was searched and answered."""
    asked_as: str | None = None
    """The question without its conversation, where that made it another."""
    degraded: tuple[str, ...] = ()
    model: str | None = None
    """What wrote it; None where it consists of quotes."""
    removed_citations: int = 0
    """Citations that the model made up, or whose quote stands nowhere; taken out."""
    omitted_evidence: int = 0
    """Passages, from the weakest up, that did not fit the model's context."""
    summarised_documents: int = 0
    """Of a question about the whole, how many documents' summaries were read for it; else 0."""
    usage: Usage = field(default_factory=Usage)
    searched: tuple[str, ...] = ()
    """The wordings that were searched, where they differ from the question."""
    cached: bool = False
    """Whether it was given before, to the same question over the same documents."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The answer as prose with `[n]` markers."""
        return as_prose(self.sentences)


def footnotes_of_conflicts(
    conflicts: Sequence[AnswerConflict], citations: Sequence[Citation]
) -> tuple[Citation, ...]:
    """The footnotes that conflicts have beyond those of their answer, by their markers."""
    answer_markers = {citation.marker for citation in citations}
    by_marker = {
        statement.citation.marker: statement.citation
        for conflict in conflicts
        for statement in conflict.statements
        if statement.citation.marker not in answer_markers
    }
    return tuple(by_marker[marker] for marker in sorted(by_marker))


UNSURE = 0.7
"""Of quotes that answer office papers with less .64 are right, of others .92 (bench/README.md)."""


def is_unsure(answer: Answer) -> bool:
    """Whether an answer of quotes may well be about something else.

    A computed answer cites several places; its confidence is that of the column.
    """
    return (
        answer.found
        and answer.model is None
        and answer.confidence < UNSURE
        and all(len(sentence.markers) < 2 for sentence in answer.sentences)
    )


def as_prose(sentences: Sequence[AnswerSentence]) -> str:
    """The sentences as prose with `[n]` markers."""
    preceding = (None, *sentences)
    pairs = zip(preceding, sentences, strict=False)
    return "".join(sentence.piece(previous) for previous, sentence in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedQuestion:
    """A question that was tried on the documents, and answered."""

    question: str
    chunk_id: str
    """The passage that its answer quotes first."""
    document_title: str
    """Of that passage's document."""
    confidence: float
    """0…1, how likely the documents answer it."""
    document_ids: tuple[UUID, ...]
    """Every document that it was made from or that answers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """What can be asked after an answer."""

    questions: tuple[SuggestedQuestion, ...] = ()
    """The likeliest first; none where nothing further is answered, or none are wanted."""
    model: str | None = None
    """What proposed them; None where they were made from headings and tables."""
    degraded: tuple[str, ...] = ()
    """What could not do its work, with the reason."""
