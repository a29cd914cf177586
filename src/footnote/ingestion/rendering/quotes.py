"""Find a quote of the canonical text among the characters of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from footnote.domain.pages import QuoteMatch
from footnote.ingestion.rendering.folding import Folded, fold
from footnote.ingestion.rendering.pieces import CommonRun, cover, joined_ranges

_UNITS = re.compile(r"\n+|(?<!\\)\|")
"""Separators of the cells and rows of a Markdown table, of list items, and of blocks."""
_MAX_OCCURRENCES = 100
_INSIDE_WORDS = 8
"""Fewest letters of a text that may also begin or end within a word."""
_FEW_LETTERS = 4
"""A cell with fewer letters is only marked near other cells."""
_MAX_CELL = 200
_NEAR_LETTERS = 400
_MIN_SHARE = 0.6
_MIN_BORDER_LETTERS = 12
_MIN_ANYWHERE_LETTERS = 60
_BORDER_LETTERS = 600
_BORDER_SHARE = 0.4

Stretch = tuple[int, int]
"""Start and end index, end exclusive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The text to find, and what is around it in the canonical text."""

    text: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedQuote:
    """Where a quote was found among the characters of a page."""

    match: QuoteMatch
    stretches: tuple[Stretch, ...] = ()
    share: float = 0.0
    """Share of its letters that were found, 0…1."""
    in_one_piece: bool = False
    """Whether it was found contiguously."""


NOT_FOUND = LocatedQuote(match=QuoteMatch.NONE)


def find_quote(quote: Quote, text: str, page: Folded) -> LocatedQuote:
    """Find a quote in the characters of a page; `page` is `fold(text)`.

    Only letters and digits are compared, so that mended hyphens, ligatures, white space and table
    marks do not matter. A quote without surroundings is found at every occurrence.
    """
    needle = fold(quote.text)
    if not needle.text:
        needle, page = fold(quote.text, symbols=True), fold(text, symbols=True)
    if not needle.text:
        return NOT_FOUND
    if places := _best_occurrences(_occurrences(needle.text, page), len(needle.text), quote, page):
        stretches = ((place, place + len(needle.text)) for place in places)
        located = _in_characters(stretches, quote.text, text, page)
        return LocatedQuote(match=QuoteMatch.EXACT, stretches=located, share=1.0, in_one_piece=True)
    units = _pieces(quote.text, needle.text, page)
    pieces = [piece for unit in units for piece in unit]
    share = sum(piece.length for piece in pieces) / len(needle.text)
    letters = len(needle.text)
    on_page = len(page.text)
    if not pieces:
        match = QuoteMatch.NONE
    elif share == 1.0:
        match = QuoteMatch.EXACT
    elif _crosses_page_break(pieces, letters, on_page):
        match = QuoteMatch.PARTIAL
    else:
        match = QuoteMatch.APPROXIMATE if share >= _MIN_SHARE else QuoteMatch.NONE
    if match is QuoteMatch.NONE:
        return NOT_FOUND
    # What stands between two cells or items belongs to neither.
    stretches = (stretch for unit in units for stretch in joined_ranges(unit))
    located = _in_characters(stretches, quote.text, text, page)
    return LocatedQuote(match=match, stretches=located, share=share)


def _in_characters(
    stretches: Iterable[Stretch], quote: str, text: str, page: Folded
) -> tuple[Stretch, ...]:
    """Return the stretches in characters of the page, each with the quote's closing punctuation."""
    closing = quote.rstrip()[-1:]
    converted = []
    for first, last in stretches:
        begin, end = page.places[first], page.places[last - 1] + 1
        if not closing.isalnum() and text[end : end + 1] == closing:
            end += 1
        converted.append((begin, end))
    return tuple(converted)


def _occurrences(needle: str, page: Folded) -> list[int]:
    """Return where it occurs as whole words, else, for a long one, within words."""
    whole_words: list[int] = []
    within_words: list[int] = []
    place = page.text.find(needle)
    while place >= 0 and len(whole_words) < _MAX_OCCURRENCES:
        is_whole = page.begins[place] and page.ends[place + len(needle) - 1]
        (whole_words if is_whole else within_words).append(place)
        place = page.text.find(needle, place + 1)
    return whole_words or (within_words[:_MAX_OCCURRENCES] if len(needle) >= _INSIDE_WORDS else [])


def _best_occurrences(places: list[int], length: int, quote: Quote, page: Folded) -> list[int]:
    """Return the occurrence whose surroundings match the quote's best, or all if it has none."""
    if len(places) < 2 or not (quote.before or quote.after):
        return places
    before, after = fold(quote.before).text[::-1], fold(quote.after).text

    def similarity(place: int) -> int:
        text_before = page.text[max(0, place - len(before)) : place][::-1]
        text_after = page.text[place + length : place + length + len(after)]
        return _common_prefix(before, text_before) + _common_prefix(after, text_after)

    return [max(places, key=lambda place: (similarity(place), -place))]


def _common_prefix(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(first), len(second)))


# --- cells, rows and items ------------------------------------------------------------------


def _pieces(quote: str, needle: str, page: Folded) -> list[list[CommonRun]]:
    """The pieces of each cell, row or item, or of the whole quote where it has none."""
    parts = [part for part in _UNITS.split(quote) if fold(part).text]
    if len(parts) < 2:
        return [cover(needle, page)]
    units = [fold(unit).text for part in parts for unit in _divided(part, page)]
    return _place_units([unit for unit in units if unit], page)


def _divided(part: str, page: Folded) -> list[str]:
    """Return the part, or its words if it is a table cell whose lines are apart on the page."""
    letters = fold(part).text
    is_whole = len(part) > _MAX_CELL or _occurrences(letters, page) or cover(letters, page)
    return [part] if is_whole else part.split()


def _place_units(units: Sequence[str], page: Folded) -> list[list[CommonRun]]:
    """Return one or more pieces for each unit found on the page, close to its neighbours."""
    starts = [0, *accumulate(map(len, units))]
    occurrences = [_occurrences(unit, page) for unit in units]
    order = sorted(
        range(len(units)), key=lambda index: (len(occurrences[index]) != 1, -len(units[index]))
    )
    placed: dict[int, list[CommonRun]] = {}
    for index in order:
        expected = _expected(index, placed, starts)
        if places := occurrences[index]:
            place = min(
                places, key=lambda candidate: 0 if expected is None else abs(candidate - expected)
            )
            if not _is_evident(len(units[index]), places, place, expected):
                continue
            placed[index] = [CommonRun(starts[index], place, len(units[index]))]
        elif pieces := cover(units[index], page):
            placed[index] = [piece._replace(start=starts[index] + piece.start) for piece in pieces]
    return [placed[index] for index in sorted(placed)]


def _is_evident(letters: int, places: Sequence[int], place: int, expected: int | None) -> bool:
    """Whether a unit's match on the page is not just a coincidence of few letters."""
    if expected is None:
        return letters >= _FEW_LETTERS or (letters == _FEW_LETTERS - 1 and len(places) == 1)
    return letters >= 2 * _FEW_LETTERS or abs(place - expected) <= _NEAR_LETTERS


def _expected(index: int, placed: dict[int, list[CommonRun]], starts: Sequence[int]) -> int | None:
    """Return where a unit should be, given its nearest neighbour with a place; None without one."""
    if not placed:
        return None
    nearest = min(placed, key=lambda other: (abs(other - index), other))
    piece = placed[nearest][0]
    return piece.place + starts[index] - piece.start


# --- how well -------------------------------------------------------------------------------


def _crosses_page_break(pieces: Sequence[CommonRun], letters: int, on_page: int) -> bool:
    """Whether only the end or only the beginning of the quote is missing, as at a page break."""
    if any(after.start != before.end for before, after in pairwise(pieces)):
        return False
    first, last = pieces[0], pieces[-1]
    length = last.end - first.start
    border = max(_BORDER_LETTERS, _BORDER_SHARE * on_page)
    if first.start == 0:
        near = on_page - last.place - last.length <= border
    elif last.end == letters:
        near = first.place <= border
    else:
        return False
    return length >= (_MIN_BORDER_LETTERS if near else _MIN_ANYWHERE_LETTERS)
