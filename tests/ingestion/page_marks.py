"""What tests of pages share: pages that are turned, and ways to look at what is marked on them."""

from __future__ import annotations

import ctypes
import io
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import pytest
from PIL import Image, ImageChops
from reportlab.pdfgen.canvas import Canvas

from footnote.domain import ParsedDocument
from footnote.domain.pages import MarkedQuote, PageRectangles, Rectangle
from footnote.ingestion import libreoffice, media
from footnote.ingestion.parsing.geometry import Line
from footnote.ingestion.parsing.ocr import Ocr, Pixels, select_ocr
from footnote.ingestion.rendering.pages import Pages
from footnote.ingestion.rendering.quotes import Quote
from tests.ingestion.pdf_files import HEIGHT, WIDTH, pdf, story, wrap, write

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA") or "../shared/data") / "documents"
needs_ocr = pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract here")
needs_office = pytest.mark.skipif(libreoffice.find_office() is None, reason="no LibreOffice here")
DPI = 100
SENTENCE = "This is sentence 2 of the story of the lantern, as told on the quay."
OCR: Callable[[], Ocr] = partial(select_ocr, "auto", "eng")
PAGES = Pages(OCR)
NO_OCR: Callable[[], Ocr] = partial(select_ocr, "off", "eng")


def turned(degrees: int, crop: tuple[int, int, int, int] | None = None) -> bytes:
    """A page with /Rotate on which the text stands upright as it is shown."""
    origins = {0: (0, 0), 90: (WIDTH, 0), 180: (WIDTH, HEIGHT), 270: (0, HEIGHT)}

    def draw(canvas: Canvas) -> None:
        canvas.translate(*origins[degrees])
        canvas.rotate(degrees)
        write(canvas, ["The turned page"], 60, 500, 18)
        write(canvas, wrap(story("lantern", 3), 400), 60, 460)
        write(canvas, ["What stands here was cut off from the page."], 60, 90)

    with pdfium.PdfDocument(pdf(draw)) as document:
        document[0].set_rotation(degrees)
        if crop is not None:
            document[0].set_cropbox(*crop)
        target = io.BytesIO()
        document.save(target)
    return target.getvalue()


def one_page(*lines: str) -> bytes:
    def draw(canvas: Canvas) -> None:
        write(canvas, lines, 60, 700)

    return pdf(draw)


def with_half_a_character() -> bytes:
    """A page whose font maps one of its letters to half of a pair of surrogates."""
    content = b"BT /F 12 Tf 60 700 Td (The harbour \\001 lights are lit at dusk.) Tj ET"
    mapping = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n"
        b"1 beginbfrange <20> <7E> <0020> endbfrange\n1 beginbfchar <01> <DB62> endbfchar\n"
        b"endcmap end end"
    )
    objects = (
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources <</Font <</F 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
        b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(mapping), mapping),
    )
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % each for each in enumerate(objects, start=1))
    return b"%PDF-1.7\n" + body + b"trailer\n<</Size 7 /Root 1 0 R>>\n%%EOF"


def looked(
    content: bytes, *quotes: str | Quote, page: int = 1, media_type: str = media.PDF
) -> PageRectangles:
    asked = [quote if isinstance(quote, Quote) else Quote(text=quote) for quote in quotes]
    return PAGES.rectangles(content, media_type, sha256(content).hexdigest(), page, asked)


def picture(
    content: bytes, *quotes: str, page: int = 1, media_type: str = media.PDF
) -> Image.Image:
    asked = [Quote(text=quote) for quote in quotes]
    key = sha256(content).hexdigest()
    drawn = PAGES.image(content, media_type, key, page, asked, dpi=DPI)
    image = Image.open(io.BytesIO(drawn.content))
    assert image.size == (drawn.width, drawn.height)
    return image


def text_inside(content: bytes, boxes: Sequence[Rectangle], page: int = 1) -> str:
    """What pdfium itself finds in the rectangles, by its own mapping from page to paper."""
    scale = 100
    with pdfium.PdfDocument(content) as document:
        shown = document[page - 1]
        text_page = shown.get_textpage()
        size = (round(shown.get_width() * scale), round(shown.get_height() * scale))
        x, y = ctypes.c_double(), ctypes.c_double()
        texts = []
        for box in boxes:
            corners = []
            for across, down in ((box.left, box.top), (box.right, box.bottom)):
                at = round(across * scale), round(down * scale)
                pdfium_c.FPDF_DeviceToPage(shown, 0, 0, *size, 0, *at, x, y)
                corners.append((x.value, y.value))
            (x0, y0), (x1, y1) = corners
            left, bottom, right, top = min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
            texts.append(text_page.get_text_bounded(left, bottom, right, top))
    return " ".join(" ".join(texts).split())


def assert_painted(content: bytes, quote: str, page: int = 1, media_type: str = media.PDF) -> None:
    """The picture changes in the rectangles and nowhere else, and there is ink in each."""
    found = looked(content, quote, page=page, media_type=media_type)
    plain = picture(content, page=page, media_type=media_type)
    drawn = picture(content, quote, page=page, media_type=media_type)
    changed = np.asarray(ImageChops.difference(plain, drawn).convert("L")) > 0
    ink = np.asarray(plain.convert("L")) < 128
    inside = np.zeros_like(changed)
    assert found.quotes[0].rectangles
    for box in found.quotes[0].rectangles:
        rows, columns = _area(box, found, plain.size, grown=0)
        assert changed[rows, columns].any(axis=0).mean() > 0.9
        assert ink[rows, columns].any()
        rows, columns = _area(box, found, plain.size, grown=4)
        inside[rows, columns] = True
    assert not (changed & ~inside).any()


def _area(
    box: Rectangle, page: PageRectangles, size: tuple[int, int], grown: int
) -> tuple[slice, slice]:
    across, down = size[0] / page.width_points, size[1] / page.height_points
    return (
        slice(max(0, round(box.top * down) - grown), round(box.bottom * down) + grown),
        slice(max(0, round(box.left * across) - grown), round(box.right * across) + grown),
    )


def only(found: PageRectangles) -> MarkedQuote:
    (quote,) = found.quotes
    return quote


def sample(parsed: ParsedDocument, most: int) -> list[Quote]:
    """Sentences spread over a document, each with its page and surroundings."""
    found = []
    for block in parsed.blocks:
        for match in re.finditer(r"[^.!?\n]{12,}[.!?]?", block.text):
            start = block.char_start + match.start()
            drawn = not match.group().startswith(("Notes: ", "Sheet “"))
            if drawn and not set(match.group()) <= set("|- "):
                found.append((block.page, start, start + len(match.group())))
    step = max(1, len(found) // most)
    return [
        Quote(text=parsed.text[start:end], before=str(page or 0))
        for page, start, end in found[::step][:most]
    ]


@dataclass(slots=True)
class Remembering:
    """An engine that reads the same pixels once; real OCR takes seconds."""

    engine: Ocr
    read: dict[bytes, list[Line]] = field(default_factory=dict)

    def lines(self, pixels: Pixels) -> list[Line]:
        key = repr(pixels.shape).encode() + pixels.tobytes()
        if key not in self.read:
            self.read[key] = self.engine.lines(pixels)
        return self.read[key]


def first_page(content: bytes) -> bytes:
    with pdfium.PdfDocument(content) as whole, pdfium.PdfDocument.new() as part:
        part.import_pages(whole, [0])
        target = io.BytesIO()
        part.save(target)
    return target.getvalue()
