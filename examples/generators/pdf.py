"""Set a source text as a PDF with a text layer; the same source always gives the same bytes."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Spacer
from reportlab.platypus import Paragraph as TextFlowable
from reportlab.platypus import Table as TableFlowable

from generators.markup import Block, Bullets, Heading, Note, Paragraph, Table, parse

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=14, spaceAfter=6)
CELL = ParagraphStyle("cell", fontName="Helvetica", fontSize=9, leading=11)
CELL_HEADER = ParagraphStyle("cell-header", parent=CELL, fontName="Helvetica-Bold")
BULLET = ParagraphStyle("bullet", parent=BODY, leftIndent=12, bulletIndent=2)
HEADINGS = {
    1: ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=20, leading=25, spaceAfter=10),
    2: ParagraphStyle(
        "section",
        fontName="Helvetica-Bold",
        fontSize=14,
        leading=18,
        spaceBefore=10,
        spaceAfter=5,
        keepWithNext=1,
    ),
    3: ParagraphStyle(
        "subsection",
        fontName="Helvetica-Bold",
        fontSize=11,
        leading=14,
        spaceBefore=6,
        spaceAfter=3,
        keepWithNext=1,
    ),
}
GRID = [
    ("LINEBELOW", (0, 0), (-1, 0), 0.8, colors.black),
    ("LINEBELOW", (0, 1), (-1, -1), 0.25, colors.grey),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LEFTPADDING", (0, 0), (-1, -1), 4),
]
MARGIN = 25 * mm


def render(source: str, *, footer: str) -> bytes:
    """Return the PDF of a source text; each page ends with the footer and its number."""
    blocks = parse(source)
    title = next(block.text for block in blocks if isinstance(block, Heading))
    buffer = BytesIO()
    template = BaseDocTemplate(
        buffer,
        pagesize=A4,
        invariant=1,  # no clock and no random identifier in the file
        pageCompression=0,  # the bytes must not depend on the zlib at hand
        title=title,
        author="Quillfen Buoyworks Ltd",
    )
    frame = Frame(MARGIN, MARGIN, A4[0] - 2 * MARGIN, A4[1] - 2 * MARGIN, id="body")
    template.addPageTemplates(
        [PageTemplate(id="page", frames=[frame], onPage=_page_footer(footer))]
    )
    template.build([flowable for block in blocks for flowable in _flowables(block)])
    return buffer.getvalue()


def _page_footer(footer: str) -> Callable[[Canvas, BaseDocTemplate], None]:
    return partial(_draw_footer, footer=footer)


def _draw_footer(canvas: Canvas, template: BaseDocTemplate, *, footer: str) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawString(MARGIN, 14 * mm, footer)
    canvas.drawRightString(A4[0] - MARGIN, 14 * mm, str(template.page))


def _flowables(block: Block) -> list[Flowable]:
    match block:
        case Heading(level=level, text=text):
            return [TextFlowable(escape(text), HEADINGS[level])]
        case Paragraph(text=text) | Note(text=text):
            return [TextFlowable(escape(text), BODY)]
        case Bullets(items=items):
            return [TextFlowable(escape(item), BULLET, bulletText="•") for item in items]
        case Table(rows=rows):
            return [_table(rows), Spacer(1, 8)]


def _table(rows: tuple[tuple[str, ...], ...]) -> TableFlowable:
    """Give each column a width in proportion to its longest cell."""
    longest = [min(40, max(len(cell) for cell in column)) + 3 for column in zip(*rows, strict=True)]
    width = A4[0] - 2 * MARGIN - 12
    cells = [
        [TextFlowable(escape(cell), CELL_HEADER if number == 0 else CELL) for cell in row]
        for number, row in enumerate(rows)
    ]
    widths = [width * share / sum(longest) for share in longest]
    return TableFlowable(cells, colWidths=widths, repeatRows=1, style=GRID, hAlign="LEFT")
