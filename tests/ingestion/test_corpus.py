"""Our own files of every format are read as the outlines in `corpus/` say.

Where one differs, `python -m tests.ingestion.corpus` prints what is read now; its first lines say
how that becomes what is expected.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections import Counter
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

from footnote.domain import BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.libreoffice import find_office
from footnote.ingestion.media import HEIC, is_recording, sniff_media_type
from footnote.ingestion.parsing.reading import read_document
from tests.ingestion.corpus import (
    CONVERTED,
    OUTLINES,
    SAMPLES,
    Sample,
    content_of,
    expected_outlines,
    outline,
    outline_file,
    read_sample,
)
from tests.ingestion.test_reading import assert_lawful

FORMATS = Path(__file__).parents[2] / "docs" / "formats.md"
_MIN_FILES = 3
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
WRITTEN = [
    sample for sample in SAMPLES if sample.format != "XLS" or importlib.util.find_spec("xlwt")
]
"""The files that can be made here: XLS takes a library that writes it."""
_ASIDE = re.compile(r"\([^)]*\)|…")


def named_formats() -> list[str]:
    """The formats in the first column of the table of `docs/formats.md`."""
    lines = FORMATS.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("| format |"))
    rows = [line.split("|")[1] for line in lines[start + 2 : lines.index("", start)]]
    cells = ", ".join(_ASIDE.sub("", row) for row in rows).split(",")
    return [name for cell in cells if (name := cell.strip())]


each_sample = pytest.mark.parametrize(
    "sample", SAMPLES, ids=lambda sample: f"{sample.format}: {sample.name}"
)


@cache
def parsed_sample(sample: Sample) -> ParsedDocument:
    if sample.needs_ocr and shutil.which("tesseract") is None:
        pytest.skip("no tesseract here")
    if sample.format in CONVERTED and find_office() is None:
        pytest.skip("no LibreOffice here")
    return read_sample(sample)


@each_sample
def test_a_file_of_the_corpus_is_read_as_its_outline_says(sample: Sample) -> None:
    parsed = parsed_sample(sample)
    assert outline(parsed, sample.name) == expected_outlines(sample.format)[sample.name]


@each_sample
def test_every_span_of_the_corpus_is_its_text(sample: Sample) -> None:
    parsed = parsed_sample(sample)
    assert_lawful(parsed)
    for block in parsed.blocks:
        if block.kind is BlockKind.HEADING:
            assert block.heading_path[-1] == block.text
        if block.kind is BlockKind.OCR_TEXT:
            assert 0.5 < (block.confidence or 0.0) <= 1


def test_every_format_of_the_documentation_has_three_files() -> None:
    counted = Counter(sample.format for sample in SAMPLES)
    assert len(named_formats()) > 40
    assert set(counted) == set(named_formats())
    assert [kind for kind, count in counted.items() if count < _MIN_FILES] == []


def test_no_two_files_of_a_format_are_alike() -> None:
    for kind, samples in groupby(WRITTEN, key=lambda sample: sample.format):
        contents = [content_of(sample) for sample in samples]
        assert len(set(contents)) == len(contents), kind


def test_every_outline_is_of_a_file_and_every_file_has_one() -> None:
    told = {
        (kind, name)
        for kind in {sample.format for sample in SAMPLES}
        for name in expected_outlines(kind)
    }
    assert told == {(sample.format, sample.name) for sample in SAMPLES}
    files = {outline_file(sample.format) for sample in SAMPLES}
    assert set(OUTLINES.iterdir()) == files


def test_no_file_of_the_corpus_needs_its_name_unless_it_is_text() -> None:
    binary = [each for each in WRITTEN if b"\0" in content_of(each)[:4096]]
    assert len({each.format for each in binary}) > 25
    for each in binary:
        content = content_of(each)
        if not content.startswith(UTF_16):
            claimed = sniff_media_type(content, each.name)
            assert sniff_media_type(content, "nothing") == claimed, each.name


def test_a_recording_without_a_transcriber_is_refused() -> None:
    recordings = [
        each
        for each in WRITTEN
        if is_recording(sniff_media_type(content_of(each), each.name) or "")
    ]
    assert len({each.format for each in recordings}) == 7
    for each in recordings:
        with pytest.raises(DocumentUnreadable, match="recording"):
            read_document(content_of(each), each.name)


@pytest.mark.skipif(
    importlib.util.find_spec("pillow_heif") is not None, reason="HEIC can be opened here"
)
@pytest.mark.parametrize("brand", [b"heic", b"mif1", b"hevc"])
def test_heic_is_known_and_refused_with_advice(brand: bytes) -> None:
    content = b"\0\0\0\x18ftyp" + brand + b"\0\0\0\0mif1heic" + bytes(64)
    assert sniff_media_type(content, "photo.jpg") == HEIC
    with pytest.raises(DocumentUnreadable) as raised:
        read_document(content, "photo.heic")
    assert "HEIC" in raised.value.cause
    assert "JPEG" in raised.value.advice
