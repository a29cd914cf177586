from __future__ import annotations

import re
import shutil

import pytest

from footnote.domain import Block, BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import pdf_files

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


# --- encryption -----------------------------------------------------------------------------


def test_a_pdf_with_a_password_says_so() -> None:
    with pytest.raises(DocumentUnreadable, match="protected by a password") as raised:
        read(pdf_files.encrypted(user="secret"))
    assert "without a password" in raised.value.advice


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
