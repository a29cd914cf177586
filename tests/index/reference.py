"""The obvious implementations that the fast ones must equal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from operator import add

from hypothesis import strategies as st

from footnote.domain import Hit
from footnote.index.bm25 import CorpusLengths, Frequencies, Numbers, corpus_lengths, decode_posting
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import Segment, build_segment, merge_postings

Corpus = Mapping[int, Sequence[int]]
"""Chunk number to its term ids."""


def naive_ranking(
    corpus: Corpus, query: Sequence[int], *, k1: float = 1.2, b: float = 0.75
) -> list[Hit]:
    """Every chunk with a query term, best first, by the formula of `footnote.index.bm25`.

    It rounds in the same order, so that scores may be compared exactly.
    """
    if not corpus:
        return []
    average = sum(map(len, corpus.values())) / len(corpus)
    counts = {number: Counter(terms) for number, terms in corpus.items()}
    holding = {term: sum(term in count for count in counts.values()) for term in query}
    idf = {t: math.log1p((len(corpus) - n + 0.5) / (n + 0.5)) for t, n in holding.items()}
    rarest_first = sorted(query, key=lambda term: (-idf[term], term))
    hits = []
    for number, terms in corpus.items():
        damping = len(terms) * (k1 * b / (average or 1.0)) + k1 * (1 - b)
        frequencies = [(term, counts[number][term]) for term in rarest_first]
        shares = [idf[term] * (tf / (damping + tf)) for term, tf in frequencies if tf]
        if shares:
            hits.append(Hit(chunk_no=number, score=plain_sum(shares)))
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_no))


def plain_sum(numbers: Iterable[float]) -> float:
    """The sum from left to right, which `sum` compensates for rounding since Python 3.12."""
    return reduce(add, numbers, 0.0)


def without(corpus: Corpus, numbers: Collection[int]) -> dict[int, Sequence[int]]:
    """The corpus as if these chunks had never been there."""
    return {number: terms for number, terms in corpus.items() if number not in numbers}


def searchable(
    segments: Sequence[Segment], query: Sequence[int], dead: ChunkRanges
) -> tuple[dict[int, tuple[Numbers, Frequencies]], CorpusLengths]:
    """What a store would hand to `score`, the dead left in the postings."""
    postings = {}
    for term in query:
        groups = [
            (posting.chunk_numbers, posting.frequencies)
            for segment in segments
            for posting in segment.postings
            if posting.term == term
        ]
        if groups:
            postings[term] = decode_posting(*merge_postings(groups, ChunkRanges.empty()))
    lengths = corpus_lengths([(each.chunk_numbers, each.lengths) for each in segments], dead)
    return postings, lengths


def segments_of(corpus: Corpus, cuts: Collection[int] = ()) -> list[Segment]:
    """The corpus as segments, a new one at every gap and cut."""
    runs: list[tuple[int, list[Sequence[int]]]] = []
    for number in sorted(corpus):
        if runs and number not in cuts and runs[-1][0] + len(runs[-1][1]) == number:
            runs[-1][1].append(corpus[number])
        else:
            runs.append((number, [corpus[number]]))
    return [build_segment(first, chunks) for first, chunks in runs]


chunks = st.lists(st.integers(0, 9), max_size=14)
"""The term ids of a chunk, from a vocabulary so small that ties and repeats are common."""

chunk_lists = st.lists(chunks, max_size=40)

corpora = st.dictionaries(st.integers(0, 120), chunks, max_size=60)

ranges = st.lists(st.tuples(st.integers(0, 130), st.integers(0, 130)), max_size=6).map(
    ChunkRanges.from_pairs
)
