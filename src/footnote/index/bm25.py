"""Exact BM25 over posting lists: the k best chunks of a scope, with each term's contribution.

score(c) = Σ_t idf(t) · tf / (tf + k1 · (1 - b + b · length(c) / average length))
idf(t)   = ln(1 + (N - df(t) + 0.5) / (df(t) + 0.5))

The variant of Lucene (Kamphuis et al., ECIR 2020, "Which BM25 do you mean?"). N, df and the
average length count the live chunks of the whole workspace, whatever the scope, so a chunk's
score does not depend on who asks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.domain import Hit, Ranking
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import CHUNK_NUMBER, FREQUENCY, LENGTH, merge_lengths

K1 = 1.2  # Lucene's default: term frequency saturation.
B = 0.75  # Lucene's default: length normalisation.

_SLACK = 1e-9  # Relative; far above the rounding of a sum of float64, far below a real difference.

_POSTINGS_PER_LOOKUP = 8  # Cost of looking up one candidate, in postings: 5 to 9 were measured.

Numbers = npt.NDArray[np.int32]
Frequencies = npt.NDArray[np.uint16]
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorpusLengths:
    """The lengths of a workspace's live chunks, in analysed terms."""

    chunk_numbers: Numbers
    """Rising, shape (live_chunks,)."""
    lengths: Numbers
    """One for each chunk number."""
    length_of: Numbers
    """Dense: the length at each chunk number, 0 where there is no live chunk."""
    live_chunks: int
    average_length: float
    """0.0 without chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalResult:
    """The best chunks, with the contributions to their scores."""

    ranking: Ranking
    contributions: Mapping[int, Mapping[int, float]]
    """By chunk number of the ranking, each matched term's share; they add up to its score."""


def corpus_lengths(segments: Sequence[tuple[bytes, bytes]], dead: ChunkRanges) -> CorpusLengths:
    """Collect the live chunks of all segments' (chunk_numbers, lengths).

    The dense look-up takes four bytes for each number up to the highest one.
    """
    number_bytes, length_bytes = merge_lengths(segments, dead)
    numbers = np.frombuffer(number_bytes, CHUNK_NUMBER)
    lengths = np.frombuffer(length_bytes, LENGTH)
    length_of = np.zeros(int(numbers[-1]) + 1 if numbers.size else 0, dtype=np.int32)
    length_of[numbers] = lengths
    return CorpusLengths(
        chunk_numbers=numbers,
        lengths=lengths,
        length_of=length_of,
        live_chunks=numbers.size,
        average_length=float(lengths.mean(dtype=np.float64)) if numbers.size else 0.0,
    )


def decode_posting(chunk_numbers: bytes, frequencies: bytes) -> tuple[Numbers, Frequencies]:
    """A stored posting list as read-only arrays over the same bytes."""
    return np.frombuffer(chunk_numbers, CHUNK_NUMBER), np.frombuffer(frequencies, FREQUENCY)


def score(
    postings: Mapping[int, tuple[Numbers, Frequencies]],
    corpus: CorpusLengths,
    dead: ChunkRanges,
    scope: ChunkRanges | None,
    limit: int,
    *,
    k1: float = K1,
    b: float = B,
) -> LexicalResult:
    """Return the `limit` best chunks within `scope` (None: all) that contain any of the terms.

    Chunk numbers of a posting list rise strictly; dead ones may be among them, the live ones are
    all in the corpus. `dead` is the set the corpus was built without. Ties rank by chunk number. A
    chunk's score sums its contributions by falling idf (ties by term), hence it is the same on
    every call.

    Terms are processed from the rarest on (MaxScore: Turtle and Flood, 1995). Once the upper bounds
    of the remaining terms cannot lift a new chunk into the ranking, these are looked up for the
    candidates alone; the result equals that of scoring everything.
    """
    if limit <= 0 or corpus.live_chunks == 0:
        return LexicalResult(ranking=(), contributions={})
    damping = _damping(corpus, k1, b)
    allowed = (ChunkRanges.everything() if scope is None else scope).difference(dead)
    terms = _terms(postings, corpus.live_chunks, dead, allowed)
    candidates = _candidates(terms, damping, limit)
    shares = np.zeros((len(terms), candidates.size))
    totals = np.zeros(candidates.size)
    for row, term in enumerate(terms):
        shares[row] = _shares_of(term, candidates, damping)
        totals += shares[row]
    # Candidates rise by chunk number, so a stable sort breaks ties as promised.
    best = np.argsort(-totals, kind="stable")[:limit]
    return _result(terms, candidates[best], totals[best], shares[:, best])


def score_chunks(
    postings: Mapping[int, tuple[Numbers, Frequencies]],
    corpus: CorpusLengths,
    dead: ChunkRanges,
    numbers: Numbers,
    *,
    k1: float = K1,
    b: float = B,
) -> Scores:
    """Score these live chunks, in rising order, as `score` does; 0 without any of the terms."""
    damping = _damping(corpus, k1, b)
    totals = np.zeros(numbers.size)
    for term in _terms(postings, corpus.live_chunks, dead, ChunkRanges.everything()):
        totals += _shares_of(term, numbers, damping)
    return totals


def inverse_frequency(live_chunks: int, holders: int) -> float:
    """Return the idf of a term in `holders` of the live chunks; above 0 even if all have it."""
    return math.log1p((live_chunks - holders + 0.5) / (holders + 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    """A query term with its postings in the allowed chunks."""

    term: int
    numbers: Numbers
    frequencies: Frequencies
    idf: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Damping:
    """Term frequency saturation and length normalisation: tf / (tf + base + slope · length)."""

    base: float
    slope: float
    length_of: Numbers

    def gains(self, idf: float, numbers: Numbers, frequencies: Frequencies) -> Scores:
        """Return a term's contributions to chunks, given its frequencies in them."""
        weights: Scores = self.length_of[numbers].astype(np.float64)
        weights *= self.slope
        weights += self.base
        weights += frequencies
        np.divide(frequencies, weights, out=weights)
        weights *= idf
        return weights

    def bound(self, term: _Term) -> float:
        """Upper bound of a term's contribution: that of its highest frequency at length 0."""
        frequency = int(term.frequencies.max())
        return term.idf * frequency / (frequency + self.base)


def _damping(corpus: CorpusLengths, k1: float, b: float) -> _Damping:
    return _Damping(
        base=k1 * (1 - b),
        slope=k1 * b / (corpus.average_length or 1.0),
        length_of=corpus.length_of,
    )


def _terms(
    postings: Mapping[int, tuple[Numbers, Frequencies]],
    live_chunks: int,
    dead: ChunkRanges,
    allowed: ChunkRanges,
) -> list[_Term]:
    """Return the terms that occur in the allowed chunks, rarest in the workspace first."""
    terms = []
    for term, (numbers, frequencies) in postings.items():
        allowed_numbers, counts = numbers, frequencies
        # Usually all of them are allowed, and counting is faster than masking.
        if allowed.count_of_rising(numbers) < numbers.size:
            mask = allowed.mask_of_rising(numbers)
            allowed_numbers, counts = numbers[mask], frequencies[mask]
        if allowed_numbers.size:
            live = numbers.size - dead.count_of_rising(numbers)
            idf = inverse_frequency(live_chunks, live)
            terms.append(_Term(term=term, numbers=allowed_numbers, frequencies=counts, idf=idf))
    return sorted(terms, key=lambda term: (-term.idf, term.term))


def _candidates(terms: Sequence[_Term], damping: _Damping, limit: int) -> Numbers:
    """Return a small superset of the chunks that rank within the limit, by rising number."""
    bounds = [damping.bound(term) for term in terms]
    remaining_bounds = [*np.cumsum(bounds[::-1])[::-1].tolist(), 0.0]
    partial = np.zeros(damping.length_of.size)
    threshold = 0.0
    holders: list[Numbers] = []
    added = 0
    for term in terms:
        if remaining_bounds[added] >= threshold:
            holders.append(term.numbers)
        elif _count_reaching(holders, partial, threshold - remaining_bounds[added]) < (
            term.numbers.size // _POSTINGS_PER_LOOKUP
        ):
            break
        gains = damping.gains(term.idf, term.numbers, term.frequencies)
        gains += partial[term.numbers]
        partial[term.numbers] = gains
        threshold = _raise_threshold(threshold, gains, limit)
        added += 1
    minimum = threshold - remaining_bounds[added]
    reaching = [numbers[partial[numbers] >= minimum] for numbers in holders]
    candidates = np.unique(np.concatenate([np.zeros(0, np.int32), *reaching]))
    sums = partial[candidates]
    for position in range(added, len(terms)):
        sums += _shares_of(terms[position], candidates, damping)
        threshold = _raise_threshold(threshold, sums, limit)
        mask = sums >= threshold - remaining_bounds[position + 1]
        candidates, sums = candidates[mask], sums[mask]
    return candidates


def _count_reaching(holders: Sequence[Numbers], partial: Scores, minimum: float) -> int:
    return sum(int(np.count_nonzero(partial[numbers] >= minimum)) for numbers in holders)


def _shares_of(term: _Term, candidates: Numbers, damping: _Damping) -> Scores:
    """Return the term's contribution to each rising candidate, 0 where it does not occur."""
    shares = np.zeros(candidates.size)
    positions = np.searchsorted(term.numbers, candidates)
    positions[positions == term.numbers.size] = 0
    matches = term.numbers[positions] == candidates
    shares[matches] = damping.gains(
        term.idf, candidates[matches], term.frequencies[positions[matches]]
    )
    return shares


def _raise_threshold(threshold: float, sums: Scores, limit: int) -> float:
    """Raise the threshold to the highest score that `limit` chunks are known to reach, less
    rounding."""
    promising = sums[sums > threshold]
    if promising.size < limit:
        return threshold
    kth = float(np.partition(promising, promising.size - limit)[promising.size - limit])
    return max(threshold, kth * (1 - _SLACK))


def _result(
    terms: Sequence[_Term], winners: Numbers, totals: Scores, shares: Scores
) -> LexicalResult:
    numbers = winners.tolist()
    ranking = tuple(
        Hit(chunk_no=number, score=total)
        for number, total in zip(numbers, totals.tolist(), strict=True)
    )
    contributions = {
        number: {term.term: share for term, share in zip(terms, column, strict=True) if share > 0.0}
        for number, column in zip(numbers, shares.T.tolist(), strict=True)
    }
    return LexicalResult(ranking=ranking, contributions=contributions)
