"""Clusters by density, against what defines them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.knowledge.density import (
    OUTLIER,
    Points,
    by_size,
    clusters_of,
    linkage_of,
)

NEIGHBOURS = 5


def blobs(*sizes: int, apart: float = 10.0, seed: int = 1) -> Points:
    """Groups of so many points, far from each other."""
    random = np.random.default_rng(seed)
    groups = [
        random.normal((place * apart, 0.0), 0.5, (size, 2)) for place, size in enumerate(sizes)
    ]
    return np.concatenate(groups).astype(np.float32)


def mutual_reachability(points: Points) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    apart = np.linalg.norm(points[:, None].astype(float) - points[None].astype(float), axis=2)
    core = np.sort(apart, axis=1)[:, min(NEIGHBOURS, len(points)) - 1]
    found: np.ndarray[tuple[int, int], np.dtype[np.float64]] = np.maximum(
        apart, np.maximum(core[:, None], core[None, :])
    )
    return found


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 60), st.integers(0, 1000))
def test_points_join_at_the_distances_of_single_linkage(count: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    reach = mutual_reachability(points)
    linkage = linkage_of(points, NEIGHBOURS)
    assert linkage.points == count
    assert linkage.sizes[-1] == count
    # By Kruskal, over every pair there is.
    group = list(range(count))
    expected = []
    for one, other in sorted(
        ((i, j) for i in range(count) for j in range(i)), key=lambda pair: reach[pair]
    ):
        if group[one] != group[other]:
            expected.append(reach[one, other])
            group = [group[one] if each == group[other] else each for each in group]
    assert linkage.distances == pytest.approx(expected, abs=1e-4)
    assert all(before <= after for before, after in pairwise(linkage.distances))


def test_groups_far_apart_are_clusters_the_largest_first() -> None:
    labels = clusters_of(linkage_of(blobs(20, 60, 40), NEIGHBOURS), 10)
    assert labels.tolist().count(OUTLIER) < 12
    for part, number in ((labels[:20], 2), (labels[20:80], 0), (labels[80:], 1)):
        assert set(part.tolist()) <= {number, OUTLIER}


def test_what_lies_between_groups_is_an_outlier() -> None:
    points = np.concatenate([blobs(30, 30), np.array([[5.0, 8.0]], np.float32)])
    assert clusters_of(linkage_of(points, NEIGHBOURS), 5)[-1] == OUTLIER


def test_a_group_of_groups_is_one_cluster_or_several_by_the_least_size() -> None:
    near = np.concatenate([blobs(20, 20, apart=4.0), blobs(20, 20, apart=4.0) + 100])
    linkage = linkage_of(near, NEIGHBOURS)
    assert clusters_of(linkage, 10).max() == 3
    assert clusters_of(linkage, 25).max() == 1


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 80), st.integers(2, 12), st.integers(0, 1000))
def test_every_cluster_is_large_enough(count: int, least: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 2)).astype(np.float32)
    labels = clusters_of(linkage_of(points, NEIGHBOURS), least)
    assert labels.shape == (count,)
    sizes = np.bincount(labels[labels != OUTLIER])
    assert (sizes >= least).all()
    assert all(before >= after for before, after in pairwise(sizes))


def test_the_order_of_points_does_not_matter() -> None:
    points = blobs(20, 60, 40)
    order = np.random.default_rng(0).permutation(len(points))
    labels = clusters_of(linkage_of(points, NEIGHBOURS), 10)
    assert clusters_of(linkage_of(points[order], NEIGHBOURS), 10).tolist() == labels[order].tolist()


def test_equal_points_are_one_cluster_beside_others() -> None:
    points = np.concatenate([np.zeros((10, 2), np.float32), blobs(10) + 50])
    labels = clusters_of(linkage_of(points, NEIGHBOURS), 5)
    assert set(labels[:10].tolist()) == {0}


def test_groups_are_numbered_by_size_and_outliers_by_nothing() -> None:
    groups = by_size(np.array([7, OUTLIER, 7, 3, OUTLIER, OUTLIER, 9, 9, 9], np.int32))
    assert groups.tolist() == [1, -1, 1, 2, -1, -1, 0, 0, 0]
