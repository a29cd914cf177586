from __future__ import annotations

import io
from datetime import date, datetime, time
from textwrap import dedent

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment

from footnote.domain import BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from footnote.ingestion.parsing.sheets import regions
from tests.ingestion.office_files import open_document, shown
from tests.ingestion.test_reading import assert_lawful

NO_OCR = ReadingOptions(ocr="off")


def read(content: bytes, name: str) -> ParsedDocument:
    parsed = read_document(content, name, NO_OCR)
    assert_lawful(parsed)
    return parsed


def expect(parsed: ParsedDocument, golden: str) -> None:
    assert shown(parsed) == dedent(golden).strip("\n")


def saved(book: openpyxl.Workbook) -> bytes:
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


FORMATTED = [
    (date(2024, 3, 5), "yyyy-mm-dd", "2024-03-05"),
    (
        datetime.combine(date(2024, 3, 5), time(14, 30)),
        "d mmm yyyy h:mm AM/PM",
        "5 Mar 2024 2:30 PM",
    ),
    (0.125, "0.0%", "12.5%"),
    (1234.5, "#,##0.00 €", "1,234.50 €"),
    (3.0, "General", "3"),
    (True, "General", "TRUE"),
]


@pytest.mark.parametrize(("sheet_name", "title"), [("Sheet1", "rates"), ("Rates", "Rates")])
def test_a_workbook_is_called_by_its_file_where_nobody_named_its_sheet(
    sheet_name: str, title: str
) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = sheet_name
    sheet.append(["City", "Rate"])
    sheet.append(["Rome", 110])
    assert read(saved(book), "rates.xlsx").title == title


def test_a_workbook_shows_numbers_and_dates_as_its_sheet_does() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Costs"
    sheet.append(["What", "Value"])
    for index, (value, code, _) in enumerate(FORMATTED, start=2):
        sheet.cell(index, 1, f"v{index}")
        sheet.cell(index, 2, value).number_format = code
    lines = [f"| v{index} | {text} |" for index, (_, _, text) in enumerate(FORMATTED, start=2)]
    assert shown(read(saved(book), "costs.xlsx")).splitlines() == [
        "=== page 1",
        "# Costs",
        "<caption>",
        "Sheet “Costs”, A1:B7",
        "<table>",
        "| What | Value |",
        "| --- | --- |",
        *lines,
    ]


def test_a_workbook_keeps_tables_apart_and_merged_cells_together() -> None:
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
    parsed = read(saved(book), "both.xlsx")
    expect(
        parsed,
        """
        === page 1
        # Both
        Report 2024
        <caption>
        Sheet “Both”, A2:C5
        <table>
        | Region | Units / 2023 | Units / 2024 |
        | --- | --- | --- |
        | North | 5 | 6 |
        | North | 7 | 8 |
        <caption>
        Sheet “Both”, F2:G3
        <table>
        | City | Rate |
        | --- | --- |
        | Rome | 110 (https://rates.example/rome) |
        A lone remark
        <caption>
        Sheet “Both”, A11:C12
        <table>
        | Name | Ada |
        | --- | --- |
        | Place | Rome |
        [comment by Ada on F3: The old town]
        === page 2
        # Secret (hidden)
        <caption>
        Sheet “Secret”, A1:B2
        <table>
        | a | b |
        | --- | --- |
        | 1 | 2 |
        """,
    )
    assert parsed.page_count == 2


def test_a_long_table_says_of_each_part_where_it_stands() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Log"
    sheet.append(["id", "value"])
    for number in range(1, 451):
        sheet.append([number, f"value {number}"])
    chart = BarChart()
    chart.title = "Values"
    chart.add_data(Reference(sheet, min_col=1, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "E2")
    sheet["D1"] = "=SUM(A2:A3)"
    parsed = read(saved(book), "log.xlsx")
    captions = [block.text for block in parsed.blocks if block.kind is BlockKind.CAPTION]
    assert captions[:3] == [
        "Sheet “Log”, A2:B201 of A1:B451",
        "Sheet “Log”, A202:B401 of A1:B451",
        "Sheet “Log”, A402:B451 of A1:B451",
    ]
    tables = [block.text for block in parsed.blocks if block.kind is BlockKind.TABLE]
    assert all(table.startswith("| id | value |\n| --- | --- |\n") for table in tables[:3])
    assert tables[2].endswith("| 450 | value 450 |")
    assert parsed.metadata["formulas_without_value"] == 1


def test_a_workbook_that_holds_too_much_is_refused_while_it_is_read() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for _ in range(50):
        sheet.append(["x" * 50])
    with pytest.raises(DocumentUnreadable, match="more text than is allowed"):
        read_document(saved(book), "a.xlsx", ReadingOptions(max_text_characters=1000))


def test_a_workbook_without_cells_has_no_text() -> None:
    with pytest.raises(DocumentUnreadable, match="no text"):
        read_document(saved(openpyxl.Workbook()), "a.xlsx", NO_OCR)


def test_a_legacy_workbook_shows_numbers_and_dates_as_its_sheet_does() -> None:
    xlwt = pytest.importorskip("xlwt", reason="nothing here writes XLS files")
    book = xlwt.Workbook()
    sheet = book.add_sheet("Costs")
    for column, name in enumerate(("When", "Share", "Price", "Whole")):
        sheet.write(0, column, name)
    sheet.write(1, 0, date(2024, 3, 5), xlwt.easyxf(num_format_str="dd.mm.yyyy"))
    sheet.write(1, 1, 0.125, xlwt.easyxf(num_format_str="0.0%"))
    sheet.write(1, 2, 1234.5, xlwt.easyxf(num_format_str="#,##0.00"))
    sheet.write(1, 3, 3.0)
    expect(
        read(xls_bytes(book), "costs.xls"),
        """
        === page 1
        # Costs
        <caption>
        Sheet “Costs”, A1:D2
        <table>
        | When | Share | Price | Whole |
        | --- | --- | --- | --- |
        | 05.03.2024 | 12.5% | 1,234.50 | 3 |
        """,
    )


def xls_bytes(book: object) -> bytes:
    target = io.BytesIO()
    book.save(target)  # type: ignore[attr-defined]
    return target.getvalue()


def test_a_legacy_workbook_keeps_merged_cells_and_hidden_sheets() -> None:
    xlwt = pytest.importorskip("xlwt", reason="nothing here writes XLS files")
    book = xlwt.Workbook()
    sheet = book.add_sheet("Units")
    sheet.write_merge(0, 1, 0, 0, "Region")
    sheet.write_merge(0, 0, 1, 2, "Units")
    texts: list[list[str | int]] = [["", "2023", "2024"], ["North", 5, 6]]
    for row, cells in enumerate(texts, start=1):
        for column, value in enumerate(cells):
            if value != "":
                sheet.write(row, column, value)
    hidden = book.add_sheet("Secret")
    hidden.visibility = 1
    hidden.write(0, 0, "one cell")
    expect(
        read(xls_bytes(book), "units.xls"),
        """
        === page 1
        # Units
        <caption>
        Sheet “Units”, A1:C3
        <table>
        | Region | Units / 2023 | Units / 2024 |
        | --- | --- | --- |
        | North | 5 | 6 |
        === page 2
        # Secret (hidden)
        one cell
        """,
    )


def test_a_legacy_workbook_keeps_tables_apart() -> None:
    xlwt = pytest.importorskip("xlwt", reason="nothing here writes XLS files")
    book = xlwt.Workbook()
    sheet = book.add_sheet("Two")
    for row, left, values in [(0, 0, "ab"), (1, 0, "12"), (0, 4, "cd"), (1, 4, "34"), (5, 0, "e")]:
        for offset, value in enumerate(values):
            sheet.write(row, left + offset, value)
    expect(
        read(xls_bytes(book), "two.xls"),
        """
        === page 1
        # Two
        <caption>
        Sheet “Two”, A1:B2
        <table>
        | a | b |
        | --- | --- |
        | 1 | 2 |
        <caption>
        Sheet “Two”, E1:F2
        <table>
        | c | d |
        | --- | --- |
        | 3 | 4 |
        e
        """,
    )


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def ods_row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def ods_sheet(name: str, *rows: str, style: str = "") -> str:
    named = f'table:style-name="{style}"' if style else ""
    return f'<table:table table:name="{name}" {named}>{"".join(rows)}</table:table>'


def test_an_open_spreadsheet_shows_what_its_cells_show() -> None:
    body = ods_sheet(
        "Costs",
        ods_row(cell("When"), cell("Share")),
        ods_row(
            cell("5 March 2024", 'office:value-type="date" office:date-value="2024-03-05"'),
            cell("12.5 %", 'office:value-type="percentage" office:value="0.125"'),
        ),
        ods_row('<table:table-cell table:number-columns-repeated="1024"/>',
                attributes='table:number-rows-repeated="1048574"'),
    )  # fmt: skip
    expect(
        read(open_document("spreadsheet", body), "costs.ods"),
        """
        === page 1
        # Costs
        <caption>
        Sheet “Costs”, A1:B2
        <table>
        | When | Share |
        | --- | --- |
        | 5 March 2024 | 12.5 % |
        """,
    )


def test_an_open_spreadsheet_keeps_merged_and_repeated_cells() -> None:
    covered = "<table:covered-table-cell/>"
    wide = 'table:number-columns-spanned="2"'
    body = ods_sheet(
        "Units",
        ods_row(cell("Region", 'table:number-rows-spanned="2"'), cell("Units", wide), covered),
        ods_row(covered, cell("2023"), cell("2024")),
        ods_row(cell("North"), cell("5", 'table:number-columns-repeated="2"')),
        ods_row(cell("South"), cell("6"), cell("7"), attributes='table:number-rows-repeated="2"'),
    )
    expect(
        read(open_document("spreadsheet", body), "units.ods"),
        """
        === page 1
        # Units
        <caption>
        Sheet “Units”, A1:C5
        <table>
        | Region | Units / 2023 | Units / 2024 |
        | --- | --- | --- |
        | North | 5 | 5 |
        | South | 6 | 7 |
        | South | 6 | 7 |
        """,
    )


def test_an_open_spreadsheet_keeps_tables_apart_and_marks_hidden_sheets() -> None:
    gap = '<table:table-cell table:number-columns-repeated="2"/>'
    note = "<office:annotation><text:p>Check this</text:p></office:annotation>"
    body = ods_sheet(
        "Two",
        ods_row(cell("a"), cell("b"), gap, cell("c"), cell("d")),
        ods_row(cell("1"), cell("2"), gap, cell("3"),
                f"<table:table-cell>{note}<text:p>4</text:p></table:table-cell>"),
    ) + ods_sheet("Secret", ods_row(cell("x")), style="T1")  # fmt: skip
    styles = (
        '<style:style style:name="T1" style:family="table">'
        '<style:table-properties table:display="false"/></style:style>'
    )
    expect(
        read(open_document("spreadsheet", body, styles=styles), "two.ods"),
        """
        === page 1
        # Two
        <caption>
        Sheet “Two”, A1:B2
        <table>
        | a | b |
        | --- | --- |
        | 1 | 2 |
        <caption>
        Sheet “Two”, E1:F2
        <table>
        | c | d |
        | --- | --- |
        | 3 | 4 |
        [comment on F2: Check this]
        === page 2
        # Secret (hidden)
        x
        """,
    )


@given(st.lists(st.lists(st.sampled_from(["", "", "x"]), max_size=8), max_size=8))
def test_the_tables_of_a_grid_hold_every_cell_once(grid: list[list[str]]) -> None:
    marked = [
        [f"{row}.{column}" if cell else "" for column, cell in enumerate(cells)]
        for row, cells in enumerate(grid)
    ]
    found = [
        cell
        for region in regions(list(enumerate(marked)))
        for cells in region.texts()
        for cell in cells
        if cell
    ]
    assert sorted(found) == sorted(cell for cells in marked for cell in cells if cell)
