from __future__ import annotations

import re
import shutil
from itertools import pairwise

import pytest

from footnote.domain import Block, BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import pdf_files
from tests.ingestion.test_reading import blocks_of

NO_OCR = ReadingOptions(ocr="off")
needs_ocr = pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract here")
INVOICE = ["Invoice number 4711", "Please pay within thirty days."]


def read(content: bytes, options: ReadingOptions = NO_OCR) -> ParsedDocument:
    parsed = read_document(content, "a.pdf", options)
    for block in parsed.blocks:
        assert parsed.text[block.char_start : block.char_end] == block.text
    return parsed


def with_pictures(content: bytes) -> ParsedDocument:
    return read(content, ReadingOptions(ocr="tesseract"))


def stories(parsed: ParsedDocument) -> list[tuple[str, int]]:
    """Name and number of each sentence, in the order in which it is read."""
    text = " ".join(parsed.text.split())
    found = re.findall(r"sentence (\d+) of the (?:old )?story1? of the ([\w ]+?),", text)
    return [(name, int(number)) for number, name in found]


def told(name: str, sentences: int = 8) -> list[tuple[str, int]]:
    return [(name, number) for number in range(1, sentences + 1)]


def block_with(parsed: ParsedDocument, words: str) -> Block:
    return next(block for block in parsed.blocks if words in block.text)


# --- reading order --------------------------------------------------------------------------


@pytest.mark.parametrize("across", [False, True], ids=["column by column", "line by line"])
def test_columns_are_read_one_after_the_other(across: bool) -> None:
    parsed = read(pdf_files.two_columns(across=across))
    assert parsed.blocks[0].kind is BlockKind.HEADING
    assert stories(parsed) == told("lantern") + told("anchor")
    assert not [block for block in parsed.blocks if block.kind is BlockKind.TABLE]


def test_three_columns_are_read_one_after_the_other() -> None:
    parsed = read(pdf_files.three_columns())
    assert stories(parsed) == told("lantern") + told("anchor") + told("gull")


def test_phrases_in_rows_are_a_table_and_no_columns() -> None:
    (table,) = read(pdf_files.wordy_table()).blocks
    assert table.kind is BlockKind.TABLE
    rows = [line for line in table.text.splitlines() if "---" not in line]
    assert rows == [f"| {first} | {second} |" for first, second in pdf_files.WORDY_ROWS]


def test_a_table_below_columns_keeps_its_rows() -> None:
    parsed = read(pdf_files.columns_over_table())
    assert stories(parsed) == told("lantern") + told("anchor")
    assert "| East 1 | 12 m | 40 |" in parsed.blocks[-1].text


def test_what_is_drawn_last_but_stands_above_is_read_first() -> None:
    parsed = read(pdf_files.title_drawn_last())
    assert parsed.blocks[0].text == "The lantern of the northern mole"
    assert stories(parsed) == told("lantern", 4)


def test_a_paragraph_goes_on_in_the_next_column_past_the_footnote() -> None:
    parsed = read(pdf_files.columns_with_notes())
    broken = block_with(parsed, "went down the stairs")
    assert "went down the stairs and opened the door to the sea." in broken.text


def test_a_footnote_follows_the_paragraph_that_refers_to_it() -> None:
    parsed = read(pdf_files.columns_with_notes())
    for before, after in pairwise(parsed.blocks):
        if after.text.startswith("1 The oldest"):
            assert "old story1" in before.text
            assert after.text.endswith("of the town.")
            return
    raise AssertionError("the footnote is lost")


# --- pages and text that are turned ---------------------------------------------------------


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_page_that_is_turned_is_read_as_it_is_shown(degrees: int) -> None:
    parsed = read(pdf_files.turned(degrees))
    assert (parsed.blocks[0].kind, parsed.blocks[0].text) == (BlockKind.HEADING, "The turned page")
    assert stories(parsed) == told("lantern", 3)
    assert len(parsed.blocks) == 2


def test_a_page_whose_text_lies_is_read_as_if_it_stood() -> None:
    parsed = read(pdf_files.lying_page())
    assert parsed.blocks[0].text == "The lying page"
    assert stories(parsed) == told("lantern", 3)


def test_a_stamp_along_the_margin_stands_apart() -> None:
    parsed = read(pdf_files.lying_text())
    assert stories(parsed) == told("lantern", 6)
    assert parsed.blocks[-1].text == "Archive stamp 2206.01062 of June"


# --- forms, comments, links -----------------------------------------------------------------


def test_filled_fields_are_read_under_their_labels() -> None:
    parsed = read(pdf_files.form())
    fields = block_with(parsed, "Marigold")
    assert fields.text.splitlines() == [
        "Name of the vessel: Marigold",
        "owner Name: Ann Harrow",
        "Shore power: yes",
        "Month: May",
    ]
    assert fields.page == 1


def test_comments_are_read_with_what_they_are_about() -> None:
    parsed = read(pdf_files.annotated())
    assert block_with(parsed, "check the year").text == "Comment: Please check the year."
    highlight = block_with(parsed, "Too old a story?").text
    assert highlight.startswith("Comment on “This is sentence 1")


def test_web_and_mail_links_are_kept_in_the_metadata() -> None:
    parsed = read(pdf_files.annotated())
    assert parsed.metadata["links"] == (
        "https://harbour.example/berths mailto:berths@harbour.example"
    )


# --- what the file says of its structure ----------------------------------------------------


def test_bookmarks_tell_headings_that_look_like_text() -> None:
    parsed = read(pdf_files.outlined())
    headings = [block for block in parsed.blocks if block.kind is BlockKind.HEADING]
    assert [(block.page, block.text, block.heading_level) for block in headings] == [
        (1, "Moorings and berths", 1),
        (1, "Visiting vessels", 2),
        (2, "Dues and payment", 1),
    ]
    assert block_with(parsed, "story of the visiting").heading_path == (
        "Moorings and berths",
        "Visiting vessels",
    )


def test_tags_tell_headings_and_what_pictures_show() -> None:
    parsed = read(pdf_files.tagged())
    assert [(block.kind, block.text) for block in parsed.blocks] == [
        (BlockKind.HEADING, "Moorings of the harbour"),
        (BlockKind.PARAGRAPH, "Every berth has two moorings and a number."),
        (BlockKind.HEADING, "Visitors"),
        (BlockKind.PARAGRAPH, "Visitors lie at the eastern quay for a week."),
        (BlockKind.IMAGE, "A chart of the basin"),
    ]
    assert parsed.blocks[3].heading_path == ("Moorings of the harbour", "Visitors")
    assert parsed.languages == ("en",)


def test_printed_page_numbers_are_remembered_where_they_differ() -> None:
    assert read(pdf_files.labelled()).metadata["page_labels"] == "i, ii, 1"
    assert "page_labels" not in read(pdf_files.outlined()).metadata


# --- encryption -----------------------------------------------------------------------------


def test_a_pdf_that_anybody_may_open_is_read_though_encrypted() -> None:
    assert stories(read(pdf_files.encrypted(user=""))) == told("lantern", 3)


def test_a_pdf_with_a_password_says_so() -> None:
    with pytest.raises(DocumentUnreadable, match="protected by a password") as raised:
        read(pdf_files.encrypted(user="secret"))
    assert "without a password" in raised.value.advice


def test_a_page_that_is_broken_costs_only_itself() -> None:
    parsed = read(pdf_files.with_a_broken_page())
    assert parsed.text == "A page of the log."
    assert (parsed.page_count, parsed.metadata["pages_without_text"]) == (2, 1)


# --- embedded files -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kept"), [("list.csv", "list.csv"), ("../a/b.csv", "b.csv")])
def test_embedded_files_are_attachments(name: str, kept: str) -> None:
    (attachment,) = read(pdf_files.with_attachment(name, b"a,b\n1,2\n")).attachments
    assert (attachment.filename, attachment.content) == (kept, b"a,b\n1,2\n")


# --- pictures -------------------------------------------------------------------------------


@needs_ocr
def test_a_large_picture_beside_text_is_read() -> None:
    parsed = with_pictures(pdf_files.page_with_picture(INVOICE))
    assert stories(parsed) == told("lantern", 5)
    text, *pictures = parsed.blocks
    assert (text.kind, text.confidence) == (BlockKind.PARAGRAPH, None)
    assert {block.kind for block in pictures} == {BlockKind.OCR_TEXT}
    assert all(0.5 < (block.confidence or 0) <= 1 for block in pictures)
    assert "4711" in parsed.text


@needs_ocr
def test_what_the_text_layer_writes_on_a_picture_is_read_once() -> None:
    parsed = with_pictures(pdf_files.picture_under_text(INVOICE))
    assert parsed.text.count("Written on the picture") == 1
    assert "4711" in parsed.text


@needs_ocr
def test_a_picture_that_recurs_is_read_once() -> None:
    parsed = with_pictures(pdf_files.page_with_picture(INVOICE, times=3))
    assert parsed.text.count("4711") == 1


@needs_ocr
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(pdf_files.page_with_picture(INVOICE, width=90), id="small"),
        pytest.param(pdf_files.page_with_photo(), id="without words"),
        pytest.param(pdf_files.recognised_scan(INVOICE), id="recognised already"),
    ],
)
def test_other_pictures_are_not_read(content: bytes) -> None:
    parsed = with_pictures(content)
    assert not [block for block in parsed.blocks if block.kind is BlockKind.OCR_TEXT]
    assert parsed.text.count("4711") <= 1


def test_pictures_that_could_not_be_read_are_counted() -> None:
    parsed = read(pdf_files.page_with_picture(INVOICE))
    assert parsed.metadata["pictures_without_text"] == 1


# --- what stands in the margins, at the ends of lines, under figures --------------------------


@pytest.mark.parametrize("pages", [4, 8])
def test_running_lines_are_left_out_and_remembered(pages: int) -> None:
    parsed = read(pdf_files.running(pages))
    assert "Harbour Rules" not in parsed.text
    assert "Harbour Authority" not in parsed.text
    assert parsed.metadata["running_header"] == "Chapter of the Pilots | Harbour Rules 2025"
    assert parsed.metadata["running_footer"] == "Port Ellery Harbour Authority"
    assert not any(re.fullmatch(r"\d+", block.text) for block in parsed.blocks)


def test_a_page_number_in_a_wide_margin_is_no_text() -> None:
    parsed = read_document(pdf_files.numbered_high(), "a.pdf")
    assert {block.text for block in parsed.blocks} & {"1", "2"} == set()
    assert all(block.text.startswith("This is sentence 1 ") for block in parsed.blocks)


def test_divided_words_are_mended_and_compounds_keep_their_hyphen() -> None:
    parsed = read(pdf_files.hyphenated())
    for whole in ("his regulations", "the quarter,", "are well-known", "Anglo-Danish", "COVID-19"):
        assert whole in parsed.text
    assert parsed.text.count("long-term") == 2


def test_captions_are_told_from_sentences() -> None:
    parsed = read(pdf_files.captioned())
    captions = [block.text for block in parsed.blocks if block.kind is BlockKind.CAPTION]
    assert captions == [
        "Figure 3: The lantern on the northern mole in winter.",
        "Tabelle 2. Gebühren der Liegeplätze",
    ]


def test_lists_are_nested_as_they_are_indented() -> None:
    (found,) = blocks_of(read_document(pdf_files.nested_list(), "a.pdf"), BlockKind.LIST)
    assert found.text.split("\n") == [
        "- Check the hull",
        "  - paint above the water line, which is what everybody sees and what wears off soonest in"
        " the sun and the salt of the sea",
        "  - zinc",
        "    - each anode by hand",
        "- Load the stores",
        "9. bread",
        "10. water",
        "  a) in casks",
        "11. rope",
    ]


def test_sentences_run_on_over_lines_that_stand_wider_than_others() -> None:
    parsed = read_document(pdf_files.double_spaced(), "a.pdf")
    said = " ".join(block.text for block in blocks_of(parsed, BlockKind.PARAGRAPH))
    assert pdf_files.story("lantern", 9) in said
    for number in range(1, 10):
        sentence = f"This is sentence {number} of the story of the lantern, as told on the quay."
        assert any(sentence in block.text for block in parsed.blocks), sentence


def test_numbers_set_flush_right_stay_in_their_columns() -> None:
    (table,) = blocks_of(read_document(pdf_files.flush_right_table(), "a.pdf"), BlockKind.TABLE)
    header, _, *rows = table.text.split("\n")
    assert header == "| Year | Ducks on the pond |"
    assert rows == [f"| {2019 + number} | {120 + 7 * number} |" for number in range(5)]


def test_code_keeps_its_lines() -> None:
    parsed = read(pdf_files.with_code())
    (code,) = [block for block in parsed.blocks if block.kind is BlockKind.CODE]
    assert code.text.splitlines() == [
        "def berth(length):",
        "    if length > 12:",
        "        return 'B'",
        "    return 'A'",
    ]
