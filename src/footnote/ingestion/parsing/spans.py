"""Cells that span rows and columns are laid out in a grid that repeats what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.tables import spread_table_drafts

_MAX_COLUMNS = 1_000
_MAX_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as markup writes it."""

    text: str
    columns: int = 1
    rows: int = 1
    is_header: bool = False


def spanned_table_drafts(
    rows: Sequence[Sequence[Cell]], page: int | None = None
) -> Iterator[Draft]:
    """A table whose cells say what they say in every row and column they span."""
    filled = [row for row in rows if row]
    grid, covered = _grid(filled)
    header_rows = 0
    for row in filled:
        if not all(cell.is_header for cell in row):
            break
        header_rows += 1
    yield from spread_table_drafts(
        grid, covered=covered, header_rows=max(header_rows, 1), page=page
    )


def _grid(rows: Sequence[Sequence[Cell]]) -> tuple[list[list[str]], set[tuple[int, int]]]:
    """The text at each place, and the places that only repeat what spans into them."""
    grid: list[list[str]] = []
    covered: set[tuple[int, int]] = set()
    reaching: dict[int, tuple[int, str]] = {}
    """For a column how many more rows a cell above reaches down, and what it says."""
    cells = 0
    for number, row in enumerate(rows):
        texts: list[str] = []
        ahead: dict[int, tuple[int, str]] = {}
        for cell in (*row, None):
            while len(texts) in reaching:
                covered.add((number, len(texts)))
                texts.append(reaching[len(texts)][1])
            if cell is None:
                continue
            for step in range(min(cell.columns, max(_MAX_COLUMNS - len(texts), 1))):
                if step:
                    covered.add((number, len(texts)))
                if cell.rows > 1:
                    ahead[len(texts)] = (cell.rows - 1, cell.text)
                texts.append(cell.text)
        left = {column: (rest - 1, text) for column, (rest, text) in reaching.items() if rest > 1}
        reaching = left | ahead
        grid.append(texts)
        cells += len(texts)
        if cells > _MAX_CELLS:
            break
    return grid, covered
