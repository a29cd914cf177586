from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.index.ranges import NUMBER_LIMIT, ChunkRanges

from .reference import ranges

UNIVERSE = 140


def members(chosen: ChunkRanges) -> set[int]:
    return {number for start, stop in chosen for number in range(start, min(stop, UNIVERSE))}


pair_lists = st.lists(st.tuples(st.integers(0, 130), st.integers(0, 130)), max_size=12)


@given(pair_lists)
def test_from_pairs_holds_exactly_the_numbers_of_its_pairs(pairs: list[tuple[int, int]]) -> None:
    chosen = ChunkRanges.from_pairs(pairs)
    expected = {number for start, stop in pairs for number in range(start, stop)}
    assert members(chosen) == expected
    assert chosen.count == len(expected)
    assert chosen.is_empty == (not expected)


@given(pair_lists)
def test_equal_sets_are_equal_values_whatever_pairs_made_them(
    pairs: list[tuple[int, int]],
) -> None:
    chosen = ChunkRanges.from_pairs(pairs)
    singles = ChunkRanges.from_pairs([(n, n + 1) for n in sorted(members(chosen), reverse=True)])
    assert chosen == singles
    assert hash(chosen) == hash(singles)
    assert all(a[1] < b[0] for a, b in zip(chosen.pairs, chosen.pairs[1:], strict=False))


@given(ranges, st.lists(st.integers(0, 139), max_size=40))
def test_contains_answers_for_numbers_in_any_order(chosen: ChunkRanges, asked: list[int]) -> None:
    inside = chosen.contains(np.array(asked, dtype=np.int32))
    assert inside.tolist() == [number in members(chosen) for number in asked]


@given(ranges, st.sets(st.integers(0, 139)))
def test_rising_numbers_get_the_same_answer_from_the_fast_path(
    chosen: ChunkRanges, asked: set[int]
) -> None:
    numbers = np.array(sorted(asked), dtype=np.int32)
    assert chosen.mask_of_rising(numbers).tolist() == chosen.contains(numbers).tolist()
    assert chosen.count_of_rising(numbers) == int(chosen.contains(numbers).sum())


@given(ranges, ranges)
def test_union_intersection_and_difference_are_those_of_sets(
    left: ChunkRanges, right: ChunkRanges
) -> None:
    assert members(left.union(right)) == members(left) | members(right)
    assert members(left.intersection(right)) == members(left) & members(right)
    assert members(left.difference(right)) == members(left) - members(right)
    assert left.union(right) == right.union(left)


@given(ranges)
def test_a_complement_undoes_itself_and_shares_nothing(chosen: ChunkRanges) -> None:
    assert chosen.complement().complement() == chosen
    assert chosen.complement().count == NUMBER_LIMIT - chosen.count
    assert chosen.intersection(chosen.complement()).is_empty


def test_everything_holds_the_first_and_the_last_number() -> None:
    edges = np.array([0, NUMBER_LIMIT - 1], dtype=np.int32)
    assert ChunkRanges.everything().contains(edges).all()
    assert ChunkRanges.everything().count == NUMBER_LIMIT
    assert ChunkRanges.everything().complement() == ChunkRanges.empty()
    assert ChunkRanges.empty().count == 0
    assert ChunkRanges.empty() != ()


def test_the_bounds_of_a_value_cannot_be_written() -> None:
    chosen = ChunkRanges.from_pairs([(3, 5)])
    with pytest.raises(ValueError, match="read-only"):
        chosen.bounds[0] = 0


@pytest.mark.parametrize("pair", [(-1, 4), (0, NUMBER_LIMIT + 1)], ids=["negative", "too-high"])
def test_numbers_that_no_chunk_can_have_are_refused(pair: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="chunk numbers"):
        ChunkRanges.from_pairs([pair])
