"""A zip archive that is sent while it is written, never held whole."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile:
    """A file of an archive, as its manifest has it."""

    name: str
    records: int | None
    """Lines of JSON; None for a file that was given to us."""
    byte_size: int
    sha256: str
    """Hexadecimal."""


@dataclass(slots=True)
class _Written:
    """What was written and not yet sent; zipfile takes it for a stream that cannot seek."""

    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def write(self, content: bytes, /) -> int:
        self.parts.append(bytes(content))
        self.size += len(content)
        return len(content)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""


@dataclass(slots=True)
class OpenFile:
    """A file of the archive while it is written."""

    target: IO[bytes]
    records: int = 0
    byte_size: int = 0
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)

    def write(self, content: bytes) -> None:
        """Write some of it."""
        self.target.write(content)
        self.digest.update(content)
        self.byte_size += len(content)

    def write_record(self, line: bytes) -> None:
        """Write a line of JSON."""
        self.write(line + b"\n")
        self.records += 1


class StreamedZip:
    """Files one after the other; `take` gives what is to be sent next."""

    def __init__(self) -> None:
        self._out = _Written()
        self._zip = zipfile.ZipFile(self._out, "w", zipfile.ZIP_DEFLATED)
        self.files: list[WrittenFile] = []

    @property
    def waiting_bytes(self) -> int:
        """How much could be taken now."""
        return self._out.size

    @contextmanager
    def file(self, name: str, *, of_records: bool) -> Iterator[OpenFile]:
        """Write a file, of any size."""
        with self._zip.open(name, "w", force_zip64=True) as target:
            opened = OpenFile(target)
            yield opened
        self.files.append(
            WrittenFile(
                name=name,
                records=opened.records if of_records else None,
                byte_size=opened.byte_size,
                sha256=opened.digest.hexdigest(),
            )
        )

    def close(self) -> None:
        """Write the directory of the archive; the last to be taken."""
        self._zip.close()

    def take(self) -> bytes:
        """What was written since it was last taken."""
        taken = b"".join(self._out.parts)
        self._out.parts.clear()
        self._out.size = 0
        return taken
