"""Read an archive as the list of its members, each of which becomes a child document."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Self

from footnote.domain import Attachment, BlockKind
from footnote.ingestion import media
from footnote.ingestion.failures import unreadable
from footnote.ingestion.parsing.drafts import Reading, line_drafts

_PIECE_BYTES = 1 << 20
_RATIO_FREE_BYTES = 32 * 1024 * 1024
"""Unpacked bytes up to which the compression ratio is not limited: short logs shrink a
thousandfold."""
_LISTED_TOGETHER = 100
_MAX_NAME_CHARACTERS = 255
_JUNK_FOLDERS = frozenset(("__MACOSX", ".git", ".svn", "__pycache__"))
_JUNK_NAMES = frozenset((".ds_store", "thumbs.db", "desktop.ini"))
_DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    OSError,
    EOFError,
    ValueError,
    NotImplementedError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """The limits beyond which an archive is refused."""

    max_depth: int = 3
    """Most levels of archives inside archives, including the outermost."""
    max_members: int = 9_999
    """Most files in it and in the archives inside it; names number them with four digits."""
    max_bytes: int = 512 * 1024 * 1024
    """Most unpacked bytes of all its members, including those of archives inside it."""
    max_ratio: int = 200
    """Most unpacked bytes per packed byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    path: str
    content: bytes = field(repr=False, default=b"")
    note: str = ""
    """Why the member is only listed; empty if it was unpacked."""


@dataclass(slots=True, kw_only=True)
class _Budget:
    """Counts what is unpacked of an archive and of those inside it, and enforces the limits."""

    limits: ArchiveLimits
    packed_bytes: int
    members: int = 0
    bytes: int = 0

    def count_member(self) -> None:
        self.members += 1
        if self.members > self.limits.max_members:
            raise unreadable(
                f"it holds more than {self.limits.max_members:,} files",
                "split it into smaller archives",
            )

    def count_bytes(self, number: int) -> None:
        self.bytes += number
        if self.bytes > self.limits.max_bytes:
            raise unreadable(
                f"it unpacks to more than {self.limits.max_bytes:,} bytes",
                "split it into smaller archives",
            )
        if self.bytes > max(_RATIO_FREE_BYTES, self.limits.max_ratio * self.packed_bytes):
            raise unreadable(
                f"it unpacks to more than {self.limits.max_ratio} times its size, as an archive "
                "made to exhaust its reader does",
                "unpack it and upload its files",
            )


def read_archive(
    content: bytes, filename: str, media_type: str, limits: ArchiveLimits | None = None
) -> Reading:
    """Read a ZIP or TAR archive, or one compressed file.

    A member that is protected by a password is kept unchanged, and fails when it is read. Raises
    DocumentUnreadable when the archive is damaged, empty, protected as a whole or beyond limits.
    """
    limits = limits or ArchiveLimits()
    budget = _Budget(limits=limits, packed_bytes=len(content))
    by_path: dict[str, _Member] = {}
    replaced: list[str] = []
    try:
        for member in _members(content, filename, media_type, budget):
            if member.path in by_path:
                replaced.append(member.path)
            by_path[member.path] = member  # of two with one path the later one counts
            _count_inner_members(member, budget, depth=1)
    except _DAMAGED as error:
        if not by_path:
            raise unreadable(
                f"the archive is damaged ({type(error).__name__})",
                "pack its files anew and upload that archive",
            ) from error
        by_path["…"] = _Member(path="…", note="the archive is damaged from here on")
    members = tuple(by_path.values())
    if not members:
        raise unreadable("the archive holds no file", "check that it was packed completely")
    if all(media.sniff_media_type(member.content, "") == media.ZIP_ENCRYPTED for member in members):
        raise unreadable("it is protected by a password", "upload a copy without a password")
    # What the archive holds, so that it is found by the names of its files.
    lines = [
        f"- {member.path}" + (f" ({member.note})" if member.note else "") for member in members
    ]
    lines += [f"- {path} (an earlier file of this name, which it replaces)" for path in replaced]
    return Reading(
        drafts=tuple(line_drafts(lines, _LISTED_TOGETHER, BlockKind.LIST)),
        metadata={"members": sum(1 for member in members if not member.note)},
        attachments=tuple(
            Attachment(
                filename=member.path,
                media_type=media.sniff_media_type(member.content, member.path) or "",
                content=member.content,
            )
            for member in members
            if member.content
        ),
    )


def _count_inner_members(member: _Member, budget: _Budget, depth: int) -> None:
    """Count the members of an archive inside the archive against the budget.

    Their content is read later, when that archive is parsed as its own document.
    """
    media_type = media.sniff_media_type(member.content, member.path)
    if media_type not in media.ARCHIVES:
        return
    if depth >= budget.limits.max_depth:
        raise unreadable(
            f"it holds archives inside archives, deeper than {budget.limits.max_depth}",
            "unpack the inner ones first",
        )
    try:
        for inner in _members(member.content, member.path, media_type, budget):
            _count_inner_members(inner, budget, depth + 1)
    except _DAMAGED:  # it fails on its own when it is read as a document
        return


def _members(content: bytes, filename: str, media_type: str, budget: _Budget) -> Iterator[_Member]:
    if media_type == media.ZIP:
        yield from _zip_members(content, budget)
        return
    stream = _Unpacking(_open_stream(content, media_type), budget)
    if media_type == media.TAR or stream.peek_is_tar():
        yield from _tar_members(stream, budget)
        return
    budget.count_member()
    name = PurePath(filename.replace("\\", "/")).name
    path = PurePath(name)
    inner = path.stem if path.suffix.lower() in (".gz", ".bz2", ".xz") else name
    yield _Member(path=inner or "member", content=stream.read_all())


# --- ZIP ------------------------------------------------------------------------------------


def _zip_members(content: bytes, budget: _Budget) -> Iterator[_Member]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        for info in infos:
            path = _safe_path(_zip_name(info))
            if path is None:
                continue
            budget.count_member()
            if stat.S_ISLNK(info.external_attr >> 16):
                yield _Member(path=path, note="a link, not followed")
            elif info.flag_bits & 1:
                budget.count_bytes(info.compress_size)
                # The member with its header, as both stand in the archive.
                start = info.header_offset
                lengths = (content[start + 26 : start + 28], content[start + 28 : start + 30])
                name_bytes = sum(int.from_bytes(length, "little") for length in lengths)
                end = start + 30 + name_bytes + info.compress_size
                yield _Member(path=path, content=content[start:end])
            else:
                yield _unpacked(archive, info, path, budget)


def _unpacked(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str, budget: _Budget
) -> _Member:
    pieces = []
    try:
        with archive.open(info) as source:
            while piece := source.read(_PIECE_BYTES):
                budget.count_bytes(len(piece))
                pieces.append(piece)
    except (*_DAMAGED, RuntimeError) as error:
        return _Member(path=path, note=f"damaged: {error}"[:200])
    unpacked = b"".join(pieces)
    return _Member(path=path, content=unpacked, note="" if unpacked else "empty")


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return the member's name; many programs write UTF-8 without setting its flag."""
    if info.flag_bits & 0x800 or info.filename.isascii():
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


# --- TAR and single files -------------------------------------------------------------------


class _Unpacking(io.RawIOBase):
    """A decompressing stream that stops when the budget is spent."""

    def __init__(self, source: io.BufferedIOBase, budget: _Budget) -> None:
        super().__init__()
        self._source = source
        self._budget = budget
        self._ahead = b""

    def read(self, size: int = -1) -> bytes:
        limit = _PIECE_BYTES if size < 0 else size
        if self._ahead:
            piece, self._ahead = self._ahead[:limit], self._ahead[limit:]
            return piece
        piece = self._source.read(min(limit, _PIECE_BYTES))
        self._budget.count_bytes(len(piece))
        return piece

    def peek_is_tar(self) -> bool:
        self._ahead = self._source.read(512)
        self._budget.count_bytes(len(self._ahead))
        return media.sniff_media_type(self._ahead, "") == media.TAR

    def read_all(self) -> bytes:
        return b"".join(iter(self.read, b""))


def _open_stream(content: bytes, media_type: str) -> io.BufferedIOBase:
    source = io.BytesIO(content)
    if media_type == media.GZIP:
        return gzip.GzipFile(fileobj=source)
    if media_type == media.BZIP2:
        return bz2.BZ2File(source)
    if media_type == media.XZ:
        return lzma.LZMAFile(source)
    return source


class _Tar(tarfile.TarFile):
    """A TAR archive read as a stream, including archives that were appended after its end."""

    zero_blocks = 0
    """Number of zero blocks read since the last header."""


class _Header(tarfile.TarInfo):
    """A TAR header; unlike in tarfile, an invalid one counts as damage and is not skipped.

    The end is marked by two blocks of zeros, and the programs that pack such archives all write
    them. One is enough where nothing follows it, as no member can be missing then. Without any, the
    archive looks like one that was cut between two members: it counts as damaged.
    """

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if not any(buf):
                raise
            raise tarfile.ReadError(str(error)) from error

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """Return the next header. Raises ReadError for an invalid header or a missing end
        marker."""
        assert isinstance(archive, _Tar), "only such archives have these headers"
        assert archive.fileobj is not None, "it was opened to be read"
        before = archive.fileobj.tell()
        try:
            header = super().fromtarfile(archive)
        except tarfile.HeaderError as error:
            archive.zero_blocks += archive.fileobj.tell() > before
            if not archive.zero_blocks:
                raise tarfile.ReadError("the end is missing") from error
            raise
        if archive.zero_blocks == 1:
            raise tarfile.ReadError("one block of zeros stands where a header should")
        archive.zero_blocks = 0
        return header


def _tar_members(stream: _Unpacking, budget: _Budget) -> Iterator[_Member]:
    with _Tar.open(fileobj=stream, mode="r|", tarinfo=_Header, ignore_zeros=True) as archive:
        for info in archive:
            path = _safe_path(info.name)
            if info.isdir() or path is None:
                continue
            budget.count_member()
            if not info.isreg():
                kind = "a link, not followed" if info.issym() or info.islnk() else "no file"
                yield _Member(path=path, note=kind)
                continue
            if info.size > budget.limits.max_bytes:  # a sparse file needs no bytes to be huge
                budget.count_bytes(info.size)
            source = archive.extractfile(info)
            content = source.read() if source is not None else b""
            yield _Member(path=path, content=content, note="" if content else "empty")


# --- names ----------------------------------------------------------------------------------


def _safe_path(name: str) -> str | None:
    """Return a relative path that cannot leave its folder; None for files that packers leave
    behind."""
    printable = "".join(character for character in name if character.isprintable())
    parts = [part.strip() for part in printable.replace("\\", "/").split("/")]
    retained = [part for part in parts if part not in ("", ".", "..") and part[1:] != ":"]
    if not retained or not _JUNK_FOLDERS.isdisjoint(retained):
        return None
    if retained[-1].lower() in _JUNK_NAMES or retained[-1].startswith("._"):
        return None
    return "/".join(retained)[-_MAX_NAME_CHARACTERS:].lstrip("/")
