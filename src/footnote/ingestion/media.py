"""Detect the type of a file by its content; its name decides only between text formats."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from pathlib import PurePath
from typing import BinaryIO

from footnote.ingestion.terminal_codes import bytes_without_terminal_codes

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
XLSB = "application/vnd.ms-excel.sheet.binary.macroEnabled.12"
"""A workbook of binary parts; distinguished from XLSX when it is parsed."""
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
EPUB = "application/epub+zip"
RTF = "application/rtf"
OLE_ENCRYPTED = "application/x-ole-encrypted"
"""A password-protected Office file: a compound file around an encrypted package."""

MBOX = "application/mbox"
MHTML = "multipart/related"
RST = "text/x-rst"
ASCIIDOC = "text/asciidoc"
LATEX = "text/x-tex"
JSON = "application/json"
JSON_LINES = "application/x-ndjson"
XML = "application/xml"
CODE = "text/x-source"
"""Source code and configuration of any language."""

ZIP = "application/zip"
ZIP_ENCRYPTED = "application/x-zip-encrypted"
"""A password-protected member of a ZIP archive, as stored in the archive."""
TAR = "application/x-tar"
GZIP = "application/gzip"
BZIP2 = "application/x-bzip2"
XZ = "application/x-xz"
ARCHIVES = frozenset((ZIP, TAR, GZIP, BZIP2, XZ))
UNKNOWN = "application/octet-stream"
"""Bytes that cannot be read."""
SEVEN_ZIP = "application/x-7z-compressed"
RAR = "application/vnd.rar"
HEIC = "image/heic"

TEXT_TYPES = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".csv": CSV,
    ".tsv": TSV,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".eml": EMAIL,
    ".mbox": MBOX,
    ".mht": MHTML,
    ".mhtml": MHTML,
    ".vtt": CAPTIONS,
    ".srt": SUBRIP,
    ".rst": RST,
    ".rest": RST,
    ".adoc": ASCIIDOC,
    ".asciidoc": ASCIIDOC,
    ".tex": LATEX,
    ".latex": LATEX,
    ".json": JSON,
    ".ipynb": JSON,
    ".jsonl": JSON_LINES,
    ".ndjson": JSON_LINES,
    ".xml": XML,
}
LANGUAGE_SUFFIXES = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts tsx",
    "java": "java",
    "c": "c h",
    "c++": "cc cpp cxx hh hpp hxx",
    "c#": "cs",
    "go": "go",
    "rust": "rs",
    "ruby": "rb",
    "php": "php",
    "kotlin": "kt kts",
    "swift": "swift",
    "scala": "scala",
    "shell": "sh bash zsh fish",
    "powershell": "ps1 psm1",
    "batch": "bat cmd",
    "sql": "sql",
    "r": "r",
    "lua": "lua",
    "perl": "pl pm",
    "haskell": "hs",
    "elixir": "ex exs",
    "css": "css scss less",
    "vue": "vue svelte",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf properties env",
    "terraform": "tf hcl",
    "protobuf": "proto",
    "graphql": "graphql gql",
    "make": "mk cmake",
    "diff": "diff patch",
}
"""Programming and configuration languages, each with the endings of its files' names."""
LANGUAGES = {f".{end}": name for name, ends in LANGUAGE_SUFFIXES.items() for end in ends.split()}
_CODE_NAMES = {"makefile": "make", "dockerfile": "docker", "cmakelists.txt": "make"}
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"{\\rtf", RTF),
    (b"\x1f\x8b\x08", GZIP),
    (b"BZh", BZIP2),
    (b"\xfd7zXZ\x00", XZ),
    (b"7z\xbc\xaf\x27\x1c", SEVEN_ZIP),
    (b"Rar!\x1a\x07", RAR),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
)
_RIFF_KINDS = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_HEIC_BRANDS = frozenset((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"))
_AVIF_BRANDS = frozenset((b"avif", b"avis"))
_AUDIO_BRANDS = frozenset((b"M4A ", b"M4B ", b"M4P "))
_BITMAP_HEADERS = frozenset((12, 40, 52, 56, 64, 108, 124))
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("EncryptedPackage", OLE_ENCRYPTED),
    ("WordDocument", DOC),
    ("PowerPoint Document", PPT),
    ("Workbook", XLS),
    ("__properties_version1.0", OUTLOOK),
)
_OFFICE_PARTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))
_PACKAGES = (ODT, ODS, ODP, EPUB)
_MAIL_HEADERS = (b"from:", b"received:", b"return-path:", b"message-id:", b"mime-version:")
_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body")
_XHTML_ROOT = re.compile(
    rb"(?>\s+|<!--(?:(?!-->).)*-->|<\?(?:(?!\?>).)*\?>|<!doctype[^>]*>)*<html[\s>]", re.DOTALL
)
_SEPARATOR_LINE = re.compile(rb"from .*\d:\d\d")
_HEADER_LINE = re.compile(rb"[a-z][a-z0-9-]*:")
_SAVED_PAGE = re.compile(rb"^content-type:\s*multipart/related", re.MULTILINE)
_SNIFFED_BYTES = 4096
_PARSED_BYTES = 4 * 1024 * 1024
_PIECE_BYTES = 1024 * 1024


def sniff_media_type(content: bytes, filename: str) -> str | None:
    """The media type of bytes that are in memory; see `sniff_file`."""
    return sniff_file(io.BytesIO(content), filename)


def sniff_file(content: BinaryIO, filename: str) -> str | None:
    """Return the media type of a file; None when it is binary and of no known format.

    Reads only the decisive parts of a large file, except that a compound file is scanned as a
    whole. A damaged archive keeps the type its name claims, so that the failure can say what is
    broken.
    """
    content.seek(0)
    head = content.read(_SNIFFED_BYTES)
    suffix = PurePath(filename).suffix.lower()
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_type(content, head, suffix)
    if head.startswith(_OLE):
        # Search the whole compound file for stream names: its directory may be anywhere.
        marks = [(stream.encode("utf-16-le"), media_type) for stream, media_type in _OLE_STREAMS]
        overlap = max(len(mark) for mark, _ in marks) - 1
        media_types: set[str] = set()
        content.seek(0)
        before = b""
        while piece := content.read(_PIECE_BYTES):
            window = before + piece
            media_types |= {media_type for mark, media_type in marks if mark in window}
            before = window[-overlap:]
        return next((media_type for _, media_type in marks if media_type in media_types), None)
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return media_type
    if head[257:262] == b"ustar":
        return TAR
    if by_content := _pdf(content, head) or _picture_or_recording(head, suffix):
        return by_content
    return _text_type(content, head, filename) if _is_text(head) else None


def is_image(media_type: str) -> bool:
    """Return whether its text can only be read by OCR."""
    return media_type.startswith("image/")


def is_recording(media_type: str) -> bool:
    """Return whether its text can only be obtained by transcription."""
    return media_type.startswith(("audio/", "video/"))


def language_of(filename: str) -> str | None:
    """The programming or configuration language a file's name claims."""
    path = PurePath(filename)
    return LANGUAGES.get(path.suffix.lower()) or _CODE_NAMES.get(path.name.lower())


def _pdf(content: BinaryIO, head: bytes) -> str | None:
    """Detect a PDF, whose marker may follow other bytes; a text that mentions it is none."""
    if head.lstrip().startswith(b"%PDF-"):
        return PDF
    has_end = b"%%EOF" in _tail(content, 2048) or not _is_text(head)
    return PDF if b"%PDF-" in head[:1024] and has_end else None


def _picture_or_recording(head: bytes, suffix: str) -> str | None:
    """Detect pictures and recordings whose type follows the first bytes."""
    if head.startswith(b"RIFF"):
        return _RIFF_KINDS.get(head[8:12])
    if head[4:8] == b"ftyp":
        return _iso_media_type(head, suffix)
    if head.startswith(b"BM") and int.from_bytes(head[14:18], "little") in _BITMAP_HEADERS:
        return "image/bmp"
    # The header of an MPEG layer III frame.
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2 or head[1] & 0x18 == 0x08:
        return None
    is_frame = head[2] >> 4 not in (0, 15) and head[2] & 0x0C != 0x0C
    return "audio/mpeg" if is_frame else None


def _iso_media_type(head: bytes, suffix: str) -> str:
    """The kind of an ISO base media file, by its brands."""
    size = min(int.from_bytes(head[:4], "big"), 256)
    brands = {head[start : start + 4] for start in (8, *range(16, size, 4))}
    if brands & _AVIF_BRANDS:
        return "image/avif"
    if brands & _HEIC_BRANDS:
        return HEIC
    return "audio/mp4" if brands & _AUDIO_BRANDS or suffix == ".m4a" else "video/mp4"


_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError),
    *(RuntimeError, NotImplementedError, OSError, ValueError),
)
"""Exceptions of reading a package whose bytes are damaged."""


def _zip_type(content: BinaryIO, head: bytes, suffix: str) -> str | None:
    try:
        with zipfile.ZipFile(content) as archive:
            names = archive.namelist()
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                declared = archive.read("mimetype").decode("ascii", "ignore").strip()
                return declared if declared in _PACKAGES else None
    except _DAMAGED:
        if head[6:7] and head[6] & 1:
            return ZIP_ENCRYPTED
        claimed = {".docx": DOCX, ".pptx": PPTX, ".xlsx": XLSX, ".odt": ODT, ".epub": EPUB}
        return claimed.get(suffix, ZIP)
    if "[Content_Types].xml" in names:
        for folder, media_type in _OFFICE_PARTS:
            if any(name.startswith(folder) for name in names):
                return media_type
    return ZIP


def _tail(content: BinaryIO, count: int) -> bytes:
    """The last bytes of a file."""
    size = content.seek(0, io.SEEK_END)
    content.seek(max(0, size - count))
    return content.read(count)


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    if not head:
        return False
    if b"\x00" in head:  # UTF-16 without a mark has zeros in every other place
        odd, even = head[1::2], head[::2]
        zeros, letters = (odd, even) if odd.count(0) > even.count(0) else (even, odd)
        return zeros.count(0) > 0.4 * len(zeros) and _control_count(letters) <= len(letters) // 20
    return _control_count(bytes_without_terminal_codes(head)) <= len(head) // 200


def _control_count(text: bytes) -> int:
    """Count the control bytes that text does not contain."""
    return sum(1 for byte in text if byte < 32 and byte not in b"\t\n\r\x0b\x0c\x1b")


def _text_type(content: BinaryIO, head: bytes, filename: str) -> str:
    """Return the type of a text: by how it begins if that is certain, then by its name."""
    suffix = PurePath(filename).suffix.lower()
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in head:
        head = head.replace(b"\x00", b"").lstrip(b"\xff\xfe")  # UTF-16 narrowed
    lowered = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if lowered.startswith(b"webvtt"):
        return CAPTIONS
    # Check for the headers of one mail message, or of a mailbox.
    lines = lowered.splitlines()[:40]
    if len(lines) > 1 and _SEPARATOR_LINE.match(lines[0]) and _HEADER_LINE.match(lines[1]):
        mail = MBOX
    elif sum(line.startswith(_MAIL_HEADERS) for line in lines[:12]) < 2:
        mail = None
    else:
        is_saved_page = _SAVED_PAGE.search(lowered) and b"\nsnapshot-content-location:" in lowered
        mail = MHTML if is_saved_page or lines[0].startswith(b"from: <saved by") else EMAIL
    if mail == MBOX:
        return MBOX
    if suffix in TEXT_TYPES:
        if mail == MHTML and suffix == ".eml":
            return MHTML
        # HTML pages are sometimes saved with the suffix of another text format.
        is_page = TEXT_TYPES[suffix] in (CSV, TSV, JSON, XML) and _is_page(lowered)
        return HTML if is_page else TEXT_TYPES[suffix]
    if mail and suffix in ("", ".txt", ".mail", ".msg"):
        return mail
    return CODE if language_of(filename) else _type_by_content(content, lowered, suffix)


def _type_by_content(content: BinaryIO, opening: bytes, suffix: str) -> str:
    """Return the type of a text whose name gives no hint."""
    if _is_page(opening):
        return HTML
    if opening.startswith(b"<?xml") or suffix in (".svg", ".rss", ".atom", ".xsd", ".xsl"):
        return XML
    if opening.startswith(b"#!"):
        return CODE
    if opening.startswith(b"\\documentclass") or b"\n\\begin{document}" in opening:
        return LATEX
    if opening.startswith((b"{", b"[")):
        return _json_type(content)
    return PLAIN


def _is_page(opening: bytes) -> bool:
    return opening.startswith(_HTML_STARTS) or (
        opening.startswith(b"<?xml") and _XHTML_ROOT.match(opening[:2000]) is not None
    )


def _json_type(content: BinaryIO) -> str:
    """Return JSON, JSON lines, or plain text that merely begins with a bracket."""
    content.seek(0)
    text = content.read(_PARSED_BYTES + 1)
    if len(text) > _PARSED_BYTES:
        return JSON if _tail(content, _PIECE_BYTES).rstrip().endswith((b"}", b"]")) else PLAIN
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        return JSON
    try:
        values = [json.loads(line) for line in text.split(b"\n", 2)[:2]]
    except (ValueError, RecursionError):
        return PLAIN
    return JSON_LINES if [type(value) for value in values] == [dict, dict] else PLAIN
