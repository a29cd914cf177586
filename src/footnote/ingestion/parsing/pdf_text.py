"""Convert the text layer of a PDF page to lines of words with boxes; find the rules drawn on it."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from footnote.ingestion.parsing.geometry import Box, Line, Word, line_of
from footnote.ingestion.parsing.hyphens import SOFT_HYPHEN

_BOLD = re.compile(rb"bold|black|heavy|demi|(?:cm|sf|lm)bx|roman.*-b\b|[-,]bd\b", re.I)
_MONO = re.compile(rb"mono|courier|consol|typewriter|menlo|\bcm(?:sl)?tt|lmmono|inconsolata", re.I)
_FIXED_PITCH = 1
"""The FixedPitch flag of a font descriptor (ISO 32000-1, table 123)."""
_MAX_RULES = 1500
_LINE = re.compile(r"[^\r\n\xad]+\xad?|\xad")
_WORD = re.compile(r"[^\s\x00-\x1f\ufeff]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SEGMENT_LINE = pdfium_c.FPDF_SEGMENT_LINETO


@dataclass(frozen=True, slots=True)
class Turn:
    """A transform from PDF space (origin bottom left, before rotation) to the page as its reader
    sees it."""

    left: float
    bottom: float
    right: float
    top: float
    degrees: int
    """Clockwise rotation of the page at which the text is upright."""

    @classmethod
    def of_page(cls, page: pdfium.PdfPage, degrees: int = 0) -> Turn:
        """Return the transform for the page as shown, rotated by `degrees` more for sideways
        text."""
        left, bottom, right, top = page.get_bbox()
        return cls(left, bottom, right, top, (page.get_rotation() + degrees) % 360)

    @property
    def height(self) -> float:
        """Height of the page in points, as the reader sees it."""
        upright = self.degrees in (0, 180)
        return self.top - self.bottom if upright else self.right - self.left

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Map a rectangle of PDF space to the page as the reader sees it."""
        match self.degrees:
            case 90:
                return Box(
                    bottom - self.bottom, left - self.left, top - self.bottom, right - self.left
                )
            case 180:
                return Box(
                    self.right - right, bottom - self.bottom, self.right - left, top - self.bottom
                )
            case 270:
                return Box(self.top - top, self.right - right, self.top - bottom, self.right - left)
            case _:
                return Box(left - self.left, self.top - top, right - self.left, self.top - bottom)


class PageText:
    """pdfium's per-character calls for one page, with their buffers allocated once."""

    def __init__(self, text_page: pdfium.PdfTextPage) -> None:
        self._page = text_page.raw
        self._rect = pdfium_c.FS_RECTF()
        self._matrix = pdfium_c.FS_MATRIX()
        self._font = ctypes.create_string_buffer(96)
        self._flags = ctypes.c_int()
        count = text_page.count_chars()
        units = (ctypes.c_ushort * (count + 1))()
        unit_count = pdfium_c.FPDFText_GetText(self._page, 0, count, units)
        if unit_count == count + 1:
            text = bytes(units)[: 2 * count].decode("utf-16-le", "surrogatepass")
        else:
            text = ""
        if len(text) != count:  # some character is not one unit: ask for each
            codes = (pdfium_c.FPDFText_GetUnicode(self._page, index) for index in range(count))
            text = "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)
        self.text = text.replace("\x02", SOFT_HYPHEN).replace("\ufffe", SOFT_HYPHEN)
        """One code unit for each of pdfium's characters; its mark of a hyphenated word becomes a
        soft hyphen."""

    def lines(self, page: pdfium.PdfPage, ranks: dict[int, int]) -> dict[int, list[Line]]:
        """Return lines as pdfium splits them, in the order in which the file draws them.

        The keys are the degrees by which the page must be turned for the lines to be upright.
        `ranks` has the heading rank of marked contents, by id.
        """
        rotation = page.get_rotation()
        turns = {0: Turn.of_page(page)}
        lines: dict[int, list[Line]] = {}
        for match in _LINE.finditer(self.text):
            spans = [word.span() for word in _WORD.finditer(self.text, *match.span())]
            if not spans:
                continue
            # Degrees by which the page as shown is turned clockwise for the line to be upright.
            clockwise = math.degrees(float(pdfium_c.FPDFText_GetCharAngle(self._page, spans[0][0])))
            degrees = (-round(max(clockwise, 0.0) / 90) * 90 - rotation) % 360
            turn = turns.get(degrees) or turns.setdefault(degrees, Turn.of_page(page, degrees))
            line = line_of(self._words(spans, turn))
            text_object = (
                pdfium_c.FPDFText_GetTextObject(self._page, spans[0][0]) if ranks else None
            )
            content_id = pdfium_c.FPDFPageObj_GetMarkedContentID(text_object) if text_object else -1
            if rank := ranks.get(int(content_id), 0):
                line = replace(line, rank=rank)
            lines.setdefault(degrees, []).append(line)
        return lines

    def _words(self, spans: Sequence[tuple[int, int]], turn: Turn) -> list[Word]:
        """Return the words of one line; if its first and last word have one style, all others get
        it."""
        first, last = self._style(spans[0][0]), self._style(spans[-1][0])
        words = []
        for start, end in spans:
            size, bold, mono = first if first == last else self._style(start)
            box = self._box(start, end, turn)
            words.append(
                Word(_join_surrogates(self.text[start:end]), box, size, bold, None, mono, start)
            )
        return words

    def _box(self, start: int, end: int, turn: Turn) -> Box:
        """Return the box from the first character to the last, in either direction."""
        rect = self._rect
        pdfium_c.FPDFText_GetLooseCharBox(self._page, start, rect)
        left, bottom, right, top = rect.left, rect.bottom, rect.right, rect.top
        if end - start > 1:
            pdfium_c.FPDFText_GetLooseCharBox(self._page, end - 1, rect)
            left, right = min(left, rect.left), max(right, rect.right)
            bottom, top = min(bottom, rect.bottom), max(top, rect.top)
        return turn.box(left, bottom, right, top)

    def _style(self, index: int) -> tuple[float, bool, bool]:
        """Return the font size, and whether the font is bold and fixed-width."""
        size = float(pdfium_c.FPDFText_GetFontSize(self._page, index))
        if pdfium_c.FPDFText_GetMatrix(self._page, index, self._matrix):
            size *= max(abs(self._matrix.d), abs(self._matrix.b)) or 1.0
        length = pdfium_c.FPDFText_GetFontInfo(
            self._page, index, self._font, len(self._font), self._flags
        )
        name = self._font.value if length else b""
        bold = bool(_BOLD.search(name)) or pdfium_c.FPDFText_GetFontWeight(self._page, index) >= 600
        mono = bool(_MONO.search(name)) or (bool(length) and bool(self._flags.value & _FIXED_PITCH))
        return max(abs(size), 1.0), bold, mono


def _join_surrogates(text: str) -> str:
    """Return the text with each surrogate pair joined to one character."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def rules_of(page: pdfium.PdfPage, turn: Turn) -> Iterator[Box]:
    """Horizontal and vertical strokes and the edges of rectangles, as thin boxes."""
    count = 0
    for item in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_PATH], max_depth=1):
        left, bottom, right, top = item.get_bounds()
        if min(right - left, top - bottom) <= 3:
            count += 1
            yield turn.box(left, bottom, right, top)
        else:
            for edge in _edges(item):
                count += 1
                yield turn.box(*edge)
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
