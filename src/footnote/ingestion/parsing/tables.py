"""Rows of cells become Markdown tables with a header row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft, clean

Rows = Sequence[Sequence[str]]


def table_text(rows: Rows) -> str:
    """A Markdown table whose first row is the header; short rows are filled up.

    >>> print(table_text([["City", "Rate"], ["Rome", "110"]]))
    | City | Rate |
    | --- | --- |
    | Rome | 110 |
    """
    width = max(len(row) for row in rows)
    lines = [_line(row, width) for row in rows]
    lines.insert(1, "| " + " | ".join(["---"] * width) + " |")
    return "\n".join(lines)


def table_drafts(
    rows: Rows, page: int | None = None, *, has_header: bool = False
) -> Iterator[Draft]:
    """The tables of a grid: empty rows part it, empty columns go, a lone cell is a paragraph.

    Where the grid is known to have a header, an empty first row says that no column has a name.
    """
    grid = [[clean(cell).replace("\n", " ") for cell in row] for row in rows]
    unnamed = has_header and bool(grid) and not _filled(grid[0])
    for region in _regions(grid):
        titles = 0
        while not unnamed and titles < len(region) and _is_title(region, titles):
            yield _paragraph(region[titles], page)
            titles += 1
        table = _without_empty_columns(region[titles:])
        if unnamed:
            table.insert(0, [""] * len(table[0]))
        if len(table) > 1 and len(table[0]) > 1:
            yield Draft(kind=BlockKind.TABLE, text=table_text(table), page=page)
        else:
            for row in table:
                yield _paragraph(row, page)


def _paragraph(row: Sequence[str], page: int | None) -> Draft:
    text = " | ".join(cell for cell in row if cell)
    return Draft(kind=BlockKind.PARAGRAPH, text=text, page=page)


def _line(row: Sequence[str], width: int) -> str:
    cells = [cell.replace("|", "\\|") for cell in row] + [""] * (width - len(row))
    return "| " + " | ".join(cells) + " |"


def _filled(row: Sequence[str]) -> int:
    return sum(1 for cell in row if cell)


def _is_title(region: Rows, position: int) -> bool:
    """Whether a row with one filled cell stands over a table, or is all there is.

    Over a table it begins where the table does; further right it is the name of a column.
    """
    row = region[position]
    if len(row) < 2 or _filled(row) != 1:
        return False
    below = region[position + 1 :]
    edge = min((_first_filled(each) for each in below), default=0)
    return not below or (_filled(below[0]) > 1 and _first_filled(row) <= edge)


def _first_filled(row: Sequence[str]) -> int:
    return next(column for column, cell in enumerate(row) if cell)


def _regions(rows: Rows) -> Iterator[list[Sequence[str]]]:
    region: list[Sequence[str]] = []
    for row in rows:
        if _filled(row):
            region.append(row)
        elif region:
            yield region
            region = []
    if region:
        yield region


def _without_empty_columns(region: Iterable[Sequence[str]]) -> list[list[str]]:
    rows = [list(row) for row in region]
    width = max((len(row) for row in rows), default=0)
    rows = [row + [""] * (width - len(row)) for row in rows]
    used = [column for column in range(width) if any(row[column] for row in rows)]
    return [[row[column] for column in used] for row in rows]


def spread_table_drafts(
    rows: Rows,
    *,
    covered: Collection[tuple[int, int]] = (),
    header_rows: int = 1,
    page: int | None = None,
) -> Iterator[Draft]:
    """One table whose merged cells say what they say in every cell they cover.

    `covered` names the cells (row, column from 0) that a merged cell has filled. Empty rows and
    columns go; a row on top that is one cell is a paragraph, and so is a table of one row or
    column; header rows become one, each column's header the chain of what stands above it.
    """
    width = max((len(row) for row in rows), default=0)
    grid = [
        [clean(cell).replace("\n", " ") for cell in row] + [""] * (width - len(row)) for row in rows
    ]
    kept = [column for column in range(width) if not _adds_nothing(grid, covered, column)]
    numbered = [(index, row) for index, row in enumerate(grid) if any(row)]
    while numbered and _spans_all(*numbered[0], covered):
        if len(numbered) == 1 and header_rows == 0:
            break
        text = next(cell for cell in numbered[0][1] if cell)
        yield Draft(kind=BlockKind.PARAGRAPH, text=text, page=page)
        numbered = numbered[1:]
        header_rows = max(header_rows - 1, 1)
    table = [[row[column] for column in kept] for _, row in numbered]
    if len(table) > 1 and len(kept) > 1:
        joined = _joined_header(table, min(header_rows, len(table) - 1))
        yield Draft(kind=BlockKind.TABLE, text=table_text(joined), page=page)
    else:
        for row in table:
            yield _paragraph(row, page)


def grouped_header_rows(rows: Rows, covered: Collection[tuple[int, int]]) -> int:
    """2 where merged cells in the first row group the columns that the second names, else 1."""
    grouped = len(rows) > 2 and any(
        (0, column) in covered and cell and cell == rows[0][column - 1]
        for column, cell in enumerate(rows[0])
        if column
    )
    return 1 + grouped


def _adds_nothing(grid: Rows, covered: Collection[tuple[int, int]], column: int) -> bool:
    """Whether a column is empty, or only repeats its neighbour through merged cells."""
    return all(
        not row[column]
        or (column > 0 and (index, column) in covered and row[column] == row[column - 1])
        for index, row in enumerate(grid)
    )


def _spans_all(index: int, row: Sequence[str], covered: Collection[tuple[int, int]]) -> bool:
    """Whether only the first cell of a row says something."""
    own = [
        column
        for column, cell in enumerate(row)
        if cell and not (column > 0 and (index, column) in covered and cell == row[column - 1])
    ]
    return len(row) > 1 and own == [0]


def _joined_header(table: Rows, header_rows: int) -> list[Sequence[str]]:
    if header_rows < 2:
        return list(table)
    chains = [
        dict.fromkeys(cell for cell in column if cell)
        for column in zip(*table[:header_rows], strict=True)
    ]
    return [[" / ".join(chain) for chain in chains], *table[header_rows:]]
