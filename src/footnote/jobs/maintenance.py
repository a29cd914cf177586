"""Maintain a workspace: merge segments, build HNSW indexes, delete what is no longer needed."""

from __future__ import annotations

from uuid import UUID

from footnote.domain import Lane
from footnote.engine import Services, as_system
from footnote.engine.lanes import lane_of_workspace, replace_lane
from footnote.engine.retention import DAY_SECONDS
from footnote.store.access import pass_readers_on
from footnote.store.blob_claims import GRACE_SECONDS, has_claims, sweep_blobs
from footnote.store.database import SYSTEM
from footnote.store.hnsw import demote, demotion_is_due, promote, promotion_is_due
from footnote.store.idempotency import forget_expired
from footnote.store.injection_screening import any_unmarked
from footnote.store.key_rotation import PROMOTE, promote_key, reseal_workspace
from footnote.store.keywords import next_waiting
from footnote.store.merging import merge_once, rewrite_older_formats
from footnote.store.queue import (
    enqueue_keywords,
    enqueue_maintenance,
    enqueue_marking,
    enqueue_retention,
    enqueue_sweep,
)
from footnote.store.retention import any_rule
from footnote.store.upkeep import upkeep_after_upgrade


async def maintain(engine: Services, workspace_id: UUID) -> None:
    """Do the maintenance that is due, if any."""
    while await merge_once(engine.database, workspace_id, engine.maintenance_limits.merge_fan_in):
        continue
    await rewrite_older_formats(engine.database, workspace_id)
    await pass_readers_on(engine.database, workspace_id)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        if await any_unmarked(scope):
            await enqueue_marking(scope)
        if await next_waiting(scope) is not None:
            await enqueue_keywords(scope)
    lane = await lane_of_workspace(engine, workspace_id)
    if lane is None or await replace_lane(engine, workspace_id, lane):
        return
    threshold = engine.settings.hnsw_threshold_chunks
    lane_id = await promotion_is_due(engine.database, workspace_id, lane, threshold)
    if lane_id is not None:
        await promote(engine.database, engine.owner_url, workspace_id, lane_id, lane)
        return
    lane_id = await demotion_is_due(engine.database, workspace_id, threshold)
    if lane_id is not None:
        await demote(engine.database, engine.owner_url, workspace_id, lane_id)


async def begin_upkeep_after_upgrade(engine: Services) -> None:
    """Enqueue maintenance for every workspace with data in the format of an earlier version.

    Without this, a workspace in which nothing changes would keep that format.
    """
    for upkeep in await upkeep_after_upgrade(engine.database):
        older = upkeep.older_segments or upkeep.without_readers
        if not older and not await _is_replaced(engine, upkeep.lane):
            continue
        async with engine.database.workspace(upkeep.workspace_id, SYSTEM) as scope:
            await enqueue_maintenance(scope)


async def _is_replaced(engine: Services, lane: Lane | None) -> bool:
    if lane is None or lane.fingerprint == engine.lane.fingerprint:
        return False
    return await engine.embedders.successor(lane) is not None


async def rotate(engine: Services, workspace_id: UUID, step: str) -> None:
    """Run the next step of a data key rotation; a repeated step does nothing."""
    if step == PROMOTE:
        await promote_key(engine.database, workspace_id)
    else:
        await reseal_workspace(engine.database, engine.stored_files, workspace_id)


async def sweep(engine: Services, workspace_id: UUID, grace_seconds: float = GRACE_SECONDS) -> int:
    """Delete unreferenced blobs and expired idempotency keys; return how many blobs were deleted.

    Enqueues the next sweep as long as something may become due.
    """
    removed = await sweep_blobs(engine.database, engine.blobs, workspace_id, grace_seconds)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        keys_left = await forget_expired(scope)
        if await has_claims(scope) or keys_left:
            await enqueue_sweep(scope, GRACE_SECONDS)
    return removed


async def retain(engine: Services, workspace_id: UUID) -> None:
    """Delete what the workspace's retention rules expire; enqueue the next day's run if there are
    rules."""
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        if not await any_rule(scope):
            return
        # Enqueued first, so that an error now does not prevent tomorrow's run.
        await enqueue_retention(scope, DAY_SECONDS)
    await (await as_system(engine, workspace_id)).apply_retention()
