"""Segments: the terms of consecutive chunks as posting lists that merge by concatenation.

A posting list is two byte strings of equal count: chunk numbers (int32, little-endian, strictly
rising) and term frequencies (uint16, little-endian). Both are of fixed width and hold absolute
numbers, so the lists of two consecutive segments merge by concatenating their bytes.
`index/blocks.py` describes the storage format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.domain import ChunkTerms
from footnote.index.ranges import NUMBER_LIMIT, ChunkRanges
from footnote.index.terms import TERM_ID_LIMIT

TERM = np.dtype("<i4")
COUNT = np.dtype("<i4")
CHUNK_NUMBER = np.dtype("<i4")
FREQUENCY = np.dtype("<u2")
LENGTH = np.dtype("<i4")

SEGMENT_FORMAT = 2
"""Version of the storage format of posting lists: 1 has a row for each term, 2 has blocks
(`index/blocks.py`). Older segments are read, and rewritten in the background; newer ones are
refused."""

MAX_FREQUENCY = int(np.iinfo(FREQUENCY).max)
"""Cap of a frequency: higher ones are stored as this; a chunk of some hundred tokens has none."""

_NUMBER_BITS = 31
_ENTRIES_OF_PART = 100_000
_MORE_PARTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """The posting lists of many terms, concatenated in ascending order of their terms.

    A document has thousands of terms: byte strings reach the database without an object for each.
    """

    terms: bytes
    """int32 little-endian, strictly rising."""
    counts: bytes
    """int32 little-endian: in how many chunks each term occurs, at least 1."""
    chunk_numbers: bytes
    """int32 little-endian: the concatenated lists of all terms."""
    frequencies: bytes
    """uint16 little-endian, one for each chunk number, at least 1."""
    parts: int = 1
    """Number of equal ranges that the term ids are divided into; these terms are of one range (see
    `term_parts`)."""


def term_parts(weight: int, limit: int) -> range:
    """Divide the term ids into equal ranges with at most `limit` of the weight; return their
    starts.

    Ids are hashes and so evenly distributed. The number of ranges is a power of eight, as in
    `index/blocks.py`.
    """
    parts = 1
    while weight > limit * parts:
        parts *= _MORE_PARTS
    return range(0, TERM_ID_LIMIT, TERM_ID_LIMIT // parts)


def chunk_lengths(first_chunk: int, chunk_terms: ChunkTerms) -> tuple[bytes, bytes]:
    """Return the chunk numbers and the lengths of a segment in their storage format.

    Raises ValueError when a chunk number does not fit 31 bits.
    """
    if first_chunk < 0 or first_chunk + len(chunk_terms) > NUMBER_LIMIT:
        raise ValueError(f"chunk numbers from {first_chunk} do not fit in 31 bits")
    numbers = np.arange(first_chunk, first_chunk + len(chunk_terms), dtype=CHUNK_NUMBER)
    lengths = np.asarray(chunk_terms.lengths, dtype=LENGTH)
    return numbers.tobytes(), lengths.tobytes()


def posting_parts(
    first_chunk: int,
    chunk_terms: ChunkTerms,
    document_terms: Sequence[int] = (),
    name_terms: Sequence[int] = (),
) -> Iterator[Postings]:
    """Yield the posting lists of a segment in ascending order of terms, in parts of whole lists.

    Document and name terms are posted at the first chunk. The frequency of a name term is the
    number of chunks, so that its list gives the range of each document. A part has about a hundred
    thousand entries, which bounds the memory however many chunks there are. Raises ValueError when
    a term id does not fit 31 bits.
    """
    terms = np.frombuffer(chunk_terms.terms, np.intc)
    extra_terms = np.array([*document_terms, *name_terms], dtype=np.int64)
    weights = np.ones(extra_terms.size, dtype=np.int64)
    weights[len(document_terms) :] = min(len(chunk_terms), MAX_FREQUENCY)
    if (
        min(terms.min(initial=0), extra_terms.min(initial=0)) < 0
        or extra_terms.max(initial=0) >= TERM_ID_LIMIT
    ):
        raise ValueError("a term id does not fit in 31 bits")
    frequencies = np.frombuffer(chunk_terms.frequencies, np.ushort)
    ends = np.cumsum(np.frombuffer(chunk_terms.distinct, np.intc), dtype=np.int64)
    parts = term_parts(terms.size, _ENTRIES_OF_PART)
    for low in parts:
        high = low + parts.step
        positions = np.flatnonzero((terms >= low) & (terms < high))
        numbers = first_chunk + np.searchsorted(ends, positions, side="right")
        in_part = (extra_terms >= low) & (extra_terms < high)
        part_terms = extra_terms[in_part]
        packed = np.concatenate(
            [
                (terms[positions].astype(np.int64) << _NUMBER_BITS) | numbers,
                (part_terms << _NUMBER_BITS) | first_chunk,
            ]
        )
        counts = np.concatenate([frequencies[positions].astype(np.int64), weights[in_part]])
        if packed.size:
            yield _postings(packed, counts, len(parts))


def merge_postings(groups: Iterable[tuple[bytes, bytes]], dead: ChunkRanges) -> tuple[bytes, bytes]:
    """Merge one term's lists of several segments into one list without the dead chunks.

    The groups may come in any order and may interleave. Raises ValueError when a chunk is in two
    groups, since a chunk belongs to one segment.
    """
    return _merge(groups, FREQUENCY, dead)


def merge_terms(pieces: Sequence[Postings], dead: ChunkRanges, part: range) -> Postings:
    """Merge the lists of the terms in `part` in one pass, each as `merge_postings` does.

    The terms are in ascending order; a term that only dead chunks have is left out. For short lists
    this takes a fraction of the time of merging them one by one.
    """
    terms = np.frombuffer(b"".join(piece.terms for piece in pieces), TERM)
    counts = np.frombuffer(b"".join(piece.counts for piece in pieces), COUNT)
    numbers = np.frombuffer(b"".join(piece.chunk_numbers for piece in pieces), CHUNK_NUMBER)
    frequencies = np.frombuffer(b"".join(piece.frequencies for piece in pieces), FREQUENCY)
    if numbers.size != frequencies.size:
        raise ValueError(f"{numbers.size} chunk numbers but {frequencies.size} frequencies")
    packed = (np.repeat(terms.astype(np.int64), counts) << _NUMBER_BITS) | numbers
    if not _rises(packed):
        order = np.argsort(packed, kind="stable")
        packed, numbers, frequencies = packed[order], numbers[order], frequencies[order]
        if not _rises(packed):
            raise ValueError("a chunk is in two of the segments that are merged")
    bounds = np.array([part.start, part.stop], dtype=np.int64) << _NUMBER_BITS
    in_part = slice(*np.searchsorted(packed, bounds).tolist())
    packed, numbers, frequencies = packed[in_part], numbers[in_part], frequencies[in_part]
    if not dead.is_empty:
        keep = ~dead.contains(numbers)
        packed, numbers, frequencies = packed[keep], numbers[keep], frequencies[keep]
    parts = TERM_ID_LIMIT // len(part)
    return _group_postings(packed >> _NUMBER_BITS, numbers.tobytes(), frequencies.tobytes(), parts)


def merge_lengths(groups: Iterable[tuple[bytes, bytes]], dead: ChunkRanges) -> tuple[bytes, bytes]:
    """Merge the (chunk_numbers, lengths) of several segments without the dead chunks.

    Order and errors are as in `merge_postings`.
    """
    return _merge(groups, LENGTH, dead)


def _postings(packed: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], parts: int) -> Postings:
    """Build posting lists from unsorted entries: a term and a chunk number in one integer each.

    Frequencies of equal entries are added.
    """
    order = np.argsort(packed, kind="stable")
    packed, counts = packed[order], counts[order]
    first = np.flatnonzero(np.append(True, packed[1:] != packed[:-1]))
    packed, counts = packed[first], np.add.reduceat(counts, first)
    return _group_postings(
        packed >> _NUMBER_BITS,
        (packed & (2**_NUMBER_BITS - 1)).astype(CHUNK_NUMBER).tobytes(),
        np.minimum(counts, MAX_FREQUENCY).astype(FREQUENCY).tobytes(),
        parts,
    )


def _group_postings(
    sorted_terms: npt.NDArray[np.int64], number_bytes: bytes, frequency_bytes: bytes, parts: int
) -> Postings:
    """Build posting lists from sorted entries, given the term of each entry."""
    terms, counts = np.unique(sorted_terms, return_counts=True)
    return Postings(
        terms=terms.astype(TERM).tobytes(),
        counts=counts.astype(COUNT).tobytes(),
        chunk_numbers=number_bytes,
        frequencies=frequency_bytes,
        parts=parts,
    )


def _merge(
    groups: Iterable[tuple[bytes, bytes]], value_type: np.dtype[np.generic], dead: ChunkRanges
) -> tuple[bytes, bytes]:
    pairs = list(groups)
    number_bytes = b"".join(numbers for numbers, _ in pairs)
    value_bytes = b"".join(values for _, values in pairs)
    numbers = np.frombuffer(number_bytes, CHUNK_NUMBER)
    values = np.frombuffer(value_bytes, value_type)
    if numbers.size != values.size:
        raise ValueError(f"{numbers.size} chunk numbers but {values.size} values")
    if not _rises(numbers):
        order = np.argsort(numbers, kind="stable")
        numbers, values = numbers[order], values[order]
        if not _rises(numbers):
            raise ValueError("a chunk is in two of the segments that are merged")
    if dead.is_empty:
        return numbers.tobytes(), values.tobytes()
    keep = ~dead.mask_of_rising(numbers)
    return numbers[keep].tobytes(), values[keep].tobytes()


def _rises(numbers: npt.NDArray[np.signedinteger]) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())
