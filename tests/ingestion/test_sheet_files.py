from __future__ import annotations

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.chart import BarChart, Reference

from footnote.domain import BlockKind
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from footnote.ingestion.parsing.sheets import regions
from tests.ingestion.files import saved
from tests.ingestion.office_files import read

NO_OCR = ReadingOptions(ocr="off")


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


@pytest.mark.parametrize(("is_filled", "title"), [(True, "2024 budget"), (False, "Income")])
def test_a_workbook_of_several_sheets_is_not_called_by_its_first(
    is_filled: bool, title: str
) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Income"
    sheet.append(["Source", "EUR"])
    sheet.append(["Rents", 900])
    other = book.create_sheet("Spending")
    if is_filled:
        other.append(["For", "EUR"])
        other.append(["Roof", 400])
    assert read(saved(book), "2024 budget.xlsx").title == title


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
