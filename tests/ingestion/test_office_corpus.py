from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from footnote.domain import BlockKind, ParsedDocument
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion.test_reading import assert_lawful

ROOT = Path(os.environ.get("FOOTNOTE_TEST_DATA", "../shared/data")) / "documents"
SUFFIXES = (".docx", ".doc", ".odt", ".rtf", ".pptx", ".ppt", ".odp", ".xlsx", ".xls", ".ods")
DOCUMENTS = sorted(path for path in ROOT.rglob("*") if path.suffix in SUFFIXES)
NO_OCR = ReadingOptions(ocr="off")

RECALL = 0.97
"""Share of the expected words that must be found; what is lower is named below, with its reason."""
LOWER_RECALL = {
    "equations.docx": 0.96,  # the expected text has LaTeX commands, ours plain signs
    "legacy_sample.ppt": 0.94,  # the numbers of its numbered lists
    "xlsx_07_gap_tolerance_.xlsx": 0.93,  # repeats merged cells over columns that hold no more
}
HEADINGS_MISSED = {
    "odf_presentation_01.odp": 1,  # the name of a slide that has no title
    "powerpoint_bad_text.pptx": 1,  # all that the file says, so that it can be quoted
    "omml_func_log.docx": 1,  # \\log, which the comparison takes for markup
}
TABLES_MISSED = {
    "xlsx_07_gap_tolerance_.xlsx": 2,  # labels and values side by side, which we keep together
}

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKUP = re.compile(r"\\[a-zA-Z]+|[*~_`\\$|{}]|&lt;|&gt;|&amp;")
_WORD = re.compile(r"\w+")


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(_MARKUP.sub(" ", _COMMENT.sub(" ", text)).lower()))


def expected_text(path: Path) -> str:
    expected = path.with_name(path.name + ".expected.md")
    if not expected.is_file():
        pytest.skip(f"nothing says what {path.name} holds")
    return expected.read_text("utf-8")


def missed_words(parsed: ParsedDocument, expected: str) -> Counter[str]:
    return words(expected) - words(parsed.text)


def recall_of(parsed: ParsedDocument, expected: str) -> float:
    total = sum(words(expected).values())
    return 1 - sum(missed_words(parsed, expected).values()) / total if total else 1.0


def missed_headings(parsed: ParsedDocument, expected: str) -> list[str]:
    found = {
        " ".join(_WORD.findall(block.text.lower()))
        for block in parsed.blocks
        if block.kind is BlockKind.HEADING
    }
    lines = _COMMENT.sub("", expected).splitlines()
    titles = [_MARKUP.sub(" ", line.lstrip("#")) for line in lines if line.startswith("#")]
    wanted = [" ".join(_WORD.findall(title.lower())) for title in titles]
    return [title for title in wanted if not any(title in text for text in found)]


def expected_tables(expected: str) -> int:
    """Tables of more than one column and more than one row."""
    return len(re.findall(r"^\|.*\|.*\|\n\|(?: *-+ *\|){2,}\n\|", expected, re.MULTILINE))


def found_tables(parsed: ParsedDocument) -> int:
    return sum(block.kind is BlockKind.TABLE for block in parsed.blocks)


@pytest.mark.skipif(not DOCUMENTS, reason="the shared documents are not here")
@pytest.mark.parametrize("path", DOCUMENTS or [Path("none")], ids=lambda path: path.name)
def test_a_shared_office_document_keeps_words_headings_and_tables(path: Path) -> None:
    parsed = read_document(path.read_bytes(), path.name, NO_OCR)
    assert_lawful(parsed)
    expected = expected_text(path)
    missed = missed_words(parsed, expected)
    assert recall_of(parsed, expected) >= LOWER_RECALL.get(path.name, RECALL), missed
    headings = missed_headings(parsed, expected)
    assert len(headings) <= HEADINGS_MISSED.get(path.name, 0), headings
    tables = expected_tables(expected) - found_tables(parsed)
    assert tables <= TABLES_MISSED.get(path.name, 0)
