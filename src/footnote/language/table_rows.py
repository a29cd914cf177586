"""Find the cells of a table row in Markdown."""

from __future__ import annotations

import re

_BORDER = re.compile(r"(?<!\\)\|")


def cell_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Return half-open offsets of the cells of a row, without surrounding white space.

    Empty cells are included; what is outside the outermost borders is not a cell. A line without a
    border is one cell.

    >>> row = "|  | 3 kg | a\\\\|b |"
    >>> [row[first:last] for first, last in cell_spans(row)]
    ['', '3 kg', 'a\\\\|b']
    """
    end = len(text) if end is None else end
    borders = [match.start() for match in _BORDER.finditer(text, start, end)]
    bounds = list(zip([start, *(border + 1 for border in borders)], [*borders, end], strict=True))
    if len(bounds) > 1 and not text[slice(*bounds[0])].strip():
        bounds = bounds[1:]
    if len(bounds) > 1 and not text[slice(*bounds[-1])].strip():
        bounds = bounds[:-1]
    spans = []
    for first, last in bounds:
        content = text[first:last]
        begin = first + len(content) - len(content.lstrip())
        spans.append((begin, begin + len(content.strip())))
    return spans


def unescaped(cell: str) -> str:
    """Return the text of a cell, in which a backslash precedes each border."""
    return cell.replace("\\|", "|")


def row_border_in(line: str) -> bool:
    """Whether a line has a border between cells."""
    return _BORDER.search(line) is not None
