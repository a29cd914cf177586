"""Columns of a workbook that is drawn are as wide as what they hold, and no wider."""

from __future__ import annotations

from io import BytesIO

import openpyxl
from openpyxl.styles import Alignment, Font
from openpyxl.worksheet.worksheet import Worksheet

from footnote.ingestion.rendering.widths import MAX_CHARACTERS, with_wide_columns
from tests.ingestion import files

AMOUNT = 12345678901


def a_sheet() -> Worksheet:
    sheet = openpyxl.Workbook().active
    assert isinstance(sheet, Worksheet)
    return sheet


def widened(sheet: Worksheet) -> Worksheet:
    made = BytesIO()
    assert sheet.parent is not None
    sheet.parent.save(made)
    (again,) = openpyxl.load_workbook(BytesIO(with_wide_columns(made.getvalue()))).worksheets
    assert [[cell.value for cell in row] for row in again] == [
        [cell.value for cell in row] for row in sheet
    ]
    return again


def width(sheet: Worksheet, column: str) -> float:
    return float(sheet.column_dimensions[column].width)


def test_what_is_seen_whole_is_left_as_it_is() -> None:
    content = files.prices_xlsx()
    assert with_wide_columns(content) is content
    assert with_wide_columns(b"no workbook") == b"no workbook"


def test_a_narrow_column_is_widened_and_what_else_was_said_of_columns_stays() -> None:
    sheet = a_sheet()
    sheet.append(["Buoys", AMOUNT, "x", AMOUNT])
    for letter, given in (("A", 40), ("B", 3), ("C", 5)):
        sheet.column_dimensions[letter].width = given
    sheet.column_dimensions["C"].hidden = True
    again = widened(sheet)
    assert width(again, "A") == 40
    assert len(f"{AMOUNT}") < width(again, "B") == width(again, "D") < MAX_CHARACTERS
    assert (width(again, "C"), again.column_dimensions["C"].hidden) == (5, True)


def test_one_of_several_columns_that_are_described_together_is_widened_alone() -> None:
    sheet = a_sheet()
    sheet.append(["a", AMOUNT, "c"])
    sheet.column_dimensions.group("A", "C", hidden=False)
    sheet.column_dimensions["A"].width = 4
    again = widened(sheet)
    assert width(again, "A") == width(again, "C") == 4
    assert width(again, "B") > len(f"{AMOUNT}")


def test_a_title_over_empty_cells_widens_nothing_and_no_text_more_than_can_be_read() -> None:
    sheet = a_sheet()
    sheet.append(["What the harbour office spent on buoys, chains and moorings"])
    sheet.append(["a", "word " * 200, "c"])
    again = widened(sheet)
    assert width(again, "A") < 20
    assert MAX_CHARACTERS < width(again, "B") < MAX_CHARACTERS + 5


def test_a_text_that_wraps_needs_room_for_its_longest_word_and_large_letters_more() -> None:
    sheet = a_sheet()
    sheet.append(["moorings and buoys " * 5 + "Donaudampfschiffe", "large letters here", "c"])
    sheet["A1"].alignment = Alignment(wrap_text=True)
    sheet["B1"].font = Font(size=22)
    again = widened(sheet)
    assert len("Donaudampfschiffe") < width(again, "A") < 25
    assert width(again, "B") > 2 * len("large letters here")
