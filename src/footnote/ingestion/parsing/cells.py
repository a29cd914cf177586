"""Cells of XLS, XLSB and ODS workbooks become sheets by calamine, without number formats."""

from __future__ import annotations

import io
from datetime import date, datetime, time, timedelta

from python_calamine import CalamineWorkbook, SheetVisibleEnum

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.numberformat import format_value
from footnote.ingestion.parsing.sheets import Budget, Sheet, sheet_drafts

_MAX_MERGED = 100_000

Value = int | float | str | bool | time | date | datetime | timedelta


def read_cells(content: bytes, *, max_characters: int) -> Reading:
    """Read every sheet, hidden ones too.

    Raises DocumentUnreadable when it holds too much, CalamineError when it is damaged.
    """
    budget = Budget(max_characters)
    drafts: list[Draft] = []
    with CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
        for number, about in enumerate(book.sheets_metadata, start=1):
            source = book.get_sheet_by_name(about.name)
            hidden = about.visible != SheetVisibleEnum.Visible
            sheet = Sheet(name=about.name, hidden=hidden)
            top, left = source.start or (0, 0)
            for index, values in enumerate(source.to_python(), start=top):
                cells = [""] * left + [_shown(value) for value in values]
                while cells and not cells[-1]:
                    cells.pop()
                if cells:
                    budget.spend(cells)
                    sheet.rows.append((index, cells))
            merged = source.merged_cell_ranges or []
            sheet.spread((*first, *last) for first, last in merged[:_MAX_MERGED])
            drafts += sheet_drafts(sheet, number)
        pages = len(book.sheets_metadata)
    if all(draft.kind is BlockKind.HEADING for draft in drafts):
        drafts = []  # the names of empty sheets are no text
    return Reading(drafts=tuple(drafts), page_count=pages, pages_stand_alone=True)


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format_value(value, "General", since_1904=False)
    if isinstance(value, datetime):
        whole_day = value.time() == time()
        return value.date().isoformat() if whole_day else value.isoformat(" ", "minutes")
    return str(value)
