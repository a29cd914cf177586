"""The lanes of workspaces: which embedder serves which, and the verbs that change a lane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from footnote.domain import Lane, LaneStatus, Reembedding
from footnote.engine.services import Services, Serving, statements_of
from footnote.errors import NotFound
from footnote.models.embedders import PACKAGED, EmbedderChoices, Embedders, opener, parse_spec
from footnote.ports import Embedder
from footnote.retrieval.spelling import Correct
from footnote.settings import Settings
from footnote.store.database import SYSTEM
from footnote.store.lanes import (
    begin_reembedding,
    begin_rollback,
    cancel_reembedding,
    current_lane,
    list_lanes,
    previous_lane,
)
from footnote.store.reembedding import purge_lanes

_REMEMBERED = 10_000
_PROBE = "Is anybody there?"


def embedders_from(settings: Settings) -> Embedders:
    """The embedders the settings allow, the one of new workspaces first; none is opened yet.

    The packaged ones are always among them, so a workspace is found again whichever is the default.

    Raises UnsupportedSettings for a name that means nothing.
    """
    specs = [parse_spec(settings.embedding_model)]
    specs += [parse_spec(name) for name in settings.embedding_models.split(",") if name.strip()]
    specs += [parse_spec(name) for name in PACKAGED]
    key = settings.embedding_api_key
    choices = EmbedderChoices(
        models_folder=settings.home / "models",
        threads=settings.model_threads,
        url=settings.embedding_url,
        api_key=None if key is None else key.get_secret_value(),
        max_tokens=settings.embedding_max_tokens,
        query_prompt=settings.embedding_query_prompt,
        document_prompt=settings.embedding_document_prompt,
    )
    return Embedders(specs=tuple(dict.fromkeys(specs)), open=opener(choices))


async def embedder_of(engine: Services, lane: Lane | None) -> Embedder:
    """The embedder of the lane, of new workspaces without one. Raises LaneMismatch."""
    if lane is None or lane.fingerprint == engine.embedder.lane.fingerprint:
        return engine.embedder
    return await engine.embedders.of_lane(lane)


async def lane_of_workspace(engine: Services, workspace_id: UUID) -> Lane | None:
    """The workspace's lane as the database has it; None before its first document."""
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        found = await current_lane(scope, engine.lane.name)
    return None if found is None else found[1]


async def embedder_for(engine: Services, workspace_id: UUID) -> Embedder:
    """The embedder documents of the workspace are embedded with. Raises LaneMismatch."""
    return await embedder_of(engine, await lane_of_workspace(engine, workspace_id))


async def serving(engine: Services, workspace_id: UUID, *, afresh: bool = False) -> Serving:
    """What searches the workspace, as far as this process knows. Raises LaneMismatch."""
    known = engine.known_lanes
    lane = None if afresh else known.of_workspace.get(workspace_id)
    if lane is None:
        lane = await lane_of_workspace(engine, workspace_id)
        if len(known.of_workspace) >= _REMEMBERED:
            known.of_workspace.clear()
        if lane is not None:
            known.of_workspace[workspace_id] = lane
    if lane is None or lane.fingerprint == engine.lane.fingerprint:
        return Serving(
            embedder=engine.embedder, stages=engine.search_stages, answerer=engine.answerer
        )
    if lane.fingerprint not in known.serving:
        embedder, stages = await embedder_of(engine, lane), engine.search_stages
        # The caches are shared: their keys name the lane.
        stages = replace(
            stages,
            phrase=replace(stages.phrase, embedder=embedder),
            gather=replace(
                stages.gather, embedder=embedder, correct=Correct(engine.analyzer, embedder)
            ),
        )
        known.serving[lane.fingerprint] = Serving(
            embedder=embedder,
            stages=stages,
            answerer=engine.answerer.in_lane(statements_of(embedder)),
        )
    return known.serving[lane.fingerprint]


async def lanes(engine: Services, workspace_id: UUID) -> tuple[LaneStatus, ...]:
    """The lanes of a workspace, by number."""
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        return await list_lanes(scope, _retention(engine))


async def reembed(
    engine: Services, workspace_id: UUID, name: str, model: str, texts_per_second: float | None
) -> LaneStatus:
    """Begin to fill the lane anew with another model; searches go on in the old one until then.

    The model is asked once whether it is there. Raises NotFound for a lane there is none of,
    InvalidRequest for a model the settings do not allow, LaneUnavailable for one that cannot
    be reached, and Conflict for the model that is current or beside another change.
    """
    _require_lane(engine, name)
    embedder = await engine.embedders.named(model)
    await embedder.embed_documents([_PROBE])
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        lane_id = await begin_reembedding(
            scope, embedder.lane, texts_per_second, _retention(engine)
        )
        return _numbered(await list_lanes(scope, _retention(engine)), lane_id)


async def rollback(engine: Services, workspace_id: UUID, name: str) -> LaneStatus:
    """Go back to the lane that was current before; what came since is embedded in it first.

    Raises Conflict without one, and LaneMismatch when this process does not have its model.
    """
    _require_lane(engine, name)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        previous = await previous_lane(scope, name)
    if previous is not None:
        await embedder_of(engine, previous.lane)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        target = await begin_rollback(scope, name, _retention(engine))
        found = await list_lanes(scope, _retention(engine))
    return next(each for each in found if each.lane == target)


async def reembedding(engine: Services, workspace_id: UUID, name: str) -> Reembedding:
    """The latest change of the lane. Raises NotFound when it was never changed."""
    _require_lane(engine, name)
    found = [
        each.reembedding
        for each in await lanes(engine, workspace_id)
        if each.lane.name == name and each.reembedding is not None
    ]
    if not found:
        raise NotFound(
            f"the lane {name} was never re-embedded", hint="footnote reembed --model NAME"
        )
    return max(found, key=lambda each: each.started_at)


async def cancel(engine: Services, workspace_id: UUID, name: str) -> LaneStatus:
    """Stop what is under way; what was embedded is kept for another time. Raises NotFound."""
    _require_lane(engine, name)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        lane_id = await cancel_reembedding(scope, name)
        return _numbered(await list_lanes(scope, _retention(engine)), lane_id)


async def purge(
    engine: Services, workspace_id: UUID, *, at_once: bool = False
) -> tuple[LaneStatus, ...]:
    """Remove lanes left longer ago than the settings keep them, or all of them; return the rest."""
    wait = timedelta(0) if at_once else _retention(engine)
    await purge_lanes(engine.database, engine.owner_url, workspace_id, wait)
    return await lanes(engine, workspace_id)


def retention_of(settings: Settings) -> timedelta:
    """How long a lane is kept after it ceased to be current."""
    return timedelta(days=settings.lane_retention_days)


def _retention(engine: Services) -> timedelta:
    return retention_of(engine.settings)


def _require_lane(engine: Services, name: str) -> None:
    if name != engine.lane.name:
        raise NotFound(f"there is no lane {name!r}", hint=f"there is {engine.lane.name}")


def _numbered(found: Sequence[LaneStatus], lane_id: int) -> LaneStatus:
    return next(each for each in found if each.lane_id == lane_id)
