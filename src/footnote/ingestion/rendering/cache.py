"""Cache PDFs made by LibreOffice in a folder of bounded size, until their file is deleted."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from footnote.ingestion.frames import Bytes

_WORK = "work-"
_STALE_SECONDS = 3600.0
"""Age at which a working folder belongs to a process that was killed."""
_SUFFIX = ".pdf"


@dataclass(frozen=True, slots=True)
class PdfCache:
    """The PDF of each office file, by the key of its bytes; the least recently used is evicted
    first."""

    folder: Path
    most_bytes: int = 1024**3

    def open(self, key: str) -> BinaryIO | None:
        """Return the PDF as a file; None if it is not cached."""
        path = self._path(key)
        try:
            os.utime(path)
            return path.open("rb")
        except OSError:
            return None

    def put(self, key: str, content: Bytes) -> None:
        """Store a PDF and evict those least recently used; one larger than the cache is not
        stored."""
        if len(content) > self.most_bytes:
            return
        path = self._path(key)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.working_folder() as folder:
            fresh = folder / "kept"
            fresh.write_bytes(content)
            fresh.replace(path)
        # Evict the least recently used until the rest fits.
        files = []
        for path in self.folder.glob(f"*/*{_SUFFIX}"):
            with suppress(OSError):
                state = path.stat()
                files.append((state.st_mtime, state.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self.most_bytes:
                return
            with suppress(OSError):
                path.unlink(missing_ok=True)
            total -= size

    def has(self, key: str) -> bool:
        """Whether there is a PDF under the key."""
        return self._path(key).exists()

    def forget(self, key: str) -> None:
        """Remove the PDF, if there is one."""
        with suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    @contextmanager
    def working_folder(self) -> Iterator[Path]:
        """Provide a private folder, deleted at the end of the block."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for stale in self.folder.glob(f"{_WORK}*"):
            with suppress(OSError):
                if time.time() - stale.stat().st_mtime > _STALE_SECONDS:
                    shutil.rmtree(stale, ignore_errors=True)
        name = tempfile.mkdtemp(prefix=_WORK, dir=self.folder)
        try:
            yield Path(name)
        finally:
            shutil.rmtree(name, ignore_errors=True)

    def _path(self, key: str) -> Path:
        workspace, *_, name = key.split("/")
        return self.folder / workspace / f"{name}{_SUFFIX}"
