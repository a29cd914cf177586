"""Convert rows of cells to Markdown tables with a header row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft, clean
from footnote.language.table_rows import cell_spans

Rows = Sequence[Sequence[str]]
_MAX_RECORD_COLUMNS = 24
_MAX_COLUMNS = 1_000
_MAX_CELLS = 2_000_000


def table_text(rows: Rows) -> str:
    """Return a Markdown table whose first row is the header; short rows are padded.

    >>> print(table_text([["City", "Rate"], ["Rome", "110"]]))
    | City | Rate |
    | --- | --- |
    | Rome | 110 |
    """
    width = max(len(row) for row in rows)
    lines = []
    for row in rows:
        cells = [cell.replace("|", "\\|") for cell in row] + [""] * (width - len(row))
        lines.append("| " + " | ".join(cells) + " |")
    lines.insert(1, "| " + " | ".join(["---"] * width) + " |")
    return "\n".join(lines)


def table_drafts(
    rows: Rows, page: int | None = None, *, has_header: bool = False
) -> Iterator[Draft]:
    """Yield the tables of a grid: empty rows split it, empty columns are dropped.

    A row of one cell above a table, or alone, is a paragraph. With `has_header`, an empty first row
    means that no column has a name.
    """
    grid = [[clean(cell).replace("\n", " ") for cell in row] for row in rows]
    is_unnamed = has_header and bool(grid) and not _filled(grid[0])
    for is_filled, run in groupby(grid, key=any):
        if not is_filled:
            continue
        region = list(run)
        titles = 0
        while not is_unnamed and titles < len(region) and _is_title(region, titles):
            yield _paragraph(region[titles], page)
            titles += 1
        body = region[titles:]
        width = max(map(len, body), default=0)
        padded = [row + [""] * (width - len(row)) for row in body]
        used = [column for column in range(width) if any(row[column] for row in padded)]
        table = [[row[column] for column in used] for row in padded]
        if is_unnamed:
            table.insert(0, [""] * len(table[0]))
        if len(table) > 1 and len(table[0]) > 1:
            yield Draft(kind=BlockKind.TABLE, text=table_text(table), page=page)
        else:
            for row in table:
                yield _paragraph(row, page)


def repeated_titles(table: str) -> list[str]:
    """Return the titles that several columns of a Markdown table share, each once.

    >>> repeated_titles(table_text([["Item", "Price", "Price"], ["A", "1", "2"]]))
    ['Price']
    """
    header = table.partition("\n")[0]
    titles = Counter(header[start:end] for start, end in cell_spans(header))
    return [title for title, count in titles.items() if title and count > 1]


def record_rows(records: Sequence[Mapping[str, str]], least_columns: int) -> list[list[str]]:
    """Return similar records as rows under a header; empty if they are not similar."""
    columns = list(dict.fromkeys(name for record in records for name in record))
    filled = sum(map(len, records))
    out_of_range = not least_columns <= len(columns) <= _MAX_RECORD_COLUMNS
    if out_of_range or 2 * filled < len(columns) * len(records):
        return []
    return [columns, *([record.get(name, "") for name in columns] for record in records)]


def _paragraph(row: Sequence[str], page: int | None) -> Draft:
    text = " | ".join(cell for cell in row if cell)
    return Draft(kind=BlockKind.PARAGRAPH, text=text, page=page)


def _filled(row: Sequence[str]) -> int:
    return sum(1 for cell in row if cell)


def _is_title(region: Rows, position: int) -> bool:
    """Whether a row with one filled cell is a title above a table, or the only row.

    A title begins where the table does; further right the cell is the name of a column.
    """
    row = region[position]
    if len(row) < 2 or _filled(row) != 1:
        return False
    below = region[position + 1 :]
    edge = min((_first_filled(other) for other in below), default=0)
    return not below or (_filled(below[0]) > 1 and _first_filled(row) <= edge)


def _first_filled(row: Sequence[str]) -> int:
    return next(column for column, cell in enumerate(row) if cell)


def spread_table_drafts(
    rows: Rows,
    *,
    covered: Collection[tuple[int, int]] = (),
    header_rows: int = 1,
    page: int | None = None,
) -> Iterator[Draft]:
    """Yield one table; the text of a merged cell is repeated in every cell it covers.

    `covered` has the cells (row, column from 0) that a merged cell has filled. Empty rows and
    columns are dropped. A row of one cell on top is a paragraph, and so is each row of a table of
    one row or column. Several header rows become one, with the titles of each column joined.
    """
    width = max((len(row) for row in rows), default=0)
    grid = [
        [clean(cell).replace("\n", " ") for cell in row] + [""] * (width - len(row)) for row in rows
    ]
    columns = [column for column in range(width) if not _is_redundant(grid, covered, column)]
    numbered = [(index, row) for index, row in enumerate(grid) if any(row)]
    while numbered and _spans_all(*numbered[0], covered):
        if len(numbered) == 1 and header_rows == 0:
            break
        text = next(cell for cell in numbered[0][1] if cell)
        yield Draft(kind=BlockKind.PARAGRAPH, text=text, page=page)
        numbered = numbered[1:]
        header_rows = max(header_rows - 1, 1)
    table = [[row[column] for column in columns] for _, row in numbered]
    if len(table) > 1 and len(columns) > 1:
        headers = min(header_rows, len(table) - 1)
        if headers > 1:
            chains = (
                dict.fromkeys(filter(None, column)) for column in zip(*table[:headers], strict=True)
            )
            table = [[" / ".join(chain) for chain in chains], *table[headers:]]
        yield Draft(kind=BlockKind.TABLE, text=table_text(table), page=page)
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


def _is_redundant(grid: Rows, covered: Collection[tuple[int, int]], column: int) -> bool:
    """Whether a column is empty, or only repeats its neighbour through merged cells."""
    return all(
        not row[column]
        or (column > 0 and (index, column) in covered and row[column] == row[column - 1])
        for index, row in enumerate(grid)
    )


def _spans_all(index: int, row: Sequence[str], covered: Collection[tuple[int, int]]) -> bool:
    """Whether only the first cell of a row has text of its own."""
    filled = [
        column
        for column, cell in enumerate(row)
        if cell and not (column > 0 and (index, column) in covered and cell == row[column - 1])
    ]
    return len(row) > 1 and filled == [0]


# --- cells that span rows and columns ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table in markup, with the columns and rows it spans."""

    text: str
    columns: int = 1
    rows: int = 1
    is_header: bool = False


def spanned_table_drafts(
    rows: Sequence[Sequence[Cell]], page: int | None = None
) -> Iterator[Draft]:
    """Yield a table; the text of a cell is repeated in every row and column it spans."""
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
    """Return the text at each place, and the places that only repeat a spanning cell."""
    grid: list[list[str]] = []
    covered: set[tuple[int, int]] = set()
    reaching: dict[int, tuple[int, str]] = {}
    """For each column, the rows that a cell above still spans, and its text."""
    cells = 0
    for number, row in enumerate(rows):
        texts: list[str] = []
        spanning: dict[int, tuple[int, str]] = {}
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
                    spanning[len(texts)] = (cell.rows - 1, cell.text)
                texts.append(cell.text)
        still_spanned = {
            column: (remaining - 1, text)
            for column, (remaining, text) in reaching.items()
            if remaining > 1
        }
        reaching = still_spanned | spanning
        grid.append(texts)
        cells += len(texts)
        if cells > _MAX_CELLS:
            break
    return grid, covered
