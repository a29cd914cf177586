"""Summaries: sentences of documents that say most of the whole, each where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySentence:
    """A sentence of a summary, in the words of its document."""

    text: str
    """As it stands there."""
    document_id: UUID
    version: int
    document_title: str
    char_start: int
    char_end: int
    """Half-open offsets in the document's canonical text, which has the sentence between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What documents say as a whole."""

    sentences: tuple[SummarySentence, ...]
    """Of one document in its order; of several the one that says most first."""
    documents: int
    """That it was made from: of more than 200 the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFailure:
    """A document that could not be summarised."""

    document_id: UUID
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryProgress:
    """How far the documents that may be seen are summarised."""

    enabled: bool
    """Whether the workspace summarises its documents."""
    documents: int
    """That are published."""
    done: int
    failed: int
    running: bool
    """Whether a worker has or will have the rest in hand."""
    failures: tuple[SummaryFailure, ...] = ()
    """The latest, at most ten."""
