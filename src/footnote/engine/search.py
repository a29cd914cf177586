"""Searches: prepared once, in the lane that serves the workspace, and run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from footnote.domain import PassageContext, SearchRequest, SearchResponse
from footnote.engine.lanes import serving
from footnote.engine.services import Serving, WorkspaceAccess
from footnote.errors import LaneMismatch, TimeLimitReached
from footnote.retrieval.journal import Asked, Asker
from footnote.store.passages import passage_context
from footnote.validation.constrained_types import Window


async def search(workspace: WorkspaceAccess, request: SearchRequest) -> SearchResponse:
    """Evidence for a query. Raises InvalidRequest and LaneMismatch."""
    _, response = await run_search(workspace, await prepare_search(workspace, request))
    return response


async def context(workspace: WorkspaceAccess, chunk_id: str, window: Window = 2) -> PassageContext:
    """A passage between its neighbours. Raises NotFound and InvalidRequest."""
    async with workspace.scope() as scope:
        found = await passage_context(scope, chunk_id, window)
    return await workspace.engine.suspicion.read_around(found)


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
    workspace.require_open()
    found = await serving(workspace, afresh=afresh)
    index = workspace.index_in(found.embedder.lane)
    asker = Asker(workspace_id=workspace.workspace_id, principal=workspace.principal)
    known = index.last_generation
    generation = await index.generation() if known is None else known
    asked = found.stages.prepare(request, index, asker, generation)
    return PreparedSearch(request=request, serving=found, asked=asked)


async def run_search(
    workspace: WorkspaceAccess, prepared: PreparedSearch
) -> tuple[Serving, SearchResponse]:
    """Search, also in a lane that was changed a moment ago; evidence that gives orders is marked.

    Returns what served it beside the response. Raises LaneMismatch and TimeLimitReached.
    """
    seconds = workspace.engine.settings.search_timeout_seconds
    try:
        async with asyncio.timeout(seconds):
            prepared, response = await _run(workspace, prepared)
    except TimeoutError as error:
        raise TimeLimitReached(
            f"the search took longer than {seconds:g} seconds",
            hint="filter by collection or document, or raise FOOTNOTE_SEARCH_TIMEOUT_SECONDS",
        ) from error
    marked = await workspace.engine.suspicion.flag(response.evidence)
    return prepared.serving, replace(response, evidence=marked)


async def _run(
    workspace: WorkspaceAccess, prepared: PreparedSearch
) -> tuple[PreparedSearch, SearchResponse]:
    try:
        return prepared, await prepared.serving.stages.run(prepared.asked)
    except LaneMismatch:
        fresh = await prepare_search(workspace, prepared.request, afresh=True)
        if fresh.serving.embedder is prepared.serving.embedder:
            raise
        return fresh, await fresh.serving.stages.run(fresh.asked)
