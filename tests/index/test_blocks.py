"""Blocks hold what was packed into them, wherever a list goes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.index.blocks import (
    LEVELS,
    block_numbers,
    block_spans,
    contained_terms,
    counts_in,
    find_list,
    pack_blocks,
    terms_in,
    unpack_block,
)
from footnote.index.ranges import NUMBER_LIMIT
from footnote.index.segments import MAX_FREQUENCY, Postings, term_parts
from footnote.index.terms import TERM_ID_LIMIT

from .reference import Posting, build_segment, chunk_lists

EMPTY = build_segment(0, [])


def lists_of(postings: Postings) -> list[Posting]:
    return replace(EMPTY, postings=postings).lists


def postings_of(lists: dict[int, dict[int, int]], parts: int = 1) -> Postings:
    """Lists by term: frequencies by chunk number."""
    rising = [(term, sorted(lists[term].items())) for term in sorted(lists)]
    entries = [entry for _, each in rising for entry in each]
    return Postings(
        terms=np.array([term for term, _ in rising], "<i4").tobytes(),
        counts=np.array([len(each) for _, each in rising], "<i4").tobytes(),
        chunk_numbers=np.array([number for number, _ in entries], "<i4").tobytes(),
        frequencies=np.array([count for _, count in entries], "<u2").tobytes(),
        parts=parts,
    )


numbers = st.integers(0, 400) | st.integers(0, NUMBER_LIMIT - 1)
lists = st.dictionaries(
    st.integers(0, TERM_ID_LIMIT - 1),
    st.dictionaries(numbers, st.integers(1, 4) | st.integers(1, MAX_FREQUENCY), min_size=1),
    max_size=30,
)


@given(lists)
def test_what_is_packed_is_found_again_in_the_blocks_that_a_term_can_be_in(
    given_lists: dict[int, dict[int, int]],
) -> None:
    postings = postings_of(given_lists)
    packed = dict(pack_blocks(postings))
    for posting in lists_of(postings):
        found = [
            each
            for block in block_numbers([posting.term]).tolist()
            if block in packed and (each := find_list(packed[block], posting.term))
        ]
        assert found == [(posting.chunk_numbers, posting.frequencies)]
    for block, lists in packed.items():
        inside = lists_of(unpack_block(lists))
        assert {block in block_numbers([each.term]) for each in inside} == {True}
        asked = sorted({*range(5), *(each.term for each in inside)})
        counted = {each.term: len(each.frequencies) // 2 for each in inside}
        assert counts_in(lists, asked) == counted
    unpacked = [each for lists in packed.values() for each in lists_of(unpack_block(lists))]
    assert sorted(unpacked, key=lambda each: each.term) == lists_of(postings)


@given(st.sets(st.integers(0, 5000) | st.integers(0, TERM_ID_LIMIT - 1), max_size=40))
def test_a_block_may_hold_the_terms_that_it_is_asked_for(terms: set[int]) -> None:
    rising = sorted(terms)
    found = block_numbers(terms).tolist()
    assert len(set(found)) == len(found)
    for number in found:
        inside = [term for term in rising if number in block_numbers([term])]
        assert inside
        assert list(terms_in(number, rising)) == inside


@given(st.integers(0, NUMBER_LIMIT - 50), chunk_lists)
def test_a_term_that_a_block_lacks_is_not_found_in_it(
    first: int, chunk_terms: list[list[int]]
) -> None:
    postings = build_segment(first, chunk_terms).postings
    held = {posting.term for posting in lists_of(postings)}
    for _, lists in pack_blocks(postings):
        assert contained_terms(lists, range(20)) == [
            term for term in range(20) if find_list(lists, term)
        ]
        for term in set(range(20)) - held:
            assert find_list(lists, term) is None
            assert not counts_in(lists, [term])


def test_long_lists_are_blocks_of_their_own_and_short_ones_share() -> None:
    short = {term * 1_000_003: {term % 7: 1} for term in range(2000)}
    long = {99: {number: 1 + number % 3 for number in range(5000)}}
    packed = dict(pack_blocks(postings_of(short | long)))
    assert list(unpack_block(packed[99]).terms) == [99, 0, 0, 0]
    # A gap and a frequency of a byte each, for six before.
    assert len(packed[99]) < 2.01 * 5000
    shared = [block for block in packed if block < 0]
    assert len(packed) == len(shared) + 1
    assert len(shared) == 8
    assert sum(len(packed[block]) for block in shared) < 8 * 2000


@pytest.mark.parametrize("weight", [0, 10, 11, 80, 81, 5000])
def test_the_blocks_of_a_part_have_no_term_of_another(weight: int) -> None:
    starts = term_parts(weight, 10)
    assert weight <= 10 * len(starts)
    parts = [range(low, low + starts.step) for low in starts]
    assert (parts[0].start, parts[-1].stop) == (0, TERM_ID_LIMIT)
    seen: set[int] = set()
    for part in parts:
        lists = {term: {1: 1} for term in (part[0], part[len(part) // 2], part[-1])}
        blocks = {number for number, _ in pack_blocks(postings_of(lists, len(parts)))}
        assert seen.isdisjoint(blocks)
        seen |= blocks
        for block in blocks:
            assert any(first <= block <= last for first, last in block_spans(part))


def test_blocks_of_each_level_have_numbers_of_their_own() -> None:
    spans = sorted(block_spans(range(TERM_ID_LIMIT)))
    assert len(spans) == len(LEVELS) + 1
    for (_, last), (first, _) in pairwise(spans):
        assert last < first


def test_nothing_is_packed_into_no_block() -> None:
    assert list(pack_blocks(EMPTY.postings)) == []
    assert block_numbers([]).size == 0


def test_a_block_of_a_later_format_is_refused() -> None:
    ((_, lists),) = pack_blocks(postings_of({5: {1: 1}}))
    later = bytes([lists[0] + 1]) + lists[1:]
    for read in (unpack_block, lambda block: find_list(block, 5)):
        with pytest.raises(ValueError, match="newer Footnote"):
            read(later)
