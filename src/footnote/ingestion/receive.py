"""What arrives is checked before anything is stored: its size, and whether its type is known."""

from __future__ import annotations

from pathlib import PurePath

from footnote.domain import Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion.media import sniff_media_type

_READABLE = (
    "PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, RTF, email and mailboxes, HTML, Markdown, "
    "RST, AsciiDoc, LaTeX, CSV, JSON, XML, source code, plain text, captions, images, "
    "recordings, ZIP and TAR"
)


_SAVED_AS = {
    **dict.fromkeys((".doc", ".dot", ".wps", ".wpd", ".pages", ".pub", ".lwp"), "DOCX or PDF"),
    **dict.fromkeys((".xls", ".xlt", ".numbers", ".wk4"), "XLSX or CSV"),
    **dict.fromkeys((".ppt", ".pps", ".pot", ".key"), "PPTX or PDF"),
    **dict.fromkeys((".vsd", ".vsdx", ".one", ".mpp", ".dwg", ".indd", ".ai"), "PDF"),
    ".msg": "EML",
}
"""As what a program saves its work that cannot be read as it is, being old, damaged or its own."""


def check_size(size_bytes: int, filename: str, max_bytes: int) -> None:
    """Raise DocumentUnreadable for a file that is empty or larger than `max_bytes`."""
    if not size_bytes:
        raise DocumentUnreadable(
            stage=Stage.RECEIVE,
            cause=f"“{filename}” is empty",
            advice="check that the file was saved and sent completely, then send it again",
        )
    if size_bytes > max_bytes:
        raise too_large(size_bytes, filename, max_bytes)


def too_large(size_bytes: int, filename: str, max_bytes: int) -> DocumentUnreadable:
    """What is wrong with a file of more than `max_bytes`."""
    return DocumentUnreadable(
        stage=Stage.RECEIVE,
        cause=f"“{filename}” has {size_bytes:,} bytes, more than the {max_bytes:,} allowed",
        advice="split it, or raise FOOTNOTE_MAX_FILE_BYTES",
    )


def check_received(content: bytes, filename: str, max_bytes: int) -> str:
    """The media type of an acceptable file.

    Raises DocumentUnreadable for one that is empty, larger than `max_bytes` or of unknown type.
    """
    check_size(len(content), filename, max_bytes)
    media_type = sniff_media_type(content, filename)
    if media_type is None:
        raise DocumentUnreadable(
            stage=Stage.RECEIVE,
            cause=f"“{filename}” is of a type that cannot be read",
            advice=_saved_otherwise(filename),
        )
    return media_type


def _saved_otherwise(filename: str) -> str:
    saved_as = _SAVED_AS.get(PurePath(filename).suffix.lower())
    if saved_as is None:
        return f"convert it to a type that can: {_READABLE}"
    return f"open it in its own program, save it as {saved_as} and upload that copy"
