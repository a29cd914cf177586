"""Documents rank by exact BM25 and by cosine, within what is visible."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.index.analysis import TextAnalyzer
from footnote.index.bm25 import corpus_lengths, decode_posting, score
from footnote.index.ranges import ChunkRanges
from footnote.index.routing import DocumentTable, document_terms, rank_documents
from footnote.index.segments import CHUNK_NUMBER, LENGTH
from footnote.index.terms import term_ids
from tests.index.reference import build_segment

ANALYZER = TextAnalyzer()
NOTHING = ChunkRanges.empty()

documents = st.lists(
    st.tuples(st.integers(1, 4), st.lists(st.integers(1, 6), max_size=8)), min_size=1, max_size=8
)
"""For each, its number of chunks and the terms of what it is about."""


def table_of(
    given: list[tuple[int, list[int]]], vectors: np.ndarray | None = None
) -> DocumentTable:
    sizes = np.array([size for size, _ in given], dtype=np.int32)
    ends = np.cumsum(sizes, dtype=np.int32)
    return DocumentTable(
        generation=1,
        lane_id=1,
        firsts=ends - sizes,
        ends=ends,
        lengths=np.array([len(terms) for _, terms in given], dtype=np.int32),
        vectors=np.ones((len(given), 2), dtype=np.float32) if vectors is None else vectors,
    )


def postings_of(given: list[tuple[int, list[int]]]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    lists: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    table = table_of(given)
    for term in {term for _, terms in given for term in terms}:
        held = [place for place, (_, terms) in enumerate(given) if term in terms]
        lists[term] = (
            table.firsts[held],
            np.array([given[place][1].count(term) for place in held], dtype=np.uint16),
        )
    return lists


@given(documents)
def test_the_words_of_documents_score_as_those_of_chunks_do(
    made: list[tuple[int, list[int]]],
) -> None:
    table, postings = table_of(made), postings_of(made)
    found = rank_documents(table, ChunkRanges.everything(), None, postings)
    lengths = (table.firsts.astype(CHUNK_NUMBER).tobytes(), table.lengths.astype(LENGTH).tobytes())
    expected = score(postings, corpus_lengths([lengths], NOTHING), NOTHING, None, len(made))
    scores = {int(table.firsts[place]): found.bm25[place] for place in range(len(made))}
    assert {number: each for number, each in scores.items() if each} == pytest.approx(
        {hit.chunk_no: hit.score for hit in expected.ranking}
    )
    order = np.argsort(found.ranks)
    best = [hit.chunk_no for hit in expected.ranking]
    assert table.firsts[order].tolist()[: len(best)] == best
    assert sorted(found.ranks.tolist()) == list(range(1, len(made) + 1))


@given(documents, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=5))
def test_a_document_is_in_scope_when_any_of_its_chunks_is(
    made: list[tuple[int, list[int]]], pieces: list[tuple[int, int]]
) -> None:
    table = table_of(made)
    visible = ChunkRanges.from_pairs(pieces)
    expected = [
        any(visible.contains(np.arange(first, end)))
        for first, end in zip(table.firsts, table.ends, strict=True)
    ]
    assert table.within(visible).tolist() == expected
    numbers = np.arange(-1, 40, dtype=np.int32)
    for number, place in zip(numbers, table.places_of(numbers), strict=True):
        holders = np.flatnonzero((table.firsts <= number) & (number < table.ends)).tolist()
        assert holders == ([] if place == -1 else [place])


def test_the_hidden_count_for_rarity_and_nothing_else() -> None:
    made = [(2, [1, 2]), (1, [1]), (3, [2])]
    table, postings = table_of(made), postings_of(made)
    everyone = rank_documents(table, ChunkRanges.everything(), None, postings)
    some = rank_documents(table, ChunkRanges.from_pairs([(0, 3)]), None, postings)
    assert some.ranks.tolist() == [1, 2, 0]
    assert some.in_scope == 2
    assert some.bm25.tolist() == everyone.bm25.tolist()


def test_both_rankings_count_by_their_ranks() -> None:
    vectors = np.array([[0, 1], [1, 0]], dtype=np.float32)
    table = table_of([(1, []), (1, [7])], vectors)
    query = np.array([1, 0], dtype=np.float32)
    found = rank_documents(table, ChunkRanges.everything(), query, postings_of([(1, []), (1, [7])]))
    assert found.ranks.tolist() == [2, 1]
    assert found.scores.tolist() == pytest.approx([1 / 62, 2 / 61])


@given(st.text(max_size=60), st.sampled_from(["en", "de", "zh", "th", None]))
def test_no_word_of_a_text_is_a_term_of_a_document(text: str, language: str | None) -> None:
    terms = ANALYZER.terms(text.replace("\x00", " "), language)
    assert not set(terms) & set(document_terms(terms))
    assert not any("\x00" in term for term in terms)


@given(
    st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=5),
    st.lists(st.integers(0, 9), max_size=6),
)
def test_document_terms_are_posted_at_the_first_chunk_and_lengthen_none(
    chunks: list[list[int]], about: list[int]
) -> None:
    bare, whole = build_segment(5, chunks), build_segment(5, chunks, about)
    assert (whole.lengths, whole.chunk_numbers) == (bare.lengths, bare.chunk_numbers)
    # A term that means both, by a collision, is counted as one.
    assert whole.postings == build_segment(5, [[*chunks[0], *about], *chunks[1:]]).postings
    assert len({posting.term for posting in whole.lists}) == len(whole.lists)
    for posting in whole.lists:
        numbers, _ = decode_posting(posting.chunk_numbers, posting.frequencies)
        assert (np.diff(numbers) > 0).all()


def test_term_numbers_of_documents_and_chunks_differ() -> None:
    key = bytes(32)
    assert term_ids(key, ["anchor"]) != term_ids(key, document_terms(["anchor"]))
