"""The term ids of a document's chunks, counted, in a few bytes for each."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

_MAX_FREQUENCY = 2**16 - 1


@dataclass(frozen=True, slots=True, eq=False)
class ChunkTerms:
    """Which terms each chunk has and how often, chunk by chunk.

    Six bytes for each different term of a chunk, where a list of numbers would take forty.
    """

    terms: array[int] = field(default_factory=lambda: array("i"))
    """The different term ids of the first chunk, then those of the second, and so on."""
    frequencies: array[int] = field(default_factory=lambda: array("H"))
    """How often the chunk has each; 65,535 stands for that and more."""
    distinct: array[int] = field(default_factory=lambda: array("i"))
    """How many different terms each chunk has."""
    lengths: array[int] = field(default_factory=lambda: array("i"))
    """How many terms each chunk has, repeated ones counted as they repeat."""

    @classmethod
    def of(cls, chunks: Iterable[Sequence[int]]) -> Self:
        """Counted from the term ids of each chunk, repeated as they repeat.

        Raises ValueError when a term id does not fit in 31 bits.
        """
        counts = cls()
        for terms in chunks:
            counts.add(terms)
        return counts

    def add(self, terms: Sequence[int]) -> None:
        """Add the next chunk. Raises ValueError when a term id does not fit in 31 bits."""
        counts = Counter(terms)
        try:
            self.terms.extend(counts)
        except OverflowError as error:
            raise ValueError("a term id does not fit in 31 bits") from error
        self.frequencies.extend(min(count, _MAX_FREQUENCY) for count in counts.values())
        self.distinct.append(len(counts))
        self.lengths.append(len(terms))

    def __len__(self) -> int:
        """How many chunks there are."""
        return len(self.lengths)
