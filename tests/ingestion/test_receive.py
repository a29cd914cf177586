from __future__ import annotations

import hashlib
import io
import os
from io import BytesIO

import pytest

from footnote.domain import Stage
from footnote.ingestion import media
from footnote.ingestion.media import sniff_media_type
from footnote.ingestion.receive import examine
from tests.ingestion import files


@pytest.mark.parametrize(
    ("content", "filename", "expected"),
    [
        (files.handbook_pdf(), "a.txt", media.PDF),
        (files.contract_docx(), "noname", media.DOCX),
        (files.deck_pptx(), "a.zip", media.PPTX),
        (files.prices_xlsx(), "a.docx", media.XLSX),
        (files.contract_docx()[:2000], "a.docx", media.DOCX),
        (files.picture(["x"]), "a.pdf", "image/png"),
        (files.picture(["x"], "JPEG"), "a", "image/jpeg"),
        (files.picture(["x"], "TIFF"), "a", "image/tiff"),
        (files.picture(["x"], "WEBP"), "a", "image/webp"),
        (files.letter_eml(), "a.eml", media.EMAIL),
        (b"From: a@b.c\nReceived: x\nSubject: y\n\nz", "mail", media.EMAIL),
        (b"# Title", "a.MD", media.MARKDOWN),
        (b"a,b\n1,2", "a.csv", media.CSV),
        (b"<!DOCTYPE html><p>x", "noname", media.HTML),
        (b"WEBVTT\n\n", "a.txt", media.CAPTIONS),
        ("Grüße".encode("utf-16"), "a.txt", media.PLAIN),
        (b"plain", "a.unknown", media.PLAIN),
        (b"PK\x03\x04 broken", "a.zip", media.ZIP),
        (b"\x00\x01\x02\x03" * 500, "a.md", None),
        (b"ID3\x04\x00\x00" + b"\x00\xff\x10" * 900, "a.mp3", "audio/mpeg"),
    ],
)
def test_content_decides_the_type(content: bytes, filename: str, expected: str | None) -> None:
    assert sniff_media_type(content, filename) == expected


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"x" * 101, "101 bytes, more than the 100", id="too large"),
        pytest.param(os.urandom(99) + b"\0", "cannot be read", id="unknown"),
    ],
)
def test_what_is_refused_says_why_and_the_way_out(content: bytes, says: str) -> None:
    """It names no file: the same bytes may come under another name, or the file is renamed."""
    refusal = examine(BytesIO(content), "report.bin", 100).refusal
    assert refusal is not None
    assert refusal.stage is Stage.RECEIVE
    assert says in refusal.cause
    assert "report.bin" not in refusal.cause
    assert refusal.advice


@pytest.mark.parametrize(
    ("filename", "advice"),
    [
        ("letter.doc", "save it as DOCX or PDF"),
        ("prices.XLS", "save it as XLSX or CSV"),
        ("plan.vsd", "save it as PDF"),
        ("report.bin", "convert it to a type that can: PDF, Word"),
        ("note.txt", "save it as plain text in UTF-8"),
    ],
)
def test_a_file_no_reader_knows_is_told_as_what_to_save_it(filename: str, advice: str) -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00\x01" * 2000
    refusal = examine(BytesIO(content), filename, 10_000).refusal
    assert refusal is not None
    assert advice in refusal.advice


def test_what_is_accepted_has_a_type() -> None:
    assert examine(BytesIO(b"# ok"), "a.md", 100).media_type == media.MARKDOWN


class InPieces(io.BytesIO):
    """A file of which nobody may read much at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert 0 <= size <= 5 * 1024 * 1024
        return super().read(size)


@pytest.mark.parametrize(
    ("start", "end", "name", "media_type"),
    [
        (b"%PDF-1.7\n", b"\n%%EOF", "a.pdf", media.PDF),
        (b'{"a": "', b'"}\n', "a.bin", media.JSON),
        (b'["a", "', b"and so on", "a.bin", media.PLAIN),
        (b"Some words. ", b"The end.", "a.txt", media.PLAIN),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "WordDocument".encode("utf-16-le"), "a", media.DOC),
    ],
    ids=["pdf", "json", "bracket", "text", "word"],
)
def test_a_large_file_is_told_and_hashed_in_pieces(
    start: bytes, end: bytes, name: str, media_type: str
) -> None:
    content = start + b"x" * (8 * 1024 * 1024) + end
    examined = examine(InPieces(content), name, len(content))
    assert examined.media_type == media_type
    assert examined.byte_size == len(content)
    assert examined.content_sha256 == hashlib.sha256(content).hexdigest()
    refused = examine(InPieces(content), name, len(content) - 1)
    assert (refused.media_type, refused.content_sha256) == (None, examined.content_sha256)


def test_a_name_between_two_pieces_of_a_file_is_seen() -> None:
    mark = "WordDocument".encode("utf-16-le")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    content = head + b"\0" * (1024 * 1024 - len(head) - 5) + mark + b"\0" * 100
    assert examine(InPieces(content), "a", 10**9).media_type == media.DOC
