"""A question, and the evidence that is found for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from footnote.domain.documents import BlockKind, BlockSpan, MetadataValue, SourceType
from footnote.domain.filters import FacetCount, SearchFilters
from footnote.domain.json_form import json_form
from footnote.domain.plans import PlanChanges, Turn

Recall = Literal["dense", "lexical", "graph"]
"""The ways of recalling chunks: by vector, by words, and by what the question names."""

UNKNOWN_CHUNK_NO = -1
"""In place of the `chunk_no` of a passage that came from a server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A question as retrieval receives it."""

    query: str
    top_k: int | None = None
    """Evidence that is wanted; None takes the setting."""
    filters: SearchFilters = field(default_factory=SearchFilters)
    plan: str | None = None
    """The name of a plan; None takes the default."""
    changes: PlanChanges = field(default_factory=PlanChanges)
    facets: tuple[str, ...] = ()
    """Fields whose values are counted within the filters."""
    conversation: tuple[Turn, ...] = ()
    """What was said before, oldest first."""


def search_request_for(request: SearchRequest | str) -> SearchRequest:
    """A request as given, or for a query with defaults for everything else."""
    return SearchRequest(query=request) if isinstance(request, str) else request


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


@json_form(hidden=("chunk_no",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A published chunk with its place in its document.

    Pages and paragraphs count from 1; characters count from 0, half-open, in code points of the
    document's text.
    """

    chunk_id: str
    chunk_no: int = UNKNOWN_CHUNK_NO
    """Its number in the workspace, which a server keeps to itself."""
    document_id: UUID
    version: int
    ordinal: int
    """Its position in its document, from 0."""
    kind: BlockKind
    text: str
    body_offset: int
    """Characters of `text` that repeat a table's header."""
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
    """Mean word confidence in 0…1, for text that was read from pixels or heard."""
    start_seconds: float | None = None
    """When it begins to be said, from the beginning of a recording."""
    end_seconds: float | None = None
    suspicious: bool | None = None
    """Whether it tries to give orders to a model that reads it; None where nobody looked yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearDuplicate:
    """A passage that was left out because another one says the same."""

    chunk_id: str
    document_id: UUID
    document_title: str
    page: int | None
    overlap: float
    """How much of the text they share, 0…1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A chunk beside the one that was found, merged with it into one passage."""

    chunk_id: str
    distance: int
    """Chunks from the one that was found; negative before it."""
    score: float
    """The found one's score, decayed once for each step of distance."""


@json_form(flat="passage")
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
    near_duplicates: tuple[NearDuplicate, ...] = ()
    """Passages that say the same, left out in its favour."""
    neighbours: tuple[Neighbour, ...] = ()
    why: str = ""
    """The explanation in one sentence."""
    suspicious: bool = False
    """Whether its text tries to give orders to a model that reads it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResponse:
    """What retrieval hands to whoever asked."""

    query: str
    evidence: tuple[Evidence, ...]
    degraded: tuple[str, ...] = ()
    """The stages that could not do their work, by name with the reason."""
    plan: str = ""
    """The plan that was followed, with the changes asked for."""
    searched: tuple[str, ...] = ()
    """The wordings that were searched, where they differ from the query."""
    standalone_question: str | None = None
    """The query as it stands without its conversation, where that made it another."""
    corrected_query: str | None = None
    """The query with its spelling mended, if that is what was searched."""
    confidence: float = 1.0
    """0…1, how likely the evidence is about the question at all."""
    facets: Mapping[str, tuple[FacetCount, ...]] = field(default_factory=dict)
    """For each field asked for, its commonest values."""
    cached: Literal["exact", "near"] | None = None
    """Whether the answer of an earlier search was given, and to the same or a similar query."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageContext:
    """A passage between its neighbours in the document."""

    chunk: Passage
    context_before: tuple[Passage, ...]
    context_after: tuple[Passage, ...]
