"""Write a zip archive as a stream, never completely in memory."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedFile:
    """A file of an archive, as its manifest has it."""

    name: str
    records: int | None
    """Number of JSON lines; None for a file without records."""
    byte_size: int
    sha256: str
    """Hexadecimal."""


@dataclass(slots=True)
class _Buffer:
    """Buffer of bytes not yet sent; zipfile treats it as a stream that cannot seek."""

    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def write(self, content: bytes, /) -> int:
        self.parts.append(bytes(content))
        self.size += len(content)
        return len(content)

    def flush(self) -> None:
        """Do nothing: nothing is buffered below."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


@dataclass(slots=True)
class OpenFile:
    """A file of the archive while it is written."""

    target: IO[bytes]
    records: int = 0
    byte_size: int = 0
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)

    def write(self, content: bytes) -> None:
        """Write bytes, and update the file's size and hash."""
        self.target.write(content)
        self.digest.update(content)
        self.byte_size += len(content)

    def write_record(self, line: bytes) -> None:
        """Write a line of JSON."""
        self.write(line + b"\n")
        self.records += 1


class StreamedZip:
    """A zip archive written file by file; `take` returns the bytes to send next."""

    def __init__(self) -> None:
        self._out = _Buffer()
        self._zip = zipfile.ZipFile(self._out, "w", zipfile.ZIP_DEFLATED)
        self.files: list[ArchivedFile] = []

    @property
    def waiting_bytes(self) -> int:
        """The number of bytes that `take` would return."""
        return self._out.size

    @contextmanager
    def file(self, name: str, *, of_records: bool) -> Iterator[OpenFile]:
        """Write a file, of any size."""
        with self._zip.open(name, "w", force_zip64=True) as target:
            opened = OpenFile(target)
            yield opened
        self.files.append(
            ArchivedFile(
                name=name,
                records=opened.records if of_records else None,
                byte_size=opened.byte_size,
                sha256=opened.digest.hexdigest(),
            )
        )

    def close(self) -> None:
        """Write the central directory of the archive; `take` returns it."""
        self._zip.close()

    def take(self) -> bytes:
        """Return the bytes written since the last call."""
        content = b"".join(self._out.parts)
        self._out.parts.clear()
        self._out.size = 0
        return content
