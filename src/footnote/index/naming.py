"""Find the documents that a query names, by words of their titles, file names, owners and covers.

The terms of a document's names are stored in the same posting lists as those of its chunks, with a
prefix of their own, at the number of its first chunk and with its number of chunks as frequency: so
a name's posting list gives the chunk range of each document with it. Segments, merges and deletions
apply to them unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.index.bm25 import Frequencies, Numbers, Scores, inverse_frequency
from footnote.index.ranges import ChunkRanges

MIN_WEIGHT = 1.0
"""Minimum name score, in nats; below it the words are in the names of too many documents."""
MAX_NAME_SCORE_GAP = 0.5
"""Largest gap to the best name score, in nats, of documents that are searched again by
themselves."""

FEWEST_SHARING = 2
"""Minimum number of documents with a name that counts. The name of one document alone is also
mentioned in others, and BM25 finds its title; a name that several share distinguishes the documents
of a series, which are otherwise alike."""

_NAME_PREFIX = "\x00\x00"  # No analysed term has a character that no text can hold.
_HAS_NAMES = _NAME_PREFIX
"""Term of every document with names, so that these can be counted."""


def name_terms(terms: Iterable[str]) -> list[str]:
    """Return the distinct index terms of a document's names."""
    return [_HAS_NAMES, *dict.fromkeys(_NAME_PREFIX + term for term in terms)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedDocuments:
    """The documents that a query names, in order of their first chunks."""

    firsts: Numbers
    ends: Numbers
    """A document's chunks are firsts[i] … ends[i] - 1."""
    weights: Scores
    """The idf, over the documents, of the query's terms that each is called by; above 0."""

    @property
    def best(self) -> ChunkRanges:
        """The chunks of the documents with the best name scores."""
        is_best = self.weights >= self.weights.max() - MAX_NAME_SCORE_GAP
        return ChunkRanges.from_pairs(
            zip(self.firsts[is_best].tolist(), self.ends[is_best].tolist(), strict=True)
        )

    def lacks(self, chunk_numbers: Numbers) -> Scores:
        """Return how far the name score of each chunk's document is below the best, in nats."""
        positions = np.searchsorted(self.firsts, chunk_numbers, side="right") - 1
        is_inside = (positions >= 0) & (chunk_numbers < self.ends[positions])
        gaps: Scores = self.weights.max() - np.where(is_inside, self.weights[positions], 0.0)
        return gaps


def named_documents(
    postings: Mapping[int, tuple[Numbers, Frequencies]], everything: int, visible: ChunkRanges
) -> NamedDocuments | None:
    """Return the visible documents that a query names; None if it names none, or most of them.

    `postings` are those of its name terms; `everything` is the term that all documents with names
    have. Invisible documents are ignored, also in the idf of a name.
    """
    visible_postings = {
        term: (numbers[mask], frequencies[mask])
        for term, (numbers, frequencies) in postings.items()
        if (mask := visible.mask_of_rising(numbers)).any()
    }
    firsts, counts = visible_postings.pop(everything, (None, None))
    if firsts is None or counts is None:
        return None
    weights = np.zeros(firsts.size)
    for numbers, _ in visible_postings.values():
        if numbers.size < FEWEST_SHARING:
            continue
        weights[np.searchsorted(firsts, numbers)] += inverse_frequency(firsts.size, numbers.size)
    is_named: npt.NDArray[np.bool_] = weights > 0
    if not is_named.any() or weights.max() < MIN_WEIGHT:
        return None
    return NamedDocuments(
        firsts=firsts[is_named],
        ends=(firsts + counts.astype(np.int32))[is_named],
        weights=weights[is_named],
    )
