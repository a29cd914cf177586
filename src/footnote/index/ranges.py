"""Sets of chunk numbers as ranges: those of a document, the deleted and the visible chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NUMBER_LIMIT = 2**31 - 1
"""Chunk numbers are in 0 … NUMBER_LIMIT - 1, so that they and the end of every range fit int32."""

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.signedinteger]


@dataclass(frozen=True, slots=True, eq=False)
class ChunkRanges:
    """A set of chunk numbers as sorted, disjoint, non-touching half-open ranges.

    Equal sets compare and hash equal. Make one by `from_pairs`, `empty` or `everything`.
    """

    bounds: npt.NDArray[np.int32]
    """start, stop, start, stop … strictly rising, shape (2 · ranges,), read-only."""

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[int, int]]) -> ChunkRanges:
        """The union of half-open (start, stop) ranges, given in any order and overlap.

        A range whose stop is not after its start is empty. Raises ValueError for numbers
        outside 0 … NUMBER_LIMIT.
        """
        table = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
        table = table[table[:, 0] < table[:, 1]]
        if table.size and (table.min() < 0 or table.max() > NUMBER_LIMIT):
            raise ValueError(f"a range of chunk numbers leaves 0 … {NUMBER_LIMIT}")
        return cls(_normalised(table))

    @classmethod
    def from_rising(cls, numbers: Numbers) -> ChunkRanges:
        """The set of these numbers, which rise strictly and are in 0 … NUMBER_LIMIT - 1."""
        starts = np.concatenate(([True], np.diff(numbers) > 1))[: numbers.size]
        stops = np.concatenate((starts[1:], [True]))[: numbers.size]
        bounds = np.stack((numbers[starts], numbers[stops] + 1), axis=1).astype(np.int32)
        flat = bounds.reshape(-1)
        flat.setflags(write=False)
        return cls(flat)

    @classmethod
    def empty(cls) -> ChunkRanges:
        """The empty set."""
        return cls.from_pairs(())

    @classmethod
    def everything(cls) -> ChunkRanges:
        """The set of all chunk numbers."""
        return cls.from_pairs([(0, NUMBER_LIMIT)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ChunkRanges):
            return NotImplemented
        return bool(np.array_equal(self.bounds, other.bounds))

    def __hash__(self) -> int:
        return hash(self.bounds.tobytes())

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The (start, stop) pairs, rising."""
        return iter(self.pairs)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The (start, stop) pairs, rising."""
        numbers = self.bounds.tolist()
        return tuple(zip(numbers[::2], numbers[1::2], strict=True))

    @property
    def count(self) -> int:
        """Number of chunk numbers in the set."""
        return int((self.bounds[1::2] - self.bounds[::2]).sum(dtype=np.int64))

    @property
    def is_empty(self) -> bool:
        """Whether no number is in the set."""
        return self.bounds.size == 0

    def contains(self, numbers: Numbers) -> Mask:
        """For each number, in any order, whether it is in the set; same shape."""
        is_inside: Mask = np.searchsorted(self.bounds, numbers, side="right") % 2 == 1
        return is_inside

    def mask_of_rising(self, numbers: Numbers) -> Mask:
        """`contains` for numbers in rising order, fast when they outnumber the ranges."""
        if numbers.size < self.bounds.size:
            return self.contains(numbers)
        # Looking up the few bounds among the many numbers beats the reverse.
        cuts = np.searchsorted(numbers, self.bounds)
        runs = np.diff(cuts, prepend=0, append=numbers.size)
        return np.repeat(np.arange(runs.size) % 2 == 1, runs)

    def count_of_rising(self, numbers: Numbers) -> int:
        """How many of the numbers, in rising order and distinct, are in the set."""
        if self.is_empty:
            return 0
        if numbers.size < self.bounds.size:
            return int(np.count_nonzero(self.contains(numbers)))
        cuts = np.searchsorted(numbers, self.bounds)
        return int((cuts[1::2] - cuts[::2]).sum())

    def union(self, other: ChunkRanges) -> ChunkRanges:
        """The numbers in either set."""
        return ChunkRanges(_normalised(np.concatenate([self.bounds, other.bounds]).reshape(-1, 2)))

    def complement(self) -> ChunkRanges:
        """The chunk numbers that are not in the set."""
        edges = np.array([0, NUMBER_LIMIT], dtype=np.int32)
        bounds = np.concatenate((edges[:1], self.bounds, edges[1:]))
        # A set that reaches an edge leaves an empty range there.
        return ChunkRanges(_normalised(bounds.reshape(-1, 2)))

    def intersection(self, other: ChunkRanges) -> ChunkRanges:
        """The numbers in both sets."""
        return self.complement().union(other.complement()).complement()

    def difference(self, other: ChunkRanges) -> ChunkRanges:
        """The numbers in this set that are not in the other."""
        if self.is_empty or other.is_empty:
            return self
        return self.complement().union(other).complement()


def _normalised(table: npt.NDArray[np.signedinteger]) -> npt.NDArray[np.int32]:
    table = table[table[:, 0] < table[:, 1]]
    table = table[np.argsort(table[:, 0], kind="stable")]
    if table.shape[0] > 1:
        reach = np.maximum.accumulate(table[:, 1])
        # A new range begins where one starts beyond everything before it.
        begins = np.concatenate(([True], table[1:, 0] > reach[:-1]))
        ends = np.concatenate((begins[1:], [True]))
        table = np.stack((table[begins, 0], reach[ends]), axis=1)
    bounds = table.astype(np.int32).reshape(-1)
    bounds.setflags(write=False)
    return bounds
