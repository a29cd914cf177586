"""Routes for clients that know projects and users: a project is a collection of the workspace."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Annotated, TypeVar

from fastapi import APIRouter, Body
from pydantic import Field

from footnote.domain import (
    AnyOf,
    BlockKind,
    Comparison,
    Condition,
    DocumentClass,
    Operator,
    Principal,
    SearchFilters,
    SearchRequest,
    SourceType,
)
from footnote.engine.workspace import MAX_CONTEXT_WINDOW
from footnote.errors import InvalidRequest
from footnote.interfaces import schemas
from footnote.interfaces.http import examples
from footnote.interfaces.http.exact import ExactBodyRoute
from footnote.interfaces.http.requests import MinSimilarity, Name, Query, Request, TopK, Whole
from footnote.interfaces.http.scope import ALWAYS, TheEngine, TheSettings, WorkspaceName, inside

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


@router.post(
    "/search",
    summary="Search a project",
    response_model=schemas.ProjectResults,
    responses={200: examples.json_example("Results", examples.PROJECT_RESULTS), **_RESPONSES},
)
async def search_project(
    engine: TheEngine,
    settings: TheSettings,
    workspace: WorkspaceName,
    request: Annotated[ProjectSearch, Body(openapi_examples=examples.PROJECT_SEARCHES)],
) -> schemas.ProjectResults:
    """The chunks of a project that answer a query, best first, with the request mirrored.

    A project that does not exist, or is of another workspace, has no results.
    """
    limit = request.limit or settings.top_k
    acting = await inside(engine, workspace, Principal(principal_id=request.user_id))
    response = await acting.search(
        SearchRequest(query=request.query, top_k=limit, filters=filters_of(request))
    )
    results = tuple(map(schemas.ProjectResult.from_evidence, response.evidence))
    return schemas.ProjectResults(
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
    response_model=schemas.ProjectContext,
    responses={200: examples.json_example("A context", examples.PROJECT_CONTEXT), **_RESPONSES},
)
async def read_project_context(
    engine: TheEngine,
    workspace: WorkspaceName,
    request: Annotated[ProjectContextRequest, Body(openapi_examples=examples.PROJECT_CONTEXTS)],
) -> schemas.ProjectContext:
    """A chunk with those before and after it in its document, as far as the user may see them."""
    acting = await inside(engine, workspace, Principal(principal_id=request.user_id))
    context = await acting.context(request.chunk_id, request.context_window)
    return schemas.ProjectContext.from_domain(context)


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
