"""How many words of scanned English letters the OCR engines read, by typeface and resolution.

    .venv/bin/python bench/ocr_words.py [tesseract|rapidocr]

Share of the words that are right, of those that stand there or were read, whichever are more.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pypdfium2
from reportlab.pdfgen.canvas import Canvas

from footnote.ingestion.parsing.ocr import Pixels, RapidOcr, select_ocr

LETTER = (
    "We are billing you as follows for the work that was carried out on your vessel in March.",
    "The parties agree that all of the following items are to be paid within thirty days.",
    "If it is not paid by then, we shall ask for interest of 5 % a year from the day it was due.",
    "Our office is closed on Friday; in an emergency call the harbour master at once.",
    "It is up to you to see to it that no one is in or on the hull while the paint is wet.",
)
FONTS = (("Helvetica", 10), ("Times-Roman", 10), ("Courier", 8))
RESOLUTIONS = (100, 150, 200, 300)
WIDTHS = (100, 85)
"""Per cent of the usual width of the letters and of the spaces between them."""


def scanned(font: str, size: float, dpi: int, width: int) -> Pixels:
    """The letter as a scanner of this resolution sees it, grey and grainy."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(520, 180))
    for number, line in enumerate(LETTER):
        text = canvas.beginText(40, 140 - 1.7 * size * number)
        text.setFont(font, size)
        text.setHorizScale(width)
        text.textOut(line)
        canvas.drawText(text)
    canvas.save()
    page = pypdfium2.PdfDocument(target.getvalue())[0]
    grey = np.asarray(page.render(scale=dpi / 72).to_pil().convert("L")).astype(float)
    grain = np.random.default_rng(7).normal(0, 8, grey.shape)
    seen = np.clip(0.8 * grey + 30 + grain, 0, 255).astype(np.uint8)
    return np.stack([seen] * 3, axis=-1)


def accuracy(lines: Iterable[str]) -> float:
    """Of the words that stand there or were read, the share that is right."""
    got, wanted = (Counter(" ".join(each).split()) for each in (lines, LETTER))
    return (got & wanted).total() / max(got.total(), wanted.total())


def readings(engine: str, pixels: Pixels) -> Iterator[float]:
    """The accuracy of an engine; of RapidOCR first as it reads by itself."""
    ocr = select_ocr("rapidocr" if engine == "rapidocr" else "tesseract", "eng")
    if isinstance(ocr, RapidOcr):
        found, _ = ocr._engine(np.ascontiguousarray(pixels[:, :, ::-1]))
        yield accuracy(text for _, text, _ in found or [])
    yield accuracy(line.text for line in ocr.lines(pixels))


def main(engine: str) -> None:
    """Print a row for each typeface, width and resolution, and the mean."""
    rows = []
    for font, size in FONTS:
        for width in WIDTHS:
            for dpi in RESOLUTIONS:
                row = list(readings(engine, scanned(font, size, dpi, width)))
                rows.append(row)
                print(f"{font:12} {width} % {dpi:3} dpi ", *(f"{each:6.1%}" for each in row))
    print("mean", *(f"{sum(column) / len(rows):6.1%}" for column in zip(*rows, strict=True)))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "rapidocr")
