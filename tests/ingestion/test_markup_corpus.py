"""Every foreign file of these formats is read, and says nearly all that is expected of it."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion.test_reading import assert_lawful

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA", "../shared/data")) / "documents"
FOLDERS = ("asciidoc", "audio", "csv", "email", "epub", "html", "md", "webvtt", "webp", "tiff")
FILES = sorted(
    path
    for folder in FOLDERS
    for path in (DATA / folder).glob("*")
    if not path.name.endswith((".expected.md", ".png"))
)
PIXELS = (".webp", ".tif")
RECORDINGS = (".mp3", ".wav")
_WORD = re.compile(r"\w+")
_UNEXPECTED = re.compile(r"<!--.*?-->|(?<=\])\([^)]*\)", re.DOTALL)
MIN_RECALL = {
    # The expectation counts attributes of the header, anchors and a macro's name as words.
    "asciidoc_03.asciidoc": 0.85,
    # The expectation counts the page's menus.
    "wiki_duck.html": 0.95,
}
MIN_RECALL_ELSEWHERE = 0.97

pytestmark = pytest.mark.skipif(not FILES, reason="the foreign documents are not at hand")


def words(text: str) -> Counter[str]:
    return Counter(word.lower() for word in _WORD.findall(text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.name))
def test_a_foreign_file_is_read(path: Path) -> None:
    choice = ReadingOptions(ocr="off" if path.suffix in PIXELS else "auto")
    if path.suffix in (*PIXELS, *RECORDINGS):
        with pytest.raises(DocumentUnreadable, match=r"OCR is switched off|transcriber"):
            read_document(path.read_bytes(), path.name, choice)
        return
    parsed = read_document(path.read_bytes(), path.name, choice)
    assert_lawful(parsed)
    expectation = path.with_name(f"{path.name}.expected.md")
    if not expectation.exists():
        assert parsed.text
        return
    expected = words(_UNEXPECTED.sub("", expectation.read_text()))
    recall = (expected & words(parsed.text)).total() / expected.total()
    assert recall >= MIN_RECALL.get(path.name, MIN_RECALL_ELSEWHERE), expected - words(parsed.text)


@pytest.mark.parametrize(
    ("name", "attached"),
    [
        ("email/eml_with_attachment.eml", ["test.txt"]),
        ("email/msg_with_attachment.msg", ["test.txt", "report.pdf"]),
    ],
)
def test_what_is_attached_to_a_foreign_message_comes_through(
    name: str, attached: list[str]
) -> None:
    parsed = read_document((DATA / name).read_bytes(), name)
    assert [attachment.filename for attachment in parsed.attachments] == attached
    assert parsed.metadata["sender"]
