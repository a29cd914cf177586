"""Store the exact rows of many vectors in an unnamed file, of which searches read a few."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from weakref import finalize

import numpy as np

from footnote.index.quantised import HalfVectors, Places

MIN_ROWS = 16_384
"""Fewer rows stay in memory: they take little of it, and a process can open only so many files."""


class VectorRows(Protocol):
    """Rows of half precision, indexed by position; an array is one."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        ...

    def __getitem__(self, places: Places, /) -> HalfVectors:
        """Shape (places, dimensions)."""
        ...


class RowsInFile:
    """Rows stored in a file, in order; the file is closed with this object.

    A row is read by a call of its own, .8 µs each where the page is in the system's cache. Mapped
    into memory, rows would count as the process's own: the kernel maps the pages around a page,
    too.
    """

    nbytes = 0

    def __init__(self, file: int, dimensions: int, start: int = 0) -> None:
        self._file, self._dimensions, self._start = file, dimensions, start
        finalize(self, os.close, file)

    def __getitem__(self, positions: Places, /) -> HalfVectors:
        """Read them one by one."""
        size, start = 2 * self._dimensions, self._start
        content = b"".join(
            os.pread(self._file, size, start + position * size) for position in positions.tolist()
        )
        return np.frombuffer(content, dtype=np.float16).reshape(-1, self._dimensions)


def set_aside(rows: HalfVectors, folder: Path | None) -> VectorRows:
    """Write the rows to an unnamed file in the folder if they are many and it can be written."""
    if folder is None or len(rows) < MIN_ROWS or not hasattr(os, "pread"):
        return rows
    with (
        suppress(OSError),  # No room, or nothing may be written there.
        tempfile.TemporaryFile(dir=folder) as file,
    ):
        file.write(np.ascontiguousarray(rows).data)
        file.flush()
        return RowsInFile(os.dup(file.fileno()), rows.shape[1])
    return rows
