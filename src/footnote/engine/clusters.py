"""The clusters of a workspace, limited to the members that the principal may see."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated
from uuid import UUID

import numpy as np
from pydantic import Field, TypeAdapter

from footnote.domain import Passage
from footnote.domain.clusters import (
    MIN_VISIBLE_MEMBERS,
    Cluster,
    ClusterDetail,
    ClusteredDocument,
    ClusteredPassage,
    ClusterGranularity,
    ClusterOf,
    ClusterPage,
    ClusterProgress,
    LabelTerm,
    NearCluster,
)
from footnote.engine.cluster_naming import SampledCluster, centroid_of, load_sampled
from footnote.engine.clustering import numbers_to_cluster, wants_clusters
from footnote.engine.services import WorkspaceAccess
from footnote.knowledge.cluster_titles import TERMS
from footnote.store import clusters as stored
from footnote.store.clusters import ClusterName, SampledMember
from footnote.store.database import WorkspaceScope
from footnote.store.lanes import current_lane
from footnote.store.queue import clustering_enqueued
from footnote.validation.cursors import Count, read_cursor, write_cursor

_REPRESENTATIVES = 3
_NEIGHBOURS = 5
_MAX_MEMBERS = {ClusterOf.DOCUMENTS: 2_000, ClusterOf.CHUNKS: 1_000}
"""Most members of a cluster ranked by distance; the latest ones of a larger cluster."""
_DECIMALS = 4
_COARSER = {
    ClusterGranularity.FINE: ClusterGranularity.MIDDLE,
    ClusterGranularity.MIDDLE: ClusterGranularity.COARSE,
}

_CURSOR = TypeAdapter(tuple[Count, UUID])
"""Cursor: member count and id of a cluster; the largest come first."""

ClusterLimit = Annotated[int, Field(ge=1, le=200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _VisibleClusters:
    """The clusters of one granularity that somebody may see."""

    of: ClusterOf
    counts: Mapping[UUID, int]
    documents: Mapping[UUID, int]
    """Number of documents that the visible members of each cluster belong to."""
    outliers: int
    names: Mapping[UUID, ClusterName]
    """Stored names of the clusters all of whose members are visible."""
    parents: Mapping[UUID, UUID]

    @property
    def order(self) -> list[UUID]:
        """The largest first."""
        return sorted(self.counts, key=lambda cluster_id: (-self.counts[cluster_id], cluster_id))

    def chunks_of(self, cluster_id: UUID) -> int | None:
        """How many chunks a cluster of chunks has."""
        return self.counts[cluster_id] if self.of is ClusterOf.CHUNKS else None


async def clusters(
    workspace: WorkspaceAccess,
    *,
    of: ClusterOf = ClusterOf.DOCUMENTS,
    granularity: ClusterGranularity = ClusterGranularity.MIDDLE,
    limit: ClusterLimit = 50,
    cursor: str | None = None,
) -> ClusterPage:
    """List clusters of documents or chunks, the largest first.

    Counts, labels and representatives come from the documents that the principal may see; a cluster
    with fewer than three visible members is left out, and its members count as outliers. Raises
    InvalidRequest.
    """
    after = None if cursor is None else read_cursor(_CURSOR, cursor, "clusters", of, granularity)
    async with workspace.snapshot() as scope:
        lane = await current_lane(scope, workspace.engine.lane.name)
        if lane is None:
            return ClusterPage(of=of, granularity=granularity, clusters=(), outliers=0, unplaced=0)
        visible = await _load_visible_clusters(scope, lane[0], granularity, of)
        compute_samples = await load_sampled(scope, lane[0], sorted(visible.counts), of)
        progress = await _count_progress(scope, lane[0], of)
    order = visible.order
    if after is not None:
        order = [
            cluster_id
            for cluster_id in order
            if (-visible.counts[cluster_id], cluster_id) > (-after[0], after[1])
        ]
    samples = await asyncio.to_thread(compute_samples)
    page = order[:limit]
    last = page[-1] if len(order) > limit else None
    return ClusterPage(
        of=of,
        granularity=granularity,
        clusters=tuple(_cluster(granularity, visible, samples[cluster_id]) for cluster_id in page),
        outliers=visible.outliers,
        unplaced=progress.unplaced,
        next_cursor=None
        if last is None
        else write_cursor(_CURSOR, (visible.counts[last], last), "clusters", of, granularity),
    )


async def cluster(
    workspace: WorkspaceAccess, cluster_id: UUID, *, limit: ClusterLimit = 50
) -> ClusterDetail:
    """Return a cluster with its most typical members, its terms and its nearest clusters.

    Raises NotFound, also where fewer than three of its members may be seen.
    """
    async with workspace.snapshot() as scope:
        lane = await current_lane(scope, workspace.engine.lane.name)
        if lane is None:
            raise stored.no_such_cluster(cluster_id)
        granularity, of = await stored.kind_of_cluster(scope, cluster_id)
        visible = await _load_visible_clusters(scope, lane[0], granularity, of)
        if cluster_id not in visible.counts:
            raise stored.no_such_cluster(cluster_id)
        compute_samples = await load_sampled(scope, lane[0], sorted(visible.counts), of)
        max_members = _MAX_MEMBERS[of]
        members = await stored.sampled_members(
            scope, lane[0], [cluster_id], most=max_members, of=of
        )
        numbers = np.array([member.number for member in members], np.int32)
        vectors = await stored.vectors_of(scope, lane[0], numbers, of)
    samples = await asyncio.to_thread(compute_samples)
    _, similarities = centroid_of(vectors)
    order = np.argsort(-similarities, kind="stable")[:limit].tolist()
    return ClusterDetail(
        cluster=_cluster(granularity, visible, samples[cluster_id]),
        members=tuple(_member(members[row], float(similarities[row])) for row in order),
        terms=tuple(
            LabelTerm(
                term=term.term, documents=term.documents, weight=round(term.weight, _DECIMALS)
            )
            for term in samples[cluster_id].terms
        ),
        neighbours=_nearest_clusters(visible, samples, cluster_id),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedClusters:
    """Which documents that somebody may see are in which clusters."""

    places: Mapping[UUID, UUID] = field(default_factory=dict)
    """The cluster of each document that is in one."""
    labels: Mapping[UUID, tuple[str, ...]] = field(default_factory=dict)


async def mapped_clusters(
    scope: WorkspaceScope, lane_id: int, granularity: ClusterGranularity
) -> MappedClusters:
    """The clusters that the principal may see, for a map of documents."""
    visible = await _load_visible_clusters(scope, lane_id, granularity, ClusterOf.DOCUMENTS)
    cluster_ids = await stored.clusters_of_documents(scope, lane_id, granularity)
    compute_samples = await load_sampled(
        scope, lane_id, sorted(visible.counts), ClusterOf.DOCUMENTS
    )
    samples = await asyncio.to_thread(compute_samples)
    return MappedClusters(
        places={
            document: cluster for document, cluster in cluster_ids.items() if cluster in samples
        },
        labels={cluster_id: _label(visible, sample)[0] for cluster_id, sample in samples.items()},
    )


async def cluster_progress(
    workspace: WorkspaceAccess, *, of: ClusterOf = ClusterOf.DOCUMENTS
) -> ClusterProgress:
    """Return the clustering progress of the documents or chunks that may be seen."""
    enabled = await wants_clusters(workspace, of)
    async with workspace.scope() as scope:
        lane = await current_lane(scope, workspace.engine.lane.name)
        progress = _Progress() if lane is None else await _count_progress(scope, lane[0], of)
        run = await stored.last_run(scope, of)
    async with workspace.system_scope() as scope:
        running = await clustering_enqueued(scope)
    return ClusterProgress(
        of=of,
        enabled=enabled,
        documents=progress.documents,
        done=progress.done,
        running=running and enabled and progress.unplaced > 0,
        oldest_waiting=progress.oldest_waiting if progress.unplaced else None,
        clustered_at=None if run is None or not run.run else run.clustered_at,
        failure=None if run is None else run.failure,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Progress:
    """Clustering progress of what the principal may see."""

    documents: int = 0
    """Documents to cluster, or those with chunks to cluster."""
    done: int = 0
    """Number of these documents with nothing left to cluster."""
    unplaced: int = 0
    """Documents or chunks not yet processed."""
    oldest_waiting: datetime | None = None


async def _count_progress(scope: WorkspaceScope, lane_id: int, of: ClusterOf) -> _Progress:
    members = await stored.embedded_members(scope, lane_id, of)
    done, oldest = await stored.count_looked_at(scope, lane_id, of)
    if of is ClusterOf.DOCUMENTS:
        embedded = members.numbers.size
        return _Progress(
            documents=embedded, done=done, unplaced=embedded - done, oldest_waiting=oldest
        )
    all_numbers = await stored.numbers_of_all(scope, lane_id)
    target_numbers = np.intersect1d(members.numbers, numbers_to_cluster(all_numbers, of))
    run = await stored.last_run(scope, of)
    processed = np.zeros(0, np.int32)
    if run is not None:
        processed = await stored.numbers_looked_at(scope, run.run, of)
    waiting = np.setdiff1d(target_numbers, processed)
    documents = len(set(members.documents_of(target_numbers)))
    return _Progress(
        documents=documents,
        done=documents - len(set(members.documents_of(waiting))),
        unplaced=waiting.size,
        oldest_waiting=oldest,
    )


async def _load_visible_clusters(
    scope: WorkspaceScope, lane_id: int, granularity: ClusterGranularity, of: ClusterOf
) -> _VisibleClusters:
    visible_counts = await stored.count_visible(scope, lane_id, granularity, of)
    counts = {
        cluster_id: count
        for cluster_id, count in visible_counts.clusters.items()
        if count >= MIN_VISIBLE_MEMBERS
    }
    totals = await stored.count_all(scope, lane_id, granularity, of)
    parents: dict[UUID, UUID] = {}
    coarser = _COARSER.get(granularity)
    if coarser is not None:
        coarser_counts = await stored.count_visible(scope, lane_id, coarser, of)
        visible_parents = {
            cluster_id
            for cluster_id, count in coarser_counts.clusters.items()
            if count >= MIN_VISIBLE_MEMBERS
        }
        shared_counts = await stored.parents_of(scope, lane_id, granularity, coarser, of)
        for cluster_id, parent_counts in shared_counts.items():
            candidates = [
                (-count, parent)
                for parent, count in parent_counts.items()
                if parent in visible_parents
            ]
            if candidates:
                parents[cluster_id] = min(candidates)[1]
    return _VisibleClusters(
        of=of,
        counts=counts,
        documents=visible_counts.documents,
        outliers=visible_counts.outliers
        + sum(visible_counts.clusters.values())
        - sum(counts.values()),
        names=await stored.cluster_names(
            scope,
            [cluster_id for cluster_id, count in counts.items() if totals.get(cluster_id) == count],
        ),
        parents=parents,
    )


def _cluster(
    granularity: ClusterGranularity, visible: _VisibleClusters, sample: SampledCluster
) -> Cluster:
    label, labelled_by = _label(visible, sample)
    typical = list(zip(sample.members, sample.similarities, strict=True))[:_REPRESENTATIVES]
    return Cluster(
        cluster_id=sample.cluster_id,
        of=visible.of,
        granularity=granularity,
        label=label,
        labelled_by=labelled_by,
        documents=visible.documents[sample.cluster_id],
        chunks=visible.chunks_of(sample.cluster_id),
        representatives=tuple(_member(member, similarity) for member, similarity in typical),
        parent_id=visible.parents.get(sample.cluster_id),
    )


def _label(visible: _VisibleClusters, sample: SampledCluster) -> tuple[tuple[str, ...], str]:
    name = visible.names.get(sample.cluster_id)
    return (sample.label, TERMS) if name is None else (name.label, name.labelled_by)


def _nearest_clusters(
    visible: _VisibleClusters, samples: Mapping[UUID, SampledCluster], cluster_id: UUID
) -> tuple[NearCluster, ...]:
    centroid = samples[cluster_id].middle
    neighbours = sorted(
        (round(1 - float(sample.middle @ centroid), _DECIMALS), sample.cluster_id)
        for sample in samples.values()
        if sample.cluster_id != cluster_id
    )
    return tuple(
        NearCluster(
            cluster_id=neighbour_id,
            label=_label(visible, samples[neighbour_id])[0],
            documents=visible.documents[neighbour_id],
            chunks=visible.chunks_of(neighbour_id),
            distance=distance,
        )
        for distance, neighbour_id in neighbours[:_NEIGHBOURS]
    )


def _member(member: SampledMember, similarity: float) -> ClusteredDocument:
    return ClusteredDocument(
        document_id=member.document_id,
        title=member.title,
        collection=member.collection,
        distance=round(1 - similarity, _DECIMALS),
        passage=None if member.passage is None else _clustered_passage(member.passage),
    )


def _clustered_passage(passage: Passage) -> ClusteredPassage:
    return ClusteredPassage(
        chunk_id=passage.chunk_id,
        version=passage.version,
        heading_path=passage.heading_path,
        page=passage.page_start,
        paragraph=passage.paragraph_start,
        char_start=passage.char_start,
        char_end=passage.char_end,
        quote=passage.text[passage.body_offset :],
    )
