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
from footnote.ingestion.rendering.quotes import NOT_FOUND, LocatedQuote, Quote, Stretch
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
_MAX_PLACES = 10_000
"""Most occurrences of one cell text on a page; a more frequent text counts as not found."""
_ANCHORS = 3
"""Number of cells, rarest first, that are tried as the anchor of a row's layout."""
_MAX_COMPARED = 50
"""Candidate layouts of a row that are compared; of more, the first with all neighbours is taken."""
_MIN_CELLS = 2


class Cell(NamedTuple):
    """A cell of a quoted row, with at least one letter."""

    letters: str
    ahead: str
    """What stands before its first letter, such as a sign."""
    behind: str
    """What stands after its last one."""
    repeats: bool
    """Whether the cell directly before it has the same text, as where one spans several columns."""


class CellOccurrence(NamedTuple):
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
            places = list(islice(self._occurrences(letters), _MAX_PLACES + 1))
            self._places[letters] = _Places.of(places if len(places) <= _MAX_PLACES else ())
        return self._places[letters]

    def _occurrences(self, letters: str) -> Iterator[CellOccurrence]:
        folded = self.glyphs.folded
        begin = folded.text.find(letters)
        while begin >= 0:
            end = begin + len(letters)
            glyph_range = range(folded.places[begin], folded.places[end - 1] + 1)
            if self._is_whole(begin, end, glyph_range):
                boxes = [self.glyphs.boxes[index] for index in glyph_range]
                boxes = [box for box in boxes if box.width > 0 and box.height > 0]
                if boxes and self.glyphs.upright[glyph_range[0]]:
                    yield CellOccurrence(union(boxes), begin, end)
            begin = folded.text.find(letters, begin + 1)

    def _is_whole(self, begin: int, end: int, glyph_range: range) -> bool:
        """Whether the letters are whole words, also where the file has no space between two
        cells."""
        folded = self.glyphs.folded
        begins = folded.begins[begin] or self._is_parted(glyph_range.start - 1)
        ends = folded.ends[end - 1] or self._is_parted(glyph_range.stop - 1)
        return begins and ends and not any(map(self._is_parted, glyph_range[:-1]))

    def _is_parted(self, index: int) -> bool:
        """Whether a letter is drawn apart from the next, though the text has nothing between
        them."""
        text = self.glyphs.text
        if not (text[index].isalnum() and text[index + 1].isalnum()):
            return False
        box, next_box = self.glyphs.boxes[index], self.glyphs.boxes[index + 1]
        shared = min(box.bottom, next_box.bottom) - max(box.top, next_box.top)
        gap = max(box.left - next_box.right, next_box.left - box.right)
        lower = min(box.height, next_box.height)
        return shared < _SAME_LINE * lower or gap > _WORD_GAP * max(box.height, next_box.height)

    def stretch(self, place: CellOccurrence, cell: Cell) -> Stretch:
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
        return sum(box.contains_centre_of(boxes[index]) for index in self.glyphs.folded.places)


@dataclass(frozen=True, slots=True)
class _Places:
    """The places of one cell, from the top of the page to its foot."""

    places: tuple[CellOccurrence, ...]
    tops: tuple[float, ...]
    tallest: float

    @classmethod
    def of(cls, places: Sequence[CellOccurrence]) -> _Places:
        ordered = tuple(sorted(places, key=lambda place: (place.box.top, place.box.left)))
        tallest = max((place.box.height for place in ordered), default=0.0)
        return cls(ordered, tuple(place.box.top for place in ordered), tallest)

    def between(self, top: float, bottom: float) -> Sequence[CellOccurrence]:
        """Return all places that overlap a vertical band of the page, and maybe some just above
        it."""
        first = bisect_left(self.tops, top - self.tallest)
        return self.places[first : bisect_right(self.tops, bottom)]

    def beside(self, box: Box) -> Sequence[CellOccurrence]:
        """Return the places on the same line as the box."""
        return [place for place in self.between(box.top, box.bottom) if _is_beside(place.box, box)]


def _is_beside(box: Box, other: Box) -> bool:
    shared = min(box.bottom, other.bottom) - max(box.top, other.top)
    return shared >= _SHARED_HEIGHT * min(box.height, other.height)


def find_rows(quote: Quote, glyphs: Glyphs) -> LocatedQuote:
    """Locate each cell of the rows in a quote on a page; NOT_FOUND unless all are located.

    The cells of a row must be on one line and in its order, from left to right or right to left,
    except those that span several columns or rows. The lines around the quote in the canonical text
    decide between rows of the same words.
    """
    rows, page = _rows_of(quote.text), _Page(glyphs)
    letters = [[cell.letters for cell in row] for row in rows]
    before, after = _lines(quote.before) or [""], _lines(quote.after) or [""]
    all_rows = [_cells(before[-1]), *letters, _cells(after[0])]
    stretches: list[Stretch] = []
    for index, row in enumerate(rows):
        places = _locate_cells(row, all_rows[index], all_rows[index + 2], page)
        if places is None:
            return NOT_FOUND
        stretches += [page.stretch(*pair) for pair in zip(places, row, strict=True)]
    if not stretches:
        return NOT_FOUND
    distinct = tuple(dict.fromkeys(stretches))
    return LocatedQuote(match=QuoteMatch.EXACT, stretches=distinct, share=1.0, in_one_piece=True)


def _rows_of(quote: str) -> list[list[Cell]]:
    """Parse the cells of each row; empty unless all lines are table rows, one with two cells."""
    lines = _lines(quote)
    rows = [_row(_texts_of(line)) for line in lines]
    is_table = all(map(row_border_in, lines))
    return rows if is_table and any(len(row) >= _MIN_CELLS for row in rows) else []


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


def _locate_cells(
    row: Sequence[Cell], above: Sequence[str], below: Sequence[str], page: _Page
) -> Sequence[CellOccurrence] | None:
    """Locate each cell of the row; None unless all are located."""
    spanning = [cell.letters in above or cell.letters in below for cell in row]
    # A cell that spans columns is in the text once for each of them, but drawn once.
    repeated = [cell.repeats for cell in row]
    for skipped in ([False] * len(row), repeated) if any(repeated) else (repeated,):
        indices = [index for index, skip in enumerate(skipped) if not skip]
        candidates = [page.places(row[index].letters) for index in indices]
        if len(indices) < _MIN_CELLS and len(candidates[0].places) > 1:
            continue  # No other cell tells which occurrence it is.
        may_span = [spanning[index] for index in indices]
        for mirrored in (False, True):
            layouts = _layouts(candidates, may_span, mirrored=mirrored)
            if layouts:
                best = _best_layout(layouts, above, below, page)
                return [best[bisect_right(indices, index) - 1] for index in range(len(row))]
    return None


def _layouts(
    candidates: Sequence[_Places], may_span: Sequence[bool], *, mirrored: bool
) -> list[Sequence[CellOccurrence]]:
    """Lay out the row from each place of its rarest cell; if none fits, of the next rarest."""
    if not all(places.places for places in candidates):
        return []
    by_rarity = sorted(
        range(len(candidates)),
        key=lambda index: (may_span[index], len(candidates[index].places), index),
    )
    layouts: dict[tuple[CellOccurrence, ...], None] = {}
    for index in by_rarity[:_ANCHORS]:
        for anchor in candidates[index].places:
            layout = _lay_out(candidates, may_span, index, anchor, mirrored=mirrored)
            if layout is not None:
                layouts[layout] = None
        if layouts:
            break
    return list(layouts)


def _lay_out(
    candidates: Sequence[_Places],
    may_span: Sequence[bool],
    anchor_index: int,
    anchor: CellOccurrence,
    *,
    mirrored: bool,
) -> tuple[CellOccurrence, ...] | None:
    """Take the nearest place of each cell in turn, on both sides of the anchor; None if a cell has
    none."""
    placed: dict[int, CellOccurrence] = {anchor_index: anchor}
    for order, onward in (
        (range(anchor_index + 1, len(candidates)), True),
        (range(anchor_index - 1, -1, -1), False),
    ):
        edge = anchor.box
        for index in order:
            on_line = candidates[index].beside(anchor.box)
            nearest = _nearest(on_line, edge, after=onward is not mirrored)
            if nearest is not None:
                placed[index] = nearest
                edge = nearest.box
            elif not may_span[index]:
                return None
    if len(placed) < min(_MIN_CELLS, len(candidates)):
        return None
    for index, places in enumerate(candidates):
        if index not in placed:
            spanning = _spanning_place(places, index, placed, anchor.box, mirrored)
            if spanning is None:
                return None
            placed[index] = spanning
    return tuple(placed[index] for index in range(len(candidates)))


def _nearest(places: Iterable[CellOccurrence], box: Box, *, after: bool) -> CellOccurrence | None:
    """The next place to the right of a box, or to its left."""
    slack = _OVERLAP_HEIGHTS * box.height
    if after:
        beyond = [place for place in places if place.box.left >= box.right - slack]
        return min(beyond, key=lambda place: place.box.left, default=None)
    beyond = [place for place in places if place.box.right <= box.left + slack]
    return max(beyond, key=lambda place: place.box.right, default=None)


def _spanning_place(
    places: _Places, index: int, placed: dict[int, CellOccurrence], row: Box, mirrored: bool
) -> CellOccurrence | None:
    """Locate a cell that spans several rows: above or below the row, between its neighbours."""
    previous = max((other for other in placed if other < index), default=None)
    following = min((other for other in placed if other > index), default=None)
    before, after = (following, previous) if mirrored else (previous, following)
    slack, reach = _OVERLAP_HEIGHTS * row.height, _SPANNED_HEIGHTS * row.height
    left = float("-inf") if before is None else placed[before].box.right - slack
    right = float("inf") if after is None else placed[after].box.left + slack
    near = [
        place
        for place in places.between(row.top - reach, row.bottom + reach)
        if place.box.left >= left and place.box.right <= right
    ]
    return min(near, key=lambda place: (_distance(place.box, row), place.box.top), default=None)


def _distance(box: Box, other: Box) -> float:
    """The vertical gap between two boxes, 0 where they overlap."""
    return max(box.top - other.bottom, other.top - box.bottom, 0.0)


def _best_layout(
    layouts: Sequence[Sequence[CellOccurrence]],
    above: Sequence[str],
    below: Sequence[str],
    page: _Page,
) -> Sequence[CellOccurrence]:
    """Choose the layout with most letters of the neighbouring rows around it; of several, the one
    with fewest other letters between its cells."""
    total = sum(map(len, above)) + sum(map(len, below))
    best_layouts: list[Sequence[CellOccurrence]] = []
    highest = -1
    for layout in layouts:
        count = _neighbour_letters(layout, above, below, page)
        if count == total and len(layouts) > _MAX_COMPARED:
            return layout
        if count > highest:
            best_layouts, highest = [], count
        if count == highest:
            best_layouts.append(layout)

    def rank(layout: Sequence[CellOccurrence]) -> tuple[float, ...]:
        row = union(place.box for place in layout)
        letters = sum(place.end - place.begin for place in set(layout))
        return page.letters_in(row) - letters, row.top, row.left

    return (
        best_layouts[0] if len(best_layouts) == 1 else min(best_layouts[:_MAX_COMPARED], key=rank)
    )


def _neighbour_letters(
    layout: Sequence[CellOccurrence], above: Sequence[str], below: Sequence[str], page: _Page
) -> int:
    """Count the letters of the lines above and below that occur next to this layout of the row."""
    row = union(place.box for place in layout)
    near = _NEAR_HEIGHTS * min(place.box.height for place in layout)

    def occurs(cell: str, is_above: bool) -> bool:
        nearby = page.places(cell).between(row.top - near, row.bottom + near)
        return any(_is_neighbour(place.box, row, near, is_above=is_above) for place in nearby)

    letters = [len(cell) for cell in above if occurs(cell, True)]
    return sum(letters) + sum(len(cell) for cell in below if occurs(cell, False))


def _is_neighbour(box: Box, row: Box, near: float, *, is_above: bool) -> bool:
    on_side = box.bottom <= row.bottom if is_above else box.top >= row.top
    is_over = box.left < row.right and row.left < box.right
    return on_side and _distance(box, row) <= near and (is_over or _is_beside(box, row))
