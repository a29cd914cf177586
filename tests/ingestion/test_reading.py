from __future__ import annotations

import io
import json
import os
from email.message import EmailMessage
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from footnote.domain import Block, BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.failures import plain_cause
from footnote.ingestion.parsing.drafts import clean
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files

NO_OCR = ReadingOptions(ocr="off")


def blank_picture() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (400, 300), "#8fbcd4").save(target, "PNG")
    return target.getvalue()


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


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_values_are_read_under_their_delimiter(delimiter: str) -> None:
    rows = [["name", "note"], ["Ada", '"one, two; three"'], ["Bob", "x"]]
    text = "\n".join(delimiter.join(row) for row in rows)
    (table,) = read_document(text.encode(), "people.csv").blocks
    assert table.text.splitlines()[0] == "| name | note |"
    assert "| Ada | one, two; three |" in table.text


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
    <pre>x = 1\n  y = 2</pre></main><footer><a href="/imprint">Imprint</a></footer></body></html>"""
    parsed = read_document(page.encode(), "help.html")
    assert_lawful(parsed)
    assert (parsed.title, parsed.languages) == ("Help", ("en",))
    assert [block.kind.value for block in parsed.blocks] == [
        "heading", "paragraph", "list", "table", "code",
    ]  # fmt: skip
    assert block_with(parsed, "fresh").text == "Use fresh water\nonly."
    assert block_with(parsed, "inner").text == "- one\n  - inner\n- two"
    assert block_with(parsed, "x = 1").text == "x = 1\n  y = 2"


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
        ("a.png", blank_picture(), "no text was found in the picture", "FOOTNOTE_VISION_MODEL"),
    ],
)
def test_a_file_without_text_says_what_its_type_lacks(
    filename: str, content: bytes, cause: str, advice: str
) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(content, filename)
    assert cause in caught.value.cause
    assert advice in caught.value.advice


@pytest.mark.parametrize("above", [0, 300])
def test_a_value_that_is_too_long_is_named_by_its_row(above: int) -> None:
    rows = "name,note\n" + "ada,x\n" * above + f'bob,"{"word " * 2_200_000}\n'
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(rows.encode(), "notes.csv")
    assert plain_cause(caught.value) == (
        f"a value in row {above + 2} has more than 10,485,760 characters"
    )
    assert "quotation mark that is never closed" in caught.value.advice


def table_of(text: str) -> list[str]:
    return [each.text for each in read_document(text.encode(), "values.csv").blocks]


def test_a_quotation_mark_that_is_never_closed_is_a_character() -> None:
    [table] = table_of('name,note\nada,"5 inches\nbob,x\ncleo,y\n')
    assert table.splitlines()[2:] == ['| ada | "5 inches |', "| bob | x |", "| cleo | y |"]
    [table] = table_of('name,note\nada,"one\nof ""two"" lines"\nbob,x\n')
    assert table.splitlines()[2:] == ['| ada | one of "two" lines |', "| bob | x |"]


def test_a_table_goes_on_below_a_gap_where_its_numbers_do() -> None:
    [table] = table_of("name,city,amount\nada,Oslo,10\ncleo,Paris,30\n\nDora\nEmil,Bern,50\n")
    assert table.splitlines()[3:] == [
        "| cleo | Paris | 30 |",
        "| Dora |  |  |",
        "| Emil | Bern | 50 |",
    ]
    both = table_of("name,amount\nada,10\n\nCities\ncity,country\nOslo,Norway\n")
    assert len(both) > 1


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\u200f", "\u061c"], ids=ascii)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "# Invoice {}fdp.exe\n\nPay now."),
        ("a.html", "<title>Invoice {}fdp.exe</title><p>Pay now.</p>"),
        ("Invoice {}fdp.exe.txt", "Pay now."),
    ],
    ids=["heading", "declared", "name"],
)
def test_a_title_does_not_turn_what_stands_beside_it(name: str, text: str, mark: str) -> None:
    parsed = read_document(text.format(mark).encode(), name.format(mark))
    assert parsed.title == "Invoice fdp.exe"


def test_pages_of_a_text_may_be_empty() -> None:
    parsed = read_document(b"first page\x0c\x0c\x0c\x0c\x0c\x0clast page", "pages.txt")
    assert [block.text for block in parsed.blocks] == ["first page", "last page"]
    assert [block.page for block in parsed.blocks] == [1, 7]


def test_a_heading_is_of_the_sixth_level_at_most() -> None:
    headings = [f"{'.'.join('1234567'[:depth])} Deep" for depth in range(1, 8)]
    parsed = read_document("\n\n".join([*headings, "Text."]).encode(), "deep.txt")
    # A number alone begins at the second level, and the last of one level takes its place.
    assert parsed.blocks[-1].heading_path == (*headings[:4], headings[-1])


def test_outputs_of_a_notebook_have_no_terminal_codes() -> None:
    output = {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m alert"]}
    cell = {"cell_type": "code", "source": "warn()", "outputs": [output]}
    content = json.dumps({"nbformat": 4, "cells": [cell]}).encode()
    assert [block.text for block in read_document(content, "a.ipynb").blocks] == [
        "warn()",
        "red alert",
    ]
