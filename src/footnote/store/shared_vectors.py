"""Vectors shared by the processes of one server, in files that all of them map.

A file is named by the workspace, the lane and a hash of its chunk numbers, and never changes. The
process that first searches a workspace writes it; others find it complete or not at all. It has
vectors as the database stores them: under the secret transform in an encrypted workspace.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import numpy as np

from footnote.index.bm25 import Numbers
from footnote.index.quantised import HalfVectors, QuantisedVectors
from footnote.store.vector_file import MIN_ROWS, RowsInFile, VectorRows

Key = tuple[UUID, int]
"""A workspace and one of its lanes."""
_HEADER = struct.Struct("<d56x")
"""The norm of the longest vector, padded to 64 bytes (a cache line) to align what follows."""


class SharedVectors:
    """The files in a folder that belongs to the processes of one server."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._forgotten: Counter[UUID] = Counter()

    def forgotten(self, workspace_id: UUID) -> int:
        """Return how often a workspace was invalidated here; ask before reading its vectors."""
        return self._forgotten[workspace_id]

    def find(
        self, key: Key, numbers: Numbers, dimensions: int
    ) -> tuple[VectorRows, QuantisedVectors] | None:
        """Return the vectors of exactly these chunks, in order; None if no process has written
        them.
        """
        try:
            file = os.open(self._path(key, numbers), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return _mapped(file, numbers.size, dimensions)
        finally:
            os.close(file)

    def keep(
        self,
        key: Key,
        numbers: Numbers,
        rows: HalfVectors,
        quantised: QuantisedVectors,
        *,
        forgotten: int,
    ) -> tuple[VectorRows, QuantisedVectors] | None:
        """Write a file of vectors for all processes, replacing older ones; None if the disk is
        full.

        Vectors that were read before a later invalidation are not kept. Law: `find` returns what
        was kept.
        """
        path = self._path(key, numbers)
        with suppress(OSError):
            file, temporary = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(file, "wb") as writing:
                    writing.write(_HEADER.pack(quantised.longest))
                    for part in (quantised.scales, quantised.errors, rows, quantised.codes):
                        writing.write(np.ascontiguousarray(part).data)
                with suppress(FileExistsError):
                    # Another process wrote it first: all map that file.
                    path.hardlink_to(temporary)
            finally:
                Path(temporary).unlink()
            for older in self._of(key[0], key[1]):
                if older != path or self._forgotten[key[0]] != forgotten:
                    older.unlink(missing_ok=True)
            return self.find(key, numbers, rows.shape[1])
        return None

    def forget(self, workspace_id: UUID, lane_id: int | None = None) -> None:
        """Delete the files of a workspace, or of one lane; processes that map them are not
        affected.
        """
        self._forgotten[workspace_id] += 1
        for path in self._of(workspace_id, lane_id):
            path.unlink(missing_ok=True)

    def _of(self, workspace_id: UUID, lane_id: int | None) -> Iterator[Path]:
        return self._folder.glob(f"{workspace_id}.{'*' if lane_id is None else lane_id}.*")

    def _path(self, key: Key, numbers: Numbers) -> Path:
        digest = hashlib.sha256(np.ascontiguousarray(numbers).data).hexdigest()
        return self._folder / f"{key[0]}.{key[1]}.{digest}"


def _mapped(file: int, count: int, dimensions: int) -> tuple[VectorRows, QuantisedVectors]:
    buffer = memoryview(mmap.mmap(file, 0, prot=mmap.PROT_READ))
    longest: float
    (longest,) = _HEADER.unpack_from(buffer)
    scales_at = _HEADER.size
    errors_at = scales_at + 4 * count
    rows_at = errors_at + 4 * count
    codes_at = rows_at + 2 * count * dimensions
    rows: VectorRows
    if count >= MIN_ROWS:
        rows = RowsInFile(os.dup(file), dimensions, rows_at)
    else:
        rows = np.frombuffer(buffer[rows_at:codes_at], np.float16).reshape(count, dimensions)
    return rows, QuantisedVectors(
        codes=np.frombuffer(buffer[codes_at:], np.int8).reshape(count, dimensions),
        scales=np.frombuffer(buffer[scales_at:errors_at], np.float32),
        errors=np.frombuffer(buffer[errors_at:rows_at], np.float32),
        longest=longest,
    )
