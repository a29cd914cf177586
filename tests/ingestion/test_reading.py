from __future__ import annotations

import os
from email.message import EmailMessage
from itertools import pairwise
from pathlib import Path

import pytest

from footnote.domain import Block, BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.drafts import clean
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files

NO_OCR = ReadingOptions(ocr="off")


def blocks_of(parsed: ParsedDocument, kind: BlockKind) -> list[Block]:
    return [block for block in parsed.blocks if block.kind is kind]


def block_with(parsed: ParsedDocument, words: str) -> Block:
    return next(block for block in parsed.blocks if words in block.text)


def assert_lawful(parsed: ParsedDocument) -> None:
    for block in parsed.blocks:
        assert parsed.text[block.char_start : block.char_end] == block.text
        assert block.text.strip()
        assert block.paragraph >= 1
    for before, after in pairwise(parsed.blocks):
        assert before.char_end < after.char_start


def test_a_pdf_keeps_pages_headings_lists_and_tables() -> None:
    parsed = read_document(files.handbook_pdf(), "handbook.pdf", NO_OCR)
    assert_lawful(parsed)
    assert parsed.title == "Handbook"
    assert parsed.page_count == 3
    headings = [(block.page, block.text) for block in blocks_of(parsed, BlockKind.HEADING)]
    assert headings == [
        (1, "Employee Handbook"),
        (1, "Leave"),
        (1, "Sick leave"),
        (2, "Travel"),
        (3, "The end"),
    ]
    sick = block_with(parsed, "certificate")
    assert (sick.page, sick.paragraph, sick.heading_path[-2:]) == (1, 2, ("Leave", "Sick leave"))
    assert block_with(parsed, "Rule number 1").kind is BlockKind.LIST
    ruled, spaced = blocks_of(parsed, BlockKind.TABLE)
    assert ruled.text.splitlines() == [
        "| Grade | Salary | Bonus |",
        "| --- | --- | --- |",
        "| A | 50,000 | 5 % |",
        "| B | 60,000 | 7 % |",
    ]
    assert (spaced.page, spaced.text.splitlines()[2]) == (2, "| Berlin | 120 |")


def test_running_headers_and_page_numbers_are_dropped() -> None:
    parsed = read_document(files.handbook_pdf(), "handbook.pdf", NO_OCR)
    assert "confidential" not in parsed.text
    assert "Page 1 of" not in parsed.text


def test_two_paragraphs_of_a_pdf_stay_two() -> None:
    parsed = read_document(files.handbook_pdf(), "handbook.pdf", NO_OCR)
    travel = [block for block in parsed.blocks if block.page == 2]
    assert [block.text for block in travel[1:3]] == [files.TRAVEL, files.LEAVE]
    assert [block.paragraph for block in travel[:3]] == [1, 1, 2]


def test_a_word_file_keeps_its_structure() -> None:
    parsed = read_document(files.contract_docx(), "contract.docx")
    assert_lawful(parsed)
    assert parsed.title == "Rental agreement"
    notice = block_with(parsed, "90 days")
    assert notice.heading_path == ("Term", "Notice")
    assert block_with(parsed, "second point").heading_path == ("Term", "Notice")
    assert "| Buoy | 1,200 |" in blocks_of(parsed, BlockKind.TABLE)[0].text


def test_each_slide_is_a_page_with_its_notes() -> None:
    parsed = read_document(files.deck_pptx(), "deck.pptx")
    assert_lawful(parsed)
    assert parsed.page_count == 2
    assert block_with(parsed, "Ship it").heading_path == ("Launch plan",)
    assert block_with(parsed, "Say hello").page == 1
    table = block_with(parsed, "| Q1 | 40 |")
    assert (table.page, table.heading_path) == (2, ())


def test_each_sheet_is_a_heading_over_its_table() -> None:
    parsed = read_document(files.prices_xlsx(), "prices.xlsx")
    assert_lawful(parsed)
    assert block_with(parsed, "Price list").kind is BlockKind.PARAGRAPH
    hardware, services = blocks_of(parsed, BlockKind.TABLE)
    assert hardware.heading_path == ("Hardware",)
    assert hardware.text.startswith("| Article | Price |")
    assert services.heading_path == ("Services",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_values_are_read_under_their_delimiter(delimiter: str) -> None:
    rows = [["name", "note"], ["Ada", '"one, two; three"'], ["Bob", "x"]]
    text = "\n".join(delimiter.join(row) for row in rows)
    (table,) = read_document(text.encode(), "people.csv").blocks
    assert table.text.splitlines()[0] == "| name | note |"
    assert "| Ada | one, two; three |" in table.text


def test_an_email_has_headers_a_body_and_attachments() -> None:
    parsed = read_document(files.letter_eml(), "letter.eml")
    assert_lawful(parsed)
    assert parsed.title == "Delivery of four sensors"
    assert parsed.metadata["from"] == "Linnet <linnet@supplier.example>"
    assert parsed.metadata["to"] == "purchasing@acme.example"
    assert parsed.metadata["date"] == "2025-03-12T09:30:00+01:00"
    assert block_with(parsed, "left our dock").kind is BlockKind.PARAGRAPH
    (attachment,) = parsed.attachments
    assert (attachment.filename, attachment.media_type) == ("sensors.csv", "text/csv")
    assert attachment.content.startswith(b"serial,price")


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../x.csv", "x.csv"),
        (r"C:\\Users\\x.csv", "x.csv"),
        ("a\u202ex.csv", "ax.csv"),
        ("../..", "attachment-1"),
        ("folder/", "attachment-1"),
        ("x" * 300, "x" * 255),
    ],
)
def test_an_attachment_has_a_name_and_no_path(sent: str, kept: str) -> None:
    message = EmailMessage()
    message.set_content("See the list.")
    message.add_attachment(b"a,b\n1,2", maintype="text", subtype="csv", filename=sent)
    (attachment,) = read_document(message.as_bytes(), "a.eml").attachments
    assert attachment.filename == kept


def test_html_leaves_out_what_is_not_the_page() -> None:
    page = """<html lang="en"><head><title>Help</title><style>p{}</style></head><body>
    <nav><a href="/">Home</a></nav><script>alert(1)</script>
    <main><h1>Cleaning</h1><p>Use <b>fresh</b> water<br>only.</p>
    <ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>
    <table><tr><th>Code</th><th>Meaning</th></tr><tr><td>E-1</td><td>open</td></tr></table>
    <pre>x = 1\n  y = 2</pre></main><footer>Imprint</footer></body></html>"""
    parsed = read_document(page.encode(), "help.html")
    assert_lawful(parsed)
    assert (parsed.title, parsed.languages) == ("Help", ("en",))
    assert [block.kind.value for block in parsed.blocks] == [
        "heading", "paragraph", "list", "table", "code",
    ]  # fmt: skip
    assert block_with(parsed, "fresh").text == "Use fresh water\nonly."
    assert block_with(parsed, "inner").text == "- one\n  - inner\n- two"
    assert block_with(parsed, "x = 1").text == "x = 1\n  y = 2"


def test_markdown_loses_its_marks_and_keeps_its_structure() -> None:
    text = (
        "---\ntitle: Notes\n---\n# One\n\nA **bold** [link](http://x) and `code`.\n\n"
        "## Two\n\n1. first\n2. second\n   - deep\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "```\nraw *text*\n```\n"
    )
    parsed = read_document(text.encode(), "notes.md")
    assert_lawful(parsed)
    assert parsed.title == "Notes"
    assert block_with(parsed, "bold").text == "A bold link and code."
    assert block_with(parsed, "deep").text == "1. first\n2. second\n  - deep"
    assert block_with(parsed, "deep").heading_path == ("One", "Two")
    assert block_with(parsed, "raw").text == "raw *text*"
    assert "| 1 | 2 |" in blocks_of(parsed, BlockKind.TABLE)[0].text


def test_plain_text_has_headings_and_unwrapped_paragraphs() -> None:
    text = (
        "1. WORKING HOURS\n\nThe regular week has thirty-eight hours, spread over five days,\n"
        "and nobody works more than ten hours on one of them.\n\n- one\n- two\n\nMILK\n\nNo.\n"
    )
    parsed = read_document(text.encode(), "hours.txt")
    assert_lawful(parsed)
    assert [block.text for block in blocks_of(parsed, BlockKind.HEADING)] == [
        "1. WORKING HOURS",
        "MILK",
    ]
    assert "five days, and nobody" in parsed.text
    assert block_with(parsed, "- two").kind is BlockKind.LIST


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_text_is_decoded_whatever_its_encoding(encoding: str) -> None:
    parsed = read_document("Grüße aus Köln – für alle.".encode(encoding), "a.txt")
    assert parsed.text == "Grüße aus Köln – für alle."


def test_captions_become_utterances_with_times_and_speakers() -> None:
    text = (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ann>Good morning.\n\n"
        "00:00:02.000 --> 00:00:04.000\n<v Ann>Let us begin.\n\n"
        "00:00:05.000 --> 00:00:06.000\n<v Bob>Yes.\n"
    )
    parsed = read_document(text.encode(), "call.vtt")
    assert [block.text for block in parsed.blocks] == [
        "[00:00:01] Ann: Good morning. Let us begin.",
        "[00:00:05] Bob: Yes.",
    ]


def test_text_is_composed_and_without_invisible_characters() -> None:
    assert clean("Cafe\u0301 so\u00adft\u200b\x00\u00a0end\ud800\r\n") == "Café soft end"


@pytest.mark.parametrize(
    ("content", "filename", "says"),
    [
        pytest.param(files.handbook_pdf(password="x"), "a.pdf", "password", id="encrypted pdf"),
        pytest.param(b"%PDF-1.4\nnonsense", "a.pdf", "damaged", id="broken pdf"),
        pytest.param(os.urandom(4000), "a.pdf", "type is unknown", id="random bytes"),
        pytest.param(files.contract_docx()[:3000], "a.docx", "damaged", id="truncated docx"),
        pytest.param(files.deck_pptx()[:3000], "a.pptx", "damaged", id="truncated pptx"),
        pytest.param(files.picture(["x"])[:200], "a.png", "damaged", id="truncated picture"),
        pytest.param(b"  \n \n", "a.txt", "no text", id="only white space"),
        pytest.param(files.scanned_pdf([["scan"]]), "a.pdf", "OCR is switched off", id="no ocr"),
    ],
)
def test_what_cannot_be_read_says_why_and_what_to_do(
    content: bytes, filename: str, says: str
) -> None:
    choice = ReadingOptions(ocr="auto" if filename.endswith("png") else "off")
    with pytest.raises(DocumentUnreadable, match=says) as raised:
        read_document(content, filename, choice)
    assert raised.value.advice


def test_a_document_with_too_many_pages_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="3 pages, more than the 2"):
        read_document(files.handbook_pdf(), "a.pdf", ReadingOptions(max_pages=2))


def test_a_document_with_too_much_text_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="characters, more than"):
        read_document(b"word " * 100, "a.txt", ReadingOptions(max_text_characters=100))


def test_deeply_nested_html_is_read() -> None:
    page = "<div>" * 50_000 + "deep" + "</div>" * 50_000
    assert read_document(page.encode(), "a.html").text == "deep"


def test_a_huge_row_is_read() -> None:
    text = "a,b\n" + "x" * 2_000_000 + ",y\n"
    (table,) = read_document(text.encode(), "a.csv").blocks
    assert table.kind is BlockKind.TABLE


def test_a_billion_laughs_are_not_laughed() -> None:
    try:
        parsed = read_document(files.bomb_docx(), "bomb.docx")
    except DocumentUnreadable:
        return
    assert len(parsed.text) < 1_000_000


@pytest.mark.parametrize(
    "name", sorted(p.name for p in Path("examples/documents").glob("*")) or [""]
)
def test_every_example_is_read_lawfully(name: str) -> None:
    path = Path("examples/documents") / name
    if not path.is_file() or path.suffix == ".png" or "scan" in name:
        pytest.skip("no example, or one that needs OCR")
    assert_lawful(read_document(path.read_bytes(), name))


@pytest.mark.parametrize(
    ("filename", "content", "cause", "advice"),
    [
        ("a.srt", b"1\nHello, without a time\n", "no caption was found", "00:00:01,000 -->"),
        ("a.vtt", b"WEBVTT\n\n", "no caption was found", "00:00:01,000 -->"),
        ("a.mbox", b"From a@b Mon Jan 1 00:00:00 2024\n", "no message was found", "its headers"),
        ("a.ipynb", b'{"cells": [], "nbformat": 4}', "no cell with text", "in Jupyter"),
        ("a.txt", b" \n ", "no text was found", "not empty"),
    ],
)
def test_a_file_without_text_says_what_its_type_lacks(
    filename: str, content: bytes, cause: str, advice: str
) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(content, filename)
    assert cause in caught.value.cause
    assert advice in caught.value.advice
