"""Where words stand on the pages of a file, by programs that have no part in marking them."""

from __future__ import annotations

import csv
import io
import subprocess
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

import pypdfium2 as pdfium
from pdfminer.high_level import extract_pages
from pdfminer.layout import LAParams, LTChar, LTContainer, LTPage
from pdfminer.pdfpage import PDFPage
from PIL import Image, ImageOps

OFFICE = (".docx", ".doc", ".odt", ".pptx", ".ppt", ".odp", ".xlsx", ".xls", ".ods")
DPI = 200
POINTS_PER_INCH = 72
MIN_LETTERS = 8
"""A page with fewer in its text layer is taken for a picture."""
LONGEST_INCHES = 11.7
"""The longer side of A4: how large a picture is taken to be."""


_ONE_SHEET_A_PAGE = 'pdf:calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}'
_HIDDEN_SLIDES = 'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}'
_FORMATS = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), _ONE_SHEET_A_PAGE),
    **dict.fromkeys((".pptx", ".ppt", ".odp"), _HIDDEN_SLIDES),
}


def folded(text: str) -> str:
    """Letters and digits alone, without case, accents and ligatures."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(each for each in plain if each.isalnum())


@dataclass(frozen=True, slots=True, eq=False)
class Letter:
    """A character, or a word of OCR, in points from the top left corner of the page."""

    text: str
    left: float
    right: float
    baseline: float
    """Of a word of OCR the lower end of its ink."""
    height: float

    def stands_in(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Whether its middle lies in a rectangle."""
        middle = self.baseline - self.height / 4
        return left < (self.left + self.right) / 2 < right and top < middle < bottom

    def repeats(self, letters: Sequence[Letter]) -> bool:
        """Whether it is one of these drawn once more, as some programs draw bold and shadows."""
        near = self.height / 4
        return any(
            each.text == self.text
            and abs(each.left - self.left) < near
            and abs(each.baseline - self.baseline) < near
            for each in letters
        )


@dataclass(frozen=True)
class Shown:
    """A page: its letters in the orders in which it may be read."""

    width: float
    orders: tuple[tuple[Letter, ...], ...]

    @property
    def letters(self) -> tuple[Letter, ...]:
        """All of them."""
        return self.orders[0]

    @cached_property
    def texts(self) -> tuple[tuple[str, list[Letter]], ...]:
        """What is searched in each order, and the letter of each of its characters."""
        read = []
        for order in self.orders:
            owners = [letter for letter in order for _ in folded(letter.text)]
            read.append(("".join(folded(letter.text) for letter in order), owners))
        return tuple(read)

    def places(self, quote: str) -> Iterator[tuple[Letter, ...]]:
        """The letters of each place at which a quote stands, in one run or as cells of a row."""
        yield from self._runs(quote)
        cells = [each for each in quote.split("|") if folded(each)]
        rows = list(self._rows(cells))
        # A cell that spans columns is said once for each of them, and drawn once.
        once = [cell for cell, _ in groupby(map(str.strip, quote.split("|"))) if folded(cell)]
        yield from rows or (self._rows(once) if len(once) < len(cells) else ())

    def _rows(self, cells: Sequence[str]) -> Iterator[tuple[Letter, ...]]:
        if len(cells) < 2:
            return
        for first in self._runs(cells[0]):
            row = [first]
            for cell in cells[1:]:
                beside = [each for each in self._runs(cell) if _follows(row[-1], each)]
                if not beside:
                    break
                row.append(min(beside, key=lambda each: each[0].left))
            else:
                yield tuple(letter for run in row for letter in run)

    def _runs(self, quote: str) -> Iterator[tuple[Letter, ...]]:
        wanted = folded(quote)
        for text, owners in self.texts:
            start, found = text.find(wanted), False
            while start >= 0:
                found = True
                yield tuple(dict.fromkeys(owners[start : start + len(wanted)]))
                start = text.find(wanted, start + 1)
            if found:
                return


def _follows(cell: Sequence[Letter], other: Sequence[Letter]) -> bool:
    """Whether a cell stands in the row of another, and after it."""
    one, next_one = cell[-1], other[0]
    return one.right <= next_one.left and abs(one.baseline - next_one.baseline) < one.height / 2


@dataclass(frozen=True, slots=True)
class Truth:
    """The pages of a file."""

    pages: tuple[Shown, ...]

    def places(self, quote: str, page: int | None) -> list[tuple[Shown, tuple[Letter, ...]]]:
        """Where a quote stands on its page, or on any if its page is not known."""
        pages = self.pages if page is None else self.pages[page - 1 : page]
        return [(shown, letters) for shown in pages for letters in shown.places(quote)]


def truth_of(path: Path) -> Truth:
    """The letters of a PDF file, of a picture, or of the PDF file that LibreOffice makes."""
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        return Truth(tuple(_pages_of(path)))
    if suffix in OFFICE:
        with tempfile.TemporaryDirectory() as folder:
            return Truth(tuple(_pages_of(_converted(path, Path(folder)))))
    return Truth(tuple(_frames_of(path)))


def _converted(path: Path, folder: Path) -> Path:
    subprocess.run(
        [
            *("soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile"),
            *("--convert-to", _FORMATS.get(path.suffix.lower(), "pdf")),
            *("--outdir", str(folder), str(path)),
        ],
        check=True,
        capture_output=True,
    )
    return folder / f"{path.stem}.pdf"


def _pages_of(path: Path) -> Iterator[Shown]:
    with path.open("rb") as content:
        crops = [page.cropbox for page in PDFPage.get_pages(content)]
        medias = [page.mediabox for page in PDFPage.get_pages(content)]
    document = pdfium.PdfDocument(path)
    layouts = extract_pages(path, laparams=None)
    arranged = extract_pages(path, laparams=LAParams())
    for number, (plain, laid) in enumerate(zip(layouts, arranged, strict=True)):
        sheet = document[number]
        left, top = crops[number][0] - medias[number][0], medias[number][3] - crops[number][3]
        if sheet.get_rotation():
            left = top = 0.0
        width = sheet.get_width()
        orders = tuple(tuple(_letters(each, left, top, width)) for each in (plain, laid))
        if sum(bool(folded(letter.text)) for letter in orders[0]) < MIN_LETTERS:
            picture = sheet.render(scale=DPI / POINTS_PER_INCH).to_pil()
            yield Shown(sheet.get_width(), (tuple(_read(picture, POINTS_PER_INCH / DPI)),))
        else:
            yield Shown(sheet.get_width(), orders)


def _letters(page: LTPage, left: float, top: float, width: float) -> Iterator[Letter]:
    """What is drawn on the page; a cell of a sheet may go over its edge, where nobody sees it."""
    for char in _chars(page):
        if not char.get_text().strip() or char.x0 - left >= width:
            continue
        descent = char.matrix[5] if char.upright else char.y0
        yield Letter(
            text=char.get_text(),
            left=char.x0 - left,
            right=min(char.x1 - left, width),
            baseline=page.height - descent - top,
            height=char.size,
        )


def _chars(container: LTContainer) -> Iterator[LTChar]:  # type: ignore[type-arg]
    for each in container:
        if isinstance(each, LTChar):
            yield each
        elif isinstance(each, LTContainer):
            yield from _chars(each)


def _frames_of(path: Path) -> Iterator[Shown]:
    with Image.open(path) as image:
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            upright = ImageOps.exif_transpose(image).convert("RGB")
            yield Shown(upright.width, (tuple(_read(upright, 1.0)),))


def _read(picture: Image.Image, scale: float) -> Iterator[Letter]:
    """The words that Tesseract reads, of the way to hold the picture in which it reads most."""
    best: list[Letter] = []
    for quarters in range(4):
        turned = picture.rotate(90 * quarters, expand=True)
        words = list(_words(turned, quarters, picture, scale))
        if len(words) > 1.5 * len(best):
            best = words
    yield from best


def _words(
    turned: Image.Image, quarters: int, picture: Image.Image, scale: float
) -> Iterator[Letter]:
    content = io.BytesIO()
    turned.save(content, "PNG")
    told = subprocess.run(
        ["tesseract", "-", "-", "--psm", "3", "-c", "tessedit_create_tsv=1"],
        input=content.getvalue(),
        check=True,
        capture_output=True,
    )
    told_words = io.StringIO(told.stdout.decode())
    for word in csv.DictReader(told_words, dialect="excel-tab", quoting=csv.QUOTE_NONE):
        if float(word["conf"] or -1) < 60 or not folded(word["text"] or ""):
            continue
        left, top = int(word["left"]), int(word["top"])
        right, bottom = left + int(word["width"]), top + int(word["height"])
        for _ in range(quarters):
            # A quarter to the left was one to the right before.
            left, top, right, bottom = top, left, bottom, right
        if quarters == 1:
            left, right = picture.width - right, picture.width - left
        elif quarters == 2:
            left, right = picture.width - right, picture.width - left
            top, bottom = picture.height - bottom, picture.height - top
        elif quarters == 3:
            top, bottom = picture.height - bottom, picture.height - top
        yield Letter(
            text=word["text"],
            left=left * scale,
            right=right * scale,
            baseline=bottom * scale,
            height=(bottom - top) * scale,
        )
