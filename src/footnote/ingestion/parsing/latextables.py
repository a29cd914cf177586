"""Convert LaTeX tables to rows of cells with their spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice

from footnote.ingestion.parsing.latextext import argument, printed
from footnote.ingestion.parsing.tables import Cell

_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot)\b"
    r"|\\(?:cline|cmidrule)(?:\([^)]*\))?\s*\{[^}]*\}|\\\w*rule(?![A-Za-z])"
)
_SPANNING = re.compile(r"\s*\\multi(column|row)(?=\s*[\[{])")
_BARE_WIDTH = re.compile(r"\s*[*=]")
_HEAD_RULE = re.compile(r"\\(?:hline|midrule|endhead|endfirsthead)(?![A-Za-z])")
_MARK = re.compile(
    r"(?P<row>\\\\(?:\*?\[[^\]]*\])?|\\tabularnewline(?![A-Za-z]))|\\[{}&]|(?P<cell>&)|[{}]"
)
_MAX_HEADER_ROWS = 3


def latex_rows(source: str, name: str) -> list[list[Cell]]:
    """Return the rows of a table environment, without its column declaration.

    The header is what is above the first rule with rows above it, if that is at most three rows and
    not all; else the first row.
    """
    position = 0
    for _ in range(2 if name in ("tabularx", "tabular*", "tabulary") else 1):
        _, position = argument(source, position)
    rows = _cells(source[position:])
    header_rows = _header_rows(source[position:], len(rows))
    return [
        [replace(cell, is_header=number < header_rows) for cell in row]
        for number, row in enumerate(_without_covered_cells(rows))
    ]


def _header_rows(source: str, rows: int) -> int:
    for rule in islice(_HEAD_RULE.finditer(source), _MAX_HEADER_ROWS):
        rows_above = len(_cells(source[: rule.start()]))
        if rows_above:
            return rows_above if rows_above < rows and rows_above <= _MAX_HEADER_ROWS else 1
    return 1


def _cells(source: str) -> list[list[Cell]]:
    lines = _split_rows(_RULES.sub("", source))
    return [[_cell(cell) for cell in line] for line in lines if "".join(line).strip()]


def _split_rows(source: str) -> Iterator[list[str]]:
    """Yield the cells of each row; separators inside braces are part of a cell."""
    cells: list[str] = []
    start = depth = 0
    for mark in _MARK.finditer(source):
        depth += (mark.group() == "{") - (mark.group() == "}")
        if depth > 0 or not mark.lastgroup:
            continue
        cells.append(source[start : mark.start()])
        start = mark.end()
        if mark.lastgroup == "row":
            yield cells
            cells = []
    yield [*cells, source[start:]]


def _cell(source: str) -> Cell:
    """Parse a cell; one that spans columns may contain one that spans rows."""
    columns = rows = 1
    while spanning := _SPANNING.match(source):
        count, position = argument(source, spanning.end())
        bare = _BARE_WIDTH.match(source, position)
        position = bare.end() if bare else argument(source, position)[1]
        source, _ = argument(source, position)
        times = int(count) if count.isascii() and count.isdecimal() and len(count) < 4 else 1
        columns, rows = (times, rows) if spanning.group(1) == "column" else (columns, times)
    return Cell(" ".join(printed(source).split()), columns=max(columns, 1), rows=max(rows, 1))


def _without_covered_cells(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Return the rows without the empty cells that a cell above spans.

    A span ends at the first row whose cells there are not empty.
    """
    by_column = [
        dict(zip(accumulate((cell.columns for cell in row), initial=0), row, strict=False))
        for row in rows
    ]
    retained = [dict(row) for row in by_column]
    for number, row in enumerate(by_column):
        for column, cell in row.items():
            reach = 1
            if cell.text:
                for row_below in range(number + 1, min(number + cell.rows, len(rows))):
                    under = range(column, column + cell.columns)
                    cells = [
                        cell_below
                        for start, cell_below in by_column[row_below].items()
                        if start in under
                    ]
                    fits = sum(cell_below.columns for cell_below in cells) == cell.columns
                    if not fits or any(cell_below.text for cell_below in cells):
                        break
                    for position in under:
                        retained[row_below].pop(position, None)
                    reach += 1
            if column in retained[number]:
                retained[number][column] = replace(cell, rows=reach)
    return [list(row.values()) for row in retained]
