"""Group the words of a page into lines in reading order, and into tables by rules and gaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from footnote.domain import probability

CELL_GAP_SIZES = 1.1
"""Gap, in font sizes, above which two words are in separate cells; justified spaces stay below
1."""
_RIGHT_TO_LEFT_GAP_SIZES = 2.2
"""The same for right-to-left text: Arabic is justified by wider gaps, and elongated letters are
read as spaces."""
MAX_PROSE_CELL_CHARACTERS = 60
"""Average characters above which cells without ruling are columns of prose."""
_MAX_RULED_CELL_CHARACTERS = 250
"""Average characters above which ruled cells are boxes around text, not cells of a table."""
_RIGHT_TO_LEFT = re.compile(r"\W*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ITEM_MARK = re.compile(r"[•●○■▪▫◦‣⁃·➢✓–\-*\uf0b7]|\(?(?:\d{1,3}|[a-zA-Z])[.)]")
_RULE_THICKNESS = 3.0
_JOIN_TOLERANCE = 2.5


class Box(NamedTuple):
    """A rectangle in points or pixels, the origin at the top left."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Extent from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Extent from top to bottom."""
        return self.bottom - self.top

    def contains_centre_of(self, other: Box) -> bool:
        """Whether the middle of the other lies inside."""
        x, y = (other.left + other.right) / 2, (other.top + other.bottom) / 2
        return self.left <= x <= self.right and self.top <= y <= self.bottom


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


class Word(NamedTuple):
    """A word, or a phrase that OCR read as one."""

    text: str
    box: Box
    size: float
    """Font size in the unit of the box."""
    bold: bool = False
    confidence: float | None = None
    mono: bool = False
    """Whether all its characters are equally wide, as those of program code."""
    start: int = -1
    """Index of its first character in a text layer; -1 without one."""


@dataclass(frozen=True, slots=True)
class Line:
    """Words on one baseline, in reading order; made by `line_of`."""

    words: tuple[Word, ...]
    """Empty once its page is laid out; the other fields hold what is needed later."""
    box: Box
    text: str
    """The words with single spaces."""
    size: float
    """The font size of its longest word."""
    bold: bool
    """Whether all of it is bold."""
    mono: bool
    """Whether all of it is in a font of equally wide characters."""
    first_width: float
    """The width of the word it begins with."""
    confidence: float | None = None
    """Mean confidence of its words by their length, for what was read from pixels."""
    rank: int = 0
    """Heading level marked in the file, 1 outermost; 0 if it marks none."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table found on a page."""

    rows: tuple[tuple[str, ...], ...]
    box: Box
    words: tuple[Word, ...]
    """Empty once its page is laid out."""
    confidence: float | None = None


PageItem = Line | Grid


def line_of(words: Sequence[Word]) -> Line:
    """Return a line of words on one baseline, ordered in their reading direction."""
    ordered = tuple(sorted(words, key=lambda word: word.box.left))
    if sum(bool(_RIGHT_TO_LEFT.match(word.text)) for word in words) > len(words) / 2:
        ordered = ordered[::-1]
    sizes = {word.size for word in ordered}
    texts = [word.text for word in ordered]
    if texts[0] == "o" and len(texts) > 1 and ordered[0].mono and not ordered[1].mono:
        texts[0] = "○"  # the bullet of an inner list, which Word takes from Courier
    return Line(
        words=ordered,
        box=union(word.box for word in ordered),
        text=" ".join(texts),
        size=sizes.pop() if len(sizes) == 1 else max(ordered, key=lambda word: len(word.text)).size,
        bold=all(word.bold for word in ordered),
        mono=all(word.mono for word in ordered),
        first_width=ordered[0].box.width,
        confidence=mean_confidence(ordered),
    )


def mean_confidence(parts: Sequence[Word | Line]) -> float | None:
    """Return the mean OCR confidence, weighted by length, in 0…1; None without OCR text."""
    mean = probability.mean_confidence((part.confidence, len(part.text)) for part in parts)
    return None if mean is None else round(mean, 4)


def join_baselines(lines: Iterable[Line]) -> list[Line]:
    """Join consecutive lines on one baseline, left to right: the cells of a row."""
    joined: list[Line] = []
    for line in lines:
        if joined and _continues(joined[-1], line):
            before = joined.pop()
            joined_line = line_of((*before.words, *line.words))
            joined.append(replace(joined_line, rank=before.rank or line.rank))
            continue
        joined.append(line)
    return joined


def _continues(before: Line, after: Line) -> bool:
    shared = min(before.box.bottom, after.box.bottom) - max(before.box.top, after.box.top)
    lower = min(before.box.height, after.box.height)
    return shared > 0.6 * lower and after.box.left >= before.box.right - 1


def find_tables(lines: Sequence[Line], rules: Sequence[Box]) -> list[PageItem]:
    """The lines of a page with those that form tables replaced by the tables."""
    items = rule_tables(lines, rules)
    result: list[PageItem] = []
    run: list[Line] = []
    for item in items:
        if isinstance(item, Line) and (not run or _follows(run[-1], item)):
            run.append(item)
            continue
        result.extend(_spaced_tables(run))
        run = [item] if isinstance(item, Line) else []
        if isinstance(item, Grid):
            result.append(item)
    result.extend(_spaced_tables(run))
    return result


def _follows(before: Line, after: Line) -> bool:
    """Whether a line stands close enough below another to share a table with it."""
    gap = after.box.top - before.box.bottom
    return -0.5 * before.box.height < gap < 2.2 * max(before.size, after.size)


# --- tables that are drawn with lines -------------------------------------------------------


def rule_tables(lines: Sequence[Line], rules: Sequence[Box]) -> list[PageItem]:
    """The lines of a page with those inside a drawn grid replaced by the table."""
    items: list[PageItem] = list(lines)
    # Column and row boundaries of each connected set of rules with at least four cells.
    thin = [rule for rule in rules if min(rule.width, rule.height) <= _RULE_THICKNESS]
    for group in connected(thin):
        horizontal = [rule for rule in group if rule.width > rule.height]
        vertical = [rule for rule in group if rule.height >= rule.width]
        columns = _distinct((rule.left + rule.right) / 2 for rule in vertical)
        rows = _distinct((rule.top + rule.bottom) / 2 for rule in horizontal)
        if len(columns) > 2 and len(rows) > 2:
            items = _extract_grid(items, columns, rows)
    return items


def connected(boxes: Sequence[Box]) -> Iterator[list[Box]]:
    """Sets of boxes that touch each other, directly or through others."""
    waiting = list(boxes)
    while waiting:
        group, frontier = [], [waiting.pop()]
        while frontier:
            current = frontier.pop()
            group.append(current)
            left, top, right, bottom = current
            touching = [
                box
                for box in waiting
                if left - _JOIN_TOLERANCE <= box.right
                and box.left - _JOIN_TOLERANCE <= right
                and top - _JOIN_TOLERANCE <= box.bottom
                and box.top - _JOIN_TOLERANCE <= bottom
            ]
            if touching:
                frontier.extend(touching)
                chosen = set(map(id, touching))
                waiting = [box for box in waiting if id(box) not in chosen]
        yield group


def _distinct(values: Iterable[float]) -> list[float]:
    """Return the values in order, without near duplicates."""
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > _RULE_THICKNESS:
            distinct.append(value)
    return distinct


def _extract_grid(
    items: Sequence[PageItem], columns: Sequence[float], rows: Sequence[float]
) -> list[PageItem]:
    """Move the words inside a grid from their lines into its cells, and return all items.

    They are returned unchanged if no word is inside, or if the cells are too long for a table.
    """
    area = Box(columns[0], rows[0], columns[-1], rows[-1])
    remaining: list[PageItem] = []
    inside: list[Word] = []
    position: int | None = None
    for item in items:
        words_inside = (
            [word for word in item.words if area.contains_centre_of(word.box)]
            if isinstance(item, Line)
            else []
        )
        if words_inside:
            inside.extend(words_inside)
            position = len(remaining) if position is None else position
            chosen = set(map(id, words_inside))
            words_outside = [word for word in item.words if id(word) not in chosen]
            if words_outside:
                remaining.append(line_of(words_outside))
        else:
            remaining.append(item)
    if position is None:
        return list(items)
    cells: list[list[list[Word]]] = [[[] for _ in columns[1:]] for _ in rows[1:]]
    for word in inside:
        column = _interval(columns, (word.box.left + word.box.right) / 2)
        row = _interval(rows, (word.box.top + word.box.bottom) / 2)
        cells[row][column].append(word)
    texts = tuple(tuple(" ".join(word.text for word in cell) for cell in row) for row in cells)
    grid = Grid(texts, area, tuple(inside), mean_confidence(inside))
    filled = [cell for row in grid.rows for cell in row if cell]
    if sum(map(len, filled)) > _MAX_RULED_CELL_CHARACTERS * len(filled):
        return list(items)
    remaining.insert(position, grid)
    return remaining


def _interval(bounds: Sequence[float], value: float) -> int:
    upper = next((index for index, bound in enumerate(bounds) if bound > value), len(bounds) - 1)
    return max(0, min(upper - 1, len(bounds) - 2))


# --- tables that are only spaced out --------------------------------------------------------


def cells_of(line: Line) -> list[Line]:
    """Return the parts of a line between wide gaps; the line itself without any."""
    starts = [0]
    widest = _RIGHT_TO_LEFT_GAP_SIZES if _RIGHT_TO_LEFT.search(line.text) else CELL_GAP_SIZES
    for position, (before, after) in enumerate(pairwise(line.words), start=1):
        gap = max(after.box.left - before.box.right, before.box.left - after.box.right)
        if gap > widest * max(before.size, after.size) and not (
            position == 1 and _ITEM_MARK.fullmatch(before.text)
        ):
            starts.append(position)
    if len(starts) == 1:
        return [line]
    return [line_of(line.words[start:end]) for start, end in pairwise([*starts, len(line.words)])]


def _spaced_tables(run: Sequence[Line]) -> Iterator[PageItem]:
    """Yield a run of close lines, with stretches of aligned cells replaced by tables."""
    split = [cells_of(line) for line in run]
    position = 0
    while position < len(run):
        end = position
        while end < len(run) and (len(split[end]) > 1 or _is_wrapped(split, position, end)):
            end += 1
        while end > position and len(split[end - 1]) == 1:
            end -= 1
        grid = _spaced_grid(split[position:end])
        if grid is None:
            end = max(end, position + 1)
            yield from run[position:end]
        else:
            yield grid
        position = end


def _is_wrapped(split: Sequence[Sequence[Line]], start: int, position: int) -> bool:
    """Whether a lone cell continues the row above: close below it, right of the first column."""
    if position == start:
        return False
    above, (cell, *_) = split[position - 1], split[position]
    leftmost = min(line[0].box.left for line in split[start:position])
    is_close = cell.box.top - above[0].box.bottom < 0.5 * cell.size
    return is_close and cell.box.left > leftmost + cell.size


def _spaced_grid(rows: Sequence[Sequence[Line]]) -> Grid | None:
    """Return a table if the cells of the rows fall into common columns, else None."""
    filled = sum(len(row) > 1 for row in rows)
    if filled < 2:
        return None
    cells = [cell for row in rows for cell in row]
    columns = _columns(cells)
    if len(columns) < 2 or (filled < 3 and len(columns) < 3):
        return None
    if sum(len(cell.text) for cell in cells) / len(cells) > MAX_PROSE_CELL_CHARACTERS:
        return None
    indexes_by_row = [_column_indexes(row, columns) for row in rows]
    if body_columns := _columns_under(rows, indexes_by_row):
        columns = body_columns
        indexes_by_row = [
            list(range(len(columns))),
            *(_column_indexes(row, columns) for row in rows[1:]),
        ]
    texts: list[list[str]] = []
    for row, indexes in zip(rows, indexes_by_row, strict=True):
        row_texts = [""] * len(columns)
        for cell, index in zip(row, indexes, strict=True):
            row_texts[index] = f"{row_texts[index]} {cell.text}".strip()
        if len(row) == 1 and texts:
            texts[-1] = [f"{a} {b}".strip() for a, b in zip(texts[-1], row_texts, strict=True)]
        else:
            texts.append(row_texts)
    words = tuple(word for cell in cells for word in cell.words)
    return Grid(
        tuple(map(tuple, texts)),
        union(cell.box for cell in cells),
        words,
        mean_confidence(words),
    )


def _column_indexes(row: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[int]:
    """The column of each cell of a row."""
    return [
        next(i for i, (start, end) in enumerate(columns) if start <= cell.box.left <= end)
        for cell in row
    ]


def _columns_under(
    rows: Sequence[Sequence[Line]], indexes_by_row: Sequence[Sequence[int]]
) -> list[tuple[float, float]]:
    """Return the columns of the rows below the first, if its cells bridge those of most rows.

    A header over right-aligned numbers begins where the column before it ends. Empty if the first
    row causes no clash.
    """
    clashes = sum(len(set(indexes)) < len(indexes) for indexes in indexes_by_row)
    if 2 * clashes < len(rows):
        return []
    columns = _columns([cell for row in rows[1:] for cell in row])
    is_clean = all(
        len(set(indexes := _column_indexes(row, columns))) == len(indexes) for row in rows[1:]
    )
    return columns if is_clean and len(columns) == len(rows[0]) else []


def _columns(cells: Sequence[Line]) -> list[tuple[float, float]]:
    """Return the horizontal extents of the columns; no cell crosses the gaps between them."""
    gap = 0.3 * median(cell.size for cell in cells)
    columns: list[tuple[float, float]] = []
    for start, end in sorted((cell.box.left, cell.box.right) for cell in cells):
        if columns and start < columns[-1][1] + gap:
            columns[-1] = (columns[-1][0], max(columns[-1][1], end))
        else:
            columns.append((start, end))
    return columns
