from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import wave

import pytest
from PIL import Image

from footnote.errors import DocumentUnreadable
from footnote.ingestion import media
from footnote.ingestion.media import sniff_media_type
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files, mailfiles
from tests.ingestion.test_archives import tarred, zipped

MP3_FRAME = b"\xff\xfb\x90\x00" + bytes(413)
PAGE = b"<!DOCTYPE html><html><body><p>words</p></body></html>"
XHTML = (
    b'<?xml version="1.0"?>\n<!-- c -->\n<!DOCTYPE html PUBLIC "a" "b">\n'
    b'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>words</p></body></html>'
)


def sound() -> bytes:
    target = io.BytesIO()
    with wave.open(target, "wb") as recording:
        recording.setparams((1, 2, 8000, 0, "NONE", ""))
        recording.writeframes(bytes(1600))
    return target.getvalue()


def boxed(brand: bytes, *compatible: bytes) -> bytes:
    inside = b"ftyp" + brand + bytes(4) + b"".join(compatible)
    return (len(inside) + 4).to_bytes(4, "big") + inside + bytes(64)


def drawn(kind: str) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (40, 20), "white").save(target, kind)
    return target.getvalue()


BY_CONTENT = [
    pytest.param(files.handbook_pdf(), media.PDF, id="pdf"),
    pytest.param(b"junk before\n" + files.handbook_pdf(), media.PDF, id="pdf after junk"),
    pytest.param(b"The mark is %PDF-1.4, we said.", media.PLAIN, id="text about pdf"),
    pytest.param(files.contract_docx(), media.DOCX, id="docx"),
    pytest.param(zipped({"word/a.txt": b"x"}), media.ZIP, id="zip with a folder called word"),
    pytest.param(tarred({"a.txt": b"x"}), media.TAR, id="tar"),
    pytest.param(gzip.compress(b"x"), media.GZIP, id="gzip"),
    pytest.param(bz2.compress(b"x"), media.BZIP2, id="bzip2"),
    pytest.param(lzma.compress(b"x"), media.XZ, id="xz"),
    pytest.param(b"7z\xbc\xaf\x27\x1c" + bytes(20), media.SEVEN_ZIP, id="7z"),
    pytest.param(b"Rar!\x1a\x07\x01\x00" + bytes(20), media.RAR, id="rar"),
    pytest.param(drawn("GIF"), "image/gif", id="gif"),
    pytest.param(drawn("BMP"), "image/bmp", id="bmp"),
    pytest.param(drawn("AVIF"), "image/avif", id="avif"),
    pytest.param(drawn("WEBP"), "image/webp", id="webp"),
    pytest.param(boxed(b"heic", b"mif1"), media.HEIC, id="heic"),
    pytest.param(boxed(b"mif1", b"avif"), "image/avif", id="avif by second brand"),
    pytest.param(boxed(b"M4A ", b"isom"), "audio/mp4", id="m4a"),
    pytest.param(boxed(b"isom", b"mp42"), "video/mp4", id="mp4"),
    pytest.param(sound(), "audio/wav", id="wav"),
    pytest.param(MP3_FRAME * 3, "audio/mpeg", id="mp3"),
    pytest.param(b"ID3\x04" + bytes(30) + MP3_FRAME, "audio/mpeg", id="mp3 with tags"),
    pytest.param(b"OggS" + bytes(60), "audio/ogg", id="ogg"),
    pytest.param(b"fLaC" + bytes(60), "audio/flac", id="flac"),
    pytest.param(PAGE, media.HTML, id="html"),
    pytest.param(XHTML, media.HTML, id="xhtml"),
    pytest.param(b"<?xml version='1.0'?><a><b>c</b></a>", media.XML, id="xml"),
    pytest.param(b'{"a": [1, 2]}', media.JSON, id="json"),
    pytest.param(b'{"a": 1}\n{"a": 2}\n', media.JSON_LINES, id="json by lines"),
    pytest.param(b"[1] is a footnote.", media.PLAIN, id="text with brackets"),
    pytest.param(b"#!/bin/sh\necho", media.CODE, id="script"),
    pytest.param(b"\\documentclass{article}\nx", media.LATEX, id="latex"),
    pytest.param(b"From here on:\nnote: all is well.", media.PLAIN, id="text that opens with From"),
    pytest.param(mailfiles.plain_message().as_bytes(), media.EMAIL, id="message"),
    pytest.param(mailfiles.box(mailfiles.plain_message()), media.MBOX, id="box"),
    pytest.param(
        mailfiles.CompoundFile(mailfiles.outlook_item("A", "b")).to_bytes(),
        media.OUTLOOK,
        id="outlook",
    ),
    pytest.param("Ünly wörds".encode("utf-16"), media.PLAIN, id="utf-16"),
    pytest.param("契約は署名の日から。".encode("shift-jis"), media.PLAIN, id="shift-jis"),
    pytest.param(b"MZ\x90\x00\x03\x00\x00\x00" + bytes(200), None, id="program"),
    pytest.param(b"\x7fELF\x02\x01\x01" + bytes(200), None, id="linux program"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "media_type"), BY_CONTENT)
@pytest.mark.parametrize("name", ["", "a", "a.txt"])
def test_a_type_is_found_by_content(content: bytes, media_type: str | None, name: str) -> None:
    assert sniff_media_type(content, name) == media_type


@pytest.mark.parametrize(
    ("content", "name", "media_type"),
    [
        (zipped({"a.txt": b"x"}), "a.pdf", media.ZIP),
        (files.handbook_pdf(), "a.docx", media.PDF),
        (PAGE, "prices.xls", media.HTML),
        (PAGE, "prices.csv", media.HTML),
        (b"a,b\n1,2\n", "a.csv", media.CSV),
        (b"# Title", "a.md", media.MARKDOWN),
        (b"Title\n=====\n", "a.rst", media.RST),
        (b"= Title\n", "a.adoc", media.ASCIIDOC),
        (b"\\section{A}", "a.tex", media.LATEX),
        (b"<html></html>", "view.php", media.CODE),
        (b"import os\n", "a.py", media.CODE),
        (b"all:\n\tmake x\n", "Makefile", media.CODE),
        (b"a: 1\n", "a.yaml", media.CODE),
        (b"{broken", "a.json", media.JSON),
        (b"From: a@b.c\nTo: d@e.f\n\nx", "a.eml", media.EMAIL),
    ],
)
def test_a_name_decides_only_between_kinds_of_text(
    content: bytes, name: str, media_type: str
) -> None:
    assert sniff_media_type(content, name) == media_type


@pytest.mark.parametrize(
    ("content", "name", "says", "advice"),
    [
        (sound(), "a.wav", "nobody to listen", "transcriber"),
        (MP3_FRAME * 3, "a.txt", "nobody to listen", "transcriber"),
        (boxed(b"M4A "), "a.m4a", "nobody to listen", "transcriber"),
        (b"OggS" + bytes(60), "a", "nobody to listen", "transcriber"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(20), "a.7z", "7z archives", "ZIP"),
        (b"MZ\x90\x00" + bytes(200), "a.txt", "type is unknown", "convert"),
    ],
)
def test_what_is_known_and_not_read_says_what_to_do(
    content: bytes, name: str, says: str, advice: str
) -> None:
    with pytest.raises(DocumentUnreadable, match=says) as raised:
        read_document(content, name)
    assert advice in raised.value.advice


def test_heic_without_its_plug_in_says_what_to_do() -> None:
    with pytest.raises(DocumentUnreadable) as raised:
        read_document(boxed(b"heic", b"mif1"), "a.heic", ReadingOptions(ocr="auto"))
    assert raised.value.advice


@pytest.mark.parametrize("kind", ["GIF", "BMP", "AVIF"])
def test_further_pictures_are_read(kind: str) -> None:
    picture = Image.open(io.BytesIO(files.picture(["Delivery of four sensors"])))
    target = io.BytesIO()
    picture.save(target, kind)
    try:
        parsed = read_document(target.getvalue(), "a.png")
    except DocumentUnreadable as failure:
        pytest.skip(f"no text recognition here: {failure.cause}")
    assert "sensors" in parsed.text


def test_a_large_notation_is_told_without_reading_it_all() -> None:
    content = json.dumps(["x" * 1000] * 5000).encode()
    assert sniff_media_type(content, "a") == media.JSON
