"""Blocks: posting lists of neighbouring terms packed into one byte string, and found again in it.

A row of the database costs a hundred bytes of header and keys, and most lists of a segment have one
or two entries. So short lists share a block, whose number says which terms can be in it: with n
bits, those whose ids begin with the same n bits. A long list is a block by itself, under its term.

A block holds its version, the bytes of a count, a gap and a frequency, the number of lists and the
lowest chunk number; then all terms (int32), counts, gaps and frequencies, little-endian. A gap is
what a chunk number lies above the one before it in its list, in the first place above the lowest.
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
"""Bits that the terms of a block share; steps of three, as a size class is eight of the next."""

_HEADER = struct.Struct("<BBBBII")
_TERM_BITS = 31
_BYTES_OF_BLOCK = 2000
"""About as much as Postgres leaves in the row, and little to read for one term."""
_BYTES_OF_LONG_LIST = 500

Unsigned = npt.NDArray[np.unsignedinteger]
Longs = npt.NDArray[np.int64]
_WIDTHS: dict[int, np.dtype[np.unsignedinteger]] = {
    size: np.dtype(f"<u{size}") for size in (1, 2, 4)
}
_Prefix = TypeVar("_Prefix", int, npt.NDArray[np.int32], npt.NDArray[np.int64])


def block_numbers(terms: Iterable[int]) -> npt.NDArray[np.int64]:
    """The number of every block in which lists of these terms can be, each once."""
    rising = np.unique(np.fromiter(terms, np.int64))
    shared = [np.unique(_block(bits, rising >> (_TERM_BITS - bits))) for bits in LEVELS]
    return np.concatenate([rising, *shared])


def terms_in(number: int, rising: Sequence[int]) -> Sequence[int]:
    """Those of the rising terms that the block of this number may hold."""
    shift = 0
    low = number
    if number < 0:
        bits = (-number).bit_length() - 1
        shift = _TERM_BITS - bits
        low = (-number - (1 << bits)) << shift
    return rising[bisect_left(rising, low) : bisect_left(rising, low + (1 << shift))]


def held_in(block: bytes, terms: Sequence[int]) -> list[int]:
    """Those of many terms that have a list in the block."""
    _, lists, _ = _header(block)
    asked = np.array(terms, np.int64)
    held: list[int] = asked[
        np.isin(asked, np.frombuffer(block, TERM, lists, _HEADER.size))
    ].tolist()
    return held


def block_spans(part: range) -> list[tuple[int, int]]:
    """The first and last numbers of the blocks that can hold terms of a run of term ids."""
    spans = [(part[0], part[-1])]
    for bits in LEVELS:
        shift = _TERM_BITS - bits
        spans.append((_block(bits, part[-1] >> shift), _block(bits, part[0] >> shift)))
    return spans


def pack_blocks(postings: Postings) -> Iterator[tuple[int, bytes]]:
    """The lists as blocks with their numbers; no block has terms of two parts of a segment."""
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
    places = np.where(long, terms, _block(bits, terms >> (_TERM_BITS - bits))).astype(np.int64)
    # Lists of one block are neighbours but for the long ones among them, which go first.
    order = np.lexsort((terms, places))
    bounds = np.flatnonzero(np.diff(places[order], prepend=-TERM_ID_LIMIT - 1))
    for lists in np.split(order, bounds[1:]):
        entries = _entries(ends[lists] - counts[lists], counts[lists])
        block = _pack(terms[lists], counts[lists], numbers[entries], frequencies[entries])
        yield int(places[lists[0]]), block


def unpack_block(block: bytes) -> Postings:
    """All lists of a block."""
    lists, counts, gaps, frequencies, base = _arrays(block)
    sums = np.cumsum(gaps, dtype=np.int64)
    starts = np.cumsum(counts, dtype=np.int64) - counts
    before = np.where(starts > 0, sums[starts - 1], 0)
    numbers = sums - np.repeat(before, counts) + base
    return Postings(
        terms=lists.tobytes(),
        counts=counts.astype(COUNT).tobytes(),
        chunk_numbers=numbers.astype(CHUNK_NUMBER).tobytes(),
        frequencies=frequencies.astype(FREQUENCY).tobytes(),
    )


def find_list(block: bytes, term: int) -> tuple[bytes, bytes] | None:
    """The chunk numbers and frequencies of one term, as a posting list; None if it has none."""
    _, lists, _ = _header(block)
    end = _HEADER.size + TERM.itemsize * lists
    # Most small segments lack a term: this finds out at a tenth of what arrays cost.
    terms = memoryview(block)[_HEADER.size : end].cast("i")
    place = bisect_left(terms, term)
    if place == lists or terms[place] != term:
        return None
    _, counts, gaps, frequencies, base = _arrays(block)
    start = int(counts[:place].sum())
    stop = start + int(counts[place])
    numbers = np.cumsum(gaps[start:stop], dtype=CHUNK_NUMBER)
    numbers += base
    return numbers.tobytes(), frequencies[start:stop].astype(FREQUENCY).tobytes()


def counts_in(block: bytes, terms: Sequence[int]) -> dict[int, int]:
    """Of those of the rising terms that have a list in the block, how many chunks hold each."""
    held, counts, *_ = _arrays(block)
    asked = np.array(terms, np.int64)
    places = np.searchsorted(held, asked)
    places[places == held.size] = 0
    there = np.flatnonzero(held[places] == asked)
    return dict(zip(asked[there].tolist(), counts[places[there]].tolist(), strict=True))


def _block(bits: int, prefix: _Prefix) -> _Prefix:
    """The number of a shared block: negative, which no term is, and another for each level."""
    return -(1 << bits) - prefix


def _level(size: int, parts: int) -> int:
    """The fewest bits by which lists of so many bytes in one of the parts make small blocks."""
    for bits in LEVELS:
        if parts <= 1 << bits and size * parts <= _BYTES_OF_BLOCK << bits:
            return bits
    return LEVELS[-1]


def _entries(starts: Longs, counts: Longs) -> Longs:
    """Where the entries of lists are that begin at `starts`."""
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
    """The block of these terms, which rise, with the entries of their lists."""
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
    """Terms, counts, gaps and frequencies of a block, and the lowest chunk number."""
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
    """Bytes of a count, a gap and a frequency; how many lists; the lowest chunk number."""
    version, *widths, lists, base = _HEADER.unpack_from(block)
    if version != VERSION:
        raise ValueError(f"posting lists of format {version} need a newer Footnote")
    return widths, lists, base


def _width(highest: int) -> np.dtype[np.unsignedinteger]:
    """The narrowest type that holds numbers up to this one."""
    return next(width for size, width in _WIDTHS.items() if highest < 1 << (8 * size))
