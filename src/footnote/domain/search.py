"""A question, and the evidence that is found for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from footnote.domain.documents import BlockKind, BlockSpan, MetadataValue, SourceType

Recall = Literal["dense", "lexical"]
"""The two ways of recalling chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """What restricts a search, applied before the top k."""

    collections: tuple[str, ...] = ()
    document_ids: tuple[UUID, ...] = ()
    source_types: tuple[SourceType, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A question as retrieval receives it."""

    query: str
    top_k: int = 8
    filters: SearchFilters = field(default_factory=SearchFilters)
    plan: str | None = None
    """The name of a plan; None takes the workspace's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A chunk in a ranking."""

    chunk_no: int
    score: float


Ranking = tuple[Hit, ...]
"""Hits by falling score; ties by rising chunk number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """What one retrieval stage did to one evidence."""

    stage: str
    rank_after: int
    score_after: float
    rank_before: int | None = None
    score_before: float | None = None
    detail: Mapping[str, MetadataValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A published chunk as the store hands it out, with its provenance."""

    chunk_id: str
    chunk_no: int
    document_id: UUID
    version: int
    ordinal: int
    kind: BlockKind
    text: str
    body_offset: int
    char_start: int
    char_end: int
    spans: tuple[BlockSpan, ...]
    heading_path: tuple[str, ...]
    page_start: int | None
    page_end: int | None
    paragraph_start: int
    paragraph_end: int
    document_title: str
    filename: str
    collection: str
    source_type: SourceType
    language: str | None = None
    parent_id: UUID | None = None
    parent_title: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A passage that answers a query, with its scores and the explanation of its rank."""

    passage: Passage
    rank: int
    score: float
    similarity: float | None = None
    """Cosine similarity to the query; None when the dense recall did not find it."""
    matched_terms: tuple[str, ...] = ()
    explanation: tuple[StageRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResponse:
    """What retrieval hands to whoever asked."""

    query: str
    evidence: tuple[Evidence, ...]
    degraded: tuple[str, ...] = ()
    """The stages that could not do their work, by name with the reason."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageContext:
    """A passage between its neighbours in the document."""

    chunk: Passage
    context_before: tuple[Passage, ...]
    context_after: tuple[Passage, ...]
