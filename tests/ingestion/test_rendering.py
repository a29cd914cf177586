"""Pages are drawn as they are shown, and quotes are marked where they stand on them."""

from __future__ import annotations

import ctypes
import io
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops
from reportlab.pdfgen.canvas import Canvas

from footnote.domain import ParsedDocument
from footnote.domain.pages import MarkedQuote, PageRectangles, QuoteMatch, Rectangle
from footnote.errors import DocumentUnreadable, InvalidRequest
from footnote.ingestion import media
from footnote.ingestion.parsing.drafts import assemble
from footnote.ingestion.parsing.geometry import Line
from footnote.ingestion.parsing.ocr import Ocr, Pixels, select_ocr
from footnote.ingestion.parsing.pdf import read_pdf
from footnote.ingestion.parsing.reading import read_document
from footnote.ingestion.rendering import office
from footnote.ingestion.rendering.cache import PdfCache
from footnote.ingestion.rendering.folding import fold
from footnote.ingestion.rendering.missing import NoSuchPage
from footnote.ingestion.rendering.pages import Pages, pages_of_quote
from footnote.ingestion.rendering.quotes import Quote, find_quote
from footnote.ingestion.rendering.renderer import PageRenderer, Showable
from tests.ingestion import files, pdf_files
from tests.ingestion.pdf_files import HEIGHT, WIDTH, pdf, story, wrap, write

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA") or "../shared/data") / "documents"
needs_ocr = pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract here")
needs_office = pytest.mark.skipif(
    not any(map(shutil.which, office.PROGRAMS)), reason="no LibreOffice here"
)
DPI = 100
SENTENCE = "This is sentence 2 of the story of the lantern, as told on the quay."
OCR: Callable[[], Ocr] = partial(select_ocr, "auto", "eng")
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


def looked(
    content: bytes, *quotes: str | Quote, page: int = 1, media_type: str = media.PDF
) -> PageRectangles:
    asked = [quote if isinstance(quote, Quote) else Quote(text=quote) for quote in quotes]
    return Pages(OCR).rectangles(content, media_type, "key", page, asked)


def picture(
    content: bytes, *quotes: str, page: int = 1, media_type: str = media.PDF
) -> Image.Image:
    asked = [Quote(text=quote) for quote in quotes]
    drawn = Pages(OCR).image(content, media_type, "key", page, asked, dpi=DPI)
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


# --- where quotes stand -----------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_quote_is_marked_on_a_turned_page(degrees: int) -> None:
    content = turned(degrees)
    quote = only(looked(content, SENTENCE))
    assert quote.match is QuoteMatch.EXACT
    assert text_inside(content, quote.rectangles) == SENTENCE
    assert_painted(content, SENTENCE)


@pytest.mark.parametrize(
    ("degrees", "crop", "size"),
    [
        (0, (40, 300, 520, 800), (480, 500)),
        (90, (50, 40, 440, 800), (760, 390)),
        (180, (40, 50, 560, 500), (520, 450)),
        (270, (110, 40, 540, 800), (760, 430)),
    ],
)
def test_a_quote_is_marked_on_a_page_that_is_cropped(
    degrees: int, crop: tuple[int, int, int, int], size: tuple[int, int]
) -> None:
    content = turned(degrees, crop)
    found = looked(content, SENTENCE)
    assert [found.width_points, found.height_points] == list(size)
    assert text_inside(content, only(found).rectangles) == SENTENCE
    assert_painted(content, SENTENCE)


def test_what_was_cut_off_a_page_is_not_marked() -> None:
    found = looked(turned(0, (40, 300, 520, 800)), "What stands here was cut off from the page.")
    assert only(found).match is QuoteMatch.NONE


def test_a_quote_over_several_lines_has_a_rectangle_for_each() -> None:
    content = one_page(*wrap(story("lantern", 4), 150))
    quote = only(looked(content, SENTENCE))
    assert len(quote.rectangles) == 3
    tops = [box.top for box in quote.rectangles]
    assert tops == sorted(set(tops))
    assert text_inside(content, quote.rectangles) == SENTENCE


@pytest.mark.parametrize("across", [False, True], ids=["column by column", "line by line"])
def test_a_quote_stays_in_its_column(across: bool) -> None:
    content = pdf_files.two_columns(across=across)
    parsed = read_document(content, "a.pdf")
    assert SENTENCE in parsed.text
    quote = only(looked(content, SENTENCE))
    assert quote.match is QuoteMatch.EXACT
    assert all(box.right < 300 for box in quote.rectangles)
    assert text_inside(content, quote.rectangles) == SENTENCE
    assert_painted(content, SENTENCE)


def test_mended_words_are_found_where_they_are_divided() -> None:
    content = pdf_files.hyphenated()
    quote = only(looked(content, "wrote in his regulations that each long-term berth"))
    assert quote.match is QuoteMatch.EXACT
    assert len(quote.rectangles) == 2
    assert "regula" in quote.text


def test_ligatures_and_white_space_make_no_difference() -> None:
    content = one_page("The first office of the fleet.")
    quote = only(looked(content, "The \ufb01rst of\ufb01ce\u00a0of\n the  \ufb02eet."))
    assert quote.match is QuoteMatch.EXACT
    assert text_inside(content, quote.rectangles) == "The first office of the fleet."


def test_text_that_runs_up_the_margin_is_marked() -> None:
    content = pdf_files.lying_text()
    quote = only(looked(content, "stamp 2206.01062 of June"))
    (box,) = quote.rectangles
    assert box.bottom - box.top > 4 * (box.right - box.left)
    assert_painted(content, "stamp 2206.01062 of June")


def test_the_rows_of_a_table_are_marked_cell_by_cell() -> None:
    content = pdf_files.wordy_table()
    rows = [f"| {left} | {right} |" for left, right in pdf_files.WORDY_ROWS[2:4]]
    quote = only(looked(content, "\n".join(rows)))
    assert quote.match is QuoteMatch.EXACT
    assert len(quote.rectangles) == 4
    for cell in (*pdf_files.WORDY_ROWS[2], *pdf_files.WORDY_ROWS[3]):
        assert cell in text_inside(content, quote.rectangles)


def test_cells_whose_lines_stand_apart_are_marked_word_by_word() -> None:
    def draw(canvas: Canvas) -> None:
        for x, lines in ((60, ["Size"]), (160, ["Time", "in min."]), (260, ["Score", "in all"])):
            write(canvas, lines, x, 700)
        for row, values in enumerate((("4", "1.97", "0.95"), ("", "3.77", "0.88"))):
            for x, value in zip((60, 160, 260), values, strict=True):
                write(canvas, [value], x, 660 - 12 * row)

    content = pdf(draw)
    quote = only(looked(content, "| 4 | 1.97 3.77 | 0.95 0.88 |"))
    assert quote.match is QuoteMatch.EXACT
    assert sorted(text_inside(content, quote.rectangles).split()) == [
        "0.88",
        "0.95",
        "1.97",
        "3.77",
        "4",
    ]


def test_a_quote_over_the_border_of_pages_is_marked_in_part_on_both() -> None:
    sentence = (
        "The keeper of the light went down the stairs and out onto the pier "
        "where the mate of the ferry was waiting for him with a lamp."
    )
    head, tail = sentence[:67], sentence[67:]

    def first(canvas: Canvas) -> None:
        y = write(canvas, wrap(story("lantern", 4), 450), 60, 780)
        write(canvas, [head], 60, y)
        write(canvas, ["Port Ellery Harbour Authority, page 1"], 60, 40, 8)

    def second(canvas: Canvas) -> None:
        write(canvas, ["Harbour Rules 2025"], 60, 815, 8)
        y = write(canvas, [tail], 60, 760)
        write(canvas, wrap(story("anchor", 4), 450), 60, y)

    def third(canvas: Canvas) -> None:
        write(canvas, wrap(story("gull", 9), 450), 60, 780)

    content = pdf(first, second, third)
    for page, said in ((1, head), (2, tail)):
        quote = only(looked(content, sentence, page=page))
        assert quote.match is QuoteMatch.PARTIAL
        assert text_inside(content, quote.rectangles, page) == said.strip()
    assert only(looked(content, sentence, page=3)).match is QuoteMatch.NONE
    assert set(pages_of_quote(content, media.PDF, Quote(text=sentence)).pages) == {1, 2}


def test_a_quote_with_a_word_that_is_not_there_is_found_approximately() -> None:
    content = turned(0)
    changed = SENTENCE.replace("the story", "this wonderful story")
    quote = only(looked(content, changed))
    assert quote.match is QuoteMatch.APPROXIMATE
    assert "sentence 2" in quote.text


@pytest.mark.parametrize(
    "quote",
    [
        "Nothing like it was ever said in any harbour of the north.",
        "lant",
        "| Berth | Length |",
        "— …",
    ],
)
def test_what_does_not_stand_on_a_page_is_not_marked(quote: str) -> None:
    content = turned(0)
    found = only(looked(content, quote))
    assert (found.match, found.rectangles, found.text) == (QuoteMatch.NONE, (), "")
    assert picture(content, quote).tobytes() == picture(content).tobytes()


def test_a_text_is_marked_wherever_it_stands_but_a_span_only_at_its_place() -> None:
    content = turned(0)
    said = "as told on the quay"
    assert len(only(looked(content, said)).rectangles) >= 3
    second = Quote(text=said, before="sentence 2 of the story of the lantern, ", after=". This is")
    (box,) = only(looked(content, second)).rectangles
    here = only(looked(content, SENTENCE)).rectangles
    assert any(each.top == box.top for each in here)


def test_several_quotes_keep_their_order() -> None:
    found = looked(turned(0), "sentence 3", "absent words of nobody", "sentence 1")
    assert [quote.quote for quote in found.quotes][::2] == ["sentence 3", "sentence 1"]
    first, _, last = found.quotes
    assert first.rectangles[0].top >= last.rectangles[0].top


# --- pictures and scans -----------------------------------------------------------------------

LINES = ["The lighthouse of Port Ellery was built", "in the year 1871 by the harbour board."]


@needs_ocr
@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")],
)
def test_words_on_a_picture_are_marked(kind: str, media_type: str) -> None:
    content = files.picture(LINES, kind)
    quote = only(looked(content, LINES[1], media_type=media_type))
    assert quote.match is QuoteMatch.EXACT
    (box,) = quote.rectangles
    assert_painted(content, LINES[1], media_type=media_type)
    assert box.top > only(looked(content, LINES[0], media_type=media_type)).rectangles[0].bottom


@needs_ocr
def test_each_frame_of_a_picture_is_a_page() -> None:
    frames = [Image.open(io.BytesIO(files.picture([line]))) for line in LINES]
    target = io.BytesIO()
    frames[0].save(target, "TIFF", save_all=True, append_images=frames[1:])
    content = target.getvalue()
    found = looked(content, LINES[1], page=2, media_type="image/tiff")
    assert (found.page_count, only(found).match) == (2, QuoteMatch.EXACT)
    with pytest.raises(NoSuchPage):
        looked(content, page=3, media_type="image/tiff")


@needs_ocr
def test_a_picture_that_lies_on_its_side_is_marked_along_its_lines() -> None:
    target = io.BytesIO()
    upright = Image.open(io.BytesIO(files.picture([*LINES, *LINES])))
    upright.transpose(Image.Transpose.ROTATE_90).save(target, "PNG")
    quote = only(looked(target.getvalue(), LINES[0], media_type="image/png"))
    assert quote.match is QuoteMatch.EXACT
    assert all(box.bottom - box.top > box.right - box.left for box in quote.rectangles)
    assert_painted(target.getvalue(), LINES[0], media_type="image/png")


@needs_ocr
def test_a_scanned_page_of_a_pdf_is_read_and_marked() -> None:
    content = files.scanned_pdf([LINES])
    assert only(looked(content, LINES[0])).match is QuoteMatch.EXACT
    assert_painted(content, LINES[0])


@needs_ocr
def test_a_picture_beside_text_is_read_for_what_the_text_does_not_say() -> None:
    content = pdf_files.page_with_picture(LINES)
    found = looked(content, LINES[1], "sentence 2 of the story")
    assert [quote.match for quote in found.quotes] == [QuoteMatch.EXACT] * 2
    assert found.quotes[0].rectangles[0].top > found.quotes[1].rectangles[0].bottom


def test_without_ocr_a_scan_is_drawn_and_says_why_nothing_is_marked() -> None:
    content = files.scanned_pdf([LINES])
    drawn = Pages(NO_OCR).image(content, media.PDF, "key", 1, [Quote(text=LINES[0])], dpi=DPI)
    assert only(drawn.rectangles).match is QuoteMatch.NONE
    assert "FOOTNOTE_OCR" in drawn.rectangles.unread


def test_a_huge_page_is_drawn_smaller() -> None:
    content = pdf(lambda canvas: canvas.drawString(60, 700, "A poster."), size=(9000, 14000))
    drawn = Pages(NO_OCR).image(content, media.PDF, "key", 1, [], dpi=300)
    assert drawn.width * drawn.height <= 16_100_000
    assert (drawn.rectangles.width_points, drawn.rectangles.height_points) == (9000, 14000)


# --- the children -----------------------------------------------------------------------------


async def _always(_: str) -> bool:
    return True


@pytest.fixture
async def renderer(tmp_path: Path) -> AsyncIterator[PageRenderer]:
    made = PageRenderer(cache=PdfCache(tmp_path / "pages", 10_000_000), still_there=_always)
    yield made
    await made.aclose()


def showable(content: bytes, name: str) -> Showable:
    media_type = media.sniff_media_type(content, name) or ""
    return Showable(filename=name, media_type=media_type, key="workspace/ab/abcd", content=content)


async def test_a_child_draws_and_finds_as_its_functions_do(renderer: PageRenderer) -> None:
    content = turned(90)
    document, quotes = showable(content, "a.pdf"), [Quote(text=SENTENCE)]
    image = await renderer.image(document, 1, quotes, DPI)
    assert image == Pages(OCR).image(content, media.PDF, "key", 1, quotes, dpi=DPI)
    assert await renderer.rectangles(document, 1, quotes) == image.rectangles
    assert (await renderer.pages_of(document, quotes[0])).pages == (1,)


async def test_a_page_that_is_not_there_says_how_many_there_are(renderer: PageRenderer) -> None:
    with pytest.raises(InvalidRequest, match=r"no page 9.* has 1 page") as raised:
        await renderer.image(showable(turned(0), "a.pdf"), 9, [], DPI)
    assert "page 1" in str(raised.value.hint)


@pytest.mark.parametrize(
    ("content", "page", "cause"),
    [
        pytest.param(pdf_files.with_a_broken_page(), 2, "page 2 of it is damaged", id="a page"),
        pytest.param(b"%PDF-1.7\nnothing\n%%EOF", 1, "damaged", id="a file"),
        pytest.param(pdf_files.encrypted(user="x"), 1, "password", id="encrypted"),
    ],
)
async def test_what_is_broken_is_a_typed_error(
    renderer: PageRenderer, content: bytes, page: int, cause: str
) -> None:
    with pytest.raises(DocumentUnreadable, match=cause):
        await renderer.image(showable(content, "a.pdf"), page, [], DPI)
    good = await renderer.image(showable(turned(0), "b.pdf"), 1, [], DPI)
    assert good.rectangles.page_count == 1


async def test_a_page_that_takes_too_long_is_a_typed_error(tmp_path: Path) -> None:
    cache = PdfCache(tmp_path, 1000)
    hasty = PageRenderer(cache=cache, still_there=_always, timeout_seconds=0.001)
    with pytest.raises(DocumentUnreadable, match=r"longer than 0\.001 seconds") as raised:
        await hasty.image(showable(turned(0), "a.pdf"), 1, [], DPI)
    assert "FOOTNOTE_PAGE_TIMEOUT_SECONDS" in raised.value.advice
    await hasty.aclose()


@pytest.mark.parametrize("name", ["notes.md", "letter.eml", "page.html", "data.csv"])
async def test_what_has_no_pages_says_which_kinds_have(renderer: PageRenderer, name: str) -> None:
    with pytest.raises(InvalidRequest, match="no pages") as raised:
        await renderer.image(showable(b"From: a@b\nSubject: c\n\n# Text", name), 1, [], DPI)
    assert "PDF" in str(raised.value.hint)


# --- office files -----------------------------------------------------------------------------


async def test_without_libreoffice_the_error_names_the_remedy(
    renderer: PageRenderer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DocumentUnreadable, match="LibreOffice") as raised:
        await renderer.image(showable(files.contract_docx(), "a.docx"), 1, [], DPI)
    assert "apt-get install libreoffice-writer-nogui" in raised.value.advice


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


@needs_office
@pytest.mark.parametrize(
    ("build", "name"),
    [
        pytest.param(files.contract_docx, "a.docx", id="Word"),
        pytest.param(files.deck_pptx, "a.pptx", id="PowerPoint"),
        pytest.param(files.prices_xlsx, "a.xlsx", id="Excel"),
    ],
)
async def test_an_office_file_is_drawn_once_and_its_quotes_are_found(
    renderer: PageRenderer, tmp_path: Path, build: Callable[[], bytes], name: str
) -> None:
    content = build()
    parsed, document = read_document(content, name), showable(content, name)
    for quote in sample(parsed, 3):
        page = int(quote.before)
        asked = Quote(text=quote.text)
        if not page:  # a Word file has no pages of its own
            page = (await renderer.pages_of(document, asked)).pages[0]
        found = only(await renderer.rectangles(document, page, [asked]))
        assert found.match is not QuoteMatch.NONE, quote.text
    kept = list((tmp_path / "pages").rglob("*"))
    assert [path.name for path in kept if path.is_file()] == ["abcd.pdf"]
    assert not list((tmp_path / "pages").glob("work-*"))


# --- the cache of office files ----------------------------------------------------------------


def test_the_cache_stays_small_and_forgets(tmp_path: Path) -> None:
    cache = PdfCache(tmp_path / "pages", 1000)
    for number in range(5):
        cache.put(f"w/aa/{number}", bytes([number]) * 400)
        os.utime(tmp_path / "pages" / "w" / f"{number}.pdf", (number, number))
    cache.put("w/aa/huge", b"x" * 2000)
    assert [cache.has(f"w/aa/{number}") for number in range(5)] == [False] * 3 + [True] * 2
    assert not cache.has("w/aa/huge")
    assert cache.get("w/aa/4") == b"\x04" * 400
    cache.forget("w/aa/4")
    cache.forget("w/aa/4")
    assert cache.get("w/aa/4") is None


# --- laws -------------------------------------------------------------------------------------


@given(st.text(max_size=60), st.text(max_size=60))
def test_folding_is_done_letter_by_letter(one: str, other: str) -> None:
    whole = fold(one + other)
    assert whole.text == fold(one).text + fold(other).text
    assert list(whole.places) == sorted(whole.places)


@given(
    st.lists(
        st.sampled_from("the keeper lit lamps of every old pier at dusk".split()), min_size=12
    ),
    st.data(),
)
def test_any_run_of_words_is_found_whole(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 3))
    end = data.draw(st.integers(start + 2, len(words)))
    quote, page = " ".join(words[start:end]), "\n".join(words)
    found = find_quote(Quote(text=quote), page, fold(page))
    assert found.match is QuoteMatch.EXACT
    for begin, finish in found.stretches:
        assert page[begin:finish].split() == words[start:end]


# --- real documents ---------------------------------------------------------------------------

PDFS = sorted(DATA.rglob("*.pdf")) if DATA.is_dir() else []


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


@needs_ocr
@pytest.mark.skipif(not PDFS, reason="no ../shared/data here")
@pytest.mark.parametrize("path", PDFS, ids=lambda path: path.name)
def test_sentences_of_real_documents_are_found_on_their_pages(path: Path) -> None:
    content, ocr = path.read_bytes(), Remembering(OCR())
    try:
        content = first_page(content) if path.parent.name == "ocr" else content
        reading = read_pdf(content, lambda: ocr, max_pages=50)
    except (DocumentUnreadable, pdfium.PdfiumError) as error:
        pytest.skip(f"it cannot be read: {error}")
    pages = Pages(lambda: ocr)
    for quote in sample(assemble(reading, path.name, media.PDF), 5):
        page = int(quote.before)
        found = pages.rectangles(content, media.PDF, "key", page, [Quote(text=quote.text)])
        assert only(found).match in {QuoteMatch.EXACT, QuoteMatch.APPROXIMATE}, quote.text
        assert only(found).rectangles
