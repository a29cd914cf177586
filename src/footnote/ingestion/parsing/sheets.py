"""Convert the grid of a sheet to drafts: each table in it a block, with its cell range."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from footnote.domain import BlockKind
from footnote.ingestion.failures import unreadable
from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.tables import grouped_header_rows, spread_table_drafts, table_text

_ROWS_A_BLOCK = 200
"""Most rows of a block; a longer table is split, so that each block names its own cell range."""
_MAX_CELLS = 40_000_000
_MAX_SPREAD_CELLS = 2_000_000
"""Most cells of a sheet to which merged cells are spread; further ones are not."""
_MAX_SPREAD = 10_000
"""Most cells over which a merged cell is spread; a larger one has its value only once."""

Row = tuple[int, list[str]]
"""The index of a row from 0, and its cells from the first column on."""
Area = tuple[int, int, int, int]
"""First row, first column, last row, last column, all from 0."""


@dataclass(slots=True, kw_only=True)
class Sheet:
    """A sheet as its program shows it."""

    name: str
    hidden: bool = False
    rows: list[Row] = field(default_factory=list)
    covered: dict[int, set[int]] = field(default_factory=dict)
    """For each row, the columns that merged cells cover, except for the cell with the value."""
    remarks: list[Draft] = field(default_factory=list)
    """Content attached to the grid or floating over it: comments, charts, pictures, text boxes."""

    def spread(self, areas: Iterable[Area]) -> None:
        """Repeat the value of each merged cell in all the cells it covers."""
        rows = dict(self.rows)
        remaining = _MAX_SPREAD_CELLS
        for first_row, first_column, last_row, last_column in areas:
            size = (last_row - first_row + 1) * (last_column - first_column + 1)
            origin = rows.get(first_row, [])
            value = origin[first_column] if first_column < len(origin) else ""
            if not value or size > min(_MAX_SPREAD, remaining):
                continue
            remaining -= size
            for index in range(first_row, last_row + 1):
                cells = rows.setdefault(index, [])
                cells.extend([""] * (last_column + 1 - len(cells)))
                cells[first_column : last_column + 1] = [value] * (last_column + 1 - first_column)
                covered = range(first_column + (index == first_row), last_column + 1)
                self.covered.setdefault(index, set()).update(covered)
        self.rows = sorted(rows.items())


@dataclass(slots=True)
class Budget:
    """The characters and cells that a workbook may still hold; reduced row by row."""

    characters: int
    cells: int = _MAX_CELLS

    def spend(self, cells: Sequence[str]) -> None:
        """Count a row. Raises DocumentUnreadable when the workbook holds too much."""
        self.cells -= len(cells)
        self.characters -= sum(len(cell) + 3 for cell in cells)
        if self.cells < 0 or self.characters < 0:
            raise unreadable(
                "its sheets hold more text than is allowed", "split it into smaller files"
            )


def sheet_drafts(sheet: Sheet, page: int) -> Iterator[Draft]:
    """Yield the sheet's name as a heading, its tables from top to bottom, then its remarks."""
    name = f"{sheet.name} (hidden)" if sheet.hidden else sheet.name
    yield Draft(kind=BlockKind.HEADING, text=name, page=page, level=1)
    for region in regions(sheet.rows):
        yield from _region_drafts(sheet, region, page)
    for remark in sheet.remarks:
        yield replace(remark, page=page)


def holds_several_sheets(drafts: Iterable[Draft]) -> bool:
    """Whether more than one sheet has content besides its name."""
    pages = {draft.page for draft in drafts if draft.kind is not BlockKind.HEADING}
    return len(pages) > 1


@dataclass(frozen=True, slots=True)
class Region:
    """A connected range of rows and columns of a sheet; columns half-open, from 0."""

    rows: Sequence[Row]
    left: int
    right: int

    def texts(self) -> list[list[str]]:
        """The cells of the region, all rows of the same width."""
        width = self.right - self.left
        cut = [cells[self.left : self.right] for _, cells in self.rows]
        return [cells + [""] * (width - len(cells)) for cells in cut]


def regions(rows: Sequence[Row]) -> list[Region]:
    """Split a grid into regions at empty rows and columns, in reading order.

    Rows are split first, then columns, then the rows of each part, until nothing can be split.
    """
    result: list[Region] = []
    width = max((len(cells) for _, cells in rows), default=0)
    waiting = [Region(rows, 0, width)]
    while waiting:
        region = waiting.pop()
        parts = [part for band in _bands(region) for part in _columns(band)]
        if len(parts) == 1 and len(parts[0].rows) == len(region.rows):
            result.append(parts[0])
        else:
            waiting.extend(reversed(parts))
    return result


def _bands(region: Region) -> Iterator[Region]:
    """Yield the runs of consecutive rows that have a value in these columns."""
    filled = [
        row for row in region.rows if any(cell for cell in row[1][region.left : region.right])
    ]
    numbered = (
        (index - position, (index, cells)) for position, (index, cells) in enumerate(filled)
    )
    for _, run in groupby(numbered, key=lambda pair: pair[0]):
        yield Region([row for _, row in run], region.left, region.right)


def _columns(band: Region) -> Iterator[Region]:
    """Split the band at empty columns, but not between labels and their values."""
    used = sorted(
        {
            column
            for _, cells in band.rows
            for column, cell in enumerate(cells[band.left : band.right], band.left)
            if cell
        }
    )
    runs: list[list[int]] = []
    for column in used:
        if runs and runs[-1][-1] == column - 1:
            runs[-1].append(column)
        else:
            runs.append([column])
    spans: list[tuple[int, int]] = []
    for run in runs:
        if spans and _belong_together(band, spans[-1], (run[0], run[-1] + 1)):
            spans[-1] = (spans[-1][0], run[-1] + 1)
        else:
            spans.append((run[0], run[-1] + 1))
    for left, right in spans:
        yield Region(band.rows, left, right)


def _belong_together(band: Region, before: tuple[int, int], after: tuple[int, int]) -> bool:
    """Whether columns on both sides of a gap belong together.

    True if one side is a single column, and most rows have a value on both sides.
    """
    if min(before[1] - before[0], after[1] - after[0]) > 1:
        return False
    filled_on_both = sum(
        any(cells[before[0] : before[1]]) and any(cells[after[0] : after[1]])
        for _, cells in band.rows
    )
    return 2 * filled_on_both > len(band.rows)


def _region_drafts(sheet: Sheet, region: Region, page: int) -> Iterator[Draft]:
    texts = region.texts()
    # The covered cells of the sheet that lie in the region, counted from its corner.
    covered = {
        (position, column - region.left)
        for position, (index, _) in enumerate(region.rows)
        for column in sheet.covered.get(index, ())
        if region.left <= column < region.right
    }
    titles = 0
    while titles < len(texts) - 1 and _is_title(texts[titles], titles, covered):
        titles += 1
    for text in texts[:titles]:
        yield Draft(kind=BlockKind.PARAGRAPH, text=text[0], page=page)
    region = Region(region.rows[titles:], region.left, region.right)
    texts = texts[titles:]
    covered = {(row - titles, column) for row, column in covered if row >= titles}
    headers = grouped_header_rows(texts, covered)
    if len(texts) - headers > _ROWS_A_BLOCK:
        # A table in parts of `_ROWS_A_BLOCK` rows, each with the header and its own cell range.
        full_address = _address(region)
        for start in range(headers, len(texts), _ROWS_A_BLOCK):
            end = min(start + _ROWS_A_BLOCK, len(texts))
            part = Region(region.rows[start:end], region.left, region.right)
            caption = f"Sheet “{sheet.name}”, {_address(part)} of {full_address}"
            yield Draft(kind=BlockKind.CAPTION, text=caption, page=page)
            rows = texts[:headers] + texts[start:end]
            drafts = list(spread_table_drafts(rows, header_rows=headers, page=page))
            if len(drafts) > 1:  # one column: a line for each row
                drafts = [Draft(kind=BlockKind.TABLE, text=table_text(rows), page=page)]
            yield from drafts
        return
    drafts = list(spread_table_drafts(texts, covered=covered, header_rows=headers, page=page))
    if any(draft.kind is BlockKind.TABLE for draft in drafts):
        yield _caption(sheet, region, page)
    elif len(drafts) > 2 and region.right - region.left == 1:
        yield _caption(sheet, region, page)
        drafts = [Draft(kind=BlockKind.TABLE, text=table_text(texts), page=page)]
    yield from drafts


def _is_title(cells: Sequence[str], index: int, covered: Collection[tuple[int, int]]) -> bool:
    filled = [
        column for column, cell in enumerate(cells) if cell and (index, column) not in covered
    ]
    return len(cells) > 1 and filled == [0]


def _caption(sheet: Sheet, region: Region, page: int) -> Draft:
    text = f"Sheet “{sheet.name}”, {_address(region)}"
    return Draft(kind=BlockKind.CAPTION, text=text, page=page)


def _address(region: Region) -> str:
    first = cell_address(region.rows[0][0], region.left)
    last = cell_address(region.rows[-1][0], region.right - 1)
    return f"{first}:{last}"


def cell_address(row: int, column: int) -> str:
    """Return the address of a cell, from indices that start at 0.

    >>> cell_address(0, 0), cell_address(41, 27)
    ('A1', 'AB42')
    """
    letters = ""
    column += 1
    while column:
        column, digit = divmod(column - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return f"{letters}{row + 1}"
