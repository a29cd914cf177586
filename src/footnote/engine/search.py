"""Prepare a search in the lane that serves the workspace, and run it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from footnote.answering.reading_order import MAX_PASSAGES
from footnote.domain import (
    DocumentStatus,
    Passage,
    PassageContext,
    PlanChanges,
    SearchRequest,
    SearchResponse,
)
from footnote.domain.search import search_request_for
from footnote.engine.configuration import configuration_of
from footnote.engine.lanes import cached_serving, serving
from footnote.engine.listing import documents as listed
from footnote.engine.services import Serving, WorkspaceAccess
from footnote.errors import LaneMismatch, NotFound, TimeLimitReached, how_to_raise
from footnote.ports import ConfigurationChanged, Embedder, ExpandedPassage
from footnote.ports.index import ReplicaLost
from footnote.ports.telemetry import (
    DIVERSITY,
    DOCUMENTS_FOUND,
    SEARCHES,
    WORKSPACE,
    span,
    timed,
)
from footnote.retrieval.journal import Asker, RecordedSearch
from footnote.retrieval.plans import resolved
from footnote.settings import Settings
from footnote.store.database import Database
from footnote.store.passages import load_widened, passage_context
from footnote.validation.constrained_types import Searched, Window

_CHUNKS_ON_EACH_SIDE = 1200
"""Chunks loaded on each side of a passage: some 3,600 table rows of five columns."""
_DEFAULT_TOP_K: int = Settings.model_fields["top_k"].default
_OUTDATED = (ConfigurationChanged, ReplicaLost, NotFound)
"""Errors of an index whose cached lane, settings or replica are out of date."""
NOTHING_INDEXED = (
    "documents: none is indexed in this workspace that you may search; ingest some first"
)
"""Note on an empty result where the principal may see no indexed document."""


async def search(workspace: WorkspaceAccess, request: Searched) -> SearchResponse:
    """Search for a request or a plain query string. Raises InvalidRequest and LaneMismatch."""
    prepared = await prepare_search(workspace, search_request_for(request))
    _, response = await run_search(workspace, prepared)
    return response


async def context(workspace: WorkspaceAccess, chunk_id: str, window: Window = 2) -> PassageContext:
    """Return a passage with its neighbours. Raises NotFound and InvalidRequest."""
    surrounding = await workspace.read(partial(passage_context, chunk_id=chunk_id, window=window))
    return await workspace.engine.suspicion.classify_context(surrounding)


async def section_around(
    workspace: WorkspaceAccess, passages: Sequence[Passage]
) -> Mapping[int, ExpandedPassage]:
    """Return each passage widened to its section, by chunk number; implements `Around`."""
    widened = partial(
        load_widened, passages=passages, window=_CHUNKS_ON_EACH_SIDE, across_headings=False
    )
    return await workspace.read(widened)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedSearch:
    """A search with its lane, settings, index and database resolved."""

    request: SearchRequest
    """The request as the caller sent it, but for a `top_k` raised for quotes."""
    serving: Serving
    asked: RecordedSearch
    database: Database
    """The database to read: the primary, or a replica."""


def require_plan(workspace: WorkspaceAccess, name: str) -> None:
    """Raise InvalidRequest for an unknown plan name, before any work is done."""
    resolved(workspace.engine.search_stages.plans, name, PlanChanges())


def read_for_quotes(request: SearchRequest, top_k: int) -> SearchRequest:
    """Raise `top_k` of a request to the number of passages that quotes are read from.

    A request with its own `top_k` stays as it is, and so do all where the setting `top_k` is below
    its default of 8. The argument `top_k` is that setting.
    """
    if request.top_k is not None or top_k < _DEFAULT_TOP_K:
        return request
    return replace(request, top_k=max(top_k, MAX_PASSAGES))


async def prepare_search(
    workspace: WorkspaceAccess,
    request: SearchRequest,
    *,
    for_quotes: bool = False,
    afresh: bool = False,
) -> PreparedSearch:
    """Resolve the lane, settings and index of a search, and check it. Raises InvalidRequest.

    With `for_quotes`, search as many passages as quotes are read from. With `afresh`, read the lane
    and the settings from the database and search the primary.
    """
    engine = workspace.engine
    database = engine.database
    if engine.replicas and not afresh:
        database = await engine.replicas.serving(workspace.workspace_id, workspace.after)
    # Cached values suffice: the index refuses those that are out of date.
    lane_serving = None if afresh else cached_serving(workspace)
    lane_serving = lane_serving or await serving(workspace)
    configuration = None if afresh else engine.known_configurations.get(workspace.workspace_id)
    configuration = configuration or await configuration_of(workspace)
    lane = lane_serving.embedder.lane
    lane_serving = replace(
        lane_serving, stages=configuration.stages(lane_serving.stages, lane.fingerprint)
    )
    if for_quotes:
        request = read_for_quotes(request, lane_serving.stages.top_k)
    index = workspace.index_in(lane, configuration.change_no, database)
    asker = Asker(workspace_id=workspace.workspace_id, principal=workspace.principal)
    generation = index.last_generation
    if generation is None:
        try:
            generation = await index.generation()
        except _OUTDATED as error:
            return await _prepare_again(workspace, request, database, error)
    prepared = await lane_serving.stages.prepare(request, index, asker, generation)
    return PreparedSearch(request=request, serving=lane_serving, asked=prepared, database=database)


async def _prepare_again(
    workspace: WorkspaceAccess,
    request: SearchRequest,
    database: Database,
    error: Exception,
    embedder: Embedder | None = None,
) -> PreparedSearch:
    """Prepare the search again on the primary, with the current lane and settings.

    Re-raises the error where that changes nothing. `embedder` is the one whose lane did not match.
    """
    if isinstance(error, ReplicaLost):
        workspace.engine.replicas.lost(database)
    elif isinstance(error, NotFound) and database is workspace.engine.database:
        raise error
    fresh = await prepare_search(workspace, request, afresh=True)
    if (
        isinstance(error, LaneMismatch)
        and fresh.serving.embedder is embedder
        and fresh.database is database
    ):
        raise error
    return fresh


async def refreshed(
    workspace: WorkspaceAccess, prepared: PreparedSearch
) -> tuple[PreparedSearch, int]:
    """Return the search, prepared again if settings changed, and the index generation."""
    while True:
        try:
            return prepared, await prepared.asked.index.generation()
        except _OUTDATED as error:
            prepared = await _prepare_again(workspace, prepared.request, prepared.database, error)


async def run_search(
    workspace: WorkspaceAccess, prepared: PreparedSearch
) -> tuple[Serving, SearchResponse]:
    """Run a search; it is prepared again where lane or settings changed meanwhile.

    Evidence with suspected prompt injection is marked, also where it was published unchecked.

    Returns the lane's parts with the response. Raises LaneMismatch and TimeLimitReached.
    """
    seconds = workspace.engine.settings.seconds.search
    about = {"gen_ai.operation.name": "retrieval", "gen_ai.provider.name": "footnote"}
    ids = dict.fromkeys(("gen_ai.data_source.id", WORKSPACE), str(workspace.workspace_id))
    with span("retrieval", about | ids) as opened, timed(SEARCHES):
        try:
            async with asyncio.timeout(seconds):
                while True:
                    stages, prepared_query = prepared.serving.stages, prepared.asked
                    try:
                        response = await stages.run(prepared_query)
                        break
                    except (*_OUTDATED, LaneMismatch) as error:
                        prepared = await _prepare_again(
                            workspace,
                            prepared.request,
                            prepared.database,
                            error,
                            prepared.serving.embedder,
                        )
        except TimeoutError as error:
            raise TimeLimitReached(
                f"the search took longer than {seconds:g} seconds",
                hint="filter by collection or document, or "
                + how_to_raise("search", "FOOTNOTE_TIMEOUTS", seconds, "seconds"),
            ) from error
        evidence = response.evidence
        if any(hit.passage.suspicious is None for hit in evidence):
            evidence = await workspace.engine.suspicion.flag(evidence)
        documents = len({hit.passage.document_id for hit in evidence})
        opened.set_attributes(
            {
                "footnote.search.results": len(evidence),
                "footnote.search.documents": documents,
                "footnote.search.degraded": len(response.degraded),
                "footnote.search.plan": response.plan,
            }
        )
    DOCUMENTS_FOUND.record(documents)
    notes = response.degraded
    if evidence:
        DIVERSITY.record(documents / len(evidence))
    elif not (await listed(workspace, status=DocumentStatus.INDEXED, limit=1)).documents:
        notes = (*notes, NOTHING_INDEXED)
    return prepared.serving, replace(response, evidence=evidence, degraded=notes)
