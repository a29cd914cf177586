"""Shapes of statements that were held against sources."""

from __future__ import annotations

from typing import Self
from uuid import UUID

from pydantic import Field

from footnote.domain import grounding
from footnote.domain.grounding import ClaimVerdict, DecidedBy, GuardKind, QuoteRelation
from footnote.interfaces.schemas.shape import Shape


class Guard(Shape):
    """An exact value of a claim that its quotes do not hold."""

    kind: GuardKind
    text: str = Field(description="As the claim has it; empty for a denial and a limit.")


class ClaimQuote(Shape):
    """The exact words of a source that speak of a claim."""

    source_id: str
    quote: str
    char_start: int = Field(description="Where it begins in the source's text.")
    char_end: int
    relation: QuoteRelation = Field(description="How it stands to the claim.")
    supported: float = Field(description="How likely it alone carries the claim, 0 to 1.")
    contradicted: float = Field(description="How likely it contradicts it, 0 to 1.")
    paragraph: int
    page: int | None = None
    document_id: UUID | None = Field(None, description="Null for a text that was given.")
    version: int | None = None
    chunk_id: str | None = None
    document_title: str | None = None
    filename: str | None = None
    heading_path: tuple[str, ...] = ()
    start_seconds: float | None = Field(
        None, description="When its utterance begins, in a recording."
    )
    end_seconds: float | None = None


class ClaimCheck(Shape):
    """A claim with its verdict."""

    number: int
    text: str
    char_start: int | None = Field(
        description="Where it begins in the answer that was given; null for a statement by itself."
    )
    char_end: int | None
    verdict: ClaimVerdict
    probability: float = Field(
        description="How likely the verdict is right; for `not_supported` that it is not carried."
    )
    supported: float
    contradicted: float
    neither: float
    decided_by: DecidedBy = Field(description="What the verdict rests on.")
    guards: tuple[Guard, ...]
    quotes: tuple[ClaimQuote, ...]


class GroundingCheck(Shape):
    """Claims held against sources."""

    claims: tuple[ClaimCheck, ...] = Field(description="In the order in which they were given.")
    judge: str = Field(description="The model that judged, or `rules`.")
    degraded: tuple[str, ...]
    timings_ms: dict[str, float]

    @classmethod
    def from_domain(cls, check: grounding.GroundingCheck) -> Self:
        """The shape of a check."""
        return cls.model_validate(check)
