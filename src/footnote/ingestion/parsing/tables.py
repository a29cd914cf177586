"""Rows of cells become Markdown tables with a header row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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


def table_drafts(rows: Rows, page: int | None = None) -> Iterator[Draft]:
    """The tables of a grid: empty rows part it, empty columns go, a lone cell is a paragraph."""
    for region in _regions([[clean(cell).replace("\n", " ") for cell in row] for row in rows]):
        titles = 0
        while titles < len(region) and _is_title(region, titles):
            yield _paragraph(region[titles], page)
            titles += 1
        table = _without_empty_columns(region[titles:])
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
    """Whether a row with one filled cell stands over a table, or is all there is."""
    row = region[position]
    if len(row) < 2 or _filled(row) != 1:
        return False
    return position + 1 == len(region) or _filled(region[position + 1]) > 1


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
