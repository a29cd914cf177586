from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import ChunkTerms
from footnote.index import segments as segments_module
from footnote.index.ranges import NUMBER_LIMIT, ChunkRanges
from footnote.index.segments import (
    MAX_FREQUENCY,
    Postings,
    merge_lengths,
    merge_postings,
    merge_terms,
    posting_parts,
)
from footnote.index.terms import TERM_ID_LIMIT
from footnote.store.merging import term_slices

from .reference import (
    Segment,
    build_segment,
    chunk_lists,
    corpora,
    ranges,
    segments_of,
    without,
)

NONE_DEAD = ChunkRanges.empty()
ALL_TERMS = range(TERM_ID_LIMIT)
EMPTY = build_segment(3, [])

Lists = dict[int, tuple[bytes, bytes]]


def merged(segments: list[Segment], dead: ChunkRanges = NONE_DEAD) -> Lists:
    terms = {posting.term for segment in segments for posting in segment.lists}
    lists = {
        term: merge_postings(
            [
                (posting.chunk_numbers, posting.frequencies)
                for segment in segments
                for posting in segment.lists
                if posting.term == term
            ],
            dead,
        )
        for term in terms
    }
    return {term: pair for term, pair in lists.items() if pair[0]}


def one_list(term: int, chunk_numbers: bytes, frequencies: bytes) -> Postings:
    return Postings(
        terms=np.array([term], "<i4").tobytes(),
        counts=np.array([len(chunk_numbers) // 4], "<i4").tobytes(),
        chunk_numbers=chunk_numbers,
        frequencies=frequencies,
    )


def lengths(segments: list[Segment], dead: ChunkRanges = NONE_DEAD) -> tuple[bytes, bytes]:
    return merge_lengths([(each.chunk_numbers, each.lengths) for each in segments], dead)


@given(st.integers(0, 10_000), chunk_lists)
def test_a_segment_can_be_read_back_into_the_counts_of_its_chunks(
    first: int, chunk_terms: list[list[int]]
) -> None:
    segment = build_segment(first, chunk_terms)
    counts: dict[int, Counter[int]] = {first + i: Counter() for i in range(len(chunk_terms))}
    for posting in segment.lists:
        numbers = np.frombuffer(posting.chunk_numbers, "<i4").tolist()
        frequencies = np.frombuffer(posting.frequencies, "<u2").tolist()
        assert numbers == sorted(set(numbers))
        for number, frequency in zip(numbers, frequencies, strict=True):
            counts[number][posting.term] = frequency
    assert list(counts.values()) == [Counter(terms) for terms in chunk_terms]
    assert [posting.term for posting in segment.lists] == sorted(set().union(*chunk_terms))
    assert np.frombuffer(segment.chunk_numbers, "<i4").tolist() == list(counts)
    assert np.frombuffer(segment.lengths, "<i4").tolist() == [len(t) for t in chunk_terms]


@given(chunk_lists, chunk_lists)
def test_merging_neighbours_equals_building_both_at_once(
    left: list[list[int]], right: list[list[int]]
) -> None:
    parts = [build_segment(7, left), build_segment(7 + len(left), right)]
    whole = [build_segment(7, left + right)]
    assert merged(parts) == merged(whole)
    assert lengths(parts) == lengths(whole)
    assert lengths(whole) == (whole[0].chunk_numbers, whole[0].lengths)


@given(chunk_lists, chunk_lists)
def test_the_list_of_two_neighbours_is_the_bytes_of_one_after_the_other(
    left: list[list[int]], right: list[list[int]]
) -> None:
    whole = {p.term: p for p in build_segment(0, left + right).lists}
    for term, posting in whole.items():
        halves = [
            p
            for segment in (build_segment(0, left), build_segment(len(left), right))
            for p in segment.lists
            if p.term == term
        ]
        assert posting.chunk_numbers == b"".join(p.chunk_numbers for p in halves)
        assert posting.frequencies == b"".join(p.frequencies for p in halves)


@given(corpora, st.sets(st.integers(0, 120)), st.data())
def test_the_order_of_the_merged_segments_does_not_matter(
    corpus: dict[int, list[int]], cuts: set[int], data: st.DataObject
) -> None:
    segments = segments_of(corpus, cuts)
    shuffled = data.draw(st.permutations(segments))
    assert merged(shuffled) == merged(segments)
    assert lengths(shuffled) == lengths(segments)


@given(corpora, ranges)
def test_dropping_the_dead_equals_building_without_them(
    corpus: dict[int, list[int]], dead: ChunkRanges
) -> None:
    gone = {number for start, stop in dead for number in range(start, stop)}
    segments = segments_of(corpus)
    survivors = segments_of(without(corpus, gone))
    assert merged(segments, dead) == merged(survivors)
    assert lengths(segments, dead) == lengths(survivors)


@given(corpora, ranges, st.data())
def test_merging_all_terms_at_once_equals_merging_one_by_one(
    corpus: dict[int, list[int]], dead: ChunkRanges, data: st.DataObject
) -> None:
    segments = segments_of(corpus)
    postings = data.draw(st.permutations([each for segment in segments for each in segment.lists]))
    lists = [one_list(each.term, each.chunk_numbers, each.frequencies) for each in postings]
    found = [
        posting
        for part in term_slices(data.draw(st.sampled_from([1, 50_000, 500_000])))
        for posting in replace(EMPTY, postings=merge_terms(lists, dead, part)).lists
    ]
    assert [each.term for each in found] == sorted(each.term for each in found)
    assert {each.term: (each.chunk_numbers, each.frequencies) for each in found} == merged(
        segments, dead
    )


def test_a_frequency_beyond_sixteen_bits_counts_as_the_highest_one() -> None:
    segment = build_segment(0, [[5] * (MAX_FREQUENCY + 10)])
    assert np.frombuffer(segment.postings.frequencies, "<u2").tolist() == [MAX_FREQUENCY]
    assert np.frombuffer(segment.lengths, "<i4").tolist() == [MAX_FREQUENCY + 10]


def test_interleaved_segments_merge_into_rising_numbers() -> None:
    even = (np.array([0, 4], "<i4").tobytes(), np.array([1, 3], "<u2").tobytes())
    odd = (np.array([2, 6], "<i4").tobytes(), np.array([2, 4], "<u2").tobytes())
    numbers, frequencies = merge_postings([odd, even], NONE_DEAD)
    assert np.frombuffer(numbers, "<i4").tolist() == [0, 2, 4, 6]
    assert np.frombuffer(frequencies, "<u2").tolist() == [1, 2, 3, 4]


def test_nothing_merges_into_nothing() -> None:
    assert merge_postings([], NONE_DEAD) == (b"", b"")
    assert merge_lengths([(b"", b"")], NONE_DEAD) == (b"", b"")
    assert (
        Segment(
            first_chunk=3,
            chunk_numbers=b"",
            lengths=b"",
            postings=Postings(terms=b"", counts=b"", chunk_numbers=b"", frequencies=b""),
        )
        == EMPTY
    )


def test_a_chunk_in_two_segments_is_refused() -> None:
    segment = build_segment(0, [[1], [1]])
    with pytest.raises(ValueError, match="two of the segments"):
        lengths([segment, segment])
    (posting,) = segment.lists
    twice = one_list(1, posting.chunk_numbers, posting.frequencies)
    with pytest.raises(ValueError, match="two of the segments"):
        merge_terms([twice, twice], NONE_DEAD, ALL_TERMS)


def test_numbers_and_values_of_different_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="2 chunk numbers but 1 values"):
        merge_postings([(bytes(8), bytes(2))], NONE_DEAD)
    with pytest.raises(ValueError, match="2 chunk numbers but 1 frequencies"):
        merge_terms([one_list(1, bytes(8), bytes(2))], NONE_DEAD, ALL_TERMS)


@pytest.mark.parametrize(
    ("first", "terms"),
    [(-1, [1]), (NUMBER_LIMIT, [1]), (0, [-1]), (0, [2**31])],
    ids=["negative-chunk", "chunk-too-high", "negative-term", "term-too-high"],
)
def test_numbers_that_do_not_fit_31_bits_are_refused(first: int, terms: list[int]) -> None:
    with pytest.raises(ValueError, match="31 bits"):
        build_segment(first, [terms])


def test_the_highest_chunk_and_term_fit() -> None:
    segment = build_segment(NUMBER_LIMIT - 1, [[2**31 - 1]])
    assert np.frombuffer(segment.postings.terms, "<i4").tolist() == [2**31 - 1]
    assert np.frombuffer(segment.postings.chunk_numbers, "<i4").tolist() == [NUMBER_LIMIT - 1]


TERMS = st.integers(0, 2**31 - 1)


@given(chunks=st.lists(st.lists(TERMS, max_size=6), max_size=6), about=st.lists(TERMS, max_size=3))
def test_parts_of_the_terms_are_the_whole_in_pieces(
    chunks: list[list[int]], about: list[int]
) -> None:
    whole = build_segment(9, chunks, about)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments_module, "_ENTRIES_OF_PART", 2)
        parts = tuple(posting_parts(9, ChunkTerms.of(chunks), about))
    pieces = (replace(whole, postings=part).lists for part in parts)
    assert [posting for piece in pieces for posting in piece] == whole.lists
