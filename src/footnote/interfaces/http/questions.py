"""Routes that search, and show a passage's surroundings."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body

from footnote.interfaces import schemas
from footnote.interfaces.http import examples, requests
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.scope import ALWAYS, TheSettings, TheWorkspace

router = APIRouter(tags=["questions"], route_class=ExactRoute)

_RESPONSES = {
    **ALWAYS,
    **examples.problem_responses("bad-request", "content-too-large", "lane-mismatch"),
}


@router.post(
    "/v1/search",
    summary="Search for evidence",
    response_model=schemas.SearchResults,
    responses={200: examples.json_example("Evidence", examples.SEARCH_RESULTS), **_RESPONSES},
)
async def search(
    workspace: TheWorkspace,
    settings: TheSettings,
    request: Annotated[requests.Search, Body(openapi_examples=examples.SEARCHES)],
) -> schemas.SearchResults:
    """The chunks that answer a query, best first, each with why it is where it is."""
    response = await workspace.search(request.to_domain(settings.top_k))
    return schemas.SearchResults.from_domain(response)


@router.post(
    "/v1/context",
    summary="Read around a passage",
    response_model=schemas.PassageContext,
    responses={200: examples.json_example("A context", examples.PASSAGE_CONTEXT), **_RESPONSES},
)
async def read_context(
    workspace: TheWorkspace,
    request: Annotated[requests.Context, Body(openapi_examples=examples.CONTEXTS)],
) -> schemas.PassageContext:
    """A passage with the chunks before and after it in its document."""
    context = await workspace.context(request.chunk_id, request.window)
    return schemas.PassageContext.from_domain(context)
