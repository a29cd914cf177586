"""Pack posting lists of neighbouring terms into blocks of bytes, and read them.

A database row costs about a hundred bytes of header and keys, and most lists of a segment have one
or two entries. So short lists share a block, whose number says which terms can be in it: with n
bits, those whose ids begin with the same n bits. A long list is a block by itself, under its term.

A block holds its version, the byte widths of counts, gaps and frequencies, the number of lists and
the lowest chunk number; then all terms (int32), counts, gaps and frequencies, little-endian. A gap
is the difference of a chunk number to the previous one in its list, for the first to the lowest of
the block.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from footnote.index.segments import CHUNK_NUMBER, COUNT, FREQUENCY, TERM, Postings
from footnote.index.terms import TERM_ID_LIMIT

VERSION = 1
LEVELS = (0, 3, 6, 9, 12, 15, 18)
"""Prefix bits that the terms of a block share; three more divide a block into eight."""

_HEADER = struct.Struct("<BBBBII")
_TERM_BITS = 31
_BYTES_OF_BLOCK = 2000
"""Target size: about what Postgres stores inline, and little to read for one term."""
_BYTES_OF_LONG_LIST = 500

Unsigned = npt.NDArray[np.unsignedinteger]
Longs = npt.NDArray[np.int64]
_WIDTHS: dict[int, np.dtype[np.unsignedinteger]] = {
    size: np.dtype(f"<u{size}") for size in (1, 2, 4)
}
_Prefix = TypeVar("_Prefix", int, npt.NDArray[np.int32], npt.NDArray[np.int64])


def block_numbers(terms: Iterable[int]) -> npt.NDArray[np.int64]:
    """Return the distinct numbers of all blocks that may contain lists of these terms."""
    sorted_terms = np.unique(np.fromiter(terms, np.int64))
    shared = [np.unique(_block(bits, sorted_terms >> (_TERM_BITS - bits))) for bits in LEVELS]
    return np.concatenate([sorted_terms, *shared])


def terms_in(number: int, sorted_terms: Sequence[int]) -> Sequence[int]:
    """Return those of the rising terms that the block of this number may contain."""
    shift = 0
    low = number
    if number < 0:
        bits = (-number).bit_length() - 1
        shift = _TERM_BITS - bits
        low = (-number - (1 << bits)) << shift
    return sorted_terms[
        bisect_left(sorted_terms, low) : bisect_left(sorted_terms, low + (1 << shift))
    ]


def contained_terms(block: bytes, terms: Sequence[int]) -> list[int]:
    """Return those of many terms that have a list in the block."""
    _, lists, _ = _header(block)
    requested = np.array(terms, np.int64)
    existing: list[int] = requested[
        np.isin(requested, np.frombuffer(block, TERM, lists, _HEADER.size))
    ].tolist()
    return existing


def block_spans(part: range) -> list[tuple[int, int]]:
    """Return the (first, last) block numbers for a range of term ids: of long lists, and per
    level."""
    spans = [(part[0], part[-1])]
    for bits in LEVELS:
        shift = _TERM_BITS - bits
        spans.append((_block(bits, part[-1] >> shift), _block(bits, part[0] >> shift)))
    return spans


def pack_blocks(postings: Postings) -> Iterator[tuple[int, bytes]]:
    """Pack the lists into numbered blocks; no block has terms of two parts of a segment."""
    terms = np.frombuffer(postings.terms, TERM)
    counts = np.frombuffer(postings.counts, COUNT).astype(np.int64)
    numbers = np.frombuffer(postings.chunk_numbers, CHUNK_NUMBER)
    frequencies = np.frombuffer(postings.frequencies, FREQUENCY)
    if not terms.size:
        return
    ends = np.cumsum(counts)
    base = int(numbers.min())
    widths = _width(int(numbers.max()) - base).itemsize + _width(int(frequencies.max())).itemsize
    sizes = counts * widths
    long = sizes > _BYTES_OF_LONG_LIST
    short_bytes = int(sizes[~long].sum()) + int((~long).sum()) * (TERM.itemsize + 1)
    bits = _level(short_bytes, postings.parts)
    block_ids = np.where(long, terms, _block(bits, terms >> (_TERM_BITS - bits))).astype(np.int64)
    # Brings the lists of one block together; those of long lists are alone in theirs.
    order = np.lexsort((terms, block_ids))
    bounds = np.flatnonzero(np.diff(block_ids[order], prepend=-TERM_ID_LIMIT - 1))
    for lists in np.split(order, bounds[1:]):
        entries = _entries(ends[lists] - counts[lists], counts[lists])
        block = _pack(terms[lists], counts[lists], numbers[entries], frequencies[entries])
        yield int(block_ids[lists[0]]), block


def unpack_block(block: bytes) -> Postings:
    """Unpack all lists of a block."""
    lists, counts, gaps, frequencies, base = _arrays(block)
    sums = np.cumsum(gaps, dtype=np.int64)
    starts = np.cumsum(counts, dtype=np.int64) - counts
    offsets = np.where(starts > 0, sums[starts - 1], 0)
    numbers = sums - np.repeat(offsets, counts) + base
    return Postings(
        terms=lists.tobytes(),
        counts=counts.astype(COUNT).tobytes(),
        chunk_numbers=numbers.astype(CHUNK_NUMBER).tobytes(),
        frequencies=frequencies.astype(FREQUENCY).tobytes(),
    )


def find_list(block: bytes, term: int) -> tuple[bytes, bytes] | None:
    """Return the posting list of one term, chunk numbers and frequencies; None without one."""
    _, lists, _ = _header(block)
    end = _HEADER.size + TERM.itemsize * lists
    # Most small segments lack a term: checking this first costs a tenth of decoding the arrays.
    terms = memoryview(block)[_HEADER.size : end].cast("i")
    position = bisect_left(terms, term)
    if position == lists or terms[position] != term:
        return None
    _, counts, gaps, frequencies, base = _arrays(block)
    start = int(counts[:position].sum())
    stop = start + int(counts[position])
    numbers = np.cumsum(gaps[start:stop], dtype=CHUNK_NUMBER)
    numbers += base
    return numbers.tobytes(), frequencies[start:stop].astype(FREQUENCY).tobytes()


def counts_in(block: bytes, terms: Sequence[int]) -> dict[int, int]:
    """Return the document frequency of each of the rising terms that has a list in the block."""
    block_terms, counts, *_ = _arrays(block)
    requested = np.array(terms, np.int64)
    positions = np.searchsorted(block_terms, requested)
    positions[positions == block_terms.size] = 0
    matches = np.flatnonzero(block_terms[positions] == requested)
    return dict(zip(requested[matches].tolist(), counts[positions[matches]].tolist(), strict=True))


def _block(bits: int, prefix: _Prefix) -> _Prefix:
    """Return the number of a shared block: negative, unlike terms, and unique across levels."""
    return -(1 << bits) - prefix


def _level(size: int, parts: int) -> int:
    """Return the fewest prefix bits at which lists of this size in each part make small blocks."""
    for bits in LEVELS:
        if parts <= 1 << bits and size * parts <= _BYTES_OF_BLOCK << bits:
            return bits
    return LEVELS[-1]


def _entries(starts: Longs, counts: Longs) -> Longs:
    """Return the indices of all entries of the lists that begin at `starts`."""
    entries: Longs = np.arange(int(counts.sum())) + np.repeat(
        starts - np.cumsum(counts) + counts, counts
    )
    return entries


def _pack(
    terms: npt.NDArray[np.int32],
    counts: Longs,
    numbers: npt.NDArray[np.int32],
    frequencies: npt.NDArray[np.uint16],
) -> bytes:
    """Pack these rising terms and the entries of their lists into a block."""
    base = int(numbers.min())
    gaps = numbers.astype(np.int64)
    gaps[1:] -= gaps[:-1].copy()
    firsts = np.cumsum(counts) - counts
    gaps[firsts] = numbers[firsts] - base
    arrays: tuple[npt.NDArray[np.integer], ...] = (counts, gaps, frequencies)
    widths = [_width(int(values.max())) for values in arrays]
    sizes = [width.itemsize for width in widths]
    packed = zip(arrays, widths, strict=True)
    return b"".join(
        [
            _HEADER.pack(VERSION, *sizes, terms.size, base),
            terms.astype(TERM).tobytes(),
            *(values.astype(width).tobytes() for values, width in packed),
        ]
    )


def _arrays(
    block: bytes,
) -> tuple[npt.NDArray[np.int32], Unsigned, Unsigned, Unsigned, int]:
    """Decode the terms, counts, gaps and frequencies of a block, and its lowest chunk number."""
    widths, lists, base = _header(block)
    count_type, gap_type, frequency_type = (_WIDTHS[width] for width in widths)
    start = _HEADER.size
    terms = np.frombuffer(block, TERM, lists, start)
    start += TERM.itemsize * lists
    counts = np.frombuffer(block, count_type, lists, start)
    start += count_type.itemsize * lists
    entries = (len(block) - start) // (gap_type.itemsize + frequency_type.itemsize)
    gaps = np.frombuffer(block, gap_type, entries, start)
    frequencies = np.frombuffer(block, frequency_type, entries, start + gaps.nbytes)
    return terms, counts, gaps, frequencies, base


def _header(block: bytes) -> tuple[list[int], int, int]:
    """Read the byte widths of counts, gaps and frequencies, the number of lists, and the lowest
    chunk number."""
    version, *widths, lists, base = _HEADER.unpack_from(block)
    if version != VERSION:
        raise ValueError(f"posting lists of format {version} need a newer Footnote")
    return widths, lists, base


def _width(highest: int) -> np.dtype[np.unsignedinteger]:
    """Return the narrowest unsigned type for numbers up to this one."""
    return next(width for size, width in _WIDTHS.items() if highest < 1 << (8 * size))
