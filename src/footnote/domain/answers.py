"""An answer and its footnotes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from footnote.domain.search import Evidence

_FULL_STOPS = (".", "!", "?", "…", "。", "！", "？", "।", "؟")


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
