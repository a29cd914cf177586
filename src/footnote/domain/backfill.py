"""What documents lack of what is derived from them, and how far the background has come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from footnote.domain.lanes import Reembedding


class BackgroundWork(StrEnum):
    """What is derived from documents after they are indexed."""

    ENTITIES = "entities"
    """By the packaged models and rules."""
    ENTITIES_BY_MODEL = "entities_by_model"
    FACTS = "facts"
    """By rules."""
    FACTS_BY_MODEL = "facts_by_model"
    CLUSTERS = "clusters"
    """Of documents."""
    CHUNK_CLUSTERS = "chunk_clusters"
    SUMMARIES = "summaries"
    """Sentences of the documents themselves."""
    SUMMARIES_BY_MODEL = "summaries_by_model"
    KEYWORDS = "keywords"
    """Chosen anew once the workspace has twice as much as when they were chosen."""
    SUSPICION = "suspicion"
    """Whether passages give orders to a model; known of new documents when they are indexed."""

    @property
    def switch(self) -> str:
        """The setting that has it made, and a value that does."""
        if self is BackgroundWork.CLUSTERS:
            return "clusters documents"
        if self is BackgroundWork.CHUNK_CLUSTERS:
            return "clusters all"
        name, _, method = self.value.partition("_by_")
        return f"{name} {method or 'rules'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillModelUse:
    """About what a language model is still to use for it, or would."""

    model: str
    enabled: bool
    """Whether it is used: `model` is the setting `entities`, `facts` or `summaries`."""
    remaining_tokens: int
    remaining_cost_usd: float | None
    """Null where the price of the model is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillProgress:
    """How many of the documents that may be seen have one thing, and how many lack it."""

    kind: BackgroundWork
    enabled: bool
    """Whether the workspace wants it."""
    paused: bool
    """Whether somebody paused it: what is done stays, and the rest waits."""
    documents: int
    done: int
    failed: int
    """What failed is tried again when the document or what reads it changes."""
    waiting: int
    running: bool
    """Whether a worker has or will have the rest in hand."""
    oldest_waiting: datetime | None
    """When the oldest document that waits was handed in; null where none does."""
    model: BackfillModelUse | None = None
    """Null but for what a language model makes, where one is configured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFormat:
    """How many segments of the index by words are kept in the form of this version.

    Workers write the others anew; until then they are read as they are.
    """

    segments: int
    current: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """What the documents of a workspace have and lack."""

    kinds: tuple[BackfillProgress, ...]
    reembedding: Reembedding | None
    """The change to another embedding model that is under way; null where vectors are complete."""
    index: IndexFormat
