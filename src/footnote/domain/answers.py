"""An answer and its footnotes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

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


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSentence:
    """One statement of an answer."""

    text: str
    markers: tuple[int, ...]
    support: float
    """How well its quotes carry it, 0…1."""
    verdict: Verdict = Verdict.UNCITED


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer whose every statement carries its footnotes."""

    question: str
    found: bool
    """False when the documents do not answer; `sentences` then says so, uncited."""
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    confidence: float
    """0…1, how far the evidence answers the question."""
    corrected_question: str | None = None
    """The question with its spelling mended, if that is what was searched and answered."""
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
        pieces = [
            sentence.text + "".join(f" [{marker}]" for marker in sentence.markers)
            for sentence in self.sentences
        ]
        # A row or a bullet has no full stop, and must not run into what follows it.
        gaps = [" " if sentence.text.endswith(_FULL_STOPS) else "\n" for sentence in self.sentences]
        return "".join(piece + gap for piece, gap in zip(pieces, [*gaps[:-1], ""], strict=False))
