"""An Excel 97–2003 workbook (XLS) becomes sheets, by way of xlrd."""

from __future__ import annotations

import io

import xlrd

from footnote.domain import BlockKind
from footnote.ingestion.parsing.compound import CompoundFile
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.flow import link_text
from footnote.ingestion.parsing.numberformat import BUILT_IN, format_value
from footnote.ingestion.parsing.sheets import Budget, Sheet, cell_address, sheet_drafts

_MAX_MERGED = 100_000


def read_legacy_workbook(content: bytes, *, max_characters: int) -> Reading:
    """Read every sheet, hidden ones too.

    Raises DocumentUnreadable when it holds too much, XLRDError and others when it is damaged.
    """
    book = xlrd.open_workbook(
        file_contents=content, formatting_info=True, logfile=io.StringIO(), on_demand=True
    )
    budget = Budget(max_characters)
    drafts: list[Draft] = []
    for index in range(book.nsheets):
        drafts += sheet_drafts(_sheet(book, book.sheet_by_index(index), budget), index + 1)
        book.unload_sheet(index)
    if all(draft.kind is BlockKind.HEADING for draft in drafts):
        drafts = []  # the names of empty sheets are no text
    title, metadata = CompoundFile(content).properties()
    return Reading(
        drafts=tuple(drafts),
        title=title,
        page_count=book.nsheets,
        pages_stand_alone=True,
        metadata=metadata,
    )


def _sheet(book: xlrd.book.Book, source: xlrd.sheet.Sheet, budget: Budget) -> Sheet:
    sheet = Sheet(name=source.name, hidden=source.visibility != 0)
    for index in range(source.nrows):
        cells = [_text(book, cell) for cell in source.row(index)]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            budget.spend(cells)
            sheet.rows.append((index, cells))
    by_index = dict(sheet.rows)
    for (row, column), link in source.hyperlink_map.items():
        cells = by_index.get(row, [])
        if column < len(cells) and isinstance(link.url_or_path, str):
            cells[column] = link_text(cells[column], link.url_or_path)
    # Rows and columns of xlrd's areas are half-open.
    sheet.spread(
        (top, left, bottom - 1, right - 1)
        for top, bottom, left, right in source.merged_cells[:_MAX_MERGED]
    )
    for (row, column), note in sorted(source.cell_note_map.items()):
        by = f" by {note.author}" if note.author else ""
        text = f"[comment{by} on {cell_address(row, column)}: {' '.join(note.text.split())}]"
        sheet.remarks.append(Draft(kind=BlockKind.PARAGRAPH, text=text))
    return sheet


def _text(book: xlrd.book.Book, cell: xlrd.sheet.Cell) -> str:
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        code = "General"
        if cell.xf_index is not None and cell.xf_index < len(book.xf_list):
            key = book.xf_list[cell.xf_index].format_key
            given = book.format_map.get(key)
            code = BUILT_IN.get(key) or (given.format_str if given is not None else code)
        try:
            return format_value(float(cell.value), code, since_1904=book.datemode == 1)
        except (ValueError, ArithmeticError):
            return str(cell.value)
    return str(cell.value)
