"""Vectors of documents become clusters at several granularities, and new ones join them.

Documents lie on the map's plane, where density tells groups apart that are a haze in hundreds of
dimensions; clusters are the dense parts of it. Outliers, and what comes later, join the cluster
whose middle they are most similar to, if they are as near to it as all but a few of its own are.
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
"""Documents of the least cluster, in square roots of the number of all."""
_PARTS = 5
"""Into as many clusters few documents can come apart, however coarse."""
_NEIGHBOURS = 0.1
"""Of a document, that say how densely it lies, in square roots of the number of all."""
_FEWEST_NEIGHBOURS, _MOST_NEIGHBOURS = 3, 10
_FEW, _NEIGHBOURS_OF_FEW = 30, 2
"""So few documents lie evenly on a plane; by their vectors alone they are told apart better."""
_FARTHEST = 0.05
"""Of a cluster's documents, that are farther from its middle than one that joins may be."""
_SAME = 1 / 3
"""Jaccard overlap from which a cluster is the same as one of before; half of each suffices."""

_CLEARLY = 0.05
"""By which a document is more similar to the middle of another cluster before it changes to it: on
BANKING77, .02 had 4 of 100 more change, and .1 had clusters agree less with its groups."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Middles:
    """Where the clusters of one granularity lie."""

    directions: Vectors
    """Of each cluster, shape (clusters, dimensions), unit length."""
    reaches: npt.NDArray[np.float32]
    """How similar to it a document must be to join it: a cosine."""


def clustered(
    vectors: Vectors, told: Told = lambda _done, _total: None
) -> Mapping[ClusterGranularity, Labels]:
    """The cluster of each document at each granularity, by the documents' vectors."""
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
    """How many of so many documents the smallest cluster has."""
    wanted = round(_SHARES[granularity] * math.sqrt(count))
    return max(LEAST_CLUSTER, min(wanted, count // _PARTS))


def middles_of(vectors: Vectors, labels: Labels) -> Middles:
    """Where the clusters of these documents lie; each number up to the highest has some."""
    clusters = int(labels.max(initial=OUTLIER)) + 1
    unit = _unit(vectors)
    directions = np.zeros((clusters, vectors.shape[1]), np.float32)
    reaches = np.zeros(clusters, np.float32)
    for each in range(clusters):
        own = unit[labels == each]
        total = own.sum(axis=0)
        directions[each] = _unit(total[None])[0]
        # Each beside the middle of the others, as one that comes is.
        others = own @ total - 1
        lengths = np.sqrt(np.maximum(float(total @ total) - 2 * (own @ total) + 1, 1e-12))
        reaches[each] = np.quantile(others / lengths, _FARTHEST, method="lower")
    return Middles(directions=directions, reaches=reaches)


def joined(middles: Middles, coming: Vectors) -> Labels:
    """The cluster that each of the coming documents joins, -1 for none."""
    if not middles.directions.shape[0] or not coming.shape[0]:
        return np.full(coming.shape[0], OUTLIER, np.int32)
    similar = _unit(coming) @ middles.directions.T
    best = similar.argmax(axis=1)
    near = similar[np.arange(best.size), best] >= middles.reaches[best]
    found: Labels = np.where(near, best, OUTLIER).astype(np.int32)
    return found


def matched(labels: Labels, numbers: Sequence[int], before: Mapping[int, UUID]) -> tuple[UUID, ...]:
    """The id of each cluster: that of before which holds mostly the same documents, or a fresh one.

    `numbers` name the documents of the labels, and `before` gives the earlier cluster of each that
    had one. Documents that came since do not count against a cluster.
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
    """Where documents belong once clusters were made anew."""

    cluster_ids: tuple[UUID | None, ...]
    """Of each document; None for outliers."""
    changed: frozenset[UUID]
    """Clusters of before, most of whose documents of then are elsewhere now."""


def settled(
    granularity: ClusterGranularity,
    labels: Labels,
    vectors: Vectors,
    numbers: Sequence[int],
    before: Mapping[int, UUID],
) -> Settled:
    """Have documents stay in their clusters of before, unless they fit the new ones clearly better.

    Another plane tells clusters apart otherwise where they lie side by side; the vectors say
    whether a document gains by it. A cluster of before that too few stay in is no more. `numbers`
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
    """How similar some documents are to the middle of their clusters: cosines."""
    totals = np.zeros((clusters + 1, unit.shape[1]), np.float32)
    np.add.at(totals, labels, unit)  # Outliers are the last.
    found: npt.NDArray[np.float32] = np.einsum("ij,ij->i", unit[rows], _unit(totals)[labels[rows]])
    return found


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
