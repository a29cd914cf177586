"""Documents are told apart at several granularities, join what is there, and are found again."""

from __future__ import annotations

from uuid import UUID, uuid4

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain.clusters import ClusterGranularity
from footnote.knowledge.clusters import (
    MIN_CLUSTER,
    assign_new,
    clustered,
    matched,
    middles_of,
    minimum_size,
    stabilised,
)
from footnote.knowledge.density import OUTLIER, Labels
from footnote.ports import Vectors

DIMENSIONS = 32


def vectors_about(*counts: int, seed: int = 1, spread: float = 0.35) -> Vectors:
    """Vectors of documents on so many subjects."""
    subjects = np.random.default_rng(0).normal(size=(len(counts), DIMENSIONS))
    noise = np.random.default_rng(seed)
    rows = [
        subject + noise.normal(scale=spread, size=(count, DIMENSIONS))
        for subject, count in zip(subjects, counts, strict=True)
    ]
    return np.concatenate(rows).astype(np.float32)


def pure(labels: Labels, *counts: int) -> None:
    """Assert that no cluster mixes subjects, and that each subject is mostly one cluster."""
    start = 0
    seen: set[int] = set()
    for count in counts:
        own = labels[start : start + count]
        numbers, times = np.unique(own[own != OUTLIER], return_counts=True)
        assert times.sum() >= 0.8 * count
        assert not seen & set(numbers.tolist())
        seen |= set(numbers.tolist())
        start += count


def test_documents_on_several_subjects_are_told_apart() -> None:
    found = clustered(vectors_about(40, 30, 20, 30))
    pure(found[ClusterGranularity.MIDDLE], 40, 30, 20, 30)
    assert set(found) == set(ClusterGranularity)


def test_fifteen_documents_on_three_subjects_are_three_clusters() -> None:
    labels = clustered(vectors_about(5, 5, 5, spread=0.2))[ClusterGranularity.FINE]
    pure(labels, 5, 5, 5)


def test_there_are_fewer_clusters_the_coarser() -> None:
    found = clustered(vectors_about(*[12] * 20))
    counts = [found[each].max() for each in ClusterGranularity]
    assert counts == sorted(counts)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 40), st.integers(0, 100))
def test_the_same_vectors_give_the_same_clusters(count: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32)
    one, other = clustered(vectors), clustered(vectors)
    for each in ClusterGranularity:
        assert one[each].tolist() == other[each].tolist()
        sizes = np.bincount(one[each][one[each] != OUTLIER])
        assert (sizes >= MIN_CLUSTER).all()


def test_the_least_cluster_grows_with_the_documents_and_with_coarseness() -> None:
    for count in (0, 6, 15, 100, 10_000):
        sizes = [minimum_size(each, count) for each in ClusterGranularity]
        assert sizes == sorted(sizes, reverse=True)
        assert min(sizes) >= MIN_CLUSTER
    assert minimum_size(ClusterGranularity.COARSE, 10_000) > minimum_size(
        ClusterGranularity.COARSE, 100
    )


def test_a_new_document_joins_what_it_is_like_and_else_nothing() -> None:
    vectors = vectors_about(40, 30, 20)
    found = clustered(vectors)[ClusterGranularity.MIDDLE]
    alike = vectors_about(1, 1, 1, seed=7)
    strange = np.random.default_rng(5).normal(size=(1, DIMENSIONS)).astype(np.float32)
    labels = assign_new(middles_of(vectors, found), np.concatenate([alike, strange]))
    assert labels[-1] == OUTLIER
    for number, first in enumerate((0, 40, 70)):
        near = found[first : first + 20]
        assert labels[number] in near[near != OUTLIER]


def test_nothing_joins_where_nothing_is() -> None:
    outliers = np.full(4, OUTLIER, np.int32)
    middles = middles_of(vectors_about(4), outliers)
    assert assign_new(middles, vectors_about(2)).tolist() == [OUTLIER, OUTLIER]


def as_before(*groups: tuple[UUID, range]) -> dict[int, UUID]:
    return {number: cluster for cluster, numbers in groups for number in numbers}


def test_a_cluster_is_found_again_by_most_of_its_documents() -> None:
    one, other = uuid4(), uuid4()
    before = as_before((one, range(10)), (other, range(10, 20)))
    # Two documents changed sides, three came.
    labels = np.array([1] * 9 + [0] * 10 + [1] + [0, 0, 0], np.int32)
    assert matched(labels, list(range(23)), before) == (other, one)


def test_of_a_cluster_that_comes_apart_the_larger_part_keeps_its_id() -> None:
    one = uuid4()
    labels = np.array([0] * 12 + [1] * 8, np.int32)
    again = matched(labels, list(range(20)), as_before((one, range(20))))
    assert again[0] == one
    assert again[1] != one


def test_a_cluster_of_quite_other_documents_has_an_id_of_its_own() -> None:
    one = uuid4()
    labels = np.array([0] * 3 + [OUTLIER] * 17 + [0] * 20, np.int32)
    before = as_before((one, range(20)), (uuid4(), range(20, 40)))
    assert one not in matched(labels, list(range(40)), before)


MIDDLE = ClusterGranularity.MIDDLE


def test_documents_stay_where_another_run_tells_them_apart_otherwise() -> None:
    vectors = vectors_about(20, 20)
    one, other = uuid4(), uuid4()
    before = as_before((one, range(20)), (other, range(20, 40)))
    # All in one, a few with the others, some as outliers: they fit no other place better.
    for labels in ([0] * 40, [0] * 15 + [1] * 25, [0] * 20 + [1] * 12 + [OUTLIER] * 8):
        found = stabilised(MIDDLE, np.array(labels, np.int32), vectors, list(range(40)), before)
        assert found.cluster_ids == (one,) * 20 + (other,) * 20
        assert found.changed == frozenset()


def test_where_there_is_no_cluster_all_are_outliers() -> None:
    nothing = np.full(2, OUTLIER, np.int32)
    found = stabilised(MIDDLE, nothing, vectors_about(2), [3, 7], {})
    assert found.cluster_ids == (None, None)
    gone = stabilised(MIDDLE, nothing, vectors_about(2), [3, 7], {9: uuid4()})
    assert gone.cluster_ids == (None, None)


def test_documents_move_to_a_cluster_that_they_fit_clearly_better() -> None:
    vectors = vectors_about(20, 20)
    one = uuid4()
    labels = np.array([0] * 20 + [1] * 20, np.int32)
    mixed = as_before((one, range(40)))
    found = stabilised(MIDDLE, labels, vectors, list(range(40)), mixed)
    assert set(found.cluster_ids[:20]) == {one}
    assert len(set(found.cluster_ids[20:])) == 1
    assert one not in found.cluster_ids[20:]
    # Half of its documents are elsewhere: it is called anew.
    assert found.changed == {one}


def test_what_is_new_is_where_the_run_has_it_and_a_cluster_of_few_is_no_more() -> None:
    vectors = vectors_about(20, 20, 2)
    one, other, few = uuid4(), uuid4(), uuid4()
    before = as_before((one, range(20)), (other, range(20, 30)), (few, range(40, 42)))
    labels = np.array([0] * 20 + [1] * 22, np.int32)
    found = stabilised(MIDDLE, labels, vectors, list(range(42)), before)
    assert found.cluster_ids == (one,) * 20 + (other,) * 22
    assert found.changed == {few}
