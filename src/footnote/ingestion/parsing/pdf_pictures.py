"""Read large pictures on PDF pages that have a text layer by OCR, each once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.geometry import Box, PageItem, connected, union
from footnote.ingestion.parsing.images import PictureKeeper, picture_drafts
from footnote.ingestion.parsing.layout import PageLayout
from footnote.ingestion.parsing.ocr import Ocr, Pixels, items_of_picture
from footnote.ingestion.parsing.pdf_text import Turn

RENDER_DPI = 200
_MIN_PAGE_SHARE = 0.04
"""Least share of the page's area; smaller pictures are logos, icons and ornaments."""
_MIN_SIDE_POINTS = 50.0
_TEXT_SHARE = 0.06
"""Share of a picture covered by the text layer above which it is a scan that was recognised
already."""
_MAX_PICTURES = 60
"""Most pictures read of one document; reading one takes about a second."""
_MAX_OBJECTS = 300


@dataclass(slots=True)
class PictureReader:
    """Reads the pictures of one document, as long as there is an OCR engine."""

    ocr: Callable[[], Ocr]
    keeper: PictureKeeper | None = None
    """Keeps pictures to be described; None if none are."""
    unread: int = 0
    """Number of pictures not read, without OCR or beyond `_MAX_PICTURES`."""
    _digests: set[bytes] = field(default_factory=set)

    def read(self, page: pdfium.PdfPage, number: int, text: Sequence[Box]) -> list[PageLayout]:
        """Return a part of the page for each picture that has text or is kept to be described.

        `text` is the boxes of the text layer.
        """
        parts = []
        for box in large_pictures(page):
            covered = sum(
                text_box.width * text_box.height
                for text_box in text
                if box.contains_centre_of(text_box)
            )
            if covered > _TEXT_SHARE * box.width * box.height:
                continue
            pixels = rendered(page, box)
            original = pixels.copy() if self.keeper is not None else pixels
            # Paint over the text of the text layer, so that it is not read twice.
            for text_box in text:
                if box.contains_centre_of(text_box):
                    left, top = text_box.left - box.left, text_box.top - box.top
                    edges = (top, top + text_box.height, left, left + text_box.width)
                    up, down, start, end = (max(0, round(edge * RENDER_DPI / 72)) for edge in edges)
                    pixels[up:down, start:end] = 255
            digest = hashlib.blake2b(pixels.tobytes(), digest_size=16).digest()
            if digest in self._digests:
                continue
            self._digests.add(digest)
            items, pictures = self._items(pixels), self.kept(original, number)
            if items or pictures:
                parts.append(
                    PageLayout(number, pixels.shape[0], items, from_pixels=True, extra=pictures)
                )
        return parts

    def kept(self, pixels: Pixels, number: int) -> tuple[Draft, ...]:
        """Return the place of a picture that is kept to be described; empty if it is not kept."""
        if self.keeper is None:
            return ()
        return tuple(picture_drafts(Image.fromarray(pixels), number, self.keeper))

    def _items(self, pixels: Pixels) -> tuple[PageItem, ...]:
        if len(self._digests) > _MAX_PICTURES:
            self.unread += 1
            return ()
        try:
            return tuple(items_of_picture(pixels, self.ocr()))
        except DocumentUnreadable:
            self.unread += 1
            return ()


def rendered(page: pdfium.PdfPage, box: Box | None = None) -> Pixels:
    """Render the page, or a part of it, at the resolution for OCR."""
    crop = (0.0, 0.0, 0.0, 0.0)
    if box is not None:
        width, height = page.get_size()
        crop = (box.left, height - box.bottom, width - box.right, box.top)
    image = page.render(scale=RENDER_DPI / 72, crop=crop, rev_byteorder=True, may_draw_forms=False)
    pixels: Pixels = image.to_numpy()[:, :, :3].copy()
    image.close()
    return pixels


def large_pictures(page: pdfium.PdfPage) -> list[Box]:
    """Return the boxes of pictures that may hold text; touching strips of a picture count as
    one."""
    turn = Turn.of_page(page)
    width, height = page.get_size()
    boxes = []
    for count, item in enumerate(
        page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3)
    ):
        bounds = _bounds_on_page(item, turn)
        left, top = max(bounds.left, 0.0), max(bounds.top, 0.0)
        right, bottom = min(bounds.right, width), min(bounds.bottom, height)
        box = Box(left, top, max(left, right), max(top, bottom))
        if box.width > 1 and box.height > 1:
            boxes.append(box)
        if count > _MAX_OBJECTS:
            break
    regions = [union(group) for group in connected(boxes)]
    return [
        box
        for box in sorted(regions, key=lambda box: (box.top, box.left))
        if box.width * box.height >= _MIN_PAGE_SHARE * width * height
        and min(box.width, box.height) >= _MIN_SIDE_POINTS
    ]


def _bounds_on_page(item: pdfium.PdfObject, turn: Turn) -> Box:
    """Return the box of an object on the page, even if it is nested in form objects."""
    left, bottom, right, top = item.get_bounds()
    container = item.container
    while container is not None:
        matrix = container.get_matrix()
        corners = [matrix.on_point(x, y) for x in (left, right) for y in (bottom, top)]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        left, bottom, right, top = min(xs), min(ys), max(xs), max(ys)
        container = container.container
    return turn.box(left, bottom, right, top)
