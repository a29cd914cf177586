"""Clusters as a job keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid4

from footnote.domain.clusters import ClusterGranularity, ClusterOf
from footnote.store.clusters import (
    ClusterName,
    ClusterRun,
    StoredMembers,
    embedded_members,
    name_cluster,
    store_clusters,
)
from footnote.store.database import WorkspaceScope


def a_run(lane_id: int = 1, run: int = 1, members: int = 3, last_number: int = 99) -> ClusterRun:
    return ClusterRun(
        lane_id=lane_id,
        run=run,
        members=members,
        last_number=last_number,
        clustered_at=datetime.now(UTC),
        failure=None,
    )


def some_members(
    document_ids: Sequence[UUID],
    numbers: Sequence[int],
    cluster_id: UUID | None,
    granularity: ClusterGranularity = ClusterGranularity.FINE,
) -> StoredMembers:
    return StoredMembers(
        granularity=granularity,
        document_ids=tuple(document_ids),
        numbers=tuple(numbers),
        cluster_ids=(cluster_id,) * len(document_ids),
    )


async def keep_one_cluster(scope: WorkspaceScope, lane_id: int, label: str) -> UUID:
    """A cluster of every granularity of all documents that have a vector; the finest one's id."""
    found = await embedded_members(scope, lane_id, ClusterOf.DOCUMENTS)
    numbers = found.numbers.tolist()
    ids = {granularity: uuid4() for granularity in ClusterGranularity}
    kept = [
        some_members(found.owners, numbers, cluster_id, granularity)
        for granularity, cluster_id in ids.items()
    ]
    await store_clusters(scope, lane_id, a_run(lane_id, members=len(numbers)), kept)
    for cluster_id in ids.values():
        name = ClusterName(label=(label,), labelled_by="terms")
        assert await name_cluster(scope, lane_id, cluster_id, name, numbers[:1])
    return ids[ClusterGranularity.FINE]
