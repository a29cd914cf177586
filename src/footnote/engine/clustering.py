"""Cluster the documents or chunks of a workspace, and assign new ones to existing clusters."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import numpy as np

from footnote.domain.clusters import ClusterGranularity, ClusterOf
from footnote.engine.configuration import configuration_of
from footnote.engine.services import Services, WorkspaceAccess, failure_reason
from footnote.errors import StoreFull, StoreUnavailable
from footnote.index.bm25 import Numbers
from footnote.knowledge.clusters import assign_new, clustered, middles_of, stabilised
from footnote.knowledge.density import OUTLIER, Labels
from footnote.ports import Vectors
from footnote.store import clusters as stored
from footnote.store.clusters import ClusterRun, EmbeddedMembers, StoredMembers
from footnote.store.database import SYSTEM
from footnote.store.lanes import current_lane

MAX_COMPARED = 20_000
"""Most members clustered directly. Of more documents, the rest are assigned to the clusters of a
sample; of more chunks, only a sample is clustered."""
RENEWED = 0.1
"""Share of members added or removed since the last run above which all are clustered again."""
FEW = 100
"""Number of members below which any change causes a new run, which is then fast."""
_JOINED_AT_ONCE = 1024
_HASH_MULTIPLIER = np.uint32(
    2_654_435_761
)  # Knuth's multiplier spreads numbers that follow each other.


class _Stopped(Exception):
    """Raised in the thread to cancel the clustering."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """The clustering work to do in a workspace."""

    of: ClusterOf
    lane_id: int
    members: EmbeddedMembers
    run: ClusterRun | None
    """The last run, if its clusters are still valid."""
    last: ClusterRun | None
    new_numbers: Numbers
    """Numbers of the members to be assigned to existing clusters."""


async def wants_clusters(workspace: WorkspaceAccess, of: ClusterOf) -> bool:
    """Whether the workspace clusters its documents, or its chunks."""
    setting = (await configuration_of(workspace)).settings.clusters
    return setting in ("all", "documents" if of is ClusterOf.DOCUMENTS else "chunks")


async def cluster_further(
    engine: Services, workspace_id: UUID, of: ClusterOf = ClusterOf.DOCUMENTS
) -> bool:
    """Do the next piece of clustering work; return whether there was any.

    All members are clustered again where many were added or removed; else a batch of new ones is
    assigned to existing clusters. Raises StoreUnavailable and StoreFull; other failures are
    recorded.
    """
    work = await _work(engine, workspace_id, of)
    if work is None:
        return False
    try:
        if work.run is None:
            await _cluster_all(engine, workspace_id, work)
        elif work.new_numbers.size:
            await _join_new_members(engine, workspace_id, work, work.run)
        else:
            return False
    except (StoreUnavailable, StoreFull):
        raise
    except Exception as error:
        reason = failure_reason(error, "clustering_failed", workspace_id=str(workspace_id))
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await stored.note_cluster_failure(scope, work.lane_id, reason, of)
        return False
    return True


async def _work(engine: Services, workspace_id: UUID, of: ClusterOf) -> _Work | None:
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        lane = await current_lane(scope, engine.lane.name)
        if lane is None:
            return None
        members = await stored.embedded_members(scope, lane[0], of)
        last = await stored.last_run(scope, of)
        processed = np.zeros(0, np.int32)
        if last is not None:
            processed = await stored.numbers_looked_at(scope, last.run, of)
    new_numbers = np.setdiff1d(numbers_to_cluster(members.numbers, of), processed)
    valid = last is not None and not _is_due(last, lane[0], members.numbers, new_numbers)
    return _Work(
        of=of,
        lane_id=lane[0],
        members=members,
        run=last if valid else None,
        last=last,
        new_numbers=new_numbers,
    )


def numbers_to_cluster(numbers: Numbers, of: ClusterOf) -> Numbers:
    """Return the numbers to cluster: all documents, or a sample of chunks."""
    return numbers if of is ClusterOf.DOCUMENTS else sample_of(numbers, MAX_COMPARED)


def _is_due(run: ClusterRun, lane_id: int, numbers: Numbers, new_numbers: Numbers) -> bool:
    if run.lane_id != lane_id:
        return True
    added = int((numbers > run.last_number).sum())
    # Negative where members with lower numbers were published after the last run.
    removed = run.members - (numbers.size - added)
    if numbers.size < FEW:
        return bool(new_numbers.size or removed)
    return added + abs(removed) > RENEWED * run.members


def sample_of(numbers: Numbers, size: int) -> Numbers:
    """Return a sample of at most `size` numbers, ascending, which few changes barely alter."""
    if numbers.size <= size:
        return numbers
    spread = numbers.astype(np.uint32) * _HASH_MULTIPLIER
    sampled: Numbers = np.sort(numbers[np.argsort(spread, kind="stable")[:size]])
    return sampled


async def _cluster_all(engine: Services, workspace_id: UUID, work: _Work) -> None:
    numbers = sample_of(work.members.numbers, MAX_COMPARED)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        vectors = await stored.vectors_of(scope, work.lane_id, numbers, work.of)
    if vectors.shape[0] != numbers.size:
        return  # Some were deleted between the transactions: the next call sees the rest.
    clusterings = await _compute_clusters(vectors)
    run_number = 1 if work.last is None else work.last.run + 1
    document_ids = work.members.documents_of(numbers)
    members_to_store: list[StoredMembers] = []
    renamed: list[UUID] = []
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        for granularity, labels in clusterings.items():
            before: Mapping[int, UUID] = {}
            if work.last is not None:
                before = await stored.members_of_run(scope, granularity, work.last.run, work.of)
            assignment = await asyncio.to_thread(
                stabilised, granularity, labels, vectors, numbers.tolist(), before
            )
            renamed += assignment.changed
            members_to_store.append(
                StoredMembers(
                    granularity=granularity,
                    document_ids=document_ids,
                    numbers=tuple(numbers.tolist()),
                    cluster_ids=assignment.cluster_ids,
                )
            )
        run = ClusterRun(
            lane_id=work.lane_id,
            run=run_number,
            members=work.members.numbers.size,
            last_number=int(work.members.numbers.max(initial=0)),
            clustered_at=datetime.now(UTC),
            failure=None,
        )
        await stored.store_clusters(scope, work.lane_id, run, members_to_store, work.of)
        await stored.drop_cluster_names(scope, renamed)


async def _compute_clusters(vectors: Vectors) -> Mapping[ClusterGranularity, Labels]:
    """Cluster vectors in a thread, which stops soon after the task is cancelled."""
    stopped = False

    def stop_if_cancelled(_done: int, _total: int) -> None:
        if stopped:
            raise _Stopped

    try:
        return await asyncio.to_thread(clustered, vectors, stop_if_cancelled)
    except asyncio.CancelledError:
        stopped = True
        raise


async def _join_new_members(
    engine: Services, workspace_id: UUID, work: _Work, run: ClusterRun
) -> None:
    new_numbers = work.new_numbers[:_JOINED_AT_ONCE]
    existing = np.setdiff1d(numbers_to_cluster(work.members.numbers, work.of), work.new_numbers)
    existing = sample_of(existing, MAX_COMPARED)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        vectors = await stored.vectors_of(scope, work.lane_id, existing, work.of)
        new_vectors = await stored.vectors_of(scope, work.lane_id, new_numbers, work.of)
        members = {
            level: await stored.members_of_run(scope, level, run.run, work.of)
            for level in ClusterGranularity
        }
    if vectors.shape[0] != existing.size or new_vectors.shape[0] != new_numbers.size:
        return  # Some were deleted between the transactions.

    def assign(cluster_of: Mapping[int, UUID]) -> tuple[UUID | None, ...]:
        clusters = [cluster_of.get(number) for number in existing.tolist()]
        order = list(dict.fromkeys(cluster_id for cluster_id in clusters if cluster_id is not None))
        positions: dict[UUID | None, int] = {
            cluster_id: number for number, cluster_id in enumerate(order)
        }
        labels = np.array([positions.get(cluster_id, OUTLIER) for cluster_id in clusters], np.int32)
        joined_labels = assign_new(middles_of(vectors, labels), new_vectors).tolist()
        return tuple(None if label == OUTLIER else order[label] for label in joined_labels)

    assigned = {
        level: await asyncio.to_thread(assign, cluster_of) for level, cluster_of in members.items()
    }
    document_ids = work.members.documents_of(new_numbers)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        for granularity, cluster_ids in assigned.items():
            joining = StoredMembers(
                granularity=granularity,
                document_ids=document_ids,
                numbers=tuple(new_numbers.tolist()),
                cluster_ids=cluster_ids,
            )
            await stored.store_members(scope, work.lane_id, run.run, joining, work.of)
