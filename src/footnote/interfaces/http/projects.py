"""Routes for clients that know projects and users: a project is a collection of the workspace."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from footnote.domain import (
    AnyOf,
    BlockKind,
    Comparison,
    Condition,
    DocumentClass,
    Operator,
    Passage,
    Principal,
    SearchFilters,
    SearchRequest,
    SourceType,
)
from footnote.domain.json_form import json_form
from footnote.errors import InvalidRequest
from footnote.interfaces.http import examples
from footnote.interfaces.http.exact import ExactBodyRoute
from footnote.interfaces.http.requests import MinSimilarity, Query, Request, TopK, Whole
from footnote.interfaces.http.scope import ALWAYS, TheEngine, TheSettings, WorkspaceName, inside
from footnote.validation.constrained_types import MAX_CONTEXT_WINDOW, Name

Type = TypeVar("Type", bound=StrEnum)

router = APIRouter(tags=["projects"], route_class=ExactBodyRoute)

UserId = Annotated[
    Name, Field(description="Who asks. It is believed as it stands: this serves one computer only.")
]

_RESPONSES = {
    **ALWAYS,
    **examples.problem_responses("bad-request", "content-too-large", "lane-mismatch"),
}


class ProjectSearch(Request):
    """A search of one project, as one user."""

    query: Query
    project_id: Name = Field(description="The name of a collection.")
    user_id: UserId
    limit: TopK | None = Field(None, description="Most results; the server's default if null.")
    evidence_types: tuple[Name, ...] | None = Field(
        None,
        max_length=50,
        description="Names of source types or document classes, or else of kinds of chunk. Those "
        "of documents are alternatives, and so are kinds; given both, both must hold.",
    )
    min_similarity: MinSimilarity | None = Field(
        None, description="Cosine to the query that a result must reach; the server's if null."
    )


class ProjectContextRequest(Request):
    """A chunk and how many of its neighbours are wanted, as one user."""

    chunk_id: str = Field(min_length=1, max_length=200)
    user_id: UserId
    context_window: Whole = Field(
        2, ge=0, le=MAX_CONTEXT_WINDOW, description="Chunks before and after."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChunk:
    """A chunk with its place in its document."""

    chunk_id: str
    document_id: UUID
    evidence_id: UUID
    """The document again, under the name projects use."""
    title: str
    filename: str
    text: str
    page: int | None
    """Where it begins; None for a format without pages."""
    heading_path: tuple[str, ...]
    source_type: SourceType


@json_form(flat="chunk")
@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectResult:
    """A chunk that answers a query, with its scores."""

    chunk: ProjectChunk
    rank: int
    score: float
    """Of the last stage; comparable within one response only."""
    similarity: float | None
    """Cosine similarity to the query; None when only words matched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectResults:
    """What was found in a project, best first, with the request mirrored."""

    results: tuple[ProjectResult, ...]
    total_results: int
    query: str
    project_id: str
    user_id: str
    limit: int
    evidence_types: tuple[str, ...] | None
    min_similarity: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectContext:
    """A chunk between its neighbours in the document."""

    chunk: ProjectChunk
    context_before: tuple[ProjectChunk, ...]
    context_after: tuple[ProjectChunk, ...]


@router.post(
    "/search",
    summary="Search a project",
    response_model=ProjectResults,
    responses={200: {"description": "Results"}, **_RESPONSES},
)
async def search_project(
    engine: TheEngine,
    settings: TheSettings,
    workspace: WorkspaceName,
    request: ProjectSearch,
) -> ProjectResults:
    """The chunks of a project that answer a query, best first, with the request mirrored.

    A project that does not exist, or is of another workspace, has no results.
    """
    limit = request.limit or settings.top_k
    acting = await inside(engine, workspace, Principal(principal_id=request.user_id))
    response = await acting.search(
        SearchRequest(query=request.query, top_k=limit, filters=filters_of(request))
    )
    results = tuple(
        ProjectResult(
            chunk=_chunk(each.passage), rank=each.rank, score=each.score, similarity=each.similarity
        )
        for each in response.evidence
    )
    return ProjectResults(
        results=results,
        total_results=len(results),
        query=request.query,
        project_id=request.project_id,
        user_id=request.user_id,
        limit=limit,
        evidence_types=request.evidence_types,
        min_similarity=request.min_similarity,
    )


@router.post(
    "/context",
    summary="Read around a chunk",
    response_model=ProjectContext,
    responses={200: {"description": "A context"}, **_RESPONSES},
)
async def read_project_context(
    engine: TheEngine,
    workspace: WorkspaceName,
    request: ProjectContextRequest,
) -> ProjectContext:
    """A chunk with those before and after it in its document, as far as the user may see them."""
    acting = await inside(engine, workspace, Principal(principal_id=request.user_id))
    context = await acting.context(request.chunk_id, request.context_window)
    return ProjectContext(
        chunk=_chunk(context.chunk),
        context_before=tuple(map(_chunk, context.context_before)),
        context_after=tuple(map(_chunk, context.context_after)),
    )


def _chunk(passage: Passage) -> ProjectChunk:
    return ProjectChunk(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        evidence_id=passage.document_id,
        title=passage.document_title,
        filename=passage.filename,
        text=passage.text,
        page=passage.page_start,
        heading_path=passage.heading_path,
        source_type=passage.source_type,
    )


def filters_of(request: ProjectSearch) -> SearchFilters:
    """What restricts the search of a project. Raises InvalidRequest for an unknown type."""
    source_types, classes, kinds = _types_named(request.evidence_types or ())
    return SearchFilters(
        collections=(request.project_id,),
        evidence_types=kinds,
        where=_any_of(source_types, classes),
        min_similarity=request.min_similarity,
    )


def _types_named(
    names: Sequence[str],
) -> tuple[tuple[SourceType, ...], tuple[DocumentClass, ...], tuple[BlockKind, ...]]:
    # A name of both means both: an email is one whether it was sent to us or uploaded.
    source_types, classes = _named(SourceType, names), _named(DocumentClass, names)
    unknown = set(names) - {each.value for each in (*source_types, *classes)}
    kinds = _named(BlockKind, unknown)
    unknown -= {each.value for each in kinds}
    if unknown:
        known = dict.fromkeys(each.value for each in (*SourceType, *DocumentClass, *BlockKind))
        raise InvalidRequest(
            f"body.evidence_types: there is no type {', '.join(map(repr, sorted(unknown)))}",
            hint=f"the known ones are {', '.join(known)}",
        )
    return source_types, classes, kinds


def _named(kind: type[Type], names: Collection[str]) -> tuple[Type, ...]:
    """The values of a kind among the names."""
    return tuple(each for each in kind if each.value in names)


def _any_of(
    source_types: Sequence[SourceType], classes: Sequence[DocumentClass]
) -> Condition | None:
    """The condition that a document is of one of these types."""
    comparisons = tuple(
        Comparison(
            field=field,
            operator=Operator.ONE_OF,
            value=tuple(each.value for each in types),
        )
        for field, types in (("source_type", source_types), ("class", classes))
        if types
    )
    return AnyOf(conditions=comparisons) if comparisons else None
