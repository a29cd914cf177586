"""Put the lines of a page in reading order, across columns of prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from footnote.ingestion.parsing.geometry import Box, Grid, Line, PageItem, cells_of, line_of, union

_MIN_LINES = 4
"""Fewest lines of a column beside those of the other."""
_MIN_CHARACTERS = 16
"""Median characters that lines of prose exceed; cells of tables, labels and forms have fewer."""
_MIN_GUTTER_SIZES = 0.8
_MAX_SPANNING_SHARE = 0.4
"""Largest share of the lines beside a gutter that may cross it: titles, wide figures."""
_MAX_DEPTH = 3
_MAX_RUNS = 400
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_MIN_CONTINUED_SHARE = 0.2
_ROW_CELL = 24
"""Median characters below which the parts of a line are table cells; lines of columns are
longer."""
_FULL_SHARE = 0.6
"""Share of a column's width that its median line exceeds."""


def in_reading_order(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the lines and tables in reading order, columns one after the other.

    Lines on one baseline on both sides of a gutter are split there. Where no columns are found the
    order of the file is kept, except that an item drawn after one below it comes first.
    """
    return _ordered(list(items), 0)


def _ordered(items: list[PageItem], depth: int) -> list[PageItem]:
    gutter = _gutter(items) if depth < _MAX_DEPTH else None
    if gutter is None:
        return _by_runs(items)
    texts = [item.text for item in items if isinstance(item, Line)]
    right_to_left = sum(bool(_RIGHT_TO_LEFT.search(text)) for text in texts) > len(texts) / 2
    result: list[PageItem] = []
    band: list[PageItem] = []
    # Ids of the table rows across the gutter: two or more, close below each other.
    lines = sorted(
        (item for item in items if isinstance(item, Line)), key=lambda line: line.box.top
    )
    rows: set[int] = set()
    for before, after in pairwise(lines):
        is_close = after.box.top - before.box.bottom < 2.2 * after.size
        if is_close and _is_row(before, gutter) and _is_row(after, gutter):
            rows |= {id(before), id(after)}
    pieces = [
        piece
        for item in items
        for piece in ([item] if id(item) in rows else _split_at(item, gutter))
    ]
    for item in sorted(pieces, key=lambda item: (item.box.top, item.box.left)):
        if item.box.left < gutter < item.box.right:
            result += _columns_of(band, gutter, depth, right_to_left=right_to_left)
            band = []
            result.append(item)
        else:
            band.append(item)
    return result + _columns_of(band, gutter, depth, right_to_left=right_to_left)


def _columns_of(
    band: Sequence[PageItem], gutter: float, depth: int, *, right_to_left: bool
) -> list[PageItem]:
    left = [item for item in band if item.box.right <= gutter]
    right = [item for item in band if item.box.left >= gutter]
    first, second = (right, left) if right_to_left else (left, right)
    return _ordered(first, depth + 1) + _ordered(second, depth + 1)


def _split_at(item: PageItem, gutter: float) -> list[PageItem]:
    """Split a line that has a gap at the gutter; return anything else whole."""
    if isinstance(item, Grid) or not item.box.left < gutter < item.box.right:
        return [item]
    left = [word for word in item.words if word.box.right <= gutter + 1]
    right = [word for word in item.words if word.box.left >= gutter - 1]
    if not left or not right or len(left) + len(right) != len(item.words):
        return [item]
    gap = min(w.box.left for w in right) - max(w.box.right for w in left)
    if gap < _MIN_GUTTER_SIZES * item.size:
        return [item]
    return [line_of(left), line_of(right)]


def _is_row(line: Line, gutter: float) -> bool:
    """Whether a line across the gutter has three short cells or more."""
    if not line.box.left < gutter < line.box.right:
        return False
    cells = cells_of(line)
    return len(cells) > 2 and median(_width_in_characters(cell.text) for cell in cells) < _ROW_CELL


# --- the white between two columns ----------------------------------------------------------


def _gutter(items: Sequence[PageItem]) -> float | None:
    """Return the middle of the widest gap between two columns of prose; None without columns."""
    lines = [item for item in items if isinstance(item, Line)]
    if len(lines) < _MIN_LINES:
        return None
    least_width = _MIN_GUTTER_SIZES * median(line.size for line in lines)
    boxes = [word.box for line in lines for word in line.words]
    gaps = _white_gaps(boxes, least_width, most_boxes=_MAX_SPANNING_SHARE * len(lines))
    for left, right in sorted(gaps, key=lambda gap: (gap[0] - gap[1], gap[0])):
        middle = (left + right) / 2
        if _separates_prose(lines, middle):
            return middle
    return None


def _white_gaps(
    boxes: Sequence[Box], least_width: float, *, most_boxes: float
) -> list[tuple[float, float]]:
    """Return the ranges of x at least `least_width` wide that at most `most_boxes` boxes cover.

    Ranges whose middle lies in the outer 12 % on either side are left out.
    """
    extent = union(boxes)
    low, high = extent.left + 0.12 * extent.width, extent.right - 0.12 * extent.width
    events = sorted([(box.left, 1) for box in boxes] + [(box.right, -1) for box in boxes])
    gaps: list[tuple[float, float]] = []
    covering = 0
    for (x, change), (following, _) in pairwise(events):
        covering += change
        if following == x or covering > most_boxes:
            continue
        if gaps and gaps[-1][1] == x:
            gaps[-1] = (gaps[-1][0], following)
        else:
            gaps.append((x, following))
    return [
        gap for gap in gaps if gap[1] - gap[0] >= least_width and low < (gap[0] + gap[1]) / 2 < high
    ]


def _separates_prose(lines: Sequence[Line], x: float) -> bool:
    """Whether lines of prose are on both sides of `x`, for some height next to each other."""
    pieces = [piece for line in lines for piece in _split_at(line, x)]
    left = [piece for piece in pieces if piece.box.right <= x]
    right = [piece for piece in pieces if piece.box.left >= x]
    if not left or not right:
        return False
    top = max(min(item.box.top for item in left), min(item.box.top for item in right))
    bottom = min(max(item.box.bottom for item in left), max(item.box.bottom for item in right))
    sides = [
        [item for item in side if isinstance(item, Line) and top < _middle(item) < bottom]
        for side in (left, right)
    ]
    spanning = sum(
        item.box.left < x < item.box.right and top < _middle(item) < bottom for item in pieces
    )
    if spanning > _MAX_SPANNING_SHARE * min(map(len, sides)):
        return False
    return all(_is_prose(side) for side in sides)


def _middle(item: PageItem) -> float:
    return (item.box.top + item.box.bottom) / 2


def _is_prose(lines: Sequence[Line]) -> bool:
    if len(lines) < _MIN_LINES:
        return False
    characters = median(_width_in_characters(line.text) for line in lines)
    extent = union(line.box for line in lines)
    full = median(line.box.width for line in lines) / max(extent.width, 1)
    return characters > _MIN_CHARACTERS and full > _FULL_SHARE and _continues_sentences(lines)


def _continues_sentences(lines: Sequence[Line]) -> bool:
    """Whether enough lines continue a sentence, as in prose; table cells begin with a capital.

    In scripts without capitals, it is enough that fewer than half of the lines begin with a digit.
    """
    begin = [line.text[0] for line in lines if line.text[0].isupper() or line.text[0].islower()]
    if len(begin) < len(lines) / 2:
        return sum(line.text[0].isdigit() for line in lines) < len(lines) / 2
    return sum(map(str.islower, begin)) > _MIN_CONTINUED_SHARE * len(begin)


def _width_in_characters(text: str) -> int:
    """Return the width in characters; one of Chinese, Japanese or Korean counts as two."""
    return len(text) + sum("\u2e80" <= character <= "\uffdc" for character in text)


# --- without columns ------------------------------------------------------------------------


def _by_runs(items: list[PageItem]) -> list[PageItem]:
    """Order items without columns: runs down the page in file order, unless one is above another.

    A run comes first if it overlaps another horizontally and ends above it (T. M. Breuel, "High
    Performance Document Layout Analysis", 2003).
    """
    runs: list[list[PageItem]] = []
    for item in items:
        before = runs[-1][-1].box if runs else item.box
        if runs and item.box.top >= before.top - 0.3 * before.height:
            runs[-1].append(item)
        else:
            runs.append([item])
    if len(runs) > _MAX_RUNS:
        return items
    boxes = [union(item.box for item in run) for run in runs]
    waiting = list(range(len(runs)))
    result: list[PageItem] = []
    while waiting:
        chosen = next(
            (
                run
                for run in waiting
                if not any(other != run and _above(boxes[other], boxes[run]) for other in waiting)
            ),
            waiting[0],
        )
        waiting.remove(chosen)
        result.extend(runs[chosen])
    return result


def _above(box: Box, other: Box) -> bool:
    """Whether one box ends above where another begins, and overlaps it horizontally."""
    return (
        box.bottom <= other.top + 0.2 * min(box.height, other.height)
        and box.left < other.right
        and other.left < box.right
    )
