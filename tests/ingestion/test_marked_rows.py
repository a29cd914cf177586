"""Rows of tables are marked where their cells stand side by side, however they are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from footnote.domain.pages import Rectangle
from footnote.ingestion import media
from footnote.ingestion.parsing.geometry import Box, Line, Word, line_of
from footnote.ingestion.parsing.ocr import Pixels
from footnote.ingestion.rendering.glyphs import glyphs_of_pixels
from footnote.ingestion.rendering.quotes import NOT_FOUND, Quote
from footnote.ingestion.rendering.rectangles import rectangles_of
from footnote.ingestion.rendering.rows import find_rows
from footnote.ingestion.rendering.sheets import opened_page
from tests.ingestion.page_marks import looked, only, text_inside
from tests.ingestion.pdf_files import HEIGHT, pdf

LEFT, TOP, COLUMN, ROW, SIZE = 60, 100, 120, 16, 10
Rows = Sequence[Sequence[str]]


def by_columns(*tables: Rows, column: float = COLUMN) -> bytes:
    """A sheet as LibreOffice draws it: column after column; tables one below the other."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", SIZE)
        canvas.drawString(LEFT, HEIGHT - TOP / 2, "What lies at the piers")
        first = 0
        for rows in tables:
            for across in range(max(map(len, rows))):
                for down, row in enumerate(rows):
                    if across < len(row) and row[across]:
                        x, y = LEFT + across * column, HEIGHT - baseline_of(first + down)
                        canvas.drawString(x, y, row[across])
            first += len(rows) + 2

    return pdf(draw)


def baseline_of(row: int) -> float:
    return TOP + row * ROW


def row_of(box: Rectangle) -> int:
    return round((box.bottom - TOP) / ROW)


def markdown(row: Sequence[str]) -> str:
    return f"| {' | '.join(row)} |"


def quoted(rows: Rows, at: int) -> Quote:
    """A row with what stands before and after it in the canonical text."""
    lines = [*map(markdown, rows)]
    lines.insert(1, markdown(["---"] * len(rows[0])))
    place = at + (at > 0)
    before, after = "\n".join(lines[:place]), "\n".join(lines[place + 1 :])
    return Quote(text=lines[place], before=f"{before}\n"[-120:], after=f"\n{after}"[:120])


LIBRARY = (
    ("No", "Genre", "Sub-Genre", "Title", "Author"),
    ("1", "Fiction", "Mystery", "The Hound of the Moor", "Arthur Doyle"),
    ("2", "Non-fiction", "Science", "A Brief History of Time", "Stephen King"),
)


@pytest.mark.parametrize("at", range(3))
def test_a_row_of_a_sheet_is_marked_though_it_is_drawn_column_by_column(at: int) -> None:
    content = by_columns(LIBRARY)
    found = only(looked(content, quoted(LIBRARY, at)))
    assert {row_of(box) for box in found.rectangles} == {at}
    assert text_inside(content, found.rectangles) == " ".join(LIBRARY[at])


def test_a_row_is_not_taken_for_a_column_of_the_same_cells() -> None:
    rows = (("first", "second", "third"), ("1", "2", "3"), ("2", "4", "6"), ("3", "6", "9"))
    found = only(looked(by_columns(rows), quoted(rows, 1)))
    assert [row_of(box) for box in found.rectangles] == [1, 1, 1]


def test_what_stands_between_the_cells_of_a_row_is_not_marked() -> None:
    rows = (("first", "", "third"), ("1", "2", "3"))
    content = by_columns(rows)
    assert text_inside(content, only(looked(content, quoted(rows, 0))).rectangles) == "first third"
    absent = only(looked(content, "| first | second | third |"))
    assert "2" not in text_inside(content, absent.rectangles)


def test_of_two_equal_rows_the_one_between_its_neighbours_is_marked() -> None:
    one = (("Pier", "Boats"), ("North", "seven"), ("South", "nine"))
    other = (("Quay", "Boats"), ("North", "seven"), ("East", "three"))
    found = only(looked(by_columns(one, other), quoted(other, 1)))
    assert {row_of(box) for box in found.rectangles} == {6}


def test_a_cell_that_spans_columns_is_marked_once() -> None:
    rows = (("Pier", "Boats of the harbour", "Boats of the harbour"), ("North", "7", "9"))
    drawn = (("Pier", "Boats of the harbour"), rows[1])
    content = by_columns(drawn)
    found = only(looked(content, quoted(rows, 0)))
    assert text_inside(content, found.rectangles) == "Pier Boats of the harbour"


def test_equal_cells_with_an_empty_one_between_are_no_cell_that_spans_columns() -> None:
    content = by_columns((("Pier", "open"), ("Quay", "shut", "", "nine")))
    quote = quoted((("Pier", "open", "", "open"), ("Quay", "shut", "", "nine")), 0)
    with opened_page(content, media.PDF, 1) as (sheet, _):
        assert {find_rows(quote, glyphs) for glyphs in sheet.layer()} == {NOT_FOUND}


def test_a_cell_that_spans_rows_is_marked_for_each_of_them() -> None:
    rows = (("Pier", "Boats"), ("North side", "7"), ("North side", "9"), ("South side", "7"))
    content = by_columns((rows[0], rows[1], ("", "9"), rows[3]))
    found = only(looked(content, quoted(rows, 2)))
    assert [row_of(box) for box in found.rectangles] == [1, 2]
    assert text_inside(content, found.rectangles) == "North side 9"


def test_a_row_that_runs_from_right_to_left_is_marked() -> None:
    content = by_columns((("7", "Boats", "Pier"), ("9", "Ships", "Quay")))
    found = only(looked(content, "| Quay | Ships | 9 |"))
    assert {row_of(box) for box in found.rectangles} == {1}


def test_the_sign_of_a_number_is_part_of_its_cell() -> None:
    rows = (("Month", "Change"), ("May", "-3 %"), ("June", "3"))
    content = by_columns(rows)
    boxes = only(looked(content, quoted(rows, 1))).rectangles
    assert text_inside(content, boxes) == "May -3 %"
    width = stringWidth("-3 %", "Helvetica", SIZE)
    assert boxes[1].right - boxes[1].left == pytest.approx(width, abs=0.1)


TABLES = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from("123456789"), min_size=width, max_size=width),
        min_size=2,
        max_size=7,
    )
)


@settings(max_examples=40)
@given(rows=TABLES, data=st.data())
def test_any_row_of_digits_is_marked_on_one_line_and_whole(
    rows: list[list[str]], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(rows) - 1))
    content = by_columns(rows, column=40)
    found = only(looked(content, quoted(rows, at)))
    (marked,) = {row_of(box) for box in found.rectangles}
    assert rows[marked] == rows[at]
    assert len(found.rectangles) == len(rows[at])


def test_a_word_that_ocr_lets_reach_over_the_next_does_not_part_its_line() -> None:
    words = ("Bill", 124, 227), ("no.", 159, 180), ("3139", 187, 227)

    class Reaching:
        """What Tesseract says of one line of a bill: its first word has the box of all of it."""

        def lines(self, pixels: Pixels) -> list[Line]:
            boxes = [(text, Box(left, 513, right, 532)) for text, left, right in words]
            return [line_of([Word(text, box, 14) for text, box in boxes])]

    glyphs = glyphs_of_pixels(np.zeros((700, 400, 3), np.uint8), Reaching())
    stretch = (0, len("Bill no. 3139"))
    (box,) = rectangles_of(glyphs, [stretch], Box(0, 0, 400, 700))
    assert (box.left, box.right) == (124, 227)
