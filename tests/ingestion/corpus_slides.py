"""Slides, by format and name of the file."""

from __future__ import annotations

import io
from collections.abc import Callable

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml.ns import qn
from pptx.util import Inches

from tests.ingestion import files
from tests.ingestion.files import saved


def _chart_pptx() -> bytes:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Sales"
    data = CategoryChartData()  # type: ignore[no-untyped-call]  # python-pptx has no types here
    data.categories = ["Rome", "Paris"]
    data.add_series("2024", (5, 7))  # type: ignore[no-untyped-call]  # as above
    place = (Inches(1), Inches(2), Inches(6), Inches(4))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
    return saved(deck)


def _order_pptx() -> bytes:
    """Boxes that the file holds in another order than they stand, on two slides, one hidden."""
    deck = Presentation()
    for number, texts in enumerate((["lower", "upper"], ["right", "left"])):
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        for place, text in enumerate(texts):
            across, down = (4 - 3 * place, 1) if number else (1, 4 - 3 * place)
            frame = slide.shapes.add_textbox(Inches(across), Inches(down), Inches(2), Inches(1))
            frame.text_frame.text = text
    deck.slides[1]._element.set("show", "0")
    return saved(deck)


def _talk() -> bytes:
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
    return saved(deck)


def _cells_and_chart() -> bytes:
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
    return saved(deck)


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


FILES: dict[str, dict[str, Callable[[], bytes]]] = {
    "PPTX": {
        "deck.pptx": files.deck_pptx,
        "sales.pptx": _chart_pptx,
        "order.pptx": _order_pptx,
        "talk.pptx": _talk,
        "cells.pptx": _cells_and_chart,
        "picture.pptx": deck_with_picture,
    },
}
