"""Shapes of an answer and its footnotes."""

from __future__ import annotations

from typing import Self
from uuid import UUID

from pydantic import Field

from footnote import domain
from footnote.interfaces.schemas.search import Evidence
from footnote.interfaces.schemas.shape import Shape, values_of


class Citation(Shape):
    """A marker in an answer, bound to the exact quoted span."""

    marker: int
    chunk_id: str
    document_id: UUID
    document_title: str
    filename: str
    heading_path: tuple[str, ...]
    page: int | None
    paragraph: int
    quote: str
    char_start: int = Field(description="Where the quote begins in the document's text.")
    char_end: int
    start_seconds: float | None = Field(
        None, description="When the utterance of the quote begins, in a recording."
    )
    end_seconds: float | None = None


class AnswerSentence(Shape):
    """One statement of an answer."""

    text: str
    markers: tuple[int, ...]
    support: float = Field(description="How well its quotes carry it, 0 to 1.")


class Answer(Shape):
    """An answer whose every statement carries its footnotes."""

    question: str
    found: bool = Field(description="False when the documents do not answer.")
    text: str = Field(description="The answer as prose with `[n]` markers.")
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    confidence: float = Field(description="How far the evidence answers the question, 0 to 1.")
    corrected_question: str | None = Field(
        None, description="The question with its spelling mended, if that is what was answered."
    )
    degraded: tuple[str, ...]
    timings_ms: dict[str, float]

    @classmethod
    def from_domain(cls, answer: domain.Answer) -> Self:
        """The shape of an answer."""
        evidence = [Evidence.from_evidence(item) for item in answer.evidence]
        return cls.model_validate({**values_of(answer), "text": answer.text, "evidence": evidence})
