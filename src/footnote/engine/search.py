"""Searches: prepared once, in the lane that serves the workspace, and run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial

from footnote.domain import PassageContext, SearchRequest, SearchResponse
from footnote.engine.configuration import configuration_of
from footnote.engine.lanes import serving
from footnote.engine.services import Serving, WorkspaceAccess
from footnote.errors import LaneMismatch, NotFound, TimeLimitReached
from footnote.ports import ConfigurationChanged
from footnote.ports.replicas import ReplicaLost
from footnote.ports.telemetry import (
    DIVERSITY,
    DOCUMENTS_FOUND,
    SEARCHES,
    WORKSPACE,
    span,
    timed,
)
from footnote.retrieval.journal import Asked, Asker
from footnote.store.database import Database
from footnote.store.passages import passage_context
from footnote.validation.constrained_types import Window


async def search(workspace: WorkspaceAccess, request: SearchRequest) -> SearchResponse:
    """Evidence for a query. Raises InvalidRequest and LaneMismatch."""
    _, response = await run_search(workspace, await prepare_search(workspace, request))
    return response


async def context(workspace: WorkspaceAccess, chunk_id: str, window: Window = 2) -> PassageContext:
    """A passage between its neighbours. Raises NotFound and InvalidRequest."""
    found = await workspace.read(partial(passage_context, chunk_id=chunk_id, window=window))
    return await workspace.engine.suspicion.read_around(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedSearch:
    """A search with what serves it: worked out once and carried along."""

    request: SearchRequest
    """As it came."""
    serving: Serving
    asked: Asked
    database: Database
    """What is read: the primary, or a replica."""


async def prepare_search(
    workspace: WorkspaceAccess, request: SearchRequest, *, afresh: bool = False
) -> PreparedSearch:
    """Look up what serves the workspace, and check what is asked. Raises InvalidRequest.

    With `afresh` the lane and the settings are looked up in the database, and the primary is
    searched.
    """
    workspace.require_open()
    engine = workspace.engine
    database = engine.database
    if not afresh:
        database = await engine.replicas.serving(workspace.workspace_id, workspace.after)
    found = await serving(workspace, afresh=afresh)
    configuration = await configuration_of(workspace, afresh=afresh)
    lane = found.embedder.lane
    found = replace(found, stages=configuration.stages(found.stages, lane.fingerprint))
    index = workspace.index_in(lane, configuration.change_no, database)
    asker = Asker(workspace_id=workspace.workspace_id, principal=workspace.principal)
    generation = index.last_generation
    if generation is None:
        try:
            generation = await index.generation()
        except (ConfigurationChanged, ReplicaLost, NotFound) as error:
            return await _afresh(workspace, request, database, error)
    asked = found.stages.prepare(request, index, asker, generation)
    return PreparedSearch(request=request, serving=found, asked=asked, database=database)


async def _afresh(
    workspace: WorkspaceAccess, request: SearchRequest, database: Database, error: Exception
) -> PreparedSearch:
    """The search of the primary under the settings as they are, where that can help."""
    replicas = workspace.engine.replicas
    if isinstance(error, ReplicaLost):
        replicas.lost(database)
    elif isinstance(error, NotFound) and database is workspace.engine.database:
        raise error
    return await prepare_search(workspace, request, afresh=True)


async def as_of_now(
    workspace: WorkspaceAccess, prepared: PreparedSearch
) -> tuple[PreparedSearch, int]:
    """The search, prepared again where settings changed, and the generation of the index."""
    while True:
        try:
            return prepared, await prepared.asked.index.generation()
        except (ConfigurationChanged, ReplicaLost, NotFound) as error:
            prepared = await _afresh(workspace, prepared.request, prepared.database, error)


async def run_search(
    workspace: WorkspaceAccess, prepared: PreparedSearch
) -> tuple[Serving, SearchResponse]:
    """Search, also in a lane or under settings that were changed a moment ago.

    Evidence that gives orders is marked.

    Returns what served it beside the response. Raises LaneMismatch and TimeLimitReached.
    """
    seconds = workspace.engine.settings.search_timeout_seconds
    about = {"gen_ai.operation.name": "retrieval", "gen_ai.provider.name": "footnote"}
    ids = dict.fromkeys(("gen_ai.data_source.id", WORKSPACE), str(workspace.workspace_id))
    with span("retrieval", about | ids) as opened, timed(SEARCHES):
        try:
            async with asyncio.timeout(seconds):
                prepared, response = await _run(workspace, prepared)
        except TimeoutError as error:
            raise TimeLimitReached(
                f"the search took longer than {seconds:g} seconds",
                hint="filter by collection or document, or raise FOOTNOTE_SEARCH_TIMEOUT_SECONDS",
            ) from error
        marked = await workspace.engine.suspicion.flag(response.evidence)
        documents = len({each.passage.document_id for each in marked})
        opened.set_attributes(
            {
                "footnote.search.results": len(marked),
                "footnote.search.documents": documents,
                "footnote.search.degraded": len(response.degraded),
                "footnote.search.plan": response.plan,
            }
        )
    DOCUMENTS_FOUND.record(documents)
    if marked:
        DIVERSITY.record(documents / len(marked))
    return prepared.serving, replace(response, evidence=marked)


async def _run(
    workspace: WorkspaceAccess, prepared: PreparedSearch
) -> tuple[PreparedSearch, SearchResponse]:
    while True:  # within the time that a search may take
        try:
            return prepared, await prepared.serving.stages.run(prepared.asked)
        except (ConfigurationChanged, ReplicaLost, NotFound) as error:
            prepared = await _afresh(workspace, prepared.request, prepared.database, error)
        except LaneMismatch:
            fresh = await prepare_search(workspace, prepared.request, afresh=True)
            same = fresh.serving.embedder is prepared.serving.embedder
            if same and fresh.database is prepared.database:
                raise
            prepared = fresh
