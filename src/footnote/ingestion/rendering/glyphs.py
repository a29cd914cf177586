"""The characters of a page and their boxes, from its text layer or by OCR."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from footnote.ingestion.parsing.columns import in_reading_order
from footnote.ingestion.parsing.geometry import Box, Line, join_baselines, rule_tables
from footnote.ingestion.parsing.ocr import Ocr, Pixels, turned_lines
from footnote.ingestion.parsing.pdf_annotations import placed_annotations
from footnote.ingestion.parsing.pdf_text import PageText, Turn, rules_of
from footnote.ingestion.rendering.folding import Folded, fold

_HIGH, _LOW = range(0xD800, 0xDC00), range(0xDC00, 0xE000)
_NOWHERE = Box(0.0, 0.0, 0.0, 0.0)
_TALLEST = 1.5
"""Greatest line height of common fonts, in font sizes; usual are 1.1 to 1.4."""
_DESCENT, _ASCENT = 0.25, 1.0
"""Extent below and above the baseline, in font sizes, for a font that claims more."""
_SLANT = 0.3
"""Greatest slant of upright letters; italics have 0.2 to 0.25."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyphs:
    """The characters of a page, with the box of each."""

    text: str
    boxes: tuple[Box, ...] = field(repr=False)
    """One for each character, in the unit of the page; empty ones for white space."""
    upright: tuple[bool, ...] = field(repr=False)
    """For each character whether its line runs from side to side, not up or down the page."""
    folded: Folded = field(repr=False)


def glyphs_of(text: str, boxes: Sequence[Box], upright: Sequence[bool]) -> Glyphs:
    """Return the glyphs for characters and their boxes."""
    return Glyphs(text=text, boxes=tuple(boxes), upright=tuple(upright), folded=fold(text))


def glyphs_of_layer(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage) -> tuple[Glyphs, Glyphs]:
    """Return the characters of a text layer in reading order, and in drawing order, in points.

    The reading order is that of the canonical text, column by column.
    """
    layer = PageText(text_page)
    units = layer.text
    turn = Turn.of_page(page)
    boxes = [_box(text_page, index, turn) for index in range(len(units))]
    upright = [_is_upright(text_page, index, turn.degrees) for index in range(len(units))]

    def in_order(order: Iterable[int | None]) -> Glyphs:
        letters: list[str] = []
        indices: list[int | None] = []
        for index in order:
            unit = " " if index is None else units[index]
            if ord(unit) in _LOW and letters and letters[-1] and ord(letters[-1][0]) in _HIGH:
                pair = (letters[-1] + unit).encode("utf-16", "surrogatepass")
                letters[-1] = pair.decode("utf-16", "replace")
                continue
            letters.append(unit)
            indices.append(index)
        return glyphs_of(
            "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in letters),
            [_NOWHERE if index is None else boxes[index] for index in indices],
            [index is None or upright[index] for index in indices],
        )

    return in_order(_as_read(page, layer)), in_order(range(len(units)))


def _as_read(page: pdfium.PdfPage, layer: PageText) -> Iterator[int | None]:
    """Yield the indices of characters in reading order, None at the end of each word."""
    turned = layer.lines(page, {})
    fullest = sorted(turned.items(), key=lambda entry: -sum(len(line.text) for line in entry[1]))
    for degrees, lines in fullest:
        rules = list(rules_of(page, Turn.of_page(page, degrees)))
        for item in in_reading_order(rule_tables(join_baselines(lines), rules)):
            for word in item.words:
                units = len(word.text.encode("utf-16-le", "surrogatepass")) // 2
                yield from range(word.start, word.start + units)
                yield None


def _box(text_page: pdfium.PdfTextPage, index: int, turn: Turn) -> Box:
    rect = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFText_GetLooseCharBox(text_page.raw, index, rect):
        return _NOWHERE
    bottom, top = within_line(text_page, index, rect.bottom, rect.top)
    return turn.box(rect.left, bottom, rect.right, top)


def within_line(
    text_page: pdfium.PdfTextPage, index: int, bottom: float, top: float
) -> tuple[float, float]:
    """Return the lower and upper edge of a letter, limited to the height of a line.

    Fonts for several scripts claim room for the tallest of all their letters, twice the line's.
    """
    matrix = pdfium_c.FS_MATRIX()
    x, y = ctypes.c_double(), ctypes.c_double()
    if (
        not pdfium_c.FPDFText_GetMatrix(text_page.raw, index, matrix)
        or not pdfium_c.FPDFText_GetCharOrigin(text_page.raw, index, x, y)
        or abs(matrix.b) + abs(matrix.c) > _SLANT * abs(matrix.d)
    ):
        return bottom, top
    size = pdfium_c.FPDFText_GetFontSize(text_page.raw, index) * abs(matrix.d)
    if size <= 0 or top - bottom <= _TALLEST * size:
        return bottom, top
    return max(bottom, y.value - _DESCENT * size), min(top, y.value + _ASCENT * size)


def _is_upright(text_page: pdfium.PdfTextPage, index: int, rotation: int) -> bool:
    radians = float(pdfium_c.FPDFText_GetCharAngle(text_page.raw, index))
    quarters = round(max(radians, 0.0) / (math.pi / 2)) + rotation // 90
    return quarters % 2 == 0


def glyphs_of_annotations(
    document: pdfium.PdfDocument, page: pdfium.PdfPage, text_page: pdfium.PdfTextPage
) -> Glyphs:
    """Return filled-in fields and comments; each of their characters has the whole box."""
    turn = Turn.of_page(page)
    text: list[str] = []
    boxes: list[Box] = []
    for content, box in placed_annotations(document, page, text_page):
        text.append(f"{content}\n")
        boxes += [turn.box(*box)] * len(content) + [_NOWHERE]
    return glyphs_of("".join(text), boxes, [True] * len(boxes))


def glyphs_of_pixels(pixels: Pixels, ocr: Ocr, scale: float = 1.0) -> Glyphs:
    """Return what OCR reads, its boxes multiplied by `scale`; a word's width is divided evenly."""
    lines, quarters = turned_lines(pixels, ocr)
    height, width, _ = pixels.shape
    text: list[str] = []
    boxes: list[Box] = []
    for line in lines:
        for letter, box in _letters(line):
            text.append(letter)
            original = _turned_back(box, quarters, width, height)
            boxes.append(Box(*(edge * scale for edge in original)))
    return glyphs_of("".join(text), boxes, [quarters % 2 == 0] * len(text))


def _letters(line: Line) -> Iterable[tuple[str, Box]]:
    for word, next_word in zip_longest(line.words, line.words[1:]):
        begin, end = word.box.left, word.box.right
        # Tesseract sometimes returns the box of a word that extends to the end of its line.
        if next_word is not None and begin < next_word.box.left < end:
            end = next_word.box.left
        step = (end - begin) / max(len(word.text), 1)
        for index, letter in enumerate(word.text):
            left = begin + index * step
            yield letter, Box(left, line.box.top, left + step, line.box.bottom)
        yield " ", _NOWHERE
    yield "\n", _NOWHERE


def _turned_back(box: Box, quarters: int, width: int, height: int) -> Box:
    """Map a box in an image turned to the left to the image before, of `width` × `height`."""
    left, top, right, bottom = box
    match quarters % 4:
        case 1:
            return Box(width - bottom, left, width - top, right)
        case 2:
            return Box(width - right, height - bottom, width - left, height - top)
        case 3:
            return Box(top, height - right, bottom, height - left)
        case _:
            return box
