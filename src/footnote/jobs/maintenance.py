"""Tends the index of a workspace: merges its segments, and gives it HNSW when it is large."""

from __future__ import annotations

from uuid import UUID

from footnote.engine import Services
from footnote.engine.lanes import lane_of_workspace
from footnote.store.hnsw import promote, promotion_is_due
from footnote.store.merging import merge_once


async def maintain(engine: Services, workspace_id: UUID) -> None:
    """Do what is due; nothing is a fine outcome."""
    while await merge_once(engine.database, workspace_id, engine.maintenance_limits.merge_fan_in):
        continue
    lane = await lane_of_workspace(engine, workspace_id)
    if lane is None:
        return
    lane_id = await promotion_is_due(
        engine.database, workspace_id, lane, engine.settings.hnsw_threshold_chunks
    )
    if lane_id is not None:
        await promote(engine.database, engine.owner_url, workspace_id, lane_id, lane)
