"""A search is prepared once, in the lane that serves the workspace, and run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from footnote.domain import SearchRequest, SearchResponse
from footnote.engine.lanes import serving
from footnote.engine.scoping import WorkspaceAccess
from footnote.engine.services import Serving
from footnote.errors import LaneMismatch
from footnote.retrieval.journal import Asked, Asker


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedSearch:
    """A search with what serves it: worked out once and carried along."""

    request: SearchRequest
    """As it came."""
    serving: Serving
    asked: Asked


async def prepare_search(
    workspace: WorkspaceAccess, request: SearchRequest, *, afresh: bool = False
) -> PreparedSearch:
    """Look up the lane that serves the workspace, and check what is asked. Raises InvalidRequest.

    With `afresh` the lane is looked up in the database.
    """
    asker = Asker(workspace_id=workspace.workspace.workspace_id, principal=workspace.principal)
    found = await serving(workspace.engine, asker.workspace_id, afresh=afresh)
    index = workspace.index_in(found.embedder.lane)
    asked = await found.stages.prepare(request, index, asker)
    return PreparedSearch(request=request, serving=found, asked=asked)


async def run_search(
    workspace: WorkspaceAccess, prepared: PreparedSearch
) -> tuple[Serving, SearchResponse]:
    """Search, also in a lane that was changed a moment ago; evidence that gives orders is marked.

    Returns what served it beside the response. Raises LaneMismatch.
    """
    try:
        response = await prepared.serving.stages.run(prepared.asked)
    except LaneMismatch:
        fresh = await prepare_search(workspace, prepared.request, afresh=True)
        if fresh.serving.embedder is prepared.serving.embedder:
            raise
        prepared, response = fresh, await fresh.serving.stages.run(fresh.asked)
    marked = await workspace.engine.suspicion.flag(response.evidence)
    return prepared.serving, replace(response, evidence=marked)


async def search(workspace: WorkspaceAccess, request: SearchRequest) -> SearchResponse:
    """Evidence for a query. Raises InvalidRequest and LaneMismatch."""
    workspace.require_open()
    _, response = await run_search(workspace, await prepare_search(workspace, request))
    return response
