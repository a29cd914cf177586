"""The map of a workspace's documents: the position of each among all visible ones."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import numpy as np

from footnote.domain import (
    MAX_MAPPED,
    Condition,
    DocumentClass,
    DocumentMap,
    DocumentStatus,
    MapArea,
    MapCluster,
    MapPoint,
    Progress,
)
from footnote.domain.clusters import ClusterGranularity
from footnote.engine.cluster_naming import label_terms
from footnote.engine.clusters import MappedClusters, mapped_clusters
from footnote.engine.map_layouts import Layout, LayoutKey
from footnote.engine.services import WorkspaceAccess
from footnote.knowledge.labels import labels_of
from footnote.store import document_map as stored
from footnote.store.document_map import MappedDocuments
from footnote.store.lanes import current_lane
from footnote.store.listing import Listing
from footnote.validation.constrained_types import ListQuery, MapWait, Name, Tag

_DECIMALS = 4
"""Of coordinates, on a map two units wide: a fifth of a pixel on a screen of 4,000."""


async def document_map(
    workspace: WorkspaceAccess,
    *,
    query: ListQuery = "",
    collection: Name | None = None,
    status: DocumentStatus | None = None,
    document_class: DocumentClass | None = None,
    tag: Tag | None = None,
    where: Condition | None = None,
    clusters: ClusterGranularity | None = None,
    wait_seconds: MapWait = 30,
) -> DocumentMap:
    """Return the positions of the documents that match, in the layout of all visible ones.

    Neither filters nor hidden documents change the layout. With `clusters`, each point has its
    cluster of that granularity. If the layout takes longer than `wait_seconds`, the map has no
    points but the progress, and the layout continues: ask again. Raises InvalidRequest.
    """
    listing = Listing(
        query=query,
        collection=collection,
        status=status,
        document_class=document_class,
        tag=tag,
        where=where,
    )
    engine = workspace.engine
    # One snapshot, so that each document has its own vector.
    async with workspace.snapshot() as scope:
        lane = await current_lane(scope, engine.lane.name)
        lane_id = None if lane is None else lane[0]
        mapped = await stored.load_documents(scope, lane_id, listing, most=MAX_MAPPED)
        numbers = np.array([document.number for document in mapped.documents], dtype=np.int32)
        if lane_id is None or not numbers.size:
            return _without_points(mapped)
        membership = MappedClusters()
        if clusters is not None:
            membership = await mapped_clusters(scope, lane_id, clusters)
        key = LayoutKey.of(workspace.workspace_id, lane_id, numbers)
        vectors = None
        if engine.map_layouts.wants_vectors(key):
            vector_numbers, vectors = await stored.load_vectors(scope, lane_id, numbers.tolist())
            assert np.array_equal(vector_numbers, numbers), (
                "a snapshot has one vector for each document"
            )
    if vectors is not None and engine.map_layouts.wants_vectors(key):
        engine.map_layouts.begin(key, vectors)
    layout = await engine.map_layouts.wait(key, wait_seconds)
    if not isinstance(layout, Layout):
        return _without_points(mapped, layout)
    return await asyncio.to_thread(_map_of_layout, mapped, layout, membership)


def _without_points(mapped: MappedDocuments, progress: Progress | None = None) -> DocumentMap:
    return DocumentMap(
        points=(),
        areas=(),
        total=mapped.total,
        unplaced=mapped.total - mapped.embedded,
        left_out=0,
        progress=progress,
    )


def _map_of_layout(
    mapped: MappedDocuments, layout: Layout, membership: MappedClusters
) -> DocumentMap:
    terms = [
        label_terms(document.title, document.keywords, document.language)
        for document in mapped.documents
    ]
    labels = labels_of(layout.areas, terms)
    positions = np.round(layout.places.astype(np.float64), _DECIMALS).tolist()
    points = tuple(
        MapPoint(
            document_id=document.document_id,
            title=document.title,
            collection=document.collection,
            document_class=document.document_class,
            status=document.status,
            tags=document.tags,
            x=x,
            y=y,
            area=area,
            cluster_id=membership.places.get(document.document_id),
        )
        for document, (x, y), area in zip(
            mapped.documents, positions, layout.areas.tolist(), strict=True
        )
        if document.chosen
    )
    counts = np.bincount([point.area for point in points], minlength=len(labels)).tolist()
    areas = []
    for number, (label, documents) in enumerate(zip(labels, counts, strict=True)):
        if documents:
            x, y = layout.places[layout.areas == number].mean(axis=0).tolist()
            areas.append(
                MapArea(
                    area=number,
                    label=label,
                    x=round(x, _DECIMALS),
                    y=round(y, _DECIMALS),
                    documents=documents,
                )
            )
    return DocumentMap(
        points=points[::-1],
        areas=tuple(areas),
        clusters=_clusters(membership, points),
        total=mapped.total,
        unplaced=mapped.total - mapped.embedded,
        left_out=mapped.embedded - len(points),
    )


def _clusters(membership: MappedClusters, points: Sequence[MapPoint]) -> tuple[MapCluster, ...]:
    counts = Counter(point.cluster_id for point in points if point.cluster_id is not None)
    return tuple(
        MapCluster(
            cluster_id=cluster_id, label=membership.labels[cluster_id], documents=counts[cluster_id]
        )
        for cluster_id in sorted(counts, key=lambda key: (-counts[key], key))
    )
