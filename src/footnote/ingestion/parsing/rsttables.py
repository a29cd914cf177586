"""Tables drawn with characters become rows of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from footnote.ingestion.parsing.spans import Cell

_SIMPLE_BORDER = re.compile(r"=+(?: +=+)+")
_RULED = re.compile(r"\+[-=]+(?=\+)")
_MAX_PLACES = 1_000_000
"""A table with more is none: rows times columns of what nobody draws by hand."""
_SPAN_RULE = re.compile(r"[-= ]+")


def grid_table(lines: Sequence[str]) -> list[list[Cell]]:
    """The rows of a table drawn with `+`, `-` and `|`; cells may span rows and columns."""
    found = [[run.span() for run in _RULED.finditer(line)] for line in lines]
    edges = sorted({edge for runs in found for start, end in runs for edge in (start, end)})
    rules = [number for number, runs in enumerate(found) if runs]
    header_ends = next((at for at, line in enumerate(lines) if line.startswith("+=")), -1)
    bands = [(top, bottom) for top, bottom in pairwise(rules) if bottom > top + 1]
    if len(edges) * len(bands) > _MAX_PLACES:
        return [[Cell(line.strip(" |"))] for line in lines if not _RULED.search(line)]
    grid = _Grid(lines, edges, bands)
    taken: set[tuple[int, int]] = set()
    rows: list[list[Cell]] = []
    for band, (top, _) in enumerate(bands):
        row: list[Cell] = []
        for column in range(len(edges) - 1):
            if (band, column) in taken:
                continue
            columns, deep = grid.extent(band, column)
            taken |= {(band + i, column + j) for i in range(deep) for j in range(columns)}
            text = grid.text(band, column, columns, deep)
            row.append(Cell(text, columns, deep, is_header=top < header_ends))
        rows.append(row)
    return rows


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where the lines of a drawn table run."""

    lines: Sequence[str]
    edges: Sequence[int]
    bands: Sequence[tuple[int, int]]
    """The rules above and below each row."""

    def extent(self, band: int, column: int) -> tuple[int, int]:
        """How many columns and rows the cell covers whose upper left corner this is."""
        columns, deep = 1, 1
        while column + columns < len(self.edges) - 1 and not self._parted(band, column + columns):
            columns += 1
        while band + deep < len(self.bands) and not self._ruled(band + deep, column, columns):
            deep += 1
        return columns, deep

    def _parted(self, band: int, column: int) -> bool:
        """Whether a line runs down the left side of a column."""
        top, bottom = self.bands[band]
        edge = self.edges[column]
        return all(line[edge : edge + 1] == "|" for line in self.lines[top + 1 : bottom])

    def _ruled(self, band: int, column: int, columns: int) -> bool:
        """Whether a rule runs along the top of some columns of a row, or of one of them."""
        left, right = self.edges[column], self.edges[column + columns]
        return _RULED.search(self.lines[self.bands[band][0]], left, right + 1) is not None

    def text(self, band: int, column: int, columns: int, deep: int) -> str:
        """What stands between the lines around a cell."""
        left, right = self.edges[column] + 1, self.edges[column + columns]
        inside = self.lines[self.bands[band][0] + 1 : self.bands[band + deep - 1][1]]
        pieces = (line[left:right].strip(" |") for line in inside)
        return " ".join(piece for piece in pieces if piece and not _SPAN_RULE.fullmatch(piece))


def is_simple_border(line: str) -> bool:
    """Whether a line of `=` runs opens a simple table."""
    return _SIMPLE_BORDER.fullmatch(line) is not None


def simple_table(lines: Sequence[str], at: int) -> tuple[list[list[Cell]], int]:
    """The rows of a table between borders of `=`, and where it ends."""
    runs = [found.span() for found in re.finditer(r"=+", lines[at])]
    borders = [at]
    end = at + 1
    while end < len(lines):
        if is_simple_border(lines[end]):
            borders.append(end)
            following = lines[end + 1] if end + 1 < len(lines) else ""
            if len(borders) == 3 or not following:
                break
        end += 1
    header_ends = borders[1] if len(borders) > 2 else -1
    rows: list[list[Cell]] = []
    for number in range(at + 1, min(end, len(lines))):
        line = lines[number]
        if not line.strip() or _SPAN_RULE.fullmatch(line):
            continue
        texts = _cut(line, runs)
        if texts[0] or not rows:
            rows.append([Cell(text, is_header=number < header_ends) for text in texts])
        else:  # a row goes on while its first column is empty
            rows[-1] = [
                Cell(f"{cell.text} {text}".strip(), is_header=cell.is_header)
                for cell, text in zip(rows[-1], texts, strict=True)
            ]
    return rows, min(end, len(lines) - 1) + 1


def _cut(line: str, runs: Sequence[tuple[int, int]]) -> list[str]:
    starts = [start for start, _ in runs]
    ends = [*starts[1:], len(line)]
    return [line[start : max(end, start)].strip() for start, end in zip(starts, ends, strict=True)]
