"""Cover a quote that is not contiguous on a page with pieces that are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from footnote.ingestion.rendering.folding import Folded, is_unspaced

_SEED = 8
"""Fewest letters of a piece: two or three words' worth of evidence."""
_DENSE_SEED = 4
"""The same for scripts in which a letter is a syllable or a word."""
_FIRST_SEEDS = 2
"""Fewest letters of the longest piece, in seeds, or half of the quote if that is less."""
_SURE_LETTERS = 20
"""Letters from which a piece may be anywhere on the page, as lines of interleaved columns are."""
_NEAR_LETTERS = 200
_MAX_CANDIDATES = 20_000
_MAX_TRIMMED = 25


class CommonRun(NamedTuple):
    """A run of letters common to a quote and a page."""

    start: int
    """Index in the folded quote."""
    place: int
    """Index in the folded page."""
    length: int

    @property
    def end(self) -> int:
        """End index in the folded quote, exclusive."""
        return self.start + self.length


def cover(needle: str, page: Folded) -> list[CommonRun]:
    """Return pieces of the page that cover as much of the quote as possible, in the quote's order.

    They do not overlap in the quote; on the page each consists of whole words.
    """
    seed = _DENSE_SEED if any(map(is_unspaced, needle)) else _SEED
    chosen: list[CommonRun] = []
    ordered = sorted(
        _common_runs(needle, page, seed), key=lambda piece: (-piece.length, piece.start)
    )
    for _, group in groupby(ordered, key=lambda piece: (piece.length, piece.start)):
        best = min(group, key=lambda piece: (_displacement(piece, chosen), piece.place))
        piece = _whole_words(_without_overlap(best, chosen), page)
        if piece.length >= seed and _is_plausible(piece, chosen, needle, seed):
            chosen.append(piece)
    return sorted(chosen)


def _common_runs(needle: str, page: Folded, seed: int) -> list[CommonRun]:
    """Return the maximal common runs of letters of at least `seed` letters."""
    pieces: list[CommonRun] = []
    seeds = page.seeds(seed)
    for start in range(len(needle) - seed + 1):
        for place in seeds.get(needle[start : start + seed], ()):
            if start and place and needle[start - 1] == page.text[place - 1]:
                continue
            length = seed
            limit = min(len(needle) - start, len(page.text) - place)
            while length < limit and needle[start + length] == page.text[place + length]:
                length += 1
            pieces.append(CommonRun(start, place, length))
        if len(pieces) > _MAX_CANDIDATES:
            break
    return pieces


def _without_overlap(piece: CommonRun, chosen: Sequence[CommonRun]) -> CommonRun:
    """Return the part of a piece that does not overlap those chosen; of length 0 if there is
    none."""
    start, end = piece.start, piece.end
    for other in chosen:
        if other.start <= start < other.end:
            start = other.end
        if other.start < end <= other.end:
            end = other.start
    if start >= end or any(start <= other.start < end for other in chosen):
        return CommonRun(start, piece.place, 0)
    return CommonRun(start, piece.place + start - piece.start, end - start)


def _whole_words(piece: CommonRun, page: Folded) -> CommonRun:
    """Return the piece without partial words at its edges.

    Returned unchanged if more than `_MAX_TRIMMED` letters would go, as on a page without spaces.
    """
    first, last = piece.place, piece.place + piece.length
    while first < last and not page.begins[first]:
        first += 1
    while first < last and not page.ends[last - 1]:
        last -= 1
    if piece.length - (last - first) > _MAX_TRIMMED:
        return piece
    return CommonRun(piece.start + first - piece.place, first, last - first)


def _displacement(piece: CommonRun, chosen: Sequence[CommonRun]) -> int:
    """Return the least distance in letters to where a chosen piece would put it; 0 without any."""
    return min(
        (abs(piece.place - other.place - piece.start + other.start) for other in chosen), default=0
    )


def _is_plausible(piece: CommonRun, chosen: Sequence[CommonRun], needle: str, seed: int) -> bool:
    if not chosen:
        return piece.length >= min(_FIRST_SEEDS * seed, len(needle) / 2)
    sure = _SURE_LETTERS if seed == _SEED else 2 * seed
    return piece.length >= sure or _displacement(piece, chosen) <= 2 * len(needle) + _NEAR_LETTERS


def joined_ranges(pieces: Sequence[CommonRun]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the pieces on the page; those with few other letters between are
    joined."""
    begin = end = reached = -1
    for piece in pieces:
        gap = piece.place - end
        if end >= 0 and 0 <= gap <= 2 * (piece.start - reached) + 12:
            end, reached = piece.place + piece.length, piece.end
            continue
        if end >= 0:
            yield begin, end
        begin, end, reached = piece.place, piece.place + piece.length, piece.end
    if end >= 0:
        yield begin, end
