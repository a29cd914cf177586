"""An answer and its footnotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
        """Both together; a cost that is not known makes the sum unknown, unless nothing was asked.

        >>> (Usage() + Usage(requests=1, cost_usd=0.5)).cost_usd
        0.5
        """
        costs = [each.cost_usd for each in (self, other) if each.requests]
        known = [cost for cost in costs if cost is not None]
        return Usage(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=sum(known) if known and len(known) == len(costs) else None,
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

    def piece(self, before: AnswerSentence | None) -> str:
        """What it adds to the answer's prose after the sentence before it, markers included.

        >>> first = AnswerSentence(text="Rent: 900", markers=(1,), support=1.0)
        >>> first.piece(None) + AnswerSentence(text="Due.", markers=(), support=0.0).piece(first)
        'Rent: 900 [1]\\nDue.'
        """
        marks = "".join(f" [{marker}]" for marker in self.markers)
        return self.gap_after(before) + self.text + marks

    def gap_after(self, before: AnswerSentence | None) -> str:
        """The white space between the sentence before it and itself."""
        if before is None:
            return ""
        return self.gap or (" " if before.text.endswith(_FULL_STOPS) else "\n")


@json_form(computed=("text",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer whose every statement carries its footnotes."""

    question: str
    found: bool
    """False when the documents do not answer; `sentences` then says so, uncited."""
    closest: ClosestPassage | None = None
    """What comes closest, where nothing answers although the evidence is about the question."""
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


def as_prose(sentences: Sequence[AnswerSentence]) -> str:
    """The sentences as prose with `[n]` markers."""
    before = (None, *sentences)
    pairs = zip(before, sentences, strict=False)
    return "".join(sentence.piece(previous) for previous, sentence in pairs)
