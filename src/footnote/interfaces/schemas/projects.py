"""Shapes of search in a project, for clients that know projects and users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self
from uuid import UUID

from pydantic import Field

from footnote import domain
from footnote.domain import SourceType
from footnote.interfaces.schemas.shape import Shape


class ProjectChunk(Shape):
    """A chunk with its place in its document."""

    chunk_id: str
    document_id: UUID
    evidence_id: UUID = Field(description="The document again, under the name projects use.")
    title: str
    filename: str
    text: str
    page: int | None = Field(description="Where it begins; null for a format without pages.")
    heading_path: tuple[str, ...]
    source_type: SourceType

    @classmethod
    def from_passage(cls, passage: domain.Passage) -> Self:
        """The shape of a passage."""
        return cls.model_validate(_chunk_values(passage))


class ProjectResult(ProjectChunk):
    """A chunk that answers a query, with its scores."""

    rank: int
    score: float = Field(description="Of the last stage; comparable within one response only.")
    similarity: float | None = Field(
        description="Cosine similarity to the query; null when only words matched."
    )

    @classmethod
    def from_evidence(cls, evidence: domain.Evidence) -> Self:
        """The shape of an evidence."""
        scores = {name: getattr(evidence, name) for name in ("rank", "score", "similarity")}
        return cls.model_validate({**_chunk_values(evidence.passage), **scores})


class ProjectResults(Shape):
    """What was found in a project, best first, with the request mirrored."""

    results: tuple[ProjectResult, ...]
    total_results: int
    query: str
    project_id: str
    user_id: str
    limit: int
    evidence_types: tuple[str, ...] | None
    min_similarity: float | None


class ProjectContext(Shape):
    """A chunk between its neighbours in the document."""

    chunk: ProjectChunk
    context_before: tuple[ProjectChunk, ...]
    context_after: tuple[ProjectChunk, ...]

    @classmethod
    def from_domain(cls, context: domain.PassageContext) -> Self:
        """The shape of a context."""
        return cls(
            chunk=ProjectChunk.from_passage(context.chunk),
            context_before=_chunks(context.context_before),
            context_after=_chunks(context.context_after),
        )


def _chunks(passages: Sequence[domain.Passage]) -> tuple[ProjectChunk, ...]:
    return tuple(map(ProjectChunk.from_passage, passages))


def _chunk_values(passage: domain.Passage) -> dict[str, object]:
    return {
        "chunk_id": passage.chunk_id,
        "document_id": passage.document_id,
        "evidence_id": passage.document_id,
        "title": passage.document_title,
        "filename": passage.filename,
        "text": passage.text,
        "page": passage.page_start,
        "heading_path": passage.heading_path,
        "source_type": passage.source_type,
    }
