"""Clusters documents and chunks of a workspace a piece at a time, so that a worker can stop at any
time."""

from __future__ import annotations

import asyncio
from uuid import UUID

from footnote.domain.backfill import BackgroundWork
from footnote.domain.clusters import ClusterOf
from footnote.engine import Services, as_system
from footnote.engine.cluster_naming import name_cluster, nameless_clusters
from footnote.engine.clustering import cluster_further, wants_clusters
from footnote.engine.configuration import is_paused
from footnote.store.database import SYSTEM
from footnote.store.queue import enqueue_clustering

_WORK = {
    ClusterOf.DOCUMENTS: BackgroundWork.CLUSTERS,
    ClusterOf.CHUNKS: BackgroundWork.CHUNK_CLUSTERS,
}
SLICE_SECONDS = 3.0
"""Length of one slice; shorter than the grace period of a worker that is being stopped."""


async def cluster_slice(engine: Services, workspace_id: UUID) -> None:
    """Cluster documents, then chunks, and name clusters for one slice; enqueue a job for the rest.

    Stored results stay. Clustering that is switched off or paused is skipped.
    """
    ends_at = asyncio.get_running_loop().time() + SLICE_SECONDS
    system = await as_system(engine, workspace_id)
    for of, work in _WORK.items():
        if not await wants_clusters(system, of) or await is_paused(system, work):
            continue
        if not await _all_done(engine, workspace_id, of, ends_at):
            async with engine.database.workspace(workspace_id, SYSTEM) as scope:
                await enqueue_clustering(scope)
            return


async def _all_done(engine: Services, workspace_id: UUID, of: ClusterOf, ends_at: float) -> bool:
    """Cluster and name until that time; whether nothing is left."""
    now = asyncio.get_running_loop().time
    while await cluster_further(engine, workspace_id, of):
        if now() > ends_at:
            return False
    nameless = await nameless_clusters(engine, workspace_id, of)
    for number, cluster in enumerate(nameless, start=1):
        await name_cluster(engine, workspace_id, cluster)
        if now() > ends_at:
            return number == len(nameless)
    return True
