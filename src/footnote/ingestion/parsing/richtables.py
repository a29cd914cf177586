"""The rows of an RTF table, whose columns are known only by where their cells end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.tables import spread_table_drafts

_SAME_EDGE_TWIPS = 60
"""Edges nearer than this are one; 1,440 twips are an inch."""
_MERGES = {"clmrg": "left", "clvmrg": "above", "clvmgf": "", "clmgf": ""}


@dataclass(slots=True)
class _Row:
    cells: list[str]
    edges: list[int]
    merges: list[str]
    header: bool


@dataclass(slots=True)
class RichTable:
    """Collects definitions and cells, in the order in which they come."""

    _edges: list[int] = field(default_factory=list)
    _merges: list[str] = field(default_factory=list)
    _merge: str = ""
    _header: bool = False
    _cells: list[str] = field(default_factory=list)
    _rows: list[_Row] = field(default_factory=list)

    def define(self, word: str, number: int | None) -> None:
        """Take up a control word of a row's definition; others mean nothing here."""
        if word == "trowd":
            self._edges, self._merges, self._merge, self._header = [], [], "", False
        elif word in _MERGES:
            self._merge = _MERGES[word] or self._merge
        elif word == "trhdr":
            self._header = True
        elif word == "cellx":
            self._edges.append(number or 0)
            self._merges.append(self._merge)
            self._merge = ""

    def add_cell(self, text: str) -> None:
        """The next cell of the current row."""
        self._cells.append(text)

    def end_row(self) -> None:
        """The row is complete, and so is its definition."""
        if self._cells:
            self._rows.append(
                _Row(self._cells, list(self._edges), list(self._merges), self._header)
            )
        self._cells = []

    def take(self) -> Iterator[Draft]:
        """The table so far, merged cells spread; a new one begins."""
        self.end_row()
        rows, self._rows = self._rows, []
        if not rows:
            return
        columns = _columns(rows)
        grid: list[list[str]] = []
        covered: set[tuple[int, int]] = set()
        for index, row in enumerate(rows):
            texts: list[str] = []
            for position, cell in enumerate(row.cells):
                merge = row.merges[position] if position < len(row.merges) else ""
                start = len(texts)
                text = cell
                if merge == "above" and grid and start < len(grid[-1]):
                    text = grid[-1][start]
                elif merge == "left" and texts:
                    text = texts[-1]
                end = start + 1
                if len(row.edges) >= len(row.cells):
                    end = max(columns.get(row.edges[position], end), start + 1)
                texts += [text] * (end - start)
                covered.update((index, column) for column in range(start + (not merge), end))
            grid.append(texts)
        headers = 0
        while headers < len(rows) and rows[headers].header:
            headers += 1
        yield from spread_table_drafts(grid, covered=covered, header_rows=max(headers, 1))


def _columns(rows: list[_Row]) -> dict[int, int]:
    """For each edge the number of columns that end at or before it."""
    numbers: dict[int, int] = {}
    last, count = None, 0
    for edge in sorted({edge for row in rows for edge in row.edges}):
        if last is None or edge - last > _SAME_EDGE_TWIPS:
            last, count = edge, count + 1
        numbers[edge] = count
    return numbers
