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
from tests.ingestion.office_files import shown
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
