"""Check a file before anything is stored: its size, and whether its type is known."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from footnote.domain import Stage
from footnote.errors import DocumentUnreadable, InvalidRequest, how_to_raise
from footnote.ingestion.frames import Bytes
from footnote.ingestion.media import sniff_file

if TYPE_CHECKING:
    from typing_extensions import Buffer

_PIECE_BYTES = 1024 * 1024
_READABLE_TYPES = (
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
"""By suffix, the format to save a file in that cannot be read: old, damaged or proprietary."""

_TEXT_SUFFIXES = frozenset(
    (".txt", ".md", ".csv", ".tsv", ".log", ".json", ".xml", ".rst", ".adoc")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """Size, hash and type of a file before it is stored."""

    byte_size: int
    content_sha256: str
    media_type: str | None = None
    """None if the file cannot be accepted."""
    refusal: DocumentUnreadable | None = None
    """Why the file cannot be accepted."""


def examine(content: BinaryIO, filename: str, max_bytes: int) -> Examined:
    """Measure and hash a file piece by piece, and detect its type. Blocks: call it in a thread.

    A file that is empty, larger than `max_bytes` or of unknown type gets a refusal.
    """
    digest, size = hashlib.sha256(), 0
    content.seek(0)
    while piece := content.read(_PIECE_BYTES):
        digest.update(piece)
        size += len(piece)
    try:
        media_type = _accepted_type(content, size, filename, max_bytes)
    except DocumentUnreadable as refusal:
        return Examined(byte_size=size, content_sha256=digest.hexdigest(), refusal=refusal)
    return Examined(byte_size=size, content_sha256=digest.hexdigest(), media_type=media_type)


class ChangedWhileRead(InvalidRequest):
    """A file has other bytes than when it was hashed."""

    def __init__(self, filename: str) -> None:
        super().__init__(
            f"{filename}: it changed while it was read",
            hint="hand it in again once nothing writes to it",
        )


class AsExamined(io.RawIOBase):
    """A file that yields the bytes that were hashed, from its beginning to its end.

    If they differ, reading raises ChangedWhileRead before it returns the end of the file, so that
    nothing is stored.
    """

    def __init__(self, content: BinaryIO, examined: Examined, filename: str) -> None:
        self.changed = False
        """Whether its bytes differed from those that were hashed."""
        self.filename = filename
        self._content, self._examined = content, examined
        self._digest, self._position = hashlib.sha256(), 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True; it seeks to its beginning and to its end."""
        return True

    def tell(self) -> int:
        """Return the position of the next read."""
        return self._content.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position; only a read from the beginning is checked. Raises
        ChangedWhileRead."""
        position = self._content.seek(offset, whence)
        if position == 0:
            self._digest, self._position = hashlib.sha256(), 0
        if whence == io.SEEK_END and offset == 0 and position != self._examined.byte_size:
            self._fail()
        return position

    def readinto(self, target: Buffer) -> int:
        """Read the next bytes into `target`. Raises ChangedWhileRead."""
        buffer = memoryview(target).cast("B")
        piece = self._content.read(len(buffer))
        buffer[: len(piece)] = piece
        self._digest.update(piece)
        self._position += len(piece)
        missing = self._examined.byte_size - self._position
        at_end = not piece and len(buffer) > 0
        if missing < 0 or (missing > 0 and at_end):
            self._fail()
        if missing == 0 and self._digest.hexdigest() != self._examined.content_sha256:
            self._fail()
        return len(piece)

    def _fail(self) -> None:
        self.changed = True
        raise ChangedWhileRead(self.filename)


def _accepted_type(content: BinaryIO, byte_size: int, filename: str, max_bytes: int) -> str:
    if not byte_size:
        raise DocumentUnreadable(
            stage=Stage.RECEIVE,
            cause="the file is empty",
            advice="check that the file was saved and sent completely, then send it again",
        )
    if byte_size > max_bytes:
        raise DocumentUnreadable(
            stage=Stage.RECEIVE,
            cause=f"the file has {byte_size:,} bytes, more than the {max_bytes:,} allowed",
            advice="split it, or " + how_to_raise("bytes", "FOOTNOTE_DOCUMENT_LIMITS", max_bytes),
        )
    media_type = sniff_file(content, filename)
    if media_type is None and PurePath(filename).suffix.lower() in _TEXT_SUFFIXES:
        raise DocumentUnreadable(
            stage=Stage.RECEIVE,
            cause="the file is called a text, but holds bytes that no text has, such as NUL",
            advice="save it as plain text in UTF-8 and upload that copy",
        )
    if media_type is None:
        raise DocumentUnreadable(
            stage=Stage.RECEIVE,
            cause="the file is of a type that cannot be read",
            advice=_conversion_advice(filename),
        )
    return media_type


def _conversion_advice(filename: str) -> str:
    saved_as = _SAVED_AS.get(PurePath(filename).suffix.lower())
    if saved_as is None:
        return f"convert it to a type that can: {_READABLE_TYPES}"
    return f"open it in its own program, save it as {saved_as} and upload that copy"


class _BytesReader(io.RawIOBase):
    """Reads bytes that are held elsewhere, such as in a mapped file."""

    def __init__(self, content: Bytes) -> None:
        self._content = memoryview(content)
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_CUR: self._position, io.SEEK_END: len(self._content)}.get(whence, 0)
        self._position = max(start + offset, 0)
        return self._position

    def readinto(self, target: Buffer) -> int:
        buffer = memoryview(target)
        part = self._content[self._position : self._position + len(buffer)]
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)


def file_over(content: Bytes) -> BinaryIO:
    """Return a file object over bytes, without copying them."""
    return io.BufferedReader(_BytesReader(content))
