"""Distribute the tables of an installation over a Citus cluster, and move its workspaces."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from footnote.domain.distribution import ClusterMove, ClusterPlan, ClusterStatus
from footnote.engine.opening import database_urls
from footnote.settings import Settings
from footnote.store import distribution
from footnote.store.addresses import DatabaseUrls
from footnote.store.embedded import start_embedded

T = TypeVar("T")

SHARDS = 128
"""Default number of shards: more than there will be nodes, so that workspaces can be spread."""


async def plan_cluster(settings: Settings, *, shards: int = SHARDS) -> ClusterPlan:
    """Return the steps that distributing the tables takes; changes nothing.

    Raises StoreUnavailable when the server cannot be reached.
    """
    return await _with_urls(settings, lambda urls: distribution.plan_distribution(urls, shards))


async def apply_cluster_plan(
    settings: Settings, *, shards: int = SHARDS, tell: Callable[[str], None] = lambda _: None
) -> ClusterPlan:
    """Distribute the tables; idempotent.

    `tell` receives each statement before it runs. Raises Conflict with what stands in the way, and
    StoreUnavailable without Citus, without a node for shards or when a statement fails.
    """
    return await _with_urls(settings, lambda urls: distribution.distribute(urls, shards, tell))


async def cluster_status(settings: Settings, *, workspace: str | None = None) -> ClusterStatus:
    """Return how the tables are distributed, and where a workspace is placed.

    Raises StoreUnavailable without Citus, and NoSuchWorkspace.
    """
    return await _with_urls(
        settings, lambda urls: distribution.distribution_status(urls, workspace)
    )


async def isolate_workspace(settings: Settings, workspace: str, *, run: bool) -> ClusterMove:
    """Give a workspace a shard of its own, or say what that takes."""
    return await _with_urls(
        settings, lambda urls: distribution.isolate_workspace(urls, workspace, run=run)
    )


async def move_workspace(settings: Settings, workspace: str, to: str, *, run: bool) -> ClusterMove:
    """Move the shard of a workspace to a node, `host:port`, or say what that takes."""
    return await _with_urls(
        settings, lambda urls: distribution.move_workspace(urls, workspace, to, run=run)
    )


async def rebalance_cluster(settings: Settings, *, run: bool) -> ClusterMove:
    """Have Citus spread the shards over its nodes, or say what that takes."""
    return await _with_urls(settings, lambda urls: distribution.rebalance(urls, run=run))


async def _with_urls(settings: Settings, work: Callable[[DatabaseUrls], T]) -> T:
    def inside() -> T:
        server = None if settings.database_url is not None else start_embedded(settings.home)
        try:
            return work(database_urls(settings, server))
        finally:
            if server is not None:
                server.release()

    return await asyncio.to_thread(inside)
