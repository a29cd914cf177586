"""The obvious implementations that the fast ones must equal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add

import numpy as np
from hypothesis import strategies as st

from footnote.domain import ChunkTerms, Hit
from footnote.index.bm25 import CorpusLengths, Frequencies, Numbers, corpus_lengths, decode_posting
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import (
    CHUNK_NUMBER,
    COUNT,
    FREQUENCY,
    TERM,
    Postings,
    chunk_lengths,
    merge_postings,
    posting_parts,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """Where one term occurs in one segment."""

    term: int
    chunk_numbers: bytes
    """int32 little-endian, strictly rising."""
    frequencies: bytes
    """uint16 little-endian, one for each chunk number, at least 1."""


@dataclass(frozen=True, kw_only=True)
class Segment:
    """The index of consecutive chunks; it never changes."""

    first_chunk: int
    chunk_numbers: bytes
    """int32 little-endian: first_chunk, first_chunk + 1, …"""
    lengths: bytes
    """int32 little-endian: analysed terms of each chunk."""
    postings: Postings

    @cached_property
    def lists(self) -> list[Posting]:
        """The posting list of each term, by rising term."""
        counts = np.frombuffer(self.postings.counts, COUNT)
        ends = np.cumsum(counts)
        numbers = np.frombuffer(self.postings.chunk_numbers, CHUNK_NUMBER)
        frequencies = np.frombuffer(self.postings.frequencies, FREQUENCY)
        return [
            Posting(
                term=term,
                chunk_numbers=numbers[end - count : end].tobytes(),
                frequencies=frequencies[end - count : end].tobytes(),
            )
            for term, count, end in zip(
                np.frombuffer(self.postings.terms, TERM).tolist(), counts, ends, strict=True
            )
        ]

    @cached_property
    def of_term(self) -> dict[int, Posting]:
        """The same by term."""
        return {posting.term: posting for posting in self.lists}


def build_segment(
    first_chunk: int,
    chunk_terms: Sequence[Sequence[int]],
    document_terms: Sequence[int] = (),
    name_terms: Sequence[int] = (),
) -> Segment:
    """The segment of chunks first_chunk, first_chunk + 1, … given each chunk's term ids.

    Document terms and name terms are posted at the first chunk without counting in its length.

    Law: building two neighbouring runs of chunks and merging them equals building both at once.
    """
    counted = ChunkTerms.of(chunk_terms)
    numbers, lengths = chunk_lengths(first_chunk, counted)
    parts = tuple(posting_parts(first_chunk, counted, document_terms, name_terms))
    return Segment(
        first_chunk=first_chunk,
        chunk_numbers=numbers,
        lengths=lengths,
        postings=Postings(
            terms=b"".join(part.terms for part in parts),
            counts=b"".join(part.counts for part in parts),
            chunk_numbers=b"".join(part.chunk_numbers for part in parts),
            frequencies=b"".join(part.frequencies for part in parts),
        ),
    )


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
            if (posting := segment.of_term.get(term)) is not None
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
