"""Tables drawn with characters become rows of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from footnote.ingestion.parsing.spans import Cell

_SIMPLE_BORDER = re.compile(r"=+(?: +=+)+")
_SPAN_RULE = re.compile(r"[-= ]+")


def grid_table(lines: Sequence[str]) -> list[list[Cell]]:
    """The rows of a table drawn with `+`, `-` and `|`; cells may span columns.

    A cell that spans rows takes the text of all of them.
    """
    edges = sorted(
        {
            at
            for line in lines
            if line.startswith("+")
            for at, character in enumerate(line)
            if character == "+"
        }
    )
    header_ends = next((at for at, line in enumerate(lines) if line.startswith("+=")), -1)
    rows: list[list[Cell]] = []
    chunk: list[str] = []
    for number, line in enumerate(lines):
        if not line.startswith("+"):
            chunk.append(line)
        elif chunk:
            rows.append(_grid_row(chunk, edges, is_header=number <= header_ends))
            chunk = []
    return rows


def _grid_row(chunk: Sequence[str], edges: Sequence[int], *, is_header: bool) -> list[Cell]:
    cells: list[Cell] = []
    start = 0
    for end in range(1, len(edges)):
        edge = edges[end]
        if end < len(edges) - 1 and not all(line[edge : edge + 1] in ("|", "+") for line in chunk):
            continue
        pieces = (line[edges[start] + 1 : edge].strip(" |") for line in chunk)
        text = " ".join(piece for piece in pieces if piece and not _SPAN_RULE.fullmatch(piece))
        cells.append(Cell(text, end - start, 1, is_header))
        start = end
    return cells


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
