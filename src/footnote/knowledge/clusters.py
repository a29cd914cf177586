"""Cluster document vectors at several granularities, and assign new documents to clusters.

Documents are first projected to the map's plane, where density separates groups that blur in
hundreds of dimensions; clusters are its dense regions. Outliers and later documents join the
cluster with the most similar centroid, if they are as near to it as all but a few of its members.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

import numpy as np
import numpy.typing as npt

from footnote.domain.clusters import ClusterGranularity
from footnote.knowledge.density import OUTLIER, Labels, OnProgress, by_size, clusters_of, linkage_of
from footnote.knowledge.layout import lay_out
from footnote.ports import Vectors

MIN_CLUSTER = 3
_SHARES = {
    ClusterGranularity.COARSE: 2.0,
    ClusterGranularity.MIDDLE: 0.5,
    ClusterGranularity.FINE: 0.25,
}
"""Least documents of a cluster, as a multiple of the square root of the number of all."""
_PARTS = 5
"""Clusters that even few documents can form: the least size is at most their number over this."""
_NEIGHBOURS = 0.1
"""Neighbours that measure a document's density, as a multiple of the square root of all."""
_FEWEST_NEIGHBOURS, _MAX_NEIGHBOURS = 3, 10
_FEW, _NEIGHBOURS_OF_FEW = 30, 2
"""Fewer documents are clustered by their vectors, with so many neighbours, not on the plane."""
_FARTHEST_SHARE = 0.05
"""Share of a cluster's documents that are farther from its centroid than a new one may be."""
_MIN_OVERLAP = 1 / 3
"""Least Jaccard overlap for a cluster to keep an earlier one's id; reached by half of each."""

_MOVE_MARGIN = 0.05
"""How much more similar (cosine) a document must be to another cluster's centroid to move there: on
BANKING77, .02 made 4 of 100 more move, and .1 made clusters agree less with its groups."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Middles:
    """The centroids of the clusters of one granularity."""

    directions: Vectors
    """Centroid of each cluster, shape (clusters, dimensions), unit length."""
    reaches: npt.NDArray[np.float32]
    """Least cosine to each centroid that a document needs to join the cluster."""


def clustered(
    vectors: Vectors, on_progress: OnProgress = lambda _done, _total: None
) -> Mapping[ClusterGranularity, Labels]:
    """Cluster the documents by their vectors at each granularity."""
    count = vectors.shape[0]
    if count < 2 * MIN_CLUSTER:
        return {
            granularity: np.full(count, OUTLIER, np.int32) for granularity in ClusterGranularity
        }
    if count < _FEW:
        linkage = linkage_of(_unit(vectors), _NEIGHBOURS_OF_FEW, on_progress)
    else:
        neighbours = round(_NEIGHBOURS * math.sqrt(count))
        neighbours = min(max(neighbours, _FEWEST_NEIGHBOURS), _MAX_NEIGHBOURS)
        linkage = linkage_of(lay_out(vectors, on_progress), neighbours, on_progress)
    labels_by_granularity = {}
    for granularity in ClusterGranularity:
        labels = clusters_of(linkage, minimum_size(granularity, count))
        assigned = assign_new(middles_of(vectors, labels), vectors)
        labels_by_granularity[granularity] = by_size(np.where(labels == OUTLIER, assigned, labels))
    return labels_by_granularity


def minimum_size(granularity: ClusterGranularity, count: int) -> int:
    """Return the least size of a cluster among `count` documents."""
    size = round(_SHARES[granularity] * math.sqrt(count))
    return max(MIN_CLUSTER, min(size, count // _PARTS))


def middles_of(vectors: Vectors, labels: Labels) -> Middles:
    """Compute the centroids of the clusters; each number up to the highest must have documents."""
    clusters = int(labels.max(initial=OUTLIER)) + 1
    unit = _unit(vectors)
    directions = np.zeros((clusters, vectors.shape[1]), np.float32)
    reaches = np.zeros(clusters, np.float32)
    for cluster in range(clusters):
        members = unit[labels == cluster]
        total = members.sum(axis=0)
        directions[cluster] = _unit(total[None])[0]
        # Compare each document with the centroid of the others, as a new document is compared.
        products = members @ total - 1
        lengths = np.sqrt(np.maximum(float(total @ total) - 2 * (members @ total) + 1, 1e-12))
        reaches[cluster] = np.quantile(products / lengths, _FARTHEST_SHARE, method="lower")
    return Middles(directions=directions, reaches=reaches)


def assign_new(middles: Middles, vectors: Vectors) -> Labels:
    """Assign each new document to a cluster, -1 for none."""
    if not middles.directions.shape[0] or not vectors.shape[0]:
        return np.full(vectors.shape[0], OUTLIER, np.int32)
    similar = _unit(vectors) @ middles.directions.T
    best = similar.argmax(axis=1)
    is_near = similar[np.arange(best.size), best] >= middles.reaches[best]
    labels: Labels = np.where(is_near, best, OUTLIER).astype(np.int32)
    return labels


def matched(
    labels: Labels, numbers: Sequence[int], earlier_ids: Mapping[int, UUID]
) -> tuple[UUID, ...]:
    """Give each cluster the id of the earlier one with mostly the same documents, or a new id.

    `numbers` name the documents of the labels, and `earlier_ids` gives the earlier cluster of each
    that had one. Documents without an earlier cluster are ignored.
    """
    clusters = int(labels.max(initial=OUTLIER)) + 1
    shared: dict[tuple[UUID, int], int] = {}
    with_earlier = [0] * clusters
    sizes: dict[UUID, int] = {}
    present = set(numbers)
    for number, earlier_id in earlier_ids.items():
        if number in present:
            sizes[earlier_id] = sizes.get(earlier_id, 0) + 1
    for number, label in zip(numbers, labels.tolist(), strict=True):
        previous = earlier_ids.get(number)
        if label != OUTLIER and previous is not None:
            with_earlier[label] += 1
            shared[previous, label] = shared.get((previous, label), 0) + 1
    overlaps = sorted(
        (-common / (sizes[earlier] + with_earlier[label] - common), label, earlier)
        for (earlier, label), common in shared.items()
    )
    ids: list[UUID | None] = [None] * clusters
    reused: set[UUID] = set()
    for overlap, label, earlier in overlaps:
        if -overlap < _MIN_OVERLAP or ids[label] is not None or earlier in reused:
            continue
        ids[label] = earlier
        reused.add(earlier)
    return tuple(cluster_id or uuid4() for cluster_id in ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class StableClusters:
    """Cluster assignments after re-clustering."""

    cluster_ids: tuple[UUID | None, ...]
    """Cluster of each document; None for outliers."""
    changed: frozenset[UUID]
    """Earlier clusters of which at least half of the documents are elsewhere now."""


def stabilised(
    granularity: ClusterGranularity,
    labels: Labels,
    vectors: Vectors,
    numbers: Sequence[int],
    earlier_ids: Mapping[int, UUID],
) -> StableClusters:
    """Keep documents in their earlier clusters, unless they fit the new ones clearly better.

    A new projection divides adjacent clusters differently; the vectors decide whether a document
    gains by moving. An earlier cluster that too few stay in is dissolved. `numbers`
    name the documents, and `earlier_ids` gives the earlier cluster of each that had one.
    """
    matched_ids = matched(labels, numbers, earlier_ids)
    order = dict.fromkeys((*earlier_ids.values(), *matched_ids))
    if not order:
        return StableClusters(cluster_ids=(None,) * labels.size, changed=frozenset())
    positions: dict[UUID | None, int] = {
        cluster_id: number for number, cluster_id in enumerate(order)
    }
    old_labels = np.array(
        [positions.get(earlier_ids.get(document), OUTLIER) for document in numbers], np.int32
    )
    new_labels = np.array(
        [*(positions[cluster_id] for cluster_id in matched_ids), OUTLIER], np.int32
    )[labels]
    unit = _unit(vectors)
    moving = np.flatnonzero((old_labels != OUTLIER) & (new_labels != old_labels))
    fit_old = _similarity(unit, old_labels, moving, len(order))
    fit_new = np.where(
        new_labels[moving] == OUTLIER, -1, _similarity(unit, new_labels, moving, len(order))
    )
    staying = moving[fit_new < fit_old + _MOVE_MARGIN]
    final_labels = new_labels.copy()
    final_labels[staying] = old_labels[staying]
    fewest = max(MIN_CLUSTER, minimum_size(granularity, labels.size) / 2)
    dissolved = np.bincount(final_labels[final_labels != OUTLIER], minlength=len(order)) < fewest
    dissolved_members = np.flatnonzero((final_labels != OUTLIER) & dissolved[final_labels])
    final_labels[dissolved_members] = np.where(
        (new_labels[dissolved_members] != OUTLIER) & ~dissolved[new_labels[dissolved_members]],
        new_labels[dissolved_members],
        OUTLIER,
    )
    sizes = np.bincount(old_labels[old_labels != OUTLIER], minlength=len(order))
    stayed = np.bincount(
        old_labels[(old_labels != OUTLIER) & (final_labels == old_labels)], minlength=len(order)
    )
    ids = list(order)
    return StableClusters(
        cluster_ids=tuple(
            None if position == OUTLIER else ids[position] for position in final_labels.tolist()
        ),
        changed=frozenset(
            ids[position]
            for position in np.flatnonzero((sizes > 0) & (2 * stayed <= sizes)).tolist()
        ),
    )


def _similarity(
    unit: Vectors, labels: Labels, rows: npt.NDArray[np.intp], clusters: int
) -> npt.NDArray[np.float32]:
    """Cosines of the selected documents to the centroids of their clusters."""
    totals = np.zeros((clusters + 1, unit.shape[1]), np.float32)
    np.add.at(totals, labels, unit)  # Outliers are the last.
    cosines: npt.NDArray[np.float32] = np.einsum(
        "ij,ij->i", unit[rows], _unit(totals)[labels[rows]]
    )
    return cosines


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
