from __future__ import annotations

import io
import shutil

import pytest
from PIL import Image

from footnote.domain import BlockKind, ParsedDocument
from footnote.engine.diagnosis import optional_checks
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.ocr import installed_rapidocr, ocr_lacking
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from footnote.ports import OcrChoice
from footnote.settings import Settings
from tests.ingestion import files

INVOICE = ["Invoice number 4711", "Please pay within thirty days.", "Thank you very much."]
ENGINES = [
    pytest.param(
        "tesseract",
        marks=pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract here"),
    ),
    pytest.param(
        "rapidocr",
        marks=pytest.mark.skipif(installed_rapidocr() is None, reason="no rapidocr here"),
    ),
]


def read(content: bytes, filename: str, engine: OcrChoice) -> ParsedDocument:
    return read_document(content, filename, ReadingOptions(ocr=engine))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP"])
def test_a_picture_is_read_with_confidence(engine: OcrChoice, kind: str) -> None:
    parsed = read(files.picture(INVOICE, kind), f"invoice.{kind.lower()}", engine)
    text = parsed.text.replace(" ", "").replace("\n", "")
    assert "Invoicenumber4711" in text
    assert "withinthirtydays" in text
    for block in parsed.blocks:
        assert block.kind is BlockKind.OCR_TEXT
        assert block.page == 1
        assert 0.5 < (block.confidence or 0) <= 1


@pytest.mark.parametrize("engine", ENGINES)
def test_only_the_pages_without_text_are_read_from_pixels(engine: OcrChoice) -> None:
    content = files.scanned_pdf(["A page with a text layer.", INVOICE])
    parsed = read(content, "mixed.pdf", engine)
    first, *others = parsed.blocks
    assert (first.page, first.kind, first.confidence) == (1, BlockKind.PARAGRAPH, None)
    assert {(block.page, block.kind) for block in others} == {(2, BlockKind.OCR_TEXT)}
    assert "4711" in parsed.text


def test_a_mixed_document_says_how_many_pages_were_not_read() -> None:
    content = files.scanned_pdf(["A page with a text layer.", INVOICE])
    parsed = read(content, "mixed.pdf", "off")
    assert parsed.metadata["pages_without_text"] == 1
    assert parsed.page_count == 2


def test_small_letters_are_read_as_well_as_large_ones() -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("no tesseract here")
    large = Image.open(io.BytesIO(files.picture(INVOICE)))
    small = io.BytesIO()
    large.resize((large.width // 5, large.height // 5)).save(small, "PNG")
    parsed = read(small.getvalue(), "small.png", "tesseract")
    assert "4711" in parsed.text
    assert "thirty days" in parsed.text
    assert all((block.confidence or 0) > 0.8 for block in parsed.blocks)


def test_every_installed_language_can_be_asked_for() -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("no tesseract here")
    options = ReadingOptions(ocr="tesseract", ocr_languages="auto")
    assert "4711" in read_document(files.picture(INVOICE), "a.png", options).text


def test_a_language_that_is_not_installed_is_named_with_what_to_do() -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("no tesseract here")
    cause, advice = ocr_lacking("tesseract", "xyz+osd") or ("", "")
    assert cause == "Tesseract has no data for xyz, osd"
    assert "tesseract-ocr-xyz" in advice
    assert "FOOTNOTE_OCR" in advice
    assert ocr_lacking("tesseract", "auto") is None
    with pytest.raises(DocumentUnreadable, match="Tesseract has no data for xyz"):
        read_document(
            files.picture(INVOICE), "a.png", ReadingOptions(ocr="tesseract", ocr_languages="xyz")
        )


def test_doctor_says_that_a_language_of_scans_is_not_installed() -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("no tesseract here")
    [check, *_] = optional_checks(Settings(ocr="tesseract:xyz"))
    assert not check.ok
    assert check.detail == "Tesseract has no data for xyz"
