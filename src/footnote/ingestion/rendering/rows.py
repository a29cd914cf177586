"""Find the rows of a quoted table on a page by the layout of their cells, not by text order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from footnote.domain.pages import QuoteMatch
from footnote.ingestion.parsing.geometry import Box, union
from footnote.ingestion.rendering.folding import fold
from footnote.ingestion.rendering.glyphs import Glyphs
from footnote.ingestion.rendering.quotes import NOT_FOUND, Found, Quote, Stretch
from footnote.language.table_rows import cell_spans, row_border_in

_SHARED_HEIGHT = 0.5
"""Least vertical overlap of two boxes on one line, as a share of the smaller height."""
_SAME_LINE = 0.2
"""Least vertical overlap of neighbouring letters of a word, as a share of the smaller height."""
_WORD_GAP = 1.0
"""Largest gap between two letters of one word, in heights of the taller letter."""
_OVERLAP_HEIGHTS = 0.25
"""Overlap that neighbouring cells may have, in line heights: their boxes are wider than ink."""
_SPANNED_HEIGHTS = 12.0
"""Largest distance from a row to the text of a cell that spans several rows, in row heights."""
_NEAR_HEIGHTS = 2.0
"""Largest distance, in line heights, to the cells above and below that identify a row."""
_MOST_PLACES = 10_000
"""Most occurrences of one cell text on a page; a more frequent text counts as not found."""
_ANCHORS = 3
"""Number of cells, rarest first, that are tried as the anchor of a row's layout."""
_MOST_COMPARED = 50
"""Candidate layouts of a row that are compared; of more, the first with all neighbours is taken."""
_LEAST_CELLS = 2


class Cell(NamedTuple):
    """A cell of a quoted row, with at least one letter."""

    letters: str
    ahead: str
    """What stands before its first letter, such as a sign."""
    behind: str
    """What stands after its last one."""
    repeats: bool
    """Whether the cell directly before it has the same text, as where one spans several columns."""


class Place(NamedTuple):
    """One place of a cell on the page."""

    box: Box
    begin: int
    """First index among the letters of the page."""
    end: int
    """The index after the last."""


@dataclass(slots=True)
class _Page:
    """The letters of a page, with a cache of where each cell text occurs."""

    glyphs: Glyphs
    _places: dict[str, _Places] = field(default_factory=dict)

    def places(self, letters: str) -> _Places:
        """Return where these letters occur as whole words."""
        if letters not in self._places:
            found = list(islice(self._found(letters), _MOST_PLACES + 1))
            self._places[letters] = _Places.of(found if len(found) <= _MOST_PLACES else ())
        return self._places[letters]

    def _found(self, letters: str) -> Iterator[Place]:
        folded = self.glyphs.folded
        begin = folded.text.find(letters)
        while begin >= 0:
            end = begin + len(letters)
            drawn = range(folded.places[begin], folded.places[end - 1] + 1)
            if self._is_whole(begin, end, drawn):
                boxes = [self.glyphs.boxes[at] for at in drawn]
                boxes = [box for box in boxes if box.width > 0 and box.height > 0]
                if boxes and self.glyphs.upright[drawn[0]]:
                    yield Place(union(boxes), begin, end)
            begin = folded.text.find(letters, begin + 1)

    def _is_whole(self, begin: int, end: int, drawn: range) -> bool:
        """Whether the letters are whole words, also where the file has no space between two
        cells."""
        folded = self.glyphs.folded
        begins = folded.begins[begin] or self._is_parted(drawn.start - 1)
        ends = folded.ends[end - 1] or self._is_parted(drawn.stop - 1)
        return begins and ends and not any(map(self._is_parted, drawn[:-1]))

    def _is_parted(self, place: int) -> bool:
        """Whether a letter is drawn apart from the next, though the text has nothing between
        them."""
        text = self.glyphs.text
        if not (text[place].isalnum() and text[place + 1].isalnum()):
            return False
        one, other = self.glyphs.boxes[place], self.glyphs.boxes[place + 1]
        shared = min(one.bottom, other.bottom) - max(one.top, other.top)
        gap = max(one.left - other.right, other.left - one.right)
        lower = min(one.height, other.height)
        return shared < _SAME_LINE * lower or gap > _WORD_GAP * max(one.height, other.height)

    def stretch(self, place: Place, cell: Cell) -> Stretch:
        """Return the character range of a place, with the signs around the cell's letters."""
        text, places = self.glyphs.text, self.glyphs.folded.places
        begin, end = places[place.begin], places[place.end - 1] + 1
        if text.endswith(cell.ahead, 0, begin):
            begin -= len(cell.ahead)
        if text.startswith(cell.behind, end):
            end += len(cell.behind)
        return begin, end

    def letters_in(self, box: Box) -> int:
        """Count the letters whose centre is in a rectangle."""
        boxes = self.glyphs.boxes
        return sum(box.contains_centre_of(boxes[place]) for place in self.glyphs.folded.places)


@dataclass(frozen=True, slots=True)
class _Places:
    """The places of one cell, from the top of the page to its foot."""

    places: tuple[Place, ...]
    tops: tuple[float, ...]
    tallest: float

    @classmethod
    def of(cls, places: Sequence[Place]) -> _Places:
        ordered = tuple(sorted(places, key=lambda each: (each.box.top, each.box.left)))
        tallest = max((each.box.height for each in ordered), default=0.0)
        return cls(ordered, tuple(each.box.top for each in ordered), tallest)

    def between(self, top: float, bottom: float) -> Sequence[Place]:
        """Return all places that overlap a vertical band of the page, and maybe some just above
        it."""
        first = bisect_left(self.tops, top - self.tallest)
        return self.places[first : bisect_right(self.tops, bottom)]

    def beside(self, box: Box) -> Sequence[Place]:
        """Return the places on the same line as the box."""
        return [each for each in self.between(box.top, box.bottom) if _is_beside(each.box, box)]


def _is_beside(one: Box, other: Box) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared >= _SHARED_HEIGHT * min(one.height, other.height)


def find_rows(quote: Quote, glyphs: Glyphs) -> Found:
    """Locate each cell of the rows in a quote on a page; NOT_FOUND unless all are located.

    The cells of a row must be on one line and in its order, from left to right or right to left,
    except those that span several columns or rows. The lines around the quote in the canonical text
    decide between rows of the same words.
    """
    rows, page = _rows_of(quote.text), _Page(glyphs)
    letters = [[cell.letters for cell in row] for row in rows]
    before, after = _lines(quote.before) or [""], _lines(quote.after) or [""]
    around = [_cells(before[-1]), *letters, _cells(after[0])]
    stretches: list[Stretch] = []
    for at, row in enumerate(rows):
        placed = _placed(row, around[at], around[at + 2], page)
        if placed is None:
            return NOT_FOUND
        stretches += [page.stretch(*pair) for pair in zip(placed, row, strict=True)]
    if not stretches:
        return NOT_FOUND
    found = tuple(dict.fromkeys(stretches))
    return Found(match=QuoteMatch.EXACT, stretches=found, share=1.0, in_one_piece=True)


def _rows_of(quote: str) -> list[list[Cell]]:
    """Parse the cells of each row; empty unless all lines are table rows, one with two cells."""
    lines = _lines(quote)
    rows = [_row(_texts_of(line)) for line in lines]
    is_table = all(map(row_border_in, lines))
    return rows if is_table and any(len(row) >= _LEAST_CELLS for row in rows) else []


def _row(texts: Sequence[str]) -> list[Cell]:
    befores = ("", *texts)
    return [
        _cell(text, before) for text, before in zip(texts, befores, strict=False) if fold(text).text
    ]


def _cell(text: str, before: str) -> Cell:
    folded, bare = fold(text), text.strip()
    margin = len(text) - len(text.lstrip())
    first, last = folded.places[0] - margin, folded.places[-1] - margin
    return Cell(folded.text, bare[:first], bare[last + 1 :], bare == before.strip())


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if fold(line).text]


def _cells(line: str) -> list[str]:
    return [letters for cell in _texts_of(line) if (letters := fold(cell).text)]


def _texts_of(line: str) -> list[str]:
    return [line[start:end] for start, end in cell_spans(line)]


def _placed(
    row: Sequence[Cell], above: Sequence[str], below: Sequence[str], page: _Page
) -> Sequence[Place] | None:
    """Locate each cell of the row; None unless all are located."""
    spanning = [cell.letters in above or cell.letters in below for cell in row]
    # A cell that spans columns is in the text once for each of them, but drawn once.
    repeated = [cell.repeats for cell in row]
    for skipped in ([False] * len(row), repeated) if any(repeated) else (repeated,):
        kept = [at for at, skip in enumerate(skipped) if not skip]
        known = [page.places(row[at].letters) for at in kept]
        if len(kept) < _LEAST_CELLS and len(known[0].places) > 1:
            continue  # No other cell tells which occurrence it is.
        may_span = [spanning[at] for at in kept]
        for mirrored in (False, True):
            laid = _layouts(known, may_span, mirrored=mirrored)
            if laid:
                best = _most_evident(laid, above, below, page)
                return [best[bisect_right(kept, at) - 1] for at in range(len(row))]
    return None


def _layouts(
    known: Sequence[_Places], may_span: Sequence[bool], *, mirrored: bool
) -> list[Sequence[Place]]:
    """Lay out the row from each place of its rarest cell; if none fits, of the next rarest."""
    if not all(each.places for each in known):
        return []
    best = sorted(range(len(known)), key=lambda at: (may_span[at], len(known[at].places), at))
    found: dict[tuple[Place, ...], None] = {}
    for at in best[:_ANCHORS]:
        for anchor in known[at].places:
            laid = _laid_out(known, may_span, at, anchor, mirrored=mirrored)
            if laid is not None:
                found[laid] = None
        if found:
            break
    return list(found)


def _laid_out(
    known: Sequence[_Places],
    may_span: Sequence[bool],
    at: int,
    anchor: Place,
    *,
    mirrored: bool,
) -> tuple[Place, ...] | None:
    """Take the nearest place of each cell in turn, on both sides of the anchor; None if one
    lacks."""
    found: dict[int, Place] = {at: anchor}
    for order, onward in ((range(at + 1, len(known)), True), (range(at - 1, -1, -1), False)):
        edge = anchor.box
        for index in order:
            beside = known[index].beside(anchor.box)
            nearest = _nearest(beside, edge, after=onward is not mirrored)
            if nearest is not None:
                found[index] = nearest
                edge = nearest.box
            elif not may_span[index]:
                return None
    if len(found) < min(_LEAST_CELLS, len(known)):
        return None
    for index, places in enumerate(known):
        if index not in found:
            spanning = _spanning(places, index, found, anchor.box, mirrored)
            if spanning is None:
                return None
            found[index] = spanning
    return tuple(found[index] for index in range(len(known)))


def _nearest(places: Iterable[Place], box: Box, *, after: bool) -> Place | None:
    """The next place to the right of a box, or to its left."""
    slack = _OVERLAP_HEIGHTS * box.height
    if after:
        beyond = [each for each in places if each.box.left >= box.right - slack]
        return min(beyond, key=lambda each: each.box.left, default=None)
    beyond = [each for each in places if each.box.right <= box.left + slack]
    return max(beyond, key=lambda each: each.box.right, default=None)


def _spanning(
    places: _Places, index: int, found: dict[int, Place], row: Box, mirrored: bool
) -> Place | None:
    """Locate a cell that spans several rows: above or below the row, between its neighbours."""
    ahead = max((each for each in found if each < index), default=None)
    behind = min((each for each in found if each > index), default=None)
    before, after = (behind, ahead) if mirrored else (ahead, behind)
    slack, reach = _OVERLAP_HEIGHTS * row.height, _SPANNED_HEIGHTS * row.height
    left = float("-inf") if before is None else found[before].box.right - slack
    right = float("inf") if after is None else found[after].box.left + slack
    near = [
        each
        for each in places.between(row.top - reach, row.bottom + reach)
        if each.box.left >= left and each.box.right <= right
    ]
    return min(near, key=lambda each: (_distance(each.box, row), each.box.top), default=None)


def _distance(one: Box, other: Box) -> float:
    """The vertical gap between two boxes, 0 where they overlap."""
    return max(one.top - other.bottom, other.top - one.bottom, 0.0)


def _most_evident(
    laid: Sequence[Sequence[Place]], above: Sequence[str], below: Sequence[str], page: _Page
) -> Sequence[Place]:
    """Choose the layout with most letters of the neighbouring rows around it; of several, the one
    with fewest other letters between its cells."""
    everything = sum(map(len, above)) + sum(map(len, below))
    likely: list[Sequence[Place]] = []
    most = -1
    for places in laid:
        count = _neighbours(places, above, below, page)
        if count == everything and len(laid) > _MOST_COMPARED:
            return places
        if count > most:
            likely, most = [], count
        if count == most:
            likely.append(places)

    def others(places: Sequence[Place]) -> tuple[float, ...]:
        row = union(each.box for each in places)
        letters = sum(each.end - each.begin for each in set(places))
        return page.letters_in(row) - letters, row.top, row.left

    return likely[0] if len(likely) == 1 else min(likely[:_MOST_COMPARED], key=others)


def _neighbours(
    laid: Sequence[Place], above: Sequence[str], below: Sequence[str], page: _Page
) -> int:
    """Count the letters of the lines above and below that occur next to this layout of the row."""
    row = union(each.box for each in laid)
    near = _NEAR_HEIGHTS * min(each.box.height for each in laid)

    def stands(cell: str, is_above: bool) -> bool:
        around = page.places(cell).between(row.top - near, row.bottom + near)
        return any(_is_neighbour(each.box, row, near, is_above=is_above) for each in around)

    letters = [len(cell) for cell in above if stands(cell, True)]
    return sum(letters) + sum(len(cell) for cell in below if stands(cell, False))


def _is_neighbour(box: Box, row: Box, near: float, *, is_above: bool) -> bool:
    on_side = box.bottom <= row.bottom if is_above else box.top >= row.top
    is_over = box.left < row.right and row.left < box.right
    return on_side and _distance(box, row) <= near and (is_over or _is_beside(box, row))
