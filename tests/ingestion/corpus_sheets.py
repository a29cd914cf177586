"""Spreadsheets, by format and name of the file."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import date, datetime, time

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.worksheet.worksheet import Worksheet

from tests.ingestion import files
from tests.ingestion.files import saved
from tests.ingestion.office_files import open_document

Rows = Sequence[Sequence[object]]
_TWO_TABLES: Rows = [["a", "b", None, None, "c", "d"], [1, 2, None, None, 3, 4], [], [], ["end"]]


def _book(*sheets: tuple[str, Rows]) -> tuple[openpyxl.Workbook, list[Worksheet]]:
    book = openpyxl.Workbook()
    first = book.active
    assert first is not None
    made = [first, *(book.create_sheet() for _ in sheets[1:])]
    for sheet, (title, rows) in zip(made, sheets, strict=True):
        sheet.title = title
        for cells in rows:
            sheet.append(list(cells))
    return book, made


def _shown() -> bytes:
    """Dates, shares and money as the sheet shows them, a formula, a link, a comment."""
    rows: Rows = [["When", "Share", "Price"], [date(2024, 3, 5), 0.125, 1234.5]]
    book, [sheet] = _book(("Costs", rows))
    sheet["A2"].number_format = "dd.mm.yyyy"
    sheet["B2"].number_format = "0.0%"
    sheet["C2"].number_format = "#,##0.00"
    sheet["A1"].hyperlink = "https://a.example/when"
    sheet["C2"].comment = Comment("Check this", "Bo")
    return saved(book)


def _merged() -> bytes:
    rows: Rows = [["Region", "Units", None], [None, 2023, 2024], ["North", 5, 6]]
    book, [sheet, hidden] = _book(("Units", rows), ("Secret", [["one cell"]]))
    sheet.merge_cells("A1:A2")
    sheet.merge_cells("B1:C1")
    hidden.sheet_state = "hidden"
    return saved(book)


def _with_macros(content: bytes) -> bytes:
    """The workbook as one that may hold macros."""
    book = openpyxl.load_workbook(io.BytesIO(content), keep_vba=True)
    return saved(book)


def _legacy(
    *sheets: tuple[str, Rows], merged: Sequence[tuple[int, int, int, int]] = ()
) -> Callable[[], bytes]:
    """An XLS; the first sheet's merged areas are given by their first and last rows and columns."""

    def make() -> bytes:
        xlwt = pytest.importorskip("xlwt", reason="nothing here writes XLS files")
        book = xlwt.Workbook()
        areas = list(merged)
        dated = xlwt.easyxf(num_format_str="dd.mm.yyyy")
        for title, rows in sheets:
            sheet = book.add_sheet(title)
            starts = {(top, left): (top, bottom, left, right) for top, bottom, left, right in areas}
            for line, cells in enumerate(rows):
                for column, value in enumerate(cells):
                    if area := starts.get((line, column)):
                        sheet.write_merge(*area, value)
                    elif isinstance(value, date):
                        sheet.write(line, column, value, dated)
                    elif value is not None:
                        sheet.write(line, column, value)
            areas = []
        target = io.BytesIO()
        book.save(target)
        return target.getvalue()

    return make


def _cell(text: object, attributes: str = "") -> str:
    said = "" if text is None else f"<text:p>{text}</text:p>"
    return f'<table:table-cell office:value-type="string" {attributes}>{said}</table:table-cell>'


def _line(cells: Sequence[object]) -> str:
    return f"<table:table-row>{''.join(_cell(value) for value in cells)}</table:table-row>"


def _sheet(title: str, *lines: str, style: str = "") -> str:
    named = f'table:style-name="{style}"' if style else ""
    return f'<table:table table:name="{title}" {named}>{"".join(lines)}</table:table>'


def _open_merged() -> bytes:
    covered = "<table:covered-table-cell/>"
    head = _cell("Region", 'table:number-rows-spanned="2"')
    units = _cell("Units", 'table:number-columns-spanned="2"')
    return open_document(
        "spreadsheet",
        _sheet(
            "Units",
            f"<table:table-row>{head}{units}{covered}</table:table-row>",
            f"<table:table-row>{covered}{_cell(2023)}{_cell(2024)}</table:table-row>",
            _line(["North", 5, 6]),
        ),
    )


def _open_sheets() -> bytes:
    hidden = (
        '<style:style style:name="H" style:family="table"><style:table-properties '
        'table:display="false"/></style:style>'
    )
    body = _sheet("Two", *(_line(cells) for cells in _TWO_TABLES))
    return open_document(
        "spreadsheet", body + _sheet("Secret", _line(["one cell"]), style="H"), styles=hidden
    )


_PRICES: Rows = [["Article", "Price"], ["Buoy", 1200], ["Chain", 80]]


def _both() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Both"
    cells = {
        "A1": "Report 2024", "A2": "Region", "B2": "Units", "B3": "2023", "C3": "2024",
        "A4": "North", "B4": 5, "C4": 6, "B5": 7, "C5": 8,
        "F2": "City", "G2": "Rate", "F3": "Rome", "G3": 110,
        "B9": "A lone remark",
        "A11": "Name", "C11": "Ada", "A12": "Place", "C12": "Rome",
    }  # fmt: skip
    for address, value in cells.items():
        sheet[address] = value
    for area in ("A1:C1", "A2:A3", "B2:C2", "A4:A5"):
        sheet.merge_cells(area)
    sheet["G3"].hyperlink = "https://rates.example/rome"
    sheet["F3"].comment = Comment("The old town", "Ada")
    hidden = book.create_sheet("Secret")
    hidden.sheet_state = "hidden"
    hidden.append(["a", "b"])
    hidden.append([1, 2])
    return saved(book)


_FORMATTED = [
    (date(2024, 3, 5), "yyyy-mm-dd"),
    (
        datetime.combine(date(2024, 3, 5), time(14, 30)),
        "d mmm yyyy h:mm AM/PM",
    ),
    (0.125, "0.0%"),
    (1234.5, "#,##0.00 €"),
    (3.0, "General"),
    (True, "General"),
]


def _costs() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Costs"
    sheet.append(["What", "Value"])
    for index, (value, code) in enumerate(_FORMATTED, start=2):
        sheet.cell(index, 1, f"v{index}")
        sheet.cell(index, 2, value).number_format = code
    return saved(book)


FILES: dict[str, dict[str, Callable[[], bytes]]] = {
    "XLSX": {
        "prices.xlsx": files.prices_xlsx,
        "both.xlsx": _both,
        "costs.xlsx": _costs,
        "shown.xlsx": _shown,
        "merged.xlsx": _merged,
        "two.xlsx": lambda: saved(_book(("Two", _TWO_TABLES))[0]),
    },
    "XLSM": {
        "prices.xlsm": lambda: _with_macros(files.prices_xlsx()),
        "merged.xlsm": lambda: _with_macros(_merged()),
        "two.xlsm": lambda: _with_macros(saved(_book(("Two", _TWO_TABLES))[0])),
    },
    "XLS": {
        "prices.xls": _legacy(("Hardware", _PRICES), ("Log", [["When"], [date(2024, 3, 5)]])),
        "merged.xls": _legacy(
            ("Units", [["Region", "Units"], [None, 2023, 2024], ["North", 5, 6]]),
            merged=[(0, 1, 0, 0), (0, 0, 1, 2)],
        ),
        "two.xls": _legacy(("Two", _TWO_TABLES)),
    },
    "ODS": {
        "prices.ods": lambda: open_document(
            "spreadsheet", _sheet("Hardware", *(_line(cells) for cells in _PRICES))
        ),
        "merged.ods": _open_merged,
        "two.ods": _open_sheets,
    },
}
