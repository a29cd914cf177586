"""A quote that does not stand on a page in one piece is covered with pieces that do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from footnote.ingestion.rendering.folding import Folded, is_unspaced

_SEED = 8
"""Letters that begin a piece: two or three words' worth of evidence at the least."""
_DENSE_SEED = 4
"""The same for scripts in which a letter is a syllable or a word."""
_FIRST_SEEDS = 2
"""The longest piece has as many seeds, or half of the quote."""
_SURE_LETTERS = 20
"""A piece so long may stand anywhere on the page, as lines of interleaved columns do."""
_NEAR_LETTERS = 200
_MAX_CANDIDATES = 20_000
_MAX_TRIMMED = 25


class Piece(NamedTuple):
    """Equal letters of a quote and of a page."""

    start: int
    """Within the folded quote."""
    place: int
    """Within the folded page."""
    length: int

    @property
    def end(self) -> int:
        """Within the folded quote, exclusive."""
        return self.start + self.length


def cover(needle: str, page: Folded) -> list[Piece]:
    """Pieces of the page that make up as much of the quote as can be, in the quote's order.

    They do not overlap in the quote; on the page each is made of whole words.
    """
    seed = _DENSE_SEED if any(map(is_unspaced, needle)) else _SEED
    taken: list[Piece] = []
    ordered = sorted(_common(needle, page, seed), key=lambda piece: (-piece.length, piece.start))
    for _, group in groupby(ordered, key=lambda piece: (piece.length, piece.start)):
        best = min(group, key=lambda piece: (_displacement(piece, taken), piece.place))
        piece = _whole_words(_free(best, taken), page)
        if piece.length >= seed and _is_plausible(piece, taken, needle, seed):
            taken.append(piece)
    return sorted(taken)


def _common(needle: str, page: Folded, seed: int) -> list[Piece]:
    """The equal stretches that cannot be made longer, those of at least a seed's length."""
    found: list[Piece] = []
    seeds = page.seeds(seed)
    for start in range(len(needle) - seed + 1):
        for place in seeds.get(needle[start : start + seed], ()):
            if start and place and needle[start - 1] == page.text[place - 1]:
                continue
            length = seed
            most = min(len(needle) - start, len(page.text) - place)
            while length < most and needle[start + length] == page.text[place + length]:
                length += 1
            found.append(Piece(start, place, length))
        if len(found) > _MAX_CANDIDATES:
            break
    return found


def _free(piece: Piece, taken: Sequence[Piece]) -> Piece:
    """What a piece adds to those that are taken."""
    start, end = piece.start, piece.end
    for other in taken:
        if other.start <= start < other.end:
            start = other.end
        if other.start < end <= other.end:
            end = other.start
    if start >= end or any(start <= other.start < end for other in taken):
        return Piece(start, piece.place, 0)
    return Piece(start, piece.place + start - piece.start, end - start)


def _whole_words(piece: Piece, page: Folded) -> Piece:
    """The piece without the parts of words at its edges, unless the page has no spaces."""
    first, last = piece.place, piece.place + piece.length
    while first < last and not page.begins[first]:
        first += 1
    while first < last and not page.ends[last - 1]:
        last -= 1
    if piece.length - (last - first) > _MAX_TRIMMED:
        return piece
    return Piece(piece.start + first - piece.place, first, last - first)


def _displacement(piece: Piece, taken: Sequence[Piece]) -> int:
    """Letters between the piece and where its neighbours in the quote would have it."""
    return min(
        (abs(piece.place - other.place - piece.start + other.start) for other in taken), default=0
    )


def _is_plausible(piece: Piece, taken: Sequence[Piece], needle: str, seed: int) -> bool:
    if not taken:
        return piece.length >= min(_FIRST_SEEDS * seed, len(needle) / 2)
    sure = _SURE_LETTERS if seed == _SEED else 2 * seed
    return piece.length >= sure or _displacement(piece, taken) <= 2 * len(needle) + _NEAR_LETTERS


def joined(pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """Where on the page the pieces stand; a few other letters between two are taken along."""
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
