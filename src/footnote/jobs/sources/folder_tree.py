"""A folder as a source in which no link is followed, so that nothing beside it can be reached."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from footnote.domain import Received
from footnote.domain.sources import KnownEntry, Labels, Offered, SourceLook
from footnote.engine import WorkspaceEngine
from footnote.errors import InvalidRequest, SourceUnreachable, how_to_raise
from footnote.ingestion.sources.ignoring import IGNORE_FILE, Ignoring
from footnote.jobs.sources.following import Listing
from footnote.validation.text import is_storable

_CLOCK_SECONDS = 2.0  # As of folders that a command reads: within it a file may change unnoticed.
_DEEPEST = 64
_MAX_IGNORE_BYTES = 64 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
"""Non-blocking, as opening a FIFO would wait for a writer."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A regular file in the tree or, with an empty mark, a folder that cannot be opened."""

    segments: tuple[str, ...]
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderBelow:
    """The regular files in a folder and its subfolders.

    Each folder and file is opened relative to the descriptor of its parent, and refused if it is a
    symbolic link: so who can write there cannot lead outside, not even by a race.
    """

    opening: Path
    """Folder from which the path is walked; symbolic links in it are the operator's and are
    followed."""
    segments: tuple[str, ...]
    """Names of the subfolders from `opening` to the folder."""
    max_bytes: int
    _segments_of_id: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The folder, as external ids begin."""
        return str(self.opening.joinpath(*self.segments))

    async def look(self, limit: int, name_count: int) -> SourceLook:
        """Count at most `limit` files, and name `name_count` of them. Raises SourceUnreachable."""
        files = await asyncio.to_thread(
            lambda: list(islice((entry for entry in self._entries() if entry.mark), limit + 1))
        )
        return SourceLook(
            entries=min(len(files), limit),
            more=len(files) > limit,
            names=tuple("/".join(file.segments) for file in files[:name_count]),
        )

    async def listing(self) -> Listing:
        """List the files. Raises SourceUnreachable."""
        return await asyncio.to_thread(self._listing)

    async def take_in(
        self,
        workspace: WorkspaceEngine,
        offered: Offered,
        labels: Labels,
        before: KnownEntry | None,  # noqa: ARG002  # its mark was compared already
    ) -> tuple[Received, Offered] | None:
        """Ingest a file, and return it with a mark if it did not change meanwhile.

        Raises InvalidRequest.
        """
        segments = self._segments_of_id[offered.external_id]
        with await asyncio.to_thread(self._file, segments) as content:
            received = await workspace.receive_stream(
                content,
                segments[-1],
                collection=labels.collection,
                external_id=offered.external_id,
                tags=labels.tags,
                visibility=labels.visibility,
                shared_with=labels.shared_with,
                former=labels.former,
            )
            after = os.fstat(content.fileno())
        recent = time.time() - after.st_mtime < _CLOCK_SECONDS
        trusted = _mark_of(after) == offered.mark and not recent
        mark = offered.mark if trusted else ""
        return received, Offered(external_id=offered.external_id, mark=mark)

    async def close(self) -> None:
        """Do nothing: no resource is kept open."""

    def _listing(self) -> Listing:
        self._segments_of_id.clear()
        offered, hidden = [], []
        for entry in self._entries():
            external_id = "/".join((self.path.rstrip("/"), *entry.segments))
            if not is_storable(external_id):
                continue  # The path is not valid Unicode, so it cannot be an external id.
            self._segments_of_id[external_id] = entry.segments
            if entry.mark:
                offered.append(Offered(external_id=external_id, mark=entry.mark))
            else:
                hidden.append(external_id)
        return Listing(offered=tuple(offered), places=(self.path,), out_of_sight=tuple(hidden))

    def _entries(self) -> Iterator[_Entry]:
        with self._folder(()) as folder:
            yield from _walk(folder, (), Ignoring(), 0)

    @contextmanager
    def _folder(self, segments: Sequence[str]) -> Iterator[int]:
        """Open a subfolder, one path segment at a time. Raises SourceUnreachable."""
        try:
            folder = _open_folder(self.opening, (*self.segments, *segments))
        except OSError as error:
            raise SourceUnreachable(
                "there is no such folder, or it cannot be read",
                hint="check its name and its rights where Footnote runs; links are not followed",
            ) from error
        try:
            yield folder
        finally:
            os.close(folder)

    def _file(self, segments: Sequence[str]) -> BinaryIO:
        """A file below, opened for reading. Raises InvalidRequest."""
        try:
            folder = _open_folder(self.opening, (*self.segments, *segments[:-1]))
            try:
                content = os.fdopen(os.open(segments[-1], _FILE, dir_fd=folder), "rb")
            finally:
                os.close(folder)
        except OSError as error:
            raise InvalidRequest(
                f"it cannot be read: {error.strerror}", hint="check its rights, and run it again"
            ) from error
        file_stat = os.fstat(content.fileno())
        if not stat.S_ISREG(file_stat.st_mode):
            content.close()
            raise InvalidRequest("it is not a regular file", hint="name a file or a folder")
        if file_stat.st_size > self.max_bytes:
            content.close()
            raise InvalidRequest(
                f"it has more than the {self.max_bytes:,} bytes allowed",
                hint=how_to_raise("bytes", "FOOTNOTE_DOCUMENT_LIMITS", self.max_bytes),
            )
        return content


def _open_folder(opening: Path, segments: Sequence[str]) -> int:
    """A folder that is reached from the opening without following a link. Raises OSError."""
    folder = os.open(opening, _FOLDER)
    for segment in segments:
        try:
            below = os.open(segment, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
        finally:
            os.close(folder)
        folder = below
    return folder


def _walk(folder: int, parent: tuple[str, ...], ignoring: Ignoring, top: int) -> Iterator[_Entry]:
    """Yield the files of an open folder and its subfolders, in the order of their names.

    `top` is the depth of the folder to which the ignore patterns are relative.
    """
    names = sorted(os.listdir(folder))
    if IGNORE_FILE in names:
        ignoring, top = Ignoring().with_lines(_lines(folder)), len(parent)
    for name in names:
        segments = (*parent, name)
        relative = "/".join(segments[top:])
        try:
            file_stat = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue  # It went away meanwhile.
        if stat.S_ISREG(file_stat.st_mode):
            if not ignoring(relative, is_folder=False):
                yield _Entry(segments, _mark_of(file_stat))
        elif stat.S_ISDIR(file_stat.st_mode) and not ignoring(relative, is_folder=True):
            try:
                below = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            except OSError:
                yield _Entry(segments)
                continue
            try:
                if len(segments) < _DEEPEST:
                    yield from _walk(below, segments, ignoring, top)
                else:
                    yield _Entry(segments)
            finally:
                os.close(below)


def _lines(folder: int) -> list[str]:
    """The lines of the ignore file of a folder; none of one that cannot be read."""
    try:
        with os.fdopen(os.open(IGNORE_FILE, _FILE, dir_fd=folder), "rb") as content:
            text = content.read(_MAX_IGNORE_BYTES)
    except OSError:
        return []
    return text.decode("utf-8", "replace").splitlines()


def _mark_of(file_stat: os.stat_result) -> str:
    return f"{file_stat.st_size}:{file_stat.st_mtime_ns}"
