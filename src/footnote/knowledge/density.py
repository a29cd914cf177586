"""Cluster points by density (HDBSCAN), at any number of granularities.

The method is HDBSCAN (Campello, Moulavi and Sander 2013; McInnes and Healy 2017): the minimum
spanning tree of mutual reachability distances is taken apart from its longest edge on, parts below
a least size count as points that fall off, and of the tree of parts those are taken whose excess of
mass is largest. The spanning tree is exact (Prim) and serves every least size. Nothing is drawn by
chance: the same points in the same order give the same clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float32]
"""Shape (points, dimensions)."""
Labels = npt.NDArray[np.int32]
"""For each point the number of its cluster, 0 for the largest; -1 for an outlier."""
OnProgress = Callable[[int, int], None]
"""Called with how many steps are done, and of how many."""

OUTLIER = -1
_BATCH_ROWS = 1024
"""Rows of the distance matrix computed at a time: 40 MB at 10,000 points."""
_PROGRESS_STEPS = 256
_SHRINK = 0.9
"""Share of the rows that are still live, below which finished rows are dropped from the arrays."""
_CLOSEST = 1e-9  # Equal points would have infinite density.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linkage:
    """A single-linkage dendrogram: the order in which points and groups merge, closest first.

    Groups are numbered after the points, in the order of their merges.
    """

    children: npt.NDArray[np.int64]
    """What merges, shape (points - 1, 2)."""
    distances: npt.NDArray[np.float64]
    """Distance of each merge, rising."""
    sizes: npt.NDArray[np.int64]
    """Points of each group."""

    @property
    def points(self) -> int:
        """How many points there are."""
        return self.distances.size + 1


@dataclass(frozen=True, slots=True)
class _Part:
    """A node of the condensed tree, with at least as many points as the least cluster."""

    parent: int
    """Number of the parent, -1 for the root."""
    birth: float
    """Density (1 / distance) at which it split from its parent."""


def linkage_of(
    points: Points, neighbours: int, on_progress: OnProgress = lambda _done, _total: None
) -> Linkage:
    """Compute the single linkage of at least one point by mutual reachability distance.

    A point's core distance is the one to the last of its `neighbours` nearest points, itself
    included.
    """
    count = points.shape[0]
    ends, lengths = _spanning_tree(points, _core_distances(points, neighbours), on_progress)
    order = np.argsort(lengths, kind="stable")
    children = np.empty((count - 1, 2), np.int64)
    sizes = np.empty(count - 1, np.int64)
    leads = list(range(2 * count - 1))
    members = [1] * count + [0] * (count - 1)

    def group_of(point: int) -> int:
        top = point
        while leads[top] != top:
            top = leads[top]
        while leads[point] != top:
            leads[point], point = top, leads[point]
        return top

    for number, (point, neighbour) in enumerate(ends[order].tolist()):
        joined = count + number
        left, right = sorted((group_of(point), group_of(neighbour)))
        leads[left] = leads[right] = joined
        members[joined] = members[left] + members[right]
        children[number] = left, right
        sizes[number] = members[joined]
    return Linkage(children=children, distances=lengths[order], sizes=sizes)


def clusters_of(linkage: Linkage, min_size: int) -> Labels:
    """Extract the clusters of at least `min_size` points with the largest excess of mass.

    The root is never a cluster. `min_size` is at least 2.
    """
    count = linkage.points
    parts, fell_from, fell_at = _condensed(linkage, min_size)
    stability = np.zeros(len(parts))
    births = np.array([part.birth for part in parts])
    np.add.at(stability, fell_from, fell_at - births[fell_from])
    sizes = np.zeros(len(parts), np.int64)
    np.add.at(sizes, fell_from, 1)
    below: list[list[int]] = [[] for _ in parts]
    for number in range(len(parts) - 1, 0, -1):
        parent = parts[number].parent
        sizes[parent] += sizes[number]
        stability[parent] += sizes[number] * (births[number] - births[parent])
        below[parent].append(number)
    # Children come after their parents.
    selected = np.zeros(len(parts), bool)
    for number in range(len(parts) - 1, 0, -1):
        of_parts = sum(float(stability[child]) for child in below[number])
        if below[number] and of_parts > stability[number]:
            stability[number] = of_parts
        else:
            selected[number] = True
    cluster = np.full(len(parts), OUTLIER, np.int64)
    for number in range(1, len(parts)):
        above = cluster[parts[number].parent]
        cluster[number] = above if above != OUTLIER else (number if selected[number] else OUTLIER)
    point_clusters = cluster[fell_from]
    labels: Labels = by_size(point_clusters.astype(np.int32))
    assert labels.size == count, "every point fell off some part"
    return labels


def by_size(groups: Labels) -> Labels:
    """The same groups, numbered by falling size; outliers stay outliers."""
    numbers, firsts, inverse, sizes = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    sizes = np.where(numbers == OUTLIER, -1, sizes)
    # Ties by first occurrence.
    order = np.lexsort((firsts, -sizes))
    number = np.empty(numbers.size, np.int32)
    number[order] = np.arange(numbers.size)
    number[numbers == OUTLIER] = OUTLIER
    labels: Labels = number[inverse].astype(np.int32)
    return labels


def _core_distances(points: Points, neighbours: int) -> npt.NDArray[np.float32]:
    """Distance of each point to the last of its nearest neighbours, itself included."""
    count = points.shape[0]
    rank = min(neighbours, count) - 1
    squares = np.square(points).sum(axis=1)
    core_squares = np.empty(count, np.float32)
    for first in range(0, count, _BATCH_ROWS):
        rows = slice(first, min(first + _BATCH_ROWS, count))
        squared_distances = squares[rows, None] + squares[None, :] - 2 * (points[rows] @ points.T)
        core_squares[rows] = np.partition(squared_distances, rank, axis=1)[:, rank]
    distances: npt.NDArray[np.float32] = np.sqrt(np.maximum(core_squares, 0))
    return distances


def _spanning_tree(
    points: Points, core: npt.NDArray[np.float32], on_progress: OnProgress
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The edges of the minimum spanning tree of mutual reachability distances, by Prim."""
    count = points.shape[0]
    ends = np.empty((count - 1, 2), np.int64)
    lengths = np.empty(count - 1, np.float64)
    remaining = np.arange(1, count)
    columns = np.ascontiguousarray(points[1:].T)
    reach = core[1:].copy()
    shortest = np.full(count - 1, np.inf, np.float32)
    source = np.zeros(count - 1, np.int64)
    at, live = 0, count - 1
    for step in range(count - 1):
        distances = np.square(columns - points[at][:, None]).sum(axis=0)
        distances = np.maximum(np.maximum(np.sqrt(distances), reach), core[at])
        nearer = distances < shortest
        # A point of the tree is never the nearest again.
        nearer &= reach >= 0
        shortest[nearer] = distances[nearer]
        source[nearer] = at
        closest = int(shortest.argmin())
        at = int(remaining[closest])
        ends[step] = source[closest], at
        lengths[step] = shortest[closest]
        shortest[closest], reach[closest] = np.inf, -1.0
        live -= 1
        if live < _SHRINK * remaining.size:
            retained = reach >= 0
            remaining, reach, shortest, source = (
                remaining[retained],
                reach[retained],
                shortest[retained],
                source[retained],
            )
            columns = np.ascontiguousarray(columns[:, retained])
        if not step % _PROGRESS_STEPS:
            on_progress(step, count)
    return ends, lengths


def _condensed(
    linkage: Linkage, min_size: int
) -> tuple[Sequence[_Part], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Condense the tree; for each point, also return the part it fell from and at which density."""
    count = linkage.points
    children = linkage.children.tolist()
    densities = (1 / np.maximum(linkage.distances, _CLOSEST)).tolist()
    sizes = [1] * count + linkage.sizes.tolist()
    parts = [_Part(-1, 0.0)]
    fell_from = np.zeros(count, np.int64)
    fell_at = np.zeros(count, np.float64)

    def fall(group: int, part: int, density: float) -> None:
        waiting = [group]
        while waiting:
            node = waiting.pop()
            if node < count:
                fell_from[node], fell_at[node] = part, density
            else:
                waiting += children[node - count]

    waiting = [(2 * count - 2, 0)] if count > 1 else []
    while waiting:
        group, part = waiting.pop()
        density = densities[group - count]
        left, right = children[group - count]
        large = [child for child in (left, right) if sizes[child] >= min_size]
        for child in (left, right):
            if sizes[child] < min_size:
                fall(child, part, density)
        if len(large) == 2:
            for child in large:
                parts.append(_Part(part, density))
                waiting.append((child, len(parts) - 1))
        elif large:
            waiting.append((large[0], part))
    return parts, fell_from, fell_at
