"""Shapes of an answer and its footnotes."""

from __future__ import annotations

from typing import Self
from uuid import UUID

from pydantic import Field

from footnote import domain
from footnote.domain import Verdict
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
    answer_start: int | None = Field(
        None,
        description="Where in the quote the answer itself stands, in the document's text; null "
        "where it was not told apart.",
    )
    answer_end: int | None = None

    @classmethod
    def from_domain(cls, citation: domain.Citation) -> Self:
        """The shape of a citation."""
        return cls.model_validate(citation)


class AnswerSentence(Shape):
    """One statement of an answer."""

    text: str
    markers: tuple[int, ...]
    support: float = Field(description="How well its quotes carry it, 0 to 1.")
    verdict: Verdict = Field(Verdict.UNCITED, description="How far its quotes carry it, in a word.")
    gap: str | None = Field(
        None, description="The white space before it, where its writer chose it."
    )


class ClosestPassage(Shape):
    """What comes closest to an answer that there is not."""

    text: str = Field(description="As it may be shown; table rows spelled out with their header.")
    citation: Citation = Field(description="Its footnote, with the exact words.")


class Usage(Shape):
    """What the models that were asked have read and written."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = Field(None, description="Null where a price is not known.")

    @classmethod
    def from_domain(cls, usage: domain.Usage) -> Self:
        """The shape of what was used."""
        return cls.model_validate(usage)


class Answer(Shape):
    """An answer whose every statement carries its footnotes."""

    question: str
    found: bool = Field(description="False when the documents do not answer.")
    closest: ClosestPassage | None = Field(
        None,
        description="What comes closest, where nothing answers although the search is confident.",
    )
    text: str = Field(description="The answer as prose with `[n]` markers.")
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    confidence: float = Field(description="How far the evidence answers the question, 0 to 1.")
    corrected_question: str | None = Field(
        None, description="The question with its spelling mended, if that is what was answered."
    )
    asked_as: str | None = Field(
        None, description="The question without its conversation, where that made it another."
    )
    degraded: tuple[str, ...]
    model: str | None = Field(None, description="What wrote it; null where it consists of quotes.")
    removed_citations: int = Field(
        0, description="Citations that were made up, or whose quote stands nowhere; taken out."
    )
    omitted_evidence: int = Field(
        0, description="Passages, the weakest, that did not fit the model's context."
    )
    usage: Usage = Usage()
    searched: tuple[str, ...] = Field(
        (), description="The wordings that were searched, where they differ from the question."
    )
    cached: bool = Field(
        False,
        description="Whether it was given before, to the same question on the same documents.",
    )
    timings_ms: dict[str, float]

    @classmethod
    def from_domain(cls, answer: domain.Answer) -> Self:
        """The shape of an answer."""
        evidence = [Evidence.from_evidence(item) for item in answer.evidence]
        return cls.model_validate({**values_of(answer), "text": answer.text, "evidence": evidence})
