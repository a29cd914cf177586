"""Open a page of a PDF, or a frame of an image, to render it and to read its text."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pypdfium2 as pdfium
from PIL import Image, ImageOps, UnidentifiedImageError

from footnote.ingestion import media
from footnote.ingestion.failures import unreadable
from footnote.ingestion.parsing.geometry import Box
from footnote.ingestion.parsing.images import learn_heic, on_white
from footnote.ingestion.parsing.ocr import Ocr
from footnote.ingestion.parsing.pdf import open_pdf
from footnote.ingestion.parsing.pdf_pictures import RENDER_DPI, large_pictures, rendered
from footnote.ingestion.rendering.glyphs import (
    Glyphs,
    glyphs_of,
    glyphs_of_annotations,
    glyphs_of_layer,
    glyphs_of_pixels,
)

_MAX_PIXELS = 16_000_000
"""Most pixels of a rendered page; larger pages are scaled down."""
_MAX_FRAME_PIXELS = 150_000_000
_MIN_LETTERS = 8
"""A page with fewer characters in its text layer counts as an image, as at ingestion."""
_MAX_PICTURES = 6
"""Most images of one page that OCR reads to find a quote."""
_POINTS_PER_INCH = 72
_LONGEST_INCHES = 11.7
"""The longer side of A4, assumed for an image without a plausible resolution."""
_SENSIBLE_DPI = (100, 1200)
"""Range of plausible resolutions; screens claim 72 or 96, whatever an image shows."""
_MIN_DPI = 96


class NoSuchPage(Exception):
    """The document has fewer pages."""

    def __init__(self, page_count: int) -> None:
        super().__init__()
        self.page_count = page_count


class Sheet(Protocol):
    """One page, as it is shown."""

    @property
    def width(self) -> float:
        """In points."""
        ...

    @property
    def height(self) -> float:
        """In points."""
        ...

    def drawn(self, dpi: int) -> tuple[Image.Image, float]:
        """Render the page; return the image and its pixels per point."""
        ...

    def layer(self) -> tuple[Glyphs, ...]:
        """The text layer in each reading order to search; empty without text."""
        ...

    def is_picture(self) -> bool:
        """Whether its text must be read by OCR."""
        ...

    def read(self, ocr: Callable[[], Ocr]) -> Glyphs:
        """Read by OCR what has no text layer: the whole page, or its large images. Raises
        DocumentUnreadable without OCR."""
        ...


@contextmanager
def opened_page(content: bytes, media_type: str, number: int) -> Iterator[tuple[Sheet, int]]:
    """Open a page by its number, from 1; yield it with the page count.

    Raises NoSuchPage, and DocumentUnreadable for a file or a page that is damaged.
    """
    if media.is_image(media_type):
        yield _frame(content, number)
        return
    with closing(open_pdf(content)) as document:
        if number > len(document):
            raise NoSuchPage(len(document))
        try:
            page = document[number - 1]
        except pdfium.PdfiumError as error:
            raise unreadable(
                f"page {number} of it is damaged and cannot be drawn",
                "open it in a PDF program, save it anew and upload that copy",
            ) from error
        with closing(page):
            yield _PdfSheet(document, page), len(document)


def layers(content: bytes) -> Iterator[tuple[Glyphs, ...]]:
    """Yield the text layers of each page of a PDF, none for a damaged page. Raises
    DocumentUnreadable."""
    with closing(open_pdf(content)) as document:
        for index in range(len(document)):
            try:
                page = document[index]
            except pdfium.PdfiumError:
                yield ()
                continue
            with closing(page):
                yield _PdfSheet(document, page).layer()


@dataclass(frozen=True, slots=True)
class _PdfSheet:
    document: pdfium.PdfDocument
    page: pdfium.PdfPage

    @property
    def width(self) -> float:
        return float(self.page.get_width())

    @property
    def height(self) -> float:
        return float(self.page.get_height())

    def drawn(self, dpi: int) -> tuple[Image.Image, float]:
        scale = dpi / _POINTS_PER_INCH
        pixels = self.width * self.height * scale**2
        if pixels > _MAX_PIXELS:
            scale *= math.sqrt(_MAX_PIXELS / pixels)
        bitmap = self.page.render(scale=scale, rev_byteorder=True)
        image = bitmap.to_pil().convert("RGB")
        bitmap.close()
        return image, image.width / self.width

    def layer(self) -> tuple[Glyphs, ...]:
        with closing(self.page.get_textpage()) as text_page:
            orders = glyphs_of_layer(self.page, text_page)
            attached = glyphs_of_annotations(self.document, self.page, text_page)
        return (
            *(orders if _has_text(orders[0]) else ()),
            *([attached] if attached.text else ()),
        )

    def is_picture(self) -> bool:
        with closing(self.page.get_textpage()) as text_page:
            return not _has_text(glyphs_of_layer(self.page, text_page)[0])

    def read(self, ocr: Callable[[], Ocr]) -> Glyphs:
        scale = _POINTS_PER_INCH / RENDER_DPI
        if self.is_picture():
            return glyphs_of_pixels(rendered(self.page), ocr(), scale)
        parts = [
            _moved(glyphs_of_pixels(rendered(self.page, box), ocr(), scale), box)
            for box in large_pictures(self.page)[:_MAX_PICTURES]
        ]
        return glyphs_of(
            "".join(part.text for part in parts),
            [box for part in parts for box in part.boxes],
            [upright for part in parts for upright in part.upright],
        )


def _has_text(glyphs: Glyphs) -> bool:
    return sum(not character.isspace() for character in glyphs.text) >= _MIN_LETTERS


def _moved(glyphs: Glyphs, target: Box) -> Glyphs:
    boxes = [
        Box(
            box.left + target.left,
            box.top + target.top,
            box.right + target.left,
            box.bottom + target.top,
        )
        for box in glyphs.boxes
    ]
    return glyphs_of(glyphs.text, boxes, glyphs.upright)


def _frame(content: bytes, number: int) -> tuple[Sheet, int]:
    learn_heic(content)
    Image.MAX_IMAGE_PIXELS = None  # our own limit says what to do
    try:
        with Image.open(io.BytesIO(content)) as image:
            frames = getattr(image, "n_frames", 1) if image.format in ("TIFF", "MPO") else 1
            if number > frames:
                raise NoSuchPage(frames)
            image.seek(number - 1)
            if image.width * image.height > _MAX_FRAME_PIXELS:
                raise unreadable(
                    f"the picture has {image.width} × {image.height} pixels",
                    "scale it down or split it",
                )
            upright = on_white(ImageOps.exif_transpose(image))
            return _ImageSheet(upright, _dpi_of(image)), frames
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise unreadable(
            "the picture is damaged and cannot be opened",
            "open it in an image program, save it anew and upload that copy",
        ) from error


def _dpi_of(image: Image.Image) -> float:
    """Return the image's own resolution if plausible, else the one that fits it to a sheet of
    A4."""
    declared = image.info.get("dpi")
    if isinstance(declared, tuple) and declared and isinstance(declared[0], (int, float)):
        dpi = float(declared[0])
        if _SENSIBLE_DPI[0] <= dpi <= _SENSIBLE_DPI[1]:
            return dpi
    return max(_MIN_DPI, max(image.size) / _LONGEST_INCHES)


@dataclass(frozen=True, slots=True)
class _ImageSheet:
    image: Image.Image
    dpi: float

    @property
    def width(self) -> float:
        return self.image.width * _POINTS_PER_INCH / self.dpi

    @property
    def height(self) -> float:
        return self.image.height * _POINTS_PER_INCH / self.dpi

    def drawn(self, dpi: int) -> tuple[Image.Image, float]:
        """Never larger than the picture itself."""
        factor = min(1.0, dpi / self.dpi)
        pixels = self.image.width * self.image.height * factor**2
        if pixels > _MAX_PIXELS:
            factor *= math.sqrt(_MAX_PIXELS / pixels)
        size = max(1, round(self.image.width * factor)), max(1, round(self.image.height * factor))
        image = self.image
        if size != image.size:
            image = image.resize(size, Image.Resampling.LANCZOS)
        return image, image.width / self.width

    def layer(self) -> tuple[Glyphs, ...]:
        return ()

    def is_picture(self) -> bool:
        return True

    def read(self, ocr: Callable[[], Ocr]) -> Glyphs:
        pixels = np.asarray(self.image, dtype=np.uint8)
        return glyphs_of_pixels(pixels, ocr(), _POINTS_PER_INCH / self.dpi)
