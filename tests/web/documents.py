"""A PDF file whose lines stand where we put them, so that the true place of a quote is known."""

from __future__ import annotations

import io
from dataclasses import dataclass

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

NOTICE = "lantern-notice.pdf"
FONT, SIZE, LEFT, TOP, LEADING = "Helvetica", 12.0, 72.0, 90.0, 40.0
LOWEST, HIGHEST = -0.225, 0.931
"""Of Helvetica, by the FontBBox of its metrics, in shares of its size."""
WIDTH, HEIGHT = A4

PARAGRAPHS = (
    "The lantern of Gull Rock is lit by 400 watts of halogen lamps.",
    "Its lens was ground in Antwerp by the Verhoeven brothers.",
    "A keeper must wind the clockwork every eleven hours.",
    "The fog signal sounds three blasts each ninety seconds.",
    "Repairs of the gallery may cost no more than 8,250 crowns.",
)

QUESTIONS = {
    "How many watts do the lamps of the lantern of Gull Rock have?": PARAGRAPHS[0],
    "Who ground the lens of the lantern?": PARAGRAPHS[1],
    "How often must a keeper wind the clockwork?": PARAGRAPHS[2],
    "How often does the fog signal sound?": PARAGRAPHS[3],
    "What may repairs of the gallery cost?": PARAGRAPHS[4],
}


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points from the top left corner of the page."""

    left: float
    top: float
    right: float
    bottom: float


def notice_pdf(lines: tuple[str, ...]) -> bytes:
    """A page with these lines, each at its place."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=True)
    canvas.setFont(FONT, SIZE)
    for number, line in enumerate(lines):
        canvas.drawString(LEFT, HEIGHT - TOP - number * LEADING, line)
    canvas.save()
    return file.getvalue()


def place_of(line: str) -> Box:
    """Where a line stands: as wide as its letters, as high as any letter of its font."""
    baseline = TOP + PARAGRAPHS.index(line) * LEADING
    return Box(
        left=LEFT,
        top=baseline - HIGHEST * SIZE,
        right=LEFT + stringWidth(line, FONT, SIZE),
        bottom=baseline - LOWEST * SIZE,
    )
