"""Pages are drawn as they are shown, and quotes are marked where they stand on them."""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from footnote.domain.pages import QuoteMatch
from footnote.errors import DocumentUnreadable
from footnote.ingestion import media
from footnote.ingestion.parsing.drafts import assemble
from footnote.ingestion.parsing.pdf import read_pdf
from footnote.ingestion.parsing.reading import read_document
from footnote.ingestion.rendering.folding import fold
from footnote.ingestion.rendering.glyphs import within_line
from footnote.ingestion.rendering.pages import Pages, pages_of_quote
from footnote.ingestion.rendering.quotes import Quote, find_quote
from footnote.ingestion.rendering.sheets import NoSuchPage
from tests.ingestion import files, pdf_files
from tests.ingestion.page_marks import (
    DATA,
    DPI,
    NO_OCR,
    OCR,
    SENTENCE,
    Remembering,
    assert_painted,
    first_page,
    looked,
    needs_ocr,
    one_page,
    only,
    picture,
    sample,
    text_inside,
    turned,
)
from tests.ingestion.pdf_files import pdf, story, wrap, write

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
    lines = wrap(SENTENCE, 120)
    content = one_page("What comes before.", *lines, "What comes after.")
    quote = only(looked(content, SENTENCE))
    assert len(quote.rectangles) == len(lines) == 3
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


def test_the_space_that_ends_a_cell_is_not_marked() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 12)
        canvas.drawString(60, 500, "second   ")
        canvas.drawString(200, 500, "third")

    first, second = only(looked(pdf(draw), "second third")).rectangles
    assert first.right == pytest.approx(60 + stringWidth("second", "Helvetica", 12), abs=0.1)
    assert second.right == pytest.approx(200 + stringWidth("third", "Helvetica", 12), abs=0.1)


def test_a_font_that_claims_more_than_a_line_does_not_reach_the_next() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 12)
        canvas.drawString(60, 500, "The lantern is lit.")

    content = pdf(draw)
    with pdfium.PdfDocument(content) as document:
        page = document[0]
        said = page.get_textpage()
        assert within_line(said, 0, 480.0, 540.0) == (497.0, 512.0)
        assert within_line(said, 0, 498.0, 511.0) == (498.0, 511.0)


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


def test_a_filled_in_field_and_a_comment_are_marked_where_they_stand() -> None:
    content = pdf_files.form()
    assert "Name of the vessel: Marigold" in read_document(content, "a.pdf").text
    (box,) = only(looked(content, "Name of the vessel: Marigold")).rectangles
    assert [box.left, box.bottom] == pytest.approx([60, 142], abs=2)
    assert_painted(content, "Name of the vessel: Marigold")
    comment = only(looked(pdf_files.annotated(), "Please check the year."))
    assert comment.rectangles[0].left == pytest.approx(500, abs=2)


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
