"""Questions to go on with, which the documents answer."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


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
