"""Routes that search, and show a passage's surroundings."""

from __future__ import annotations

from footnote.domain import PassageContext, SearchResponse
from footnote.interfaces.http import requests
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheSettings, TheWorkspace

router = workspace_router("questions")


@router.post("/v1/search", responses=problem_responses("lane-mismatch"))
async def search(
    workspace: TheWorkspace, settings: TheSettings, request: requests.Search
) -> SearchResponse:
    """Search for evidence.

    The chunks that answer a query, best first, each with the reasons for its rank.
    """
    return await workspace.search(request.to_domain(settings.top_k))


@router.post("/v1/context", responses=problem_responses("lane-mismatch"))
async def read_context(workspace: TheWorkspace, request: requests.Context) -> PassageContext:
    """Read a passage with the chunks before and after it in its document."""
    return await workspace.context(request.chunk_id, request.window)
