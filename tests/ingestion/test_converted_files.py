"""Older and open office files are read by way of LibreOffice, and in part where it is not there."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from io import BytesIO

import pytest

from footnote.domain import BlockKind
from footnote.errors import DocumentUnreadable
from footnote.ingestion import media
from footnote.ingestion.parsing import office
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import mailfiles
from tests.ingestion.corpus import CONVERTED, SAMPLES, Sample, content_of, expected_outlines
from tests.ingestion.office_files import open_document
from tests.ingestion.page_marks import needs_office
from tests.ingestion.test_reading import assert_lawful

NO_OCR = ReadingOptions(ocr="off")
_WORD = re.compile(r"\w+")
MIN_RECALL = 0.8
LOSSES = {
    "rules": 0.5,  # links, comments and marks of notes
    "terms": 0.5,
    "sales": 0.0,  # a chart is all that stands on it
    "order.odp": 0.0,  # boxes on slides without a layout
}
"""The least recall of files that say much of what is lost, by the start of their names."""


@pytest.fixture
def without_office(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "find_office", lambda: None)


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


@pytest.mark.usefixtures("without_office")
@pytest.mark.parametrize(
    "sample",
    [sample for sample in SAMPLES if sample.format in CONVERTED],
    ids=lambda sample: sample.name,
)
def test_a_file_gives_its_words_without_libreoffice_and_says_what_is_missing(
    sample: Sample,
) -> None:
    parsed = read_document(content_of(sample), sample.name, NO_OCR)
    assert_lawful(parsed)
    lines = expected_outlines(sample.format)[sample.name].splitlines()[1:]
    shown = [
        line
        for line in lines
        if not line.startswith(("title", "metadata", "===")) and "…" not in line
    ]
    expected = words(
        " ".join(re.sub(r"^.*?¶\d+ +(\[[^\]]*›?[^\]]*\] )?", "", line) for line in shown)
    )
    recall = (expected & words(parsed.text)).total() / max(expected.total(), 1)
    least = next((LOSSES[key] for key in LOSSES if sample.name.startswith(key)), MIN_RECALL)
    assert recall >= least, expected - words(parsed.text)
    assert "apt-get install libreoffice" in str(parsed.metadata["read_in_part"])


@pytest.mark.usefixtures("without_office")
def test_sheets_without_libreoffice_are_pages_with_their_tables() -> None:
    [sample] = [sample for sample in SAMPLES if sample.name == "merged.xls"]
    parsed = read_document(content_of(sample), sample.name, NO_OCR)
    [table] = [block for block in parsed.blocks if block.kind is BlockKind.TABLE]
    assert table.page == 1
    assert "| North | 5 | 6 |" in table.text
    assert "Units / 2023" in table.text


@needs_office
@pytest.mark.parametrize("name", ["rules.doc", "rules.rtf"])
def test_a_file_read_by_libreoffice_does_not_say_that_anything_is_missing(name: str) -> None:
    [sample] = [sample for sample in SAMPLES if sample.name == name]
    assert "read_in_part" not in read_document(content_of(sample), name, NO_OCR).metadata


def compound(streams: dict[str, bytes]) -> bytes:
    return mailfiles.CompoundFile(dict(streams)).to_bytes()


def locked_open_document() -> bytes:
    target = BytesIO()
    with (
        zipfile.ZipFile(BytesIO(open_document("text", ""))) as old,
        zipfile.ZipFile(target, "w") as new,
    ):
        for name in old.namelist():
            content = old.read(name)
            if name == "META-INF/manifest.xml":
                content = content.replace(
                    b"/>", b"><manifest:encryption-data/></manifest:file-entry>", 1
                )
            new.writestr(name, content)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.doc",
            compound({"WordDocument": b"\xec\xa5\xc1\x00" + bytes(7) + b"\x01" + bytes(5000)}),
        ),
        (
            "a.ppt",
            compound(
                {
                    "Current User": bytes(12) + b"\xdf\xc4\xd1\xf3",
                    "PowerPoint Document": bytes(5000),
                }
            ),
        ),
        ("a.xls", compound({"Workbook": b"\x09\x08\x02\x00ab\x2f\x00\x02\x00cd" + bytes(5000)})),
        ("a.odt", locked_open_document()),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_file_with_a_password_says_so(name: str, content: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match="protected by a password") as raised:
        read_document(content, name, NO_OCR)
    assert "without a password" in raised.value.advice


@needs_office
def test_a_damaged_workbook_is_never_read_as_plain_text() -> None:
    content = compound({"Workbook": b"\x09\x08\x10\x00" * 900})
    assert media.sniff_media_type(content, "a.xls") == media.XLS
    with pytest.raises(DocumentUnreadable, match="damaged"):
        read_document(content, "a.xls", NO_OCR)
