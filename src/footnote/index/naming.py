"""Which documents a query names: by the words of their titles, their files' names, whose they are.

The terms of a document's names are posted in the same lists as those of its chunks, under terms of
their own, at the number of its first chunk and with the number of its chunks for frequency: so the
list of a name tells the whole range of each document that has it. Segments, merges and deletions
hold for them unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.index.bm25 import Frequencies, Numbers, Scores, inverse_frequency
from footnote.index.ranges import ChunkRanges

LEAST_WEIGHT = 1.0
"""In nats. What names less is a word that a good part of the documents are called by."""
AS_WELL_NAMED = 0.5
"""In nats below the best, how well those are named that are searched once more."""

FEWEST_SHARING = 2
"""Documents. Where one alone has a name, others speak of what it names as well, and BM25 finds its
title; what several share tells the documents of a series apart, which say the same otherwise."""

_NAMED = "\x00\x00"  # No analysed term has a character that no text can hold.
_HAS_NAMES = _NAMED
"""Posted for every document that has names, so that they can be counted."""


def name_terms(terms: Iterable[str]) -> list[str]:
    """The terms as they are posted for what a document is called, each once."""
    return [_HAS_NAMES, *dict.fromkeys(_NAMED + term for term in terms)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedDocuments:
    """The documents that a query names, by rising first chunk."""

    firsts: Numbers
    ends: Numbers
    """A document's chunks are firsts[i] … ends[i] - 1."""
    weights: Scores
    """The idf, over the documents, of the query's terms that each is called by; above 0."""

    @property
    def best(self) -> ChunkRanges:
        """The chunks of those that are named about as well as any."""
        near = self.weights >= self.weights.max() - AS_WELL_NAMED
        return ChunkRanges.from_pairs(
            zip(self.firsts[near].tolist(), self.ends[near].tolist(), strict=True)
        )

    def lacks(self, chunk_numbers: Numbers) -> Scores:
        """For each chunk number, by how many nats less than the best its document is named."""
        places = np.searchsorted(self.firsts, chunk_numbers, side="right") - 1
        inside = (places >= 0) & (chunk_numbers < self.ends[places])
        lacks: Scores = self.weights.max() - np.where(inside, self.weights[places], 0.0)
        return lacks


def named_documents(
    postings: Mapping[int, tuple[Numbers, Frequencies]], everything: int, visible: ChunkRanges
) -> NamedDocuments | None:
    """The visible documents that a query names; None where it names none, or most of them.

    `postings` are those of its name terms; `everything` is the term that all documents with names
    have. What cannot be seen has no part in it, not even in how rare a name is.
    """
    inside = {
        term: (numbers[kept], frequencies[kept])
        for term, (numbers, frequencies) in postings.items()
        if (kept := visible.mask_of_rising(numbers)).any()
    }
    firsts, counts = inside.pop(everything, (None, None))
    if firsts is None or counts is None:
        return None
    weights = np.zeros(firsts.size)
    for numbers, _ in inside.values():
        if numbers.size < FEWEST_SHARING:
            continue
        weights[np.searchsorted(firsts, numbers)] += inverse_frequency(firsts.size, numbers.size)
    named: npt.NDArray[np.bool_] = weights > 0
    if not named.any() or weights.max() < LEAST_WEIGHT:
        return None
    return NamedDocuments(
        firsts=firsts[named],
        ends=(firsts + counts.astype(np.int32))[named],
        weights=weights[named],
    )
