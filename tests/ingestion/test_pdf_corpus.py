"""Real PDFs and scans lose no words. No expected text comes with them: a text layer is measured
by its own words, a scan by its confidence and by the same page turned another way."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from footnote.domain import BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions, read_document

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA") or "../shared/data") / "documents"
_WORD = re.compile(r"\w+")
_PAGE_NUMBER = re.compile(r"\s*(?:page\s)?\s*\d+\s*", re.I)
MIN_RECALL = 0.98

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no ../shared/data here")
needs_ocr = pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract here")


def files_of(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (DATA / folder).glob("*.pdf"))


def read(path: Path, options: ReadingOptions | None = None) -> ParsedDocument:
    parsed = read_document(path.read_bytes(), path.name, options)
    for block in parsed.blocks:
        assert parsed.text[block.char_start : block.char_end] == block.text
    return parsed


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))


def text_layer(path: Path) -> str:
    """The words as the file has them, divided ones joined as they may be."""
    with pdfium.PdfDocument(path) as document:
        pages = [page.get_textpage().get_text_range() for page in document]
    text = "\n".join(pages).replace("\r", "")
    return re.sub("[\ufffe\x02\xad]\n?", "", text)


def word_recall(path: Path, parsed: ParsedDocument) -> float:
    """The share of the words of the text layer that were read.

    Page numbers are left out; a running line is remembered once, however often it stands there.
    """
    kept = [parsed.text, *map(str, parsed.metadata.values())]
    found = words("\n".join(kept))
    running = words(
        f"{parsed.metadata.get('running_header')} {parsed.metadata.get('running_footer')}"
    )
    lines = [line for line in text_layer(path).split("\n") if not _PAGE_NUMBER.fullmatch(line)]
    expected = words("\n".join(lines))
    for word in running:
        expected[word] = min(expected[word], found[word])
    return (expected & found).total() / max(expected.total(), 1)


@needs_data
@pytest.mark.parametrize("path", files_of("pdf", "odf"), ids=lambda path: path.name)
def test_the_words_of_a_text_layer_are_read(path: Path) -> None:
    parsed = read(path, ReadingOptions(ocr="off"))
    recall = word_recall(path, parsed)
    assert recall >= MIN_RECALL, f"{path.name}: {recall:.4f} of the words were read"
    assert parsed.page_count is not None


@needs_data
@needs_ocr
def test_turned_scans_are_read_alike() -> None:
    quarter = read(DATA / "ocr" / "ocr_test_rotated_90.pdf")
    half = read(DATA / "ocr" / "ocr_test_rotated_180.pdf")
    pages = read(DATA / "ocr" / "nemotron_multipage.pdf")
    expected = words(half.text)
    assert expected.total() > 10
    assert words(quarter.text) == expected
    assert words(pages.text) == Counter({word: 4 * n for word, n in expected.items()})
    assert pages.page_count == 4
    for block in (*quarter.blocks, *half.blocks, *pages.blocks):
        assert block.kind is BlockKind.OCR_TEXT
        assert (block.confidence or 0) > 0.9


@needs_data
@needs_ocr
@pytest.mark.parametrize(
    ("name", "least_words"), [("tiff/2206.01062.tif", 1200), ("ocr/qr_bill_example.jpg", 180)]
)
def test_a_small_scan_is_read_with_confidence(name: str, least_words: int) -> None:
    parsed = read(DATA / name)
    sizes = [(block.confidence or 0.0, len(block.text)) for block in parsed.blocks]
    mean = sum(sure * size for sure, size in sizes) / sum(size for _, size in sizes)
    assert mean > 0.85
    assert words(parsed.text).total() >= least_words


@needs_data
@pytest.mark.parametrize("path", files_of("pdf_password"), ids=lambda path: path.name)
def test_a_locked_file_says_that_it_is_locked(path: Path) -> None:
    with pytest.raises(DocumentUnreadable, match="protected by a password"):
        read(path)
