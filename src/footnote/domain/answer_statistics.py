"""What answers say of documents: which of them are cited, and what none of them answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCitations:
    """A document, and how often answers in conversations cited it in a period."""

    document_id: UUID
    title: str
    filename: str
    collection: str
    created_at: datetime
    """When it was handed in."""
    citations: int
    answers: int
    """In how many answers they stand."""
    last_cited_at: datetime | None
    """In the period; None where nothing cites it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationReport:
    """Which documents the answers of a period cite most, and which they never do."""

    since: date
    until: date
    """Both days included, in UTC."""
    most_cited: tuple[DocumentCitations, ...]
    """By falling number of citations."""
    never_cited: tuple[DocumentCitations, ...]
    """Indexed documents, longest there first."""
    documents: int
    """Indexed documents that were looked at: those that the reader may see."""
    never_cited_count: int
    """How many of them nothing cites, also beyond those listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A document of which a passage came near to a question that was not answered."""

    document_id: UUID
    title: str
    filename: str
    chunk_id: str
    similarity: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnansweredQuestion:
    """A question that was asked in conversations, in wordings of the same words, and refused."""

    question: str
    """As it was asked last, without its conversation."""
    wordings: tuple[str, ...]
    """Others, latest first."""
    asked: int
    people: int
    """How many different people, keys and services asked it; who is not told."""
    first_asked_at: datetime
    last_asked_at: datetime
    searched: tuple[str, ...]
    """The wordings that were searched last, where they differ from the question."""
    confidence: float
    """0…1, how far the evidence answered it at best."""
    nearest: tuple[NearMiss, ...]
    """What came nearest last, of documents that the reader may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsOfDay:
    """How many questions of a day were not answered."""

    day: date
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnansweredReport:
    """What was asked in a period, and not answered."""

    since: date
    until: date
    """Both days included, in UTC."""
    questions: tuple[UnansweredQuestion, ...]
    """What was asked most first."""
    days: tuple[QuestionsOfDay, ...]
    """Days with any, earliest first."""
    asked: int
    """Questions that were looked at."""
    complete: bool
    """Whether these are all of the period; else the latest of them."""
