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
    LEAST_SEEN,
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
from footnote.engine.cluster_naming import SampledCluster, load_sampled, middle_of
from footnote.engine.clustering import wanted_of, wants_clusters
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
_MOST_MEMBERS = {ClusterOf.DOCUMENTS: 2_000, ClusterOf.CHUNKS: 1_000}
"""Most members of a cluster ranked by distance; the latest ones of a larger cluster."""
_DECIMALS = 4
_COARSER = {
    ClusterGranularity.FINE: ClusterGranularity.MIDDLE,
    ClusterGranularity.MIDDLE: ClusterGranularity.COARSE,
}

_PLACE = TypeAdapter(tuple[Count, UUID])
"""Cursor: member count and id of a cluster; the largest come first."""

ClusterLimit = Annotated[int, Field(ge=1, le=200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
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
        return sorted(self.counts, key=lambda each: (-self.counts[each], each))

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
    with fewer than three members in them is not there, and its members count as outliers. Raises
    InvalidRequest.
    """
    place = None if cursor is None else read_cursor(_PLACE, cursor, "clusters", of, granularity)
    async with workspace.snapshot() as scope:
        lane = await current_lane(scope, workspace.engine.lane.name)
        if lane is None:
            return ClusterPage(of=of, granularity=granularity, clusters=(), outliers=0, unplaced=0)
        seen = await _seen(scope, lane[0], granularity, of)
        sampled = await load_sampled(scope, lane[0], sorted(seen.counts), of)
        counted = await _counted(scope, lane[0], of)
    order = seen.order
    if place is not None:
        order = [each for each in order if (-seen.counts[each], each) > (-place[0], place[1])]
    found = await asyncio.to_thread(sampled)
    shown = order[:limit]
    last = shown[-1] if len(order) > limit else None
    return ClusterPage(
        of=of,
        granularity=granularity,
        clusters=tuple(_cluster(granularity, seen, found[each]) for each in shown),
        outliers=seen.outliers,
        unplaced=counted.unplaced,
        next_cursor=None
        if last is None
        else write_cursor(_PLACE, (seen.counts[last], last), "clusters", of, granularity),
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
        seen = await _seen(scope, lane[0], granularity, of)
        if cluster_id not in seen.counts:
            raise stored.no_such_cluster(cluster_id)
        sampled = await load_sampled(scope, lane[0], sorted(seen.counts), of)
        most = _MOST_MEMBERS[of]
        own = await stored.sampled_members(scope, lane[0], [cluster_id], most=most, of=of)
        numbers = np.array([each.number for each in own], np.int32)
        vectors = await stored.vectors_of(scope, lane[0], numbers, of)
    found = await asyncio.to_thread(sampled)
    _, similarities = middle_of(vectors)
    order = np.argsort(-similarities, kind="stable")[:limit].tolist()
    return ClusterDetail(
        cluster=_cluster(granularity, seen, found[cluster_id]),
        members=tuple(_member(own[each], float(similarities[each])) for each in order),
        terms=tuple(
            LabelTerm(term=each.term, documents=each.documents, weight=round(each.weight, 4))
            for each in found[cluster_id].terms
        ),
        neighbours=_near(seen, found, cluster_id),
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
    seen = await _seen(scope, lane_id, granularity, ClusterOf.DOCUMENTS)
    places = await stored.places_of_documents(scope, lane_id, granularity)
    sampled = await load_sampled(scope, lane_id, sorted(seen.counts), ClusterOf.DOCUMENTS)
    found = await asyncio.to_thread(sampled)
    return MappedClusters(
        places={document: cluster for document, cluster in places.items() if cluster in found},
        labels={each: _label(seen, own)[0] for each, own in found.items()},
    )


async def cluster_progress(
    workspace: WorkspaceAccess, *, of: ClusterOf = ClusterOf.DOCUMENTS
) -> ClusterProgress:
    """Return the clustering progress of the documents or chunks that may be seen."""
    enabled = await wants_clusters(workspace, of)
    async with workspace.scope() as scope:
        lane = await current_lane(scope, workspace.engine.lane.name)
        counted = _Counted() if lane is None else await _counted(scope, lane[0], of)
        run = await stored.last_run(scope, of)
    async with workspace.system_scope() as scope:
        running = await clustering_enqueued(scope)
    return ClusterProgress(
        of=of,
        enabled=enabled,
        documents=counted.documents,
        done=counted.done,
        running=running and enabled and counted.unplaced > 0,
        oldest_waiting=counted.oldest_waiting if counted.unplaced else None,
        clustered_at=None if run is None or not run.run else run.clustered_at,
        failure=None if run is None else run.failure,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """Clustering progress of what the principal may see."""

    documents: int = 0
    """Documents to cluster, or those with chunks to cluster."""
    done: int = 0
    """Number of these documents with nothing left to cluster."""
    unplaced: int = 0
    """Documents or chunks not yet processed."""
    oldest_waiting: datetime | None = None


async def _counted(scope: WorkspaceScope, lane_id: int, of: ClusterOf) -> _Counted:
    seen = await stored.embedded_members(scope, lane_id, of)
    done, oldest = await stored.count_looked_at(scope, lane_id, of)
    if of is ClusterOf.DOCUMENTS:
        there = seen.numbers.size
        return _Counted(documents=there, done=done, unplaced=there - done, oldest_waiting=oldest)
    every = await stored.numbers_of_all(scope, lane_id)
    wanted = np.intersect1d(seen.numbers, wanted_of(every, of))
    run = await stored.last_run(scope, of)
    looked_at = np.zeros(0, np.int32)
    if run is not None:
        looked_at = await stored.numbers_looked_at(scope, run.run, of)
    waiting = np.setdiff1d(wanted, looked_at)
    documents = len(set(seen.documents_of(wanted)))
    return _Counted(
        documents=documents,
        done=documents - len(set(seen.documents_of(waiting))),
        unplaced=waiting.size,
        oldest_waiting=oldest,
    )


async def _seen(
    scope: WorkspaceScope, lane_id: int, granularity: ClusterGranularity, of: ClusterOf
) -> _Seen:
    found = await stored.count_seen(scope, lane_id, granularity, of)
    counts = {each: count for each, count in found.clusters.items() if count >= LEAST_SEEN}
    whole = await stored.count_all(scope, lane_id, granularity, of)
    parents: dict[UUID, UUID] = {}
    coarser = _COARSER.get(granularity)
    if coarser is not None:
        above = await stored.count_seen(scope, lane_id, coarser, of)
        there = {each for each, count in above.clusters.items() if count >= LEAST_SEEN}
        shared = await stored.parents_of(scope, lane_id, granularity, coarser, of)
        for each, several in shared.items():
            among = [(-count, parent) for parent, count in several.items() if parent in there]
            if among:
                parents[each] = min(among)[1]
    return _Seen(
        of=of,
        counts=counts,
        documents=found.documents,
        outliers=found.outliers + sum(found.clusters.values()) - sum(counts.values()),
        names=await stored.cluster_names(
            scope, [each for each, count in counts.items() if whole.get(each) == count]
        ),
        parents=parents,
    )


def _cluster(granularity: ClusterGranularity, seen: _Seen, found: SampledCluster) -> Cluster:
    label, labelled_by = _label(seen, found)
    typical = list(zip(found.members, found.similarities, strict=True))[:_REPRESENTATIVES]
    return Cluster(
        cluster_id=found.cluster_id,
        of=seen.of,
        granularity=granularity,
        label=label,
        labelled_by=labelled_by,
        documents=seen.documents[found.cluster_id],
        chunks=seen.chunks_of(found.cluster_id),
        representatives=tuple(_member(each, similarity) for each, similarity in typical),
        parent_id=seen.parents.get(found.cluster_id),
    )


def _label(seen: _Seen, found: SampledCluster) -> tuple[tuple[str, ...], str]:
    name = seen.names.get(found.cluster_id)
    return (found.label, TERMS) if name is None else (name.label, name.labelled_by)


def _near(
    seen: _Seen, found: Mapping[UUID, SampledCluster], cluster_id: UUID
) -> tuple[NearCluster, ...]:
    middle = found[cluster_id].middle
    others = sorted(
        (round(1 - float(each.middle @ middle), _DECIMALS), each.cluster_id)
        for each in found.values()
        if each.cluster_id != cluster_id
    )
    return tuple(
        NearCluster(
            cluster_id=each,
            label=_label(seen, found[each])[0],
            documents=seen.documents[each],
            chunks=seen.chunks_of(each),
            distance=distance,
        )
        for distance, each in others[:_NEIGHBOURS]
    )


def _member(member: SampledMember, similarity: float) -> ClusteredDocument:
    return ClusteredDocument(
        document_id=member.document_id,
        title=member.title,
        collection=member.collection,
        distance=round(1 - similarity, _DECIMALS),
        passage=None if member.passage is None else _placed(member.passage),
    )


def _placed(passage: Passage) -> ClusteredPassage:
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
