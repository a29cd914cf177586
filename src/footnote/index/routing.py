"""Rank documents by their topics, before a search ranks their chunks.

A document's title, summary, sections and keywords are posted in the same lists as its chunks,
under terms of their own and at the number of its first chunk. So segments, merges, deletions and
caches hold for them unchanged. The two rankings, by vector and by BM25, are fused by reciprocal
ranks (Cormack, Clarke and Büttcher, SIGIR 2009).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.index.bm25 import K1, B, Frequencies, Numbers, Scores, inverse_frequency
from footnote.index.ranges import ChunkRanges, Mask

Matrix = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]

_DOCUMENT = "\x00"  # No analysed term has a character that no text can hold.
_RRF_K = 60


def document_terms(terms: Iterable[str]) -> list[str]:
    """Return the index terms of whole documents, distinct from those of their chunks."""
    return [_DOCUMENT + term for term in terms]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DocumentTable:
    """The documents of a workspace that can be routed to, by rising first chunk."""

    generation: int
    """Generation of the index from which the table was built."""
    lane_id: int
    firsts: Numbers
    ends: Numbers
    """A document's chunks are firsts[i] … ends[i] - 1."""
    lengths: Numbers
    """Number of analysed terms indexed for each document."""
    vectors: Matrix
    """Shape (documents, dimensions)."""

    @property
    def byte_size(self) -> int:
        """Memory in bytes."""
        numbers = self.firsts.nbytes + self.ends.nbytes + self.lengths.nbytes
        return numbers + self.vectors.nbytes

    def within(self, visible: ChunkRanges) -> Mask:
        """For each document, whether any of its chunks is visible."""
        edges = np.searchsorted(visible.bounds, self.firsts, side="right")
        following = np.append(visible.bounds, np.int32(np.iinfo(np.int32).max))[edges]
        is_visible: Mask = (edges % 2 == 1) | (following < self.ends)
        return is_visible

    def places_of(self, chunk_numbers: Numbers) -> Places:
        """Return the index of each chunk's document in the table, -1 without one."""
        if not self.firsts.size:
            return np.full(chunk_numbers.shape, -1)
        positions = np.searchsorted(self.firsts, chunk_numbers, side="right") - 1
        return np.where((positions >= 0) & (chunk_numbers < self.ends[positions]), positions, -1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DocumentRanking:
    """Ranks and scores of the documents in scope; arrays are parallel to the table."""

    in_scope: int
    ranks: Places
    """From 1; 0 for documents out of scope."""
    scores: Scores
    """Sums of reciprocal ranks; 0 for documents out of scope or in neither ranking."""
    similarities: Scores | None
    """Cosines to the query; None without a vector."""
    bm25: Scores


def rank_documents(
    table: DocumentTable,
    visible: ChunkRanges,
    vector: npt.NDArray[np.float32] | None,
    postings: Mapping[int, tuple[Numbers, Frequencies]],
) -> DocumentRanking:
    """Rank the documents with a visible chunk by both rankings; ties by first chunk.

    `postings` are those of document terms. As for chunks, idf and average length count the live
    documents of the whole workspace, whoever asks.
    """
    in_scope = np.flatnonzero(table.within(visible))
    bm25 = _bm25(table, postings)
    similarities = None
    scores = np.zeros(table.firsts.size)
    if vector is not None:
        # Unlike numpy's other products, this one never starts threads.
        similarities = np.vecdot(table.vectors, vector).astype(np.float64)
        _add_reciprocal_ranks(scores, in_scope, similarities)
    _add_reciprocal_ranks(scores, in_scope[bm25[in_scope] > 0], bm25)
    order = in_scope[np.argsort(-scores[in_scope], kind="stable")]
    ranks = np.zeros(table.firsts.size, dtype=np.intp)
    ranks[order] = np.arange(1, order.size + 1)
    return DocumentRanking(
        in_scope=in_scope.size, ranks=ranks, scores=scores, similarities=similarities, bm25=bm25
    )


def _add_reciprocal_ranks(scores: Scores, positions: Places, by: Scores) -> None:
    order = positions[np.argsort(-by[positions], kind="stable")]
    scores[order] += 1.0 / (_RRF_K + np.arange(1, order.size + 1))


def _bm25(table: DocumentTable, postings: Mapping[int, tuple[Numbers, Frequencies]]) -> Scores:
    """Exact BM25 of every document, 0 where no term matches; see `footnote.index.bm25`."""
    count = table.firsts.size
    scores = np.zeros(count)
    if not count:
        return scores
    average = float(table.lengths.mean()) or 1.0
    damping = table.lengths * (K1 * B / average) + K1 * (1 - B)
    matches = []
    for term, (numbers, frequencies) in postings.items():
        positions = np.searchsorted(table.firsts, numbers)
        positions[positions == count] = 0
        live = table.firsts[positions] == numbers
        idf = inverse_frequency(count, int(np.count_nonzero(live)))
        matches.append((-idf, term, positions[live], frequencies[live].astype(np.float64)))
    # By falling idf, as for chunks: sums of one order are the same on every call.
    for negative_idf, _, positions, counts in sorted(matches, key=lambda match: match[:2]):
        scores[positions] += counts / (damping[positions] + counts) * -negative_idf
    return scores
