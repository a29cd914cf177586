"""A PDF becomes drafts: words with their boxes from its text layer, or by OCR where it has none."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Sequence
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
_SOFT_HYPHEN = "\xad"
"""Stands where pdfium joined a word that was divided at the end of a line."""
_LINE = re.compile(r"[^\r\n\xad]+\xad?|\xad")
_WORD = re.compile(r"[^\s\x00-\x1f\ufeff]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
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
    for line in _LINE.finditer(reader.text):
        spans = [word.span() for word in _WORD.finditer(reader.text, line.start(), line.end())]
        if spans:
            yield line_of(reader.words(spans))


class _CharacterReader:
    """pdfium's per-character calls with their buffers allocated once."""

    def __init__(self, text_page: pdfium.PdfTextPage, to_page: _Coordinates) -> None:
        self._page = text_page.raw
        self._to_page = to_page
        self._rect = pdfium_c.FS_RECTF()
        self._matrix = pdfium_c.FS_MATRIX()
        self._font = ctypes.create_string_buffer(96)
        self._flags = ctypes.c_int()
        self.text = self._characters(text_page.count_chars())
        """One code unit for each of pdfium's characters; its mark of a divided word becomes
        a soft hyphen."""

    def _characters(self, count: int) -> str:
        units = (ctypes.c_ushort * (count + 1))()
        written = pdfium_c.FPDFText_GetText(self._page, 0, count, units)
        if written == count + 1:
            text = bytes(units)[: 2 * count].decode("utf-16-le", "surrogatepass")
        else:
            text = ""
        if len(text) != count:  # some character is not one unit: ask for each
            codes = (pdfium_c.FPDFText_GetUnicode(self._page, index) for index in range(count))
            text = "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)
        return text.replace("\x02", _SOFT_HYPHEN).replace("\ufffe", _SOFT_HYPHEN)

    def words(self, spans: Sequence[tuple[int, int]]) -> list[Word]:
        """The words of one line; where its ends agree in size and weight, so does the rest."""
        first, last = self._style(spans[0][0]), self._style(spans[-1][0])
        words = []
        for start, end in spans:
            size, bold = first if first == last else self._style(start)
            words.append(Word(_whole(self.text[start:end]), self._box(start, end), size, bold))
        return words

    def _box(self, start: int, end: int) -> Box:
        """From the first character to the last, whichever of them stands left."""
        rect = self._rect
        pdfium_c.FPDFText_GetLooseCharBox(self._page, start, rect)
        left, bottom, right, top = rect.left, rect.bottom, rect.right, rect.top
        if end - start > 1:
            pdfium_c.FPDFText_GetLooseCharBox(self._page, end - 1, rect)
            left, right = min(left, rect.left), max(right, rect.right)
            bottom, top = min(bottom, rect.bottom), max(top, rect.top)
        return self._to_page.box(left, bottom, right, top)

    def _style(self, index: int) -> tuple[float, bool]:
        return self._size(index), self._bold(index)

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


def _whole(text: str) -> str:
    """The text with each pair of surrogates made one character."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


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
