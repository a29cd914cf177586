"""Summaries: sentences of documents that say most of the whole, each where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
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
    chunk_id: str | None = None
    """The chunk that it begins in; null of a sentence that another was written from."""
    page: int | None = None
    """The page that it begins on, of a document with pages; as far as `chunk_id` is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSentence:
    """A sentence that a language model wrote, with those of the documents that it rests on."""

    text: str
    support: float
    """0…1: how well these carry it."""
    sources: tuple[SummarySentence, ...]
    """At least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What documents say as a whole."""

    sentences: tuple[SummarySentence, ...]
    """Of one document in its order; of several the one that says most first."""
    documents: int
    """That it was made from: of more than 200 the latest."""
    written: tuple[WrittenSentence, ...] = ()
    """The same in the words of a language model, where one writes summaries."""
    model: str | None = None
    """Which one wrote them; null where nothing is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFailure:
    """A document that could not be summarised."""

    document_id: UUID
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryModelUse:
    """What having a language model write summaries has used, and about what is to come."""

    model: str
    enabled: bool
    """Whether it writes: `model` is the setting `summaries`."""
    done: int
    """Documents whose summary it wrote."""
    failed: int
    input_tokens: int
    """So far, of all versions."""
    output_tokens: int
    cost_usd: float | None
    """Null where the price of the model is not known."""
    left_out: int
    """Sentences that it wrote and that the documents do not carry."""
    remaining_input_tokens: int
    """About, for what it has not written; with `enabled` false for what it would write."""
    remaining_output_tokens: int
    remaining_cost_usd: float | None
    oldest_waiting: datetime | None = None
    """When the oldest document that it has not written of was handed in."""


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
    oldest_waiting: datetime | None = None
    """When the oldest document that waits was handed in; null where none does."""
    failures: tuple[SummaryFailure, ...] = ()
    """The latest, at most ten."""
    model: SummaryModelUse | None = None
    """Null where no language model is configured."""
