from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import bm25s  # type: ignore[import-untyped]  # the package ships no types
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain import Hit
from footnote.index.analysis import TextAnalyzer
from footnote.index.bm25 import corpus_lengths, decode_posting, score, score_chunks
from footnote.index.ranges import ChunkRanges

from .reference import (
    Corpus,
    build_segment,
    corpora,
    naive_ranking,
    plain_sum,
    ranges,
    searchable,
    segments_of,
    without,
)

NONE_DEAD = ChunkRanges.empty()
queries = st.lists(st.integers(0, 11), max_size=7, unique=True)
limits = st.integers(0, 25)


def ranked(
    corpus: Corpus,
    query: Sequence[int],
    limit: int,
    dead: ChunkRanges = NONE_DEAD,
    scope: ChunkRanges | None = None,
) -> list[Hit]:
    postings, lengths = searchable(segments_of(corpus), query, dead)
    return list(score(postings, lengths, dead, scope, limit).ranking)


def members(chosen: ChunkRanges) -> set[int]:
    return {number for start, stop in chosen for number in range(start, stop)}


@settings(max_examples=150)
@given(corpora, queries, limits)
def test_the_ranking_is_the_top_of_scoring_every_chunk(
    corpus: Corpus, query: list[int], limit: int
) -> None:
    assert ranked(corpus, query, limit) == naive_ranking(corpus, query)[:limit]


@given(corpora, queries, limits, ranges)
def test_a_scope_filters_the_complete_ranking_and_leaves_the_scores(
    corpus: Corpus, query: list[int], limit: int, scope: ChunkRanges
) -> None:
    complete = naive_ranking(corpus, query)
    expected = [hit for hit in complete if hit.chunk_no in members(scope)]
    assert ranked(corpus, query, limit, scope=scope) == expected[:limit]


@given(corpora, queries, ranges)
def test_chosen_chunks_get_the_scores_of_the_complete_ranking(
    corpus: Corpus, query: list[int], chosen: ChunkRanges
) -> None:
    postings, lengths = searchable(segments_of(corpus), query, NONE_DEAD)
    numbers = lengths.chunk_numbers[chosen.mask_of_rising(lengths.chunk_numbers)]
    complete = {hit.chunk_no: hit.score for hit in naive_ranking(corpus, query)}
    expected = [complete.get(number, 0.0) for number in numbers.tolist()]
    assert score_chunks(postings, lengths, NONE_DEAD, numbers).tolist() == expected


@given(corpora, queries, limits, ranges, st.none() | ranges)
def test_the_dead_leave_no_trace_in_ranking_or_statistics(
    corpus: Corpus,
    query: list[int],
    limit: int,
    dead: ChunkRanges,
    scope: ChunkRanges | None,
) -> None:
    living = without(corpus, members(dead))
    assert ranked(corpus, query, limit, dead, scope) == ranked(living, query, limit, scope=scope)


@given(corpora, queries, st.sets(st.integers(0, 120)))
def test_how_the_corpus_is_cut_into_segments_changes_nothing(
    corpus: Corpus, query: list[int], cuts: set[int]
) -> None:
    results = [
        score(*searchable(segments, query, NONE_DEAD), NONE_DEAD, None, 10)
        for segments in (segments_of(corpus), segments_of(corpus, cuts))
    ]
    assert results[0] == results[1]


@given(corpora, queries, limits, ranges)
def test_the_contributions_of_each_winner_add_up_to_its_score(
    corpus: Corpus, query: list[int], limit: int, scope: ChunkRanges
) -> None:
    postings, lengths = searchable(segments_of(corpus), query, NONE_DEAD)
    result = score(postings, lengths, NONE_DEAD, scope, limit)
    assert list(result.contributions) == [hit.chunk_no for hit in result.ranking]
    for hit in result.ranking:
        shares = result.contributions[hit.chunk_no]
        assert plain_sum(shares.values()) == hit.score
        assert set(shares) == set(query) & set(corpus[hit.chunk_no])
        assert all(share > 0 for share in shares.values())


@given(corpora, queries, st.floats(0, 3), st.floats(0, 1))
def test_other_parameters_follow_the_same_formula(
    corpus: Corpus, query: list[int], k1: float, b: float
) -> None:
    postings, lengths = searchable(segments_of(corpus), query, NONE_DEAD)
    found = score(postings, lengths, NONE_DEAD, None, 200, k1=k1, b=b).ranking
    expected = {hit.chunk_no: hit.score for hit in naive_ranking(corpus, query, k1=k1, b=b)}
    assert {hit.chunk_no: hit.score for hit in found} == pytest.approx(expected, rel=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.booleans())
def test_pruning_changes_nothing_where_there_is_much_to_prune(
    seed: int, limit: int, scoped: bool
) -> None:
    corpus, query = zipf_corpus(seed, chunks=1500), [0, 1, 2, 5, 40, 300]
    scope = ChunkRanges.from_pairs([(i, i + 40) for i in range(0, 1500, 60)]) if scoped else None
    allowed = set(range(1500)) if scope is None else members(scope)
    expected = [hit for hit in naive_ranking(corpus, query) if hit.chunk_no in allowed]
    assert ranked(corpus, query, limit, scope=scope) == expected[:limit]


def test_a_tie_is_broken_by_chunk_number() -> None:
    corpus = {number: [1, 2] for number in (9, 4, 6, 30, 2)}
    assert [hit.chunk_no for hit in ranked(corpus, [1, 2], 3)] == [2, 4, 6]


def test_a_corpus_of_empty_chunks_has_no_ranking() -> None:
    assert ranked({0: [], 1: []}, [1], 5) == []
    assert ranked({}, [1], 5) == []


def test_a_term_in_every_chunk_still_counts_for_something() -> None:
    assert all(hit.score > 0 for hit in ranked({0: [1], 1: [1, 2]}, [1], 5))


def test_the_lengths_of_the_living_make_the_statistics() -> None:
    segment = build_segment(3, [[1], [1, 2, 3], [], [4, 4]])
    dead = ChunkRanges.from_pairs([(4, 5)])
    corpus = corpus_lengths([(segment.chunk_numbers, segment.lengths)], dead)
    assert corpus.chunk_numbers.tolist() == [3, 5, 6]
    assert corpus.lengths.tolist() == [1, 0, 2]
    assert corpus.length_of.tolist() == [0, 0, 0, 1, 0, 0, 2]
    assert corpus.live_chunks == 3
    assert corpus.average_length == 1.0


def test_decoding_copies_nothing() -> None:
    numbers, frequencies = np.array([1, 5], "<i4").tobytes(), np.array([2, 3], "<u2").tobytes()
    decoded = decode_posting(numbers, frequencies)
    assert [array.tolist() for array in decoded] == [[1, 5], [2, 3]]
    assert not any(array.flags.owndata or array.flags.writeable for array in decoded)


def zipf_corpus(seed: int, chunks: int, words: int = 2000) -> dict[int, list[int]]:
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, words + 1)
    lengths = random.integers(1, 60, chunks)
    return {
        number: random.choice(words, length, p=weights / weights.sum()).tolist()
        for number, length in enumerate(lengths)
    }


def reference_scores(corpus: Corpus, queries: Sequence[list[int]]) -> list[np.ndarray]:
    """Each query's score of each chunk by `bm25s`, by chunk number."""
    vocabulary = {
        str(term): term for term in range(max(map(max, filter(None, corpus.values()))) + 1)
    }
    model = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    ids = [list(corpus[number]) for number in range(len(corpus))]
    model.index((ids, vocabulary), show_progress=False)
    return [np.asarray(model.get_scores_from_ids(query), dtype=np.float64) for query in queries]


def agreeing_positions(
    corpus: Corpus, queries: Sequence[list[int]], top: int = 10
) -> tuple[int, int]:
    """Positions of the top `top` whose chunk is the reference's, or scores like it, of how many.

    The reference rounds otherwise, so chunks that differ by less than 1e-9 are one tie.
    """
    segments = segments_of(corpus)
    same = asked = 0
    for query, expected in zip(queries, reference_scores(corpus, queries), strict=True):
        found = score(*searchable(segments, query, NONE_DEAD), NONE_DEAD, None, top).ranking
        best = np.lexsort((np.arange(expected.size), -expected))[:top]
        best = best[expected[best] > 0]
        assert len(found) == len(best)
        asked += len(best)
        same += sum(
            hit.chunk_no == number or abs(expected[hit.chunk_no] - expected[number]) < 1e-9
            for hit, number in zip(found, best.tolist(), strict=True)
        )
        assert [hit.score for hit in found] == pytest.approx(expected[best].tolist(), rel=1e-9)
    return same, asked


def test_the_top_ten_equals_the_exact_reference_on_synthetic_text() -> None:
    corpus = zipf_corpus(7, chunks=3000)
    random = np.random.default_rng(8)
    asked = [random.choice(600, size, replace=False).tolist() for size in (1, 2, 3, 5, 8) * 20]
    held = set().union(*corpus.values())
    same, positions = agreeing_positions(corpus, [[t for t in q if t in held] for q in asked])
    assert positions > 900
    assert same == positions


def data_folder() -> Path:
    root = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("FOOTNOTE_TEST_DATA", root.parent / "shared" / "data"))


def test_the_top_ten_equals_the_exact_reference_on_cranfield() -> None:
    folder = data_folder() / "cranfield"
    if not folder.is_dir():
        pytest.skip("the Cranfield collection is not at FOOTNOTE_TEST_DATA or ../shared/data")
    analyzer = TextAnalyzer()
    vocabulary: dict[str, int] = {}
    corpus = {
        number: [
            vocabulary.setdefault(term, len(vocabulary))
            for term in analyzer.terms(f"{document['title']}\n{document['text']}", "en")
        ]
        for number, document in enumerate(read_lines(folder / "corpus.jsonl"))
    }
    queries = [
        [
            vocabulary[term]
            for term in analyzer.query_terms(query["text"], ["en"])
            if term in vocabulary
        ]
        for query in read_lines(folder / "queries.jsonl")
    ]
    same, positions = agreeing_positions(corpus, queries)
    assert positions > 2000
    assert same / positions >= 0.99


def read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
