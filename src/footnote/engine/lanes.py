"""The lanes of workspaces: which embedder serves which, and the verbs that change a lane."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from footnote.domain import Lane, LaneStatus, Reembedding
from footnote.engine.answer_models import plain
from footnote.engine.services import Services, Serving, WorkspaceAccess
from footnote.errors import Conflict, LaneMismatch, NotFound
from footnote.models.embedder_specs import PACKAGED, parse_spec
from footnote.models.embedders import EmbedderChoices, Embedders, opener
from footnote.models.model_substitution import ReplacedEmbedder
from footnote.models.served import model_keys_from
from footnote.ports import Embedder
from footnote.retrieval.spelling import Correct
from footnote.settings import EmbeddingOptions, Settings, listed
from footnote.store import lanes as stored
from footnote.store import reembedding as filling
from footnote.store.database import SYSTEM

_MAX_CACHED = 10_000
_PROBE = "Is anybody there?"
RETENTION = timedelta(days=14)
"""How long a lane is kept for a rollback after it ceased to be current."""


def embedders_from(settings: Settings, *, at_first_use: bool = False) -> Embedders:
    """The embedders the settings allow, the one of new workspaces first; none is opened yet.

    With `at_first_use`, those that are opened load no packaged model until they embed something.

    The packaged ones are always among them, so a workspace is found again whichever is the default.

    Raises UnsupportedSettings for a name that means nothing.
    """
    specs = [parse_spec(name) for name in (*listed(settings.embedding_models), *PACKAGED)]
    options = EmbeddingOptions.model_validate_json(settings.embedding_options)
    choices = EmbedderChoices(
        models_folder=settings.home / "models",
        threads=settings.model_threads,
        at_first_use=at_first_use,
        keys=model_keys_from(plain(settings.model_keys)),
        max_tokens=options.max_tokens,
        query_prompt=options.query_prompt,
        document_prompt=options.document_prompt,
    )
    return Embedders(specs=tuple(dict.fromkeys(specs)), open=opener(choices))


async def embedder_of(engine: Services, lane: Lane | None) -> Embedder:
    """Return the embedder of the lane, or that of new workspaces. Raises LaneMismatch."""
    if lane is None or lane.fingerprint == engine.embedder.lane.fingerprint:
        return engine.embedder
    return await engine.embedders.of_lane(lane)


async def lane_of_workspace(engine: Services, workspace_id: UUID) -> Lane | None:
    """The workspace's lane as the database has it; None before its first document."""
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        current = await stored.current_lane(scope, engine.lane.name)
    return None if current is None else current[1]


def cached_serving(workspace: WorkspaceAccess, lane: Lane | None = None) -> Serving | None:
    """Return the cached search stages of a lane or of the workspace; None if there are none."""
    engine = workspace.engine
    lane = lane or engine.known_lanes.of_workspace.get(workspace.workspace_id)
    if lane is None or lane.fingerprint != engine.lane.fingerprint:
        return None if lane is None else engine.known_lanes.serving.get(lane.fingerprint)
    return Serving(embedder=engine.embedder, stages=engine.search_stages, answerer=engine.answerer)


async def serving(workspace: WorkspaceAccess) -> Serving:
    """Return the search stages of the workspace, and cache them. Raises LaneMismatch."""
    engine, cache = workspace.engine, workspace.engine.known_lanes
    lane = await lane_of_workspace(engine, workspace.workspace_id)
    if len(cache.of_workspace) >= _MAX_CACHED:
        cache.of_workspace.clear()
    if lane is not None:
        cache.of_workspace[workspace.workspace_id] = lane
    lane = lane or engine.lane
    if (lane_serving := cached_serving(workspace, lane)) is not None:
        return lane_serving
    embedder, stages = await _serving_embedder(engine, lane), engine.search_stages
    # The caches are shared: their keys name the lane.
    stages = replace(
        stages,
        phrase=replace(stages.phrase, embedder=embedder),
        gather=replace(
            stages.gather, embedder=embedder, correct=Correct(engine.analyzer, embedder)
        ),
    )
    lane_serving = Serving(
        embedder=embedder, stages=stages, answerer=engine.answerer.in_lane(embedder)
    )
    cache.serving[lane.fingerprint] = lane_serving
    return lane_serving


async def _serving_embedder(engine: Services, lane: Lane) -> Embedder:
    """Return the lane's embedder, or a stand-in for lexical search while it is replaced."""
    try:
        return await embedder_of(engine, lane)
    except LaneMismatch:
        successor = await engine.embedders.successor(lane)
        if successor is None:
            raise
        return ReplacedEmbedder(lane, successor)


async def replace_lane(engine: Services, workspace_id: UUID, lane: Lane) -> bool:
    """Start re-embedding a workspace whose packaged model this version no longer has.

    Returns whether that is the case; a re-embedding under way continues.
    """
    successor = await engine.embedders.successor(lane)
    if successor is None:
        return False
    with suppress(Conflict):
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await stored.begin_reembedding(scope, successor.lane, None, RETENTION)
    return True


async def lanes(workspace: WorkspaceAccess) -> tuple[LaneStatus, ...]:
    """The workspace's lanes with their models, by number, and how far each is filled."""
    async with workspace.system_scope() as scope:
        return await stored.list_lanes(scope, RETENTION)


async def reembed(
    workspace: WorkspaceAccess,
    model: str,
    *,
    lane: str = "document",
    texts_per_second: float | None = None,
) -> LaneStatus:
    """Start re-embedding the lane with another model; searches use the old one until it is done.

    The model is called once to see that it works. Raises NotFound for an unknown lane,
    InvalidRequest for a model the settings do not allow, LaneUnavailable for one that cannot be
    reached, and Conflict for the current model or during another change.
    """
    engine = workspace.engine
    _require_lane(engine, lane)
    embedder = await engine.embedders.named(model)
    await embedder.embed_documents([_PROBE])
    async with workspace.system_scope() as scope:
        lane_id = await stored.begin_reembedding(scope, embedder.lane, texts_per_second, RETENTION)
        statuses = await stored.list_lanes(scope, RETENTION)
    return next(status for status in statuses if status.lane_id == lane_id)


async def rollback_lane(workspace: WorkspaceAccess, lane: str = "document") -> LaneStatus:
    """Return to the previous lane, after embedding in it the documents added since.

    Raises Conflict without one, and LaneMismatch when this process does not have its model.
    """
    engine = workspace.engine
    _require_lane(engine, lane)
    async with workspace.system_scope() as scope:
        previous = await stored.previous_lane(scope, lane)
    if previous is not None:
        await embedder_of(engine, previous.lane)
    async with workspace.system_scope() as scope:
        lane_id = await stored.begin_rollback(scope, lane, RETENTION)
        statuses = await stored.list_lanes(scope, RETENTION)
    return next(status for status in statuses if status.lane_id == lane_id)


async def reembedding(workspace: WorkspaceAccess, lane: str = "document") -> Reembedding:
    """The latest change of the lane. Raises NotFound when it was never changed."""
    _require_lane(workspace.engine, lane)
    changes = [
        status.reembedding
        for status in await lanes(workspace)
        if status.lane.name == lane and status.reembedding is not None
    ]
    if not changes:
        raise NotFound(
            f"the lane {lane} was never re-embedded", hint="footnote reembed --model NAME"
        )
    return max(changes, key=lambda change: change.started_at)


async def cancel_reembedding(workspace: WorkspaceAccess, lane: str = "document") -> LaneStatus:
    """Cancel the re-embedding under way; what it embedded is kept. Raises NotFound."""
    _require_lane(workspace.engine, lane)
    async with workspace.system_scope() as scope:
        lane_id = await stored.cancel_reembedding(scope, lane)
        statuses = await stored.list_lanes(scope, RETENTION)
    return next(status for status in statuses if status.lane_id == lane_id)


async def purge_lanes(
    workspace: WorkspaceAccess, *, at_once: bool = False
) -> tuple[LaneStatus, ...]:
    """Delete former lanes past their retention, or all of them; return the remaining lanes."""
    engine = workspace.engine
    wait = timedelta(0) if at_once else RETENTION
    await filling.purge_lanes(engine.database, engine.owner_url, workspace.workspace_id, wait)
    return await lanes(workspace)


def _require_lane(engine: Services, name: str) -> None:
    if name != engine.lane.name:
        raise NotFound(f"there is no lane {name!r}", hint=f"there is {engine.lane.name}")
