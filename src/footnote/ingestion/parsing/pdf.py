"""A PDF becomes drafts: words with their boxes from its text layer, or by OCR where it has none."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from datetime import datetime

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from footnote.domain import MetadataValue, Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.drafts import Reading
from footnote.ingestion.parsing.geometry import (
    Box,
    Line,
    PageItem,
    Word,
    find_tables,
    join_baselines,
    line_of,
)
from footnote.ingestion.parsing.layout import LaidPage, draft_pages
from footnote.ingestion.parsing.ocr import Ocr, items_of_image

_BOLD = re.compile(rb"bold|black|heavy|demi|(?:cm|sf|lm)bx|roman.*-b\b|[-,]bd\b", re.I)
_RENDER_DPI = 200
_MIN_TEXT_CHARACTERS = 8
"""A page with fewer in its text layer is taken for a picture."""
_MAX_RULES = 1500
_SPACES = (0xA0, 0x3000, 0xFEFF)
_SOFT_HYPHEN = 0xAD
"""Stands where pdfium joined a word that was divided at the end of a line."""
_SEGMENT_LINE = pdfium_c.FPDF_SEGMENT_LINETO


def read_pdf(content: bytes, ocr: Callable[[], Ocr], *, max_pages: int) -> Reading:
    """Read every page; `ocr` is asked for only when a page has no text layer.

    Pages that would need OCR where there is none are counted in `pages_without_text`.
    Raises DocumentUnreadable for one that is encrypted, damaged, too long or, as a whole,
    without text.
    """
    document = _open(content)
    try:
        if len(document) > max_pages:
            raise _unreadable(
                f"it has {len(document)} pages, more than the {max_pages} allowed",
                "split it, or raise FOOTNOTE_MAX_PAGES",
            )
        pages, unread = [], 0
        failure: DocumentUnreadable | None = None
        for number in range(1, len(document) + 1):
            page = document[number - 1]
            laid = _laid_page(page, number)
            if not laid.items and _has_pictures(page):
                try:
                    laid = _read_pixels(page, number, ocr())
                except DocumentUnreadable as error:
                    failure, unread = error, unread + 1
            pages.append(laid)
            page.close()
        if failure is not None and not any(page.items for page in pages):
            raise failure
        metadata = _metadata(document)
    finally:
        document.close()
    title = str(metadata.pop("title", ""))
    if unread:
        metadata["pages_without_text"] = unread
    return Reading(
        drafts=tuple(draft_pages(pages)), title=title, page_count=len(pages), metadata=metadata
    )


def _open(content: bytes) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise _unreadable(
                "the PDF is protected by a password", "upload a copy without a password"
            ) from error
        raise _unreadable(
            "the PDF is damaged and cannot be opened",
            "open it in a PDF program, save it anew and upload that copy",
        ) from error
    if not len(document):
        document.close()
        raise _unreadable("the PDF has no pages", "check that it was exported completely")
    return document


def _unreadable(cause: str, advice: str) -> DocumentUnreadable:
    return DocumentUnreadable(stage=Stage.PARSE, cause=cause, advice=advice)


def _metadata(document: pdfium.PdfDocument) -> dict[str, MetadataValue]:
    found = document.get_metadata_dict(skip_empty=True)
    metadata: dict[str, MetadataValue] = {}
    for key, name in (("Title", "title"), ("Author", "author"), ("Subject", "subject")):
        if (value := found.get(key)) and not value.startswith("("):
            metadata[name] = value
    if created := re.match(r"D:(\d{14})", found.get("CreationDate", "")):
        try:
            parsed = datetime.strptime(created.group(1) + "+0000", "%Y%m%d%H%M%S%z")
        except ValueError:
            return metadata
        metadata["created_at"] = parsed.isoformat()
    return metadata


def _has_pictures(page: pdfium.PdfPage) -> bool:
    return any(True for _ in page.get_objects(max_depth=1))


def _read_pixels(page: pdfium.PdfPage, number: int, ocr: Ocr) -> LaidPage:
    image = page.render(scale=_RENDER_DPI / 72, rev_byteorder=True, may_draw_forms=False)
    pixels = image.to_numpy()[:, :, :3]
    return LaidPage(number, pixels.shape[0], tuple(items_of_image(pixels, ocr)), from_pixels=True)


def _laid_page(page: pdfium.PdfPage, number: int) -> LaidPage:
    to_page = _Coordinates(page)
    text_page = page.get_textpage()
    try:
        lines = list(_lines(text_page, to_page))
    finally:
        text_page.close()
    if sum(len(line.text) for line in lines) < _MIN_TEXT_CHARACTERS:
        lines = []
    items: list[PageItem] = list(lines)
    if lines:
        items = find_tables(join_baselines(lines), list(_rules(page, to_page)))
    return LaidPage(number, to_page.height, tuple(items))


class _Coordinates:
    """From PDF space (origin bottom left, before rotation) to what a reader sees."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._left, self._bottom, self._right, self._top = page.get_bbox()
        self._rotation = page.get_rotation()
        self.height = page.get_height()

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        match self._rotation:
            case 90:
                return Box(
                    bottom - self._bottom,
                    left - self._left,
                    top - self._bottom,
                    right - self._left,
                )
            case 180:
                return Box(
                    self._right - right,
                    bottom - self._bottom,
                    self._right - left,
                    top - self._bottom,
                )
            case 270:
                return Box(
                    self._top - top, self._right - right, self._top - bottom, self._right - left
                )
            case _:
                return Box(
                    left - self._left, self._top - top, right - self._left, self._top - bottom
                )


def _lines(text_page: pdfium.PdfTextPage, to_page: _Coordinates) -> Iterator[Line]:
    """Lines as pdfium cuts them, in the order in which the file draws them."""
    reader = _CharacterReader(text_page, to_page)
    words: list[Word] = []
    start = -1
    for index in range(text_page.count_chars()):
        code = reader.code(index)
        if code > 32 and code not in _SPACES:
            start = index if start < 0 else start
            if code != _SOFT_HYPHEN:
                continue
        if start >= 0:
            words.append(reader.word(start, index + (code == _SOFT_HYPHEN)))
            start = -1
        if code in (10, 13, _SOFT_HYPHEN) and words:
            yield line_of(words)
            words = []
    if start >= 0:
        words.append(reader.word(start, text_page.count_chars()))
    if words:
        yield line_of(words)


class _CharacterReader:
    """pdfium's per-character calls with their buffers allocated once."""

    def __init__(self, text_page: pdfium.PdfTextPage, to_page: _Coordinates) -> None:
        self._page = text_page.raw
        self._to_page = to_page
        self._rect = pdfium_c.FS_RECTF()
        self._matrix = pdfium_c.FS_MATRIX()
        self._font = ctypes.create_string_buffer(96)
        self._flags = ctypes.c_int()

    def code(self, index: int) -> int:
        """The character's code; pdfium's own mark of a divided word becomes a soft hyphen."""
        code = int(pdfium_c.FPDFText_GetUnicode(self._page, index))
        return _SOFT_HYPHEN if code == 2 else code

    def word(self, start: int, end: int) -> Word:
        text = "".join(chr(self.code(index)) for index in range(start, end))
        if any("\ud800" <= character <= "\udfff" for character in text):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        left, bottom, right, top = self._bounds(start)
        if end - start > 1:
            other = self._bounds(end - 1)
            left, bottom = min(left, other[0]), min(bottom, other[1])
            right, top = max(right, other[2]), max(top, other[3])
        return Word(
            text, self._to_page.box(left, bottom, right, top), self._size(start), self._bold(start)
        )

    def _bounds(self, index: int) -> tuple[float, float, float, float]:
        pdfium_c.FPDFText_GetLooseCharBox(self._page, index, self._rect)
        rect = self._rect
        return rect.left, rect.bottom, rect.right, rect.top

    def _size(self, index: int) -> float:
        size = float(pdfium_c.FPDFText_GetFontSize(self._page, index))
        if pdfium_c.FPDFText_GetMatrix(self._page, index, self._matrix):
            size *= max(abs(self._matrix.d), abs(self._matrix.b)) or 1.0
        return max(abs(size), 1.0)

    def _bold(self, index: int) -> bool:
        length = pdfium_c.FPDFText_GetFontInfo(
            self._page, index, self._font, len(self._font), self._flags
        )
        if length and _BOLD.search(self._font.value):
            return True
        return int(pdfium_c.FPDFText_GetFontWeight(self._page, index)) >= 600


def _rules(page: pdfium.PdfPage, to_page: _Coordinates) -> Iterator[Box]:
    """Horizontal and vertical strokes and the edges of rectangles, as thin boxes."""
    count = 0
    for item in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_PATH], max_depth=1):
        left, bottom, right, top = item.get_bounds()
        if min(right - left, top - bottom) <= 3:
            count += 1
            yield to_page.box(left, bottom, right, top)
        else:
            for edge in _edges(item):
                count += 1
                yield to_page.box(*edge)
        if count > _MAX_RULES:
            return


def _edges(item: pdfium.PdfObject) -> Iterator[tuple[float, float, float, float]]:
    """The straight, axis-parallel segments of a path."""
    matrix = item.get_matrix()
    x, y = ctypes.c_float(), ctypes.c_float()
    start = before = (0.0, 0.0)
    for number in range(min(pdfium_c.FPDFPath_CountSegments(item.raw), 200)):
        segment = pdfium_c.FPDFPath_GetPathSegment(item.raw, number)
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        point = matrix.on_point(x.value, y.value)
        targets = []
        if pdfium_c.FPDFPathSegment_GetType(segment) == _SEGMENT_LINE:
            targets.append((before, point))
        else:
            start = point
        if pdfium_c.FPDFPathSegment_GetClose(segment):
            targets.append((point, start))
        for (x0, y0), (x1, y1) in targets:
            if abs(x0 - x1) <= 1 or abs(y0 - y1) <= 1:
                yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
        before = point
