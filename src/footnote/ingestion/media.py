"""What a file is, by its content; its name decides only between formats of plain text."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePath

PDF = "application/pdf"
EMAIL = "message/rfc822"
OUTLOOK = "application/vnd.ms-outlook"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
HTML = "text/html"
CSV = "text/csv"
TSV = "text/tab-separated-values"
CAPTIONS = "text/vtt"
SUBRIP = "application/x-subrip"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DOC = "application/msword"
PPT = "application/vnd.ms-powerpoint"
XLS = "application/vnd.ms-excel"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
EPUB = "application/epub+zip"
RTF = "application/rtf"
OLE_ENCRYPTED = "application/x-ole-encrypted"
"""A password-protected Office file: a compound file around an encrypted package."""

TEXT_TYPES = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".csv": CSV,
    ".tsv": TSV,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".eml": EMAIL,
    ".vtt": CAPTIONS,
    ".srt": SUBRIP,
}
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"{\\rtf", RTF),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("EncryptedPackage", OLE_ENCRYPTED),
    ("WordDocument", DOC),
    ("PowerPoint Document", PPT),
    ("Workbook", XLS),
    ("__properties_version1.0", OUTLOOK),
)
_OFFICE_PARTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))
_PACKAGES = (ODT, ODS, EPUB)
_MAIL_HEADERS = (b"from:", b"received:", b"return-path:", b"message-id:", b"mime-version:")
_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body")
_SNIFFED_BYTES = 4096


def sniff_media_type(content: bytes, filename: str) -> str | None:
    """The media type of a file; None when it is binary and of no known format.

    A damaged archive keeps the type its name claims, so that the failure can say what is broken.
    """
    head = content[:_SNIFFED_BYTES]
    suffix = PurePath(filename).suffix.lower()
    if b"%PDF-" in head[:1024]:
        return PDF
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return media_type
    if head.startswith(b"PK\x03\x04"):
        return _packaged(content, suffix)
    if head.startswith(_OLE):
        return _compound(content)
    return _textual(head, suffix) if _is_text(head) else None


def is_image(media_type: str) -> bool:
    """Whether its text can only be read from pixels."""
    return media_type.startswith("image/")


def _packaged(content: bytes, suffix: str) -> str | None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                declared = archive.read("mimetype").decode("ascii", "ignore").strip()
                return declared if declared in _PACKAGES else None
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, ValueError):
        return {".docx": DOCX, ".pptx": PPTX, ".xlsx": XLSX, ".odt": ODT}.get(suffix)
    for folder, media_type in _OFFICE_PARTS:
        if any(name.startswith(folder) for name in names):
            return media_type
    return None


def _compound(content: bytes) -> str | None:
    for stream, media_type in _OLE_STREAMS:
        if stream.encode("utf-16-le") in content:
            return media_type
    return None


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    if not head:
        return False
    if b"\x00" in head:  # UTF-16 without a mark has zeros in every other place
        odd, even = head[1::2], head[::2]
        zeros, letters = (odd, even) if odd.count(0) > even.count(0) else (even, odd)
        return zeros.count(0) > 0.4 * len(zeros) and _controls(letters) <= len(letters) // 20
    return _controls(head) <= len(head) // 200


def _controls(text: bytes) -> int:
    """Bytes that no text holds."""
    return sum(1 for byte in text if byte < 32 and byte not in b"\t\n\r\x0b\x0c\x1b")


def _textual(head: bytes, suffix: str) -> str:
    opening = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if opening.startswith(b"webvtt"):
        return CAPTIONS
    if suffix in TEXT_TYPES:
        return TEXT_TYPES[suffix]
    if opening.startswith(_HTML_STARTS):
        return HTML
    if not suffix or suffix in (".txt", ".mail"):
        first_lines = opening.splitlines()[:12]
        if sum(line.startswith(_MAIL_HEADERS) for line in first_lines) > 1:
            return EMAIL
    return PLAIN
