from __future__ import annotations

import io

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml.ns import qn
from pptx.util import Inches

from footnote.domain import BlockKind
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files
from tests.ingestion.office_files import expect, read, saved
from tests.ingestion.test_ocr import ENGINES

NO_OCR = ReadingOptions(ocr="off")


def test_slides_keep_titles_bullets_numbers_links_and_notes() -> None:
    deck = Presentation()
    deck.core_properties.author = "Ada"
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Launch plan"
    body = first.placeholders[1].text_frame
    body.text = "Build it"
    inner = body.add_paragraph()
    inner.text, inner.level = "with care", 1
    body.add_paragraph().text = "Ship it"
    notes = first.notes_slide.notes_text_frame
    notes.text = "Say hello.\nThen begin."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    second._element.set("show", "0")
    frame = second.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1)).text_frame
    frame.text = "Steps:"
    for step in ("Open", "Close"):
        paragraph = frame.add_paragraph()
        paragraph.text = step
        mark = paragraph._p.get_or_add_pPr().makeelement(
            qn("a:buAutoNum"), {"type": "arabicPeriod"}
        )
        paragraph._p.get_or_add_pPr().append(mark)
    link = frame.add_paragraph().add_run()
    link.text = "our site"
    link.hyperlink.address = "https://acme.example/"
    parsed = read(saved(deck), "plan.pptx")
    expect(
        parsed,
        """
        === page 1
        # Launch plan
        <list>
        - Build it
          - with care
        - Ship it
        Notes: Say hello.
        Notes: Then begin.
        === page 2
        Steps:
        <list>
        1. Open
        2. Close
        our site (https://acme.example/)
        """,
    )
    assert parsed.page_count == 2
    assert parsed.metadata["author"] == "Ada"
    assert parsed.metadata["hidden_slides"] == "2"


def test_slides_keep_merged_cells_and_charts() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Sales"
    place = (Inches(1), Inches(1.5), Inches(6), Inches(1))
    grid = slide.shapes.add_table(4, 3, *place).table
    texts = [["Region", "Units", ""], ["", "2023", "2024"], ["North", "5", "6"], ["", "7", "8"]]
    for row, cells in enumerate(texts):
        for column, text in enumerate(cells):
            grid.cell(row, column).text = text
    grid.cell(0, 1).merge(grid.cell(0, 2))
    grid.cell(2, 0).merge(grid.cell(3, 0))
    data = CategoryChartData(number_format="0.0%")  # type: ignore[no-untyped-call]
    data.categories = ["Q1", "Q2"]
    data.add_series("Margin", (0.125, 0.25))  # type: ignore[no-untyped-call]
    data.add_series("Churn", (0.01, None))  # type: ignore[no-untyped-call]
    place = (Inches(1), Inches(4), Inches(6), Inches(2))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Margin and churn"
    expect(
        read(saved(deck), "sales.pptx"),
        """
        === page 1
        # Sales
        <table>
        | Region | Units / 2023 | Units / 2024 |
        | --- | --- | --- |
        | North | 5 | 6 |
        | North | 7 | 8 |
        <caption>
        Chart: Margin and churn (bar chart)
        <table>
        | Category | Margin | Churn |
        | --- | --- | --- |
        | Q1 | 12.5% | 1.0% |
        | Q2 | 25.0% |  |
        """,
    )


def deck_with_picture() -> bytes:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    low = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1))
    low.text_frame.text = "drawn first, stands last"
    group = slide.shapes.add_group_shape()
    for left, text in ((4, "right"), (1, "left")):
        box = group.shapes.add_textbox(Inches(left), Inches(2), Inches(1), Inches(1))
        box.text_frame.text = text
    image = io.BytesIO(files.picture(["Invoice number 4711"]))
    picture = slide.shapes.add_picture(image, Inches(1), Inches(3), Inches(4))
    picture._element.nvPicPr.cNvPr.set("descr", "An invoice")
    return saved(deck)


def test_slides_are_read_from_top_to_bottom_groups_and_pictures_too() -> None:
    parsed = read(deck_with_picture(), "picture.pptx")
    expect(
        parsed,
        """
        === page 1
        left
        right
        <caption>
        Picture: An invoice
        drawn first, stands last
        """,
    )
    assert parsed.metadata["pictures_without_text"] == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_picture_on_a_slide_is_read_with_confidence(engine: str) -> None:
    options = ReadingOptions(ocr=engine)  # type: ignore[arg-type]
    parsed = read_document(deck_with_picture(), "picture.pptx", options)
    block = next(block for block in parsed.blocks if block.kind is BlockKind.OCR_TEXT)
    assert "4711" in block.text
    assert block.page == 1
    assert 0.5 < (block.confidence or 0) <= 1
