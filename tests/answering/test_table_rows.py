"""A row of a table is said with the headers of its own columns, whatever file it is from."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import docx
import openpyxl
import pytest
from pptx import Presentation
from pptx.util import Inches
from reportlab.pdfgen.canvas import Canvas

from footnote.answering.sentences import candidates_of
from footnote.domain import BlockKind
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import pdf_files

from .factories import make_evidence, make_passage

UNNAMED = (("", "Weight", "Price"), ("Adze", "3 kg", "71"), ("Maul", "5 kg", "64"))
PAIRS = (("", "Price"), ("Adze", "71"), ("Maul", "64"))
HOLED = (("Tool", "Weight", "Price"), ("Adze", "", "71"), ("", "5 kg", "64"), ("Froe", "1 kg", ""))

Rows = Sequence[Sequence[str]]


def markdown(rows: Rows) -> bytes:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]).encode()


def page(rows: Rows) -> bytes:
    head = "".join(f"<th>{cell}</th>" for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[1:]
    )
    return f"<html><body><table><tr>{head}</tr>{body}</table></body></html>".encode()


def word(rows: Rows) -> bytes:
    document = docx.Document()
    table = document.add_table(rows=len(rows), cols=len(rows[0]))
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    return saved(document)


def slides(rows: Rows) -> bytes:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    place = (Inches(1), Inches(1), Inches(6), Inches(2))
    table = slide.shapes.add_table(len(rows), len(rows[0]), *place).table
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    return saved(deck)


def sheet(rows: Rows) -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append([cell or None for cell in row])
    return saved(book)


def comma_separated(rows: Rows) -> bytes:
    return "\n".join(",".join(row) for row in rows).encode()


def tab_separated(rows: Rows) -> bytes:
    return "\n".join("\t".join(row) for row in rows).encode()


def portable(rows: Rows) -> bytes:
    def draw(canvas: Canvas) -> None:
        width, height, top = 120, 18, 700
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                x, y = 60 + width * column, top - height * number
                canvas.rect(x, y, width, height)
                canvas.drawString(x + 4, y + 5, text)

    return pdf_files.pdf(draw)


def saved(made: object) -> bytes:
    target = io.BytesIO()
    made.save(target)  # type: ignore[attr-defined]  # three libraries, one way to save
    return target.getvalue()


WRITERS: dict[str, Callable[[Rows], bytes]] = {
    "tools.md": markdown,
    "tools.html": page,
    "tools.docx": word,
    "tools.pptx": slides,
    "tools.xlsx": sheet,
    "tools.pdf": portable,
    "tools.csv": comma_separated,
    "tools.tsv": tab_separated,
}


def statements(content: bytes, name: str) -> list[str]:
    """What may be said of the tables of a file."""
    parsed = read_document(content, name, ReadingOptions(ocr="off"))
    tables = [block.text for block in parsed.blocks if block.kind is BlockKind.TABLE]
    passages = [make_passage(text, kinds=[BlockKind.TABLE], name=name) for text in tables]
    return [each.statement for each in candidates_of(make_evidence(*passages))]


@pytest.mark.parametrize("name", WRITERS)
def test_an_unnamed_first_column_does_not_shift_the_others(name: str) -> None:
    assert statements(WRITERS[name](UNNAMED), name) == [
        "Adze — Weight: 3 kg, Price: 71",
        "Maul — Weight: 5 kg, Price: 64",
    ]


@pytest.mark.parametrize("name", WRITERS)
def test_a_name_over_the_second_of_two_columns_is_no_title(name: str) -> None:
    assert statements(WRITERS[name](PAIRS), name) == ["Adze — Price: 71", "Maul — Price: 64"]


@pytest.mark.parametrize("name", WRITERS)
def test_an_empty_cell_does_not_shift_the_others(name: str) -> None:
    assert statements(WRITERS[name](HOLED), name) == [
        "Tool: Adze, Price: 71",
        "Weight: 5 kg, Price: 64",
        "Tool: Froe, Weight: 1 kg",
    ]


def test_a_later_column_of_separated_values_without_a_name_is_numbered() -> None:
    rows = (("", "Weight", "", "Price"), ("Adze", "3 kg", "ash", "71"))
    said = statements(comma_separated(rows), "tools.csv")
    assert said[0] == "Adze — Weight: 3 kg, column 3: ash, Price: 71"


def test_rows_under_a_header_that_is_left_empty_stand_alone() -> None:
    rows = (("", ""), ("Adze", "71"), ("Maul", "64"))
    assert statements(markdown(rows), "tools.md") == ["Adze, 71", "Maul, 64"]


def test_an_empty_cell_between_two_borders_keeps_its_place() -> None:
    table = "||Weight|Price|\n|---|---|---|\n|Adze|3 kg|71|\n||5 kg|64|"
    found = candidates_of(make_evidence(make_passage(table, kinds=[BlockKind.TABLE])))
    assert [each.statement for each in found] == [
        "Adze — Weight: 3 kg, Price: 71",
        "Weight: 5 kg, Price: 64",
    ]
    assert [each.quote for each in found] == ["Adze|3 kg|71", "5 kg|64"]


def test_a_part_of_a_row_is_said_without_headers_that_may_not_be_its_own() -> None:
    passage = make_passage(
        "handle of ash | 71 |",
        kinds=[BlockKind.TABLE],
        repeated_header="| Tool | Weight | Made of | Price |\n|---|---|---|---|\n",
        offset=400,
    )
    assert [each.statement for each in candidates_of(make_evidence(passage))] == [
        "handle of ash, 71"
    ]
