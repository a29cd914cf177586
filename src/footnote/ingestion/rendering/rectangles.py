"""Merge the boxes of a quote's characters into one rectangle for each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from footnote.domain.pages import Rectangle
from footnote.ingestion.parsing.geometry import Box, union
from footnote.ingestion.rendering.glyphs import Glyphs

_SHARED_HEIGHT = 0.4
"""Least vertical overlap of boxes on one line, as a share of the smaller height."""
_WIDEST_GAP = 1.6
"""Widest gap within a line, in its heights; a wider one separates two cells or columns."""
_MIN_SIDE = 0.3
"""Least side in points; a thinner rectangle lies outside the page but for its edge."""


def rectangles_of(
    glyphs: Glyphs, stretches: Iterable[tuple[int, int]], sheet: Box
) -> tuple[Rectangle, ...]:
    """Return a rectangle for each line or cell of each stretch, in order, clipped to the sheet."""
    rectangles: list[Rectangle] = []
    for begin, end in stretches:
        for line in _lines(glyphs, range(begin, end)):
            box = _clipped(union(line), sheet)
            if box.width >= _MIN_SIDE and box.height >= _MIN_SIDE:
                left, top, right, bottom = (round(edge, 2) for edge in box)
                rectangles.append(Rectangle(left=left, top=top, right=right, bottom=bottom))
    return tuple(dict.fromkeys(rectangles))


def text_of(glyphs: Glyphs, stretches: Iterable[tuple[int, int]]) -> str:
    """Return the text of the stretches, with single spaces, joined by “…”."""
    parts = (glyphs.text[begin:end] for begin, end in stretches)
    return " … ".join(" ".join(part.replace("\xad", "").split()) for part in parts)


def _lines(glyphs: Glyphs, indices: Iterable[int]) -> Iterator[list[Box]]:
    """Yield the boxes of each line; white space does not end a line."""
    line: list[Box] = []
    words = 0
    upright = True
    for index in indices:
        box, is_space = glyphs.boxes[index], glyphs.text[index].isspace()
        if box.width <= 0 or box.height <= 0 or (is_space and not line):
            continue
        if line and (upright != glyphs.upright[index] or not _continues(line, box, upright)):
            yield line[:words]
            line = []
            if is_space:
                continue
        upright = glyphs.upright[index]
        line.append(box)
        if not is_space:
            words = len(line)
    if line:
        yield line[:words]


def _continues(line: Sequence[Box], box: Box, upright: bool) -> bool:
    """Whether a character stands on the same line and close to those before it."""
    before, after = (line[-1], box) if upright else (_transposed(line[-1]), _transposed(box))
    shared = min(before.bottom, after.bottom) - max(before.top, after.top)
    gap = max(after.left - before.right, before.left - after.right)
    height = max(before.height, after.height)
    lower = min(before.height, after.height)
    return shared >= _SHARED_HEIGHT * lower and gap <= _WIDEST_GAP * height


def _transposed(box: Box) -> Box:
    return Box(box.top, box.left, box.bottom, box.right)


def _clipped(box: Box, sheet: Box) -> Box:
    return Box(
        max(box.left, sheet.left),
        max(box.top, sheet.top),
        min(box.right, sheet.right),
        min(box.bottom, sheet.bottom),
    )
