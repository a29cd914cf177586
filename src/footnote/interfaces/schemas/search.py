"""Shapes of passages, and of the evidence that a search finds."""

from __future__ import annotations

from typing import Literal, Self
from uuid import UUID

from pydantic import Field

from footnote import domain
from footnote.domain import BlockKind, SourceType
from footnote.interfaces.schemas.shape import Metadata, Shape, values_of


class Span(Shape):
    """Where a piece of a chunk came from."""

    char_start: int
    char_end: int
    page: int | None
    paragraph: int
    kind: BlockKind
    start_seconds: float | None = None
    end_seconds: float | None = None
    begins: bool = Field(True, description="Whether its block begins with it.")
    ends: bool = Field(True, description="Whether its block ends with it.")


class Passage(Shape):
    """A chunk with its place in its document.

    Pages and paragraphs count from 1; characters count from 0, half-open, in code points of
    the document's text.
    """

    chunk_id: str
    document_id: UUID
    document_title: str
    filename: str
    collection: str
    source_type: SourceType
    version: int
    ordinal: int = Field(description="The chunk's position in its document, from 0.")
    kind: BlockKind
    text: str
    body_offset: int = Field(description="Characters of `text` that repeat a table's header.")
    heading_path: tuple[str, ...]
    page_start: int | None
    page_end: int | None
    paragraph_start: int
    paragraph_end: int
    char_start: int
    char_end: int
    spans: tuple[Span, ...]
    language: str | None = None
    parent_id: UUID | None = None
    parent_title: str | None = None
    confidence: float | None = Field(
        None, description="Mean confidence of what was read from pixels or heard, 0 to 1."
    )
    start_seconds: float | None = Field(
        None, description="When it begins to be said, from the beginning of a recording."
    )
    end_seconds: float | None = None
    suspicious: bool | None = Field(
        None,
        description="Whether it tries to give orders to a model that reads it; null where nobody "
        "looked.",
    )

    @classmethod
    def from_domain(cls, passage: domain.Passage) -> Self:
        """The shape of a passage."""
        return cls.model_validate(passage)


class StageRecord(Shape):
    """What one retrieval stage did to one evidence."""

    stage: str
    rank_after: int
    score_after: float
    rank_before: int | None = None
    score_before: float | None = None
    detail: Metadata = Field(default_factory=dict)


class NearDuplicate(Shape):
    """A passage that was left out because another one says the same."""

    chunk_id: str
    document_id: UUID
    document_title: str
    page: int | None
    overlap: float = Field(description="How much of the text they share, 0 to 1.")


class Neighbour(Shape):
    """A chunk beside the one that was found, merged with it into one passage."""

    chunk_id: str
    distance: int = Field(description="Chunks from the one that was found; negative before it.")
    score: float = Field(description="The found one's, decayed once for each chunk of distance.")


class FacetCount(Shape):
    """How many documents within the filters have a value."""

    value: str
    documents: int


class Evidence(Passage):
    """A passage that answers a query, with its scores and the explanation of its rank."""

    rank: int
    score: float
    similarity: float | None = Field(
        None, description="Cosine similarity to the query; null when only words matched."
    )
    matched_terms: tuple[str, ...] = ()
    explanation: tuple[StageRecord, ...] = ()
    why: str = Field("", description="The explanation in one sentence.")
    near_duplicates: tuple[NearDuplicate, ...] = Field(
        (), description="Passages that say the same, left out in its favour."
    )
    neighbours: tuple[Neighbour, ...] = Field(
        (), description="Chunks that were merged into the passage."
    )
    suspicious: bool = Field(
        False, description="Whether its text tries to give orders to a model that reads it."
    )

    @classmethod
    def from_evidence(cls, evidence: domain.Evidence) -> Self:
        """The shape of an evidence: its passage's fields and its own, side by side."""
        return cls.model_validate({**values_of(evidence.passage), **values_of(evidence)})


class SearchResults(Shape):
    """Evidence for a query, best first."""

    query: str
    evidence: tuple[Evidence, ...]
    degraded: tuple[str, ...] = Field(description="Stages that could not do their work, and why.")
    plan: str = Field(description="The plan that was followed, with the changes asked for.")
    searched: tuple[str, ...] = Field(
        description="Wordings that were searched, where they differ from the query."
    )
    standalone_question: str | None = Field(
        None, description="The query without its conversation, where that made it another."
    )
    corrected_query: str | None = Field(
        None, description="The query with its spelling mended, if that is what was searched."
    )
    confidence: float = Field(
        description="How likely the evidence is about the question at all, 0 to 1."
    )
    facets: dict[str, tuple[FacetCount, ...]] = Field(
        description="For each field asked for, its commonest values."
    )
    cached: Literal["exact", "near"] | None = Field(
        None, description="Whether an earlier search gave it, of the same or a similar query."
    )
    timings_ms: dict[str, float]

    @classmethod
    def from_domain(cls, response: domain.SearchResponse) -> Self:
        """The shape of a search response."""
        evidence = [Evidence.from_evidence(item) for item in response.evidence]
        return cls.model_validate({**values_of(response), "evidence": evidence})


class PassageContext(Shape):
    """A passage between its neighbours in the document."""

    chunk: Passage
    context_before: tuple[Passage, ...]
    context_after: tuple[Passage, ...]

    @classmethod
    def from_domain(cls, context: domain.PassageContext) -> Self:
        """The shape of a context."""
        return cls.model_validate(context)
