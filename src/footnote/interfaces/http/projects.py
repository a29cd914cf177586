"""`/search` and `/context` as the document service of seed 002 has them, for its clients.

A project is a collection of the workspace, a user a principal.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import Field

from footnote.domain import (
    AnyOf,
    BlockKind,
    Comparison,
    DocumentClass,
    Operator,
    Passage,
    SearchFilters,
    SearchRequest,
    SourceType,
)
from footnote.domain.json_form import json_form
from footnote.errors import InvalidRequest
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.requests import MinSimilarity, Query, Request, TopK, Whole
from footnote.interfaces.http.routing import ExactBodyRoute, workspace_router
from footnote.interfaces.http.scope import TheRequester, WorkspaceName
from footnote.validation.constrained_types import MAX_CONTEXT_WINDOW, Name

Type = TypeVar("Type", bound=StrEnum)

router = workspace_router("projects", ExactBodyRoute)

UserId = Annotated[
    Name,
    Field(
        description="Who asks. Where callers prove who they are it must be the caller; else it is "
        "not verified."
    ),
]


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
        None,
        description="The cosine similarity to the query that a result must reach; the server's "
        "default if null.",
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
    """What was found in a project, best first, with the request repeated."""

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


@router.post("/search", responses=problem_responses("budget-exceeded", "lane-mismatch"))
async def search_project(
    requester: TheRequester, workspace: WorkspaceName, request: ProjectSearch
) -> ProjectResults:
    """Search a project.

    The chunks that answer a query, best first, with the request repeated. A project that does not
    exist, or is of another workspace, has no results.
    """
    engine = await requester.enter(workspace, request.project_id, user_id=request.user_id)
    response = await engine.search(
        SearchRequest(query=request.query, top_k=request.limit, filters=filters_of(request))
    )
    return ProjectResults(
        **{**dict(request), "limit": request.limit or engine.settings.top_k},
        total_results=len(response.evidence),
        results=tuple(
            ProjectResult(
                chunk=_chunk(evidence.passage),
                rank=evidence.rank,
                score=evidence.score,
                similarity=evidence.similarity,
            )
            for evidence in response.evidence
        ),
    )


@router.post("/context", responses=problem_responses("lane-mismatch"))
async def read_project_context(
    requester: TheRequester, workspace: WorkspaceName, request: ProjectContextRequest
) -> ProjectContext:
    """Read a chunk with those around it in its document, as far as the user may see them."""
    engine = await requester.enter(workspace, user_id=request.user_id, chunk_id=request.chunk_id)
    context = await engine.context(request.chunk_id, request.context_window)
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
    names = set(request.evidence_types or ())

    def matching(kind: type[Type]) -> tuple[Type, ...]:
        return tuple(member for member in kind if member.value in names)

    # A name of both means both: an email is one whether it was sent to us or uploaded.
    of_documents = {"source_type": matching(SourceType), "class": matching(DocumentClass)}
    names -= {member.value for types in of_documents.values() for member in types}
    kinds = matching(BlockKind)
    if unknown := names - {member.value for member in kinds}:
        known_types = dict.fromkeys(
            member.value for member in (*SourceType, *DocumentClass, *BlockKind)
        )
        raise InvalidRequest(
            f"body.evidence_types: there is no type {', '.join(map(repr, sorted(unknown)))}",
            hint=f"the known ones are {', '.join(known_types)}",
        )
    conditions = tuple(
        Comparison(
            field=field, operator=Operator.ONE_OF, value=tuple(member.value for member in types)
        )
        for field, types in of_documents.items()
        if types
    )
    return SearchFilters(
        collections=(request.project_id,),
        evidence_types=kinds,
        where=AnyOf(conditions=conditions) if conditions else None,
        min_similarity=request.min_similarity,
    )
