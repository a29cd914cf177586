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
from footnote.knowledge.density import OUTLIER, Labels, Told, by_size, clusters_of, linkage_of
from footnote.knowledge.layout import lay_out
from footnote.ports import Vectors

LEAST_CLUSTER = 3
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
_FEWEST_NEIGHBOURS, _MOST_NEIGHBOURS = 3, 10
_FEW, _NEIGHBOURS_OF_FEW = 30, 2
"""Fewer documents are clustered by their vectors, with so many neighbours, not on the plane."""
_FARTHEST = 0.05
"""Share of a cluster's documents that are farther from its centroid than a new one may be."""
_SAME = 1 / 3
"""Least Jaccard overlap for a cluster to keep an earlier one's id; reached by half of each."""

_CLEARLY = 0.05
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
    vectors: Vectors, told: Told = lambda _done, _total: None
) -> Mapping[ClusterGranularity, Labels]:
    """Cluster the documents by their vectors at each granularity."""
    count = vectors.shape[0]
    if count < 2 * LEAST_CLUSTER:
        return {each: np.full(count, OUTLIER, np.int32) for each in ClusterGranularity}
    if count < _FEW:
        linkage = linkage_of(_unit(vectors), _NEIGHBOURS_OF_FEW, told)
    else:
        neighbours = round(_NEIGHBOURS * math.sqrt(count))
        neighbours = min(max(neighbours, _FEWEST_NEIGHBOURS), _MOST_NEIGHBOURS)
        linkage = linkage_of(lay_out(vectors, told), neighbours, told)
    found = {}
    for granularity in ClusterGranularity:
        labels = clusters_of(linkage, least_of(granularity, count))
        near = joined(middles_of(vectors, labels), vectors)
        found[granularity] = by_size(np.where(labels == OUTLIER, near, labels))
    return found


def least_of(granularity: ClusterGranularity, count: int) -> int:
    """Return the least size of a cluster among `count` documents."""
    wanted = round(_SHARES[granularity] * math.sqrt(count))
    return max(LEAST_CLUSTER, min(wanted, count // _PARTS))


def middles_of(vectors: Vectors, labels: Labels) -> Middles:
    """Compute the centroids of the clusters; each number up to the highest must have documents."""
    clusters = int(labels.max(initial=OUTLIER)) + 1
    unit = _unit(vectors)
    directions = np.zeros((clusters, vectors.shape[1]), np.float32)
    reaches = np.zeros(clusters, np.float32)
    for each in range(clusters):
        own = unit[labels == each]
        total = own.sum(axis=0)
        directions[each] = _unit(total[None])[0]
        # Compare each with the centroid of the others, as a new document is compared.
        others = own @ total - 1
        lengths = np.sqrt(np.maximum(float(total @ total) - 2 * (own @ total) + 1, 1e-12))
        reaches[each] = np.quantile(others / lengths, _FARTHEST, method="lower")
    return Middles(directions=directions, reaches=reaches)


def joined(middles: Middles, coming: Vectors) -> Labels:
    """Assign each new document to a cluster, -1 for none."""
    if not middles.directions.shape[0] or not coming.shape[0]:
        return np.full(coming.shape[0], OUTLIER, np.int32)
    similar = _unit(coming) @ middles.directions.T
    best = similar.argmax(axis=1)
    near = similar[np.arange(best.size), best] >= middles.reaches[best]
    found: Labels = np.where(near, best, OUTLIER).astype(np.int32)
    return found


def matched(labels: Labels, numbers: Sequence[int], before: Mapping[int, UUID]) -> tuple[UUID, ...]:
    """Give each cluster the id of the earlier one with mostly the same documents, or a new id.

    `numbers` name the documents of the labels, and `before` gives the earlier cluster of each that
    had one. Documents without an earlier cluster are ignored.
    """
    clusters = int(labels.max(initial=OUTLIER)) + 1
    shared: dict[tuple[UUID, int], int] = {}
    known = [0] * clusters
    sizes: dict[UUID, int] = {}
    there = set(numbers)
    for number, each in before.items():
        if number in there:
            sizes[each] = sizes.get(each, 0) + 1
    for number, label in zip(numbers, labels.tolist(), strict=True):
        own = before.get(number)
        if label != OUTLIER and own is not None:
            known[label] += 1
            shared[own, label] = shared.get((own, label), 0) + 1
    overlaps = sorted(
        (-common / (sizes[earlier] + known[label] - common), label, earlier)
        for (earlier, label), common in shared.items()
    )
    ids: list[UUID | None] = [None] * clusters
    taken: set[UUID] = set()
    for overlap, label, earlier in overlaps:
        if -overlap < _SAME or ids[label] is not None or earlier in taken:
            continue
        ids[label] = earlier
        taken.add(earlier)
    return tuple(each or uuid4() for each in ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Cluster assignments after re-clustering."""

    cluster_ids: tuple[UUID | None, ...]
    """Cluster of each document; None for outliers."""
    changed: frozenset[UUID]
    """Earlier clusters of which at least half of the documents are elsewhere now."""


def settled(
    granularity: ClusterGranularity,
    labels: Labels,
    vectors: Vectors,
    numbers: Sequence[int],
    before: Mapping[int, UUID],
) -> Settled:
    """Keep documents in their earlier clusters, unless they fit the new ones clearly better.

    A new projection divides adjacent clusters differently; the vectors decide whether a document
    gains by moving. An earlier cluster that too few stay in is dissolved. `numbers`
    name the documents, and `before` gives the earlier cluster of each that had one.
    """
    again = matched(labels, numbers, before)
    order = dict.fromkeys((*before.values(), *again))
    if not order:
        return Settled(cluster_ids=(None,) * labels.size, changed=frozenset())
    place: dict[UUID | None, int] = {each: number for number, each in enumerate(order)}
    old = np.array([place.get(before.get(each), OUTLIER) for each in numbers], np.int32)
    new = np.array([*(place[each] for each in again), OUTLIER], np.int32)[labels]
    unit = _unit(vectors)
    moving = np.flatnonzero((old != OUTLIER) & (new != old))
    fit_old = _similarity(unit, old, moving, len(order))
    fit_new = np.where(new[moving] == OUTLIER, -1, _similarity(unit, new, moving, len(order)))
    staying = moving[fit_new < fit_old + _CLEARLY]
    now = new.copy()
    now[staying] = old[staying]
    fewest = max(LEAST_CLUSTER, least_of(granularity, labels.size) / 2)
    gone = np.bincount(now[now != OUTLIER], minlength=len(order)) < fewest
    left = np.flatnonzero((now != OUTLIER) & gone[now])
    now[left] = np.where((new[left] != OUTLIER) & ~gone[new[left]], new[left], OUTLIER)
    sizes = np.bincount(old[old != OUTLIER], minlength=len(order))
    stayed = np.bincount(old[(old != OUTLIER) & (now == old)], minlength=len(order))
    ids = list(order)
    return Settled(
        cluster_ids=tuple(None if each == OUTLIER else ids[each] for each in now.tolist()),
        changed=frozenset(
            ids[each] for each in np.flatnonzero((sizes > 0) & (2 * stayed <= sizes)).tolist()
        ),
    )


def _similarity(
    unit: Vectors, labels: Labels, rows: npt.NDArray[np.intp], clusters: int
) -> npt.NDArray[np.float32]:
    """Cosines of the selected documents to the centroids of their clusters."""
    totals = np.zeros((clusters + 1, unit.shape[1]), np.float32)
    np.add.at(totals, labels, unit)  # Outliers are the last.
    found: npt.NDArray[np.float32] = np.einsum("ij,ij->i", unit[rows], _unit(totals)[labels[rows]])
    return found


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
