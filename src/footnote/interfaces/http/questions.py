"""Routes that search, and show a passage's surroundings."""

from __future__ import annotations

from fastapi import APIRouter

from footnote.domain import PassageContext, SearchResponse
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
    response_model=SearchResponse,
    responses={200: {"description": "Evidence"}, **_RESPONSES},
)
async def search(
    workspace: TheWorkspace,
    settings: TheSettings,
    request: requests.Search,
) -> SearchResponse:
    """The chunks that answer a query, best first, each with why it is where it is."""
    return await workspace.search(request.to_domain(settings.top_k))


@router.post(
    "/v1/context",
    summary="Read around a passage",
    response_model=PassageContext,
    responses={200: {"description": "A context"}, **_RESPONSES},
)
async def read_context(
    workspace: TheWorkspace,
    request: requests.Context,
) -> PassageContext:
    """A passage with the chunks before and after it in its document."""
    return await workspace.context(request.chunk_id, request.window)
