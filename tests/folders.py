"""Folders for servers that live as long as a test: in memory, where there is room for them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

MEMORY = Path("/dev/shm")  # nothing of it outlives the tests
MIN_BYTES = 2 << 30
"""Those of each process hold a few hundred MB at most."""


@cache
def memory_folder() -> str | None:
    """Where files lie in memory; None, which stands for the usual place, where that is scarce.

    A database consists of 700 files: to copy one takes 0.02 s of processor time there, and 0.25 s
    on a disk.
    """
    try:
        free = shutil.disk_usage(MEMORY).free
        told = Path("/proc/meminfo").read_text("ascii")
    except OSError:
        return None
    available = [int(line.split()[1]) << 10 for line in told.splitlines() if "MemAvail" in line]
    return str(MEMORY) if min([free, *available]) >= MIN_BYTES else None


@contextmanager
def server_home() -> Iterator[Path]:
    """A folder whose path leaves room for a socket, and that other users may walk through."""
    with tempfile.TemporaryDirectory(
        prefix="fn-", dir=memory_folder(), ignore_cleanup_errors=True
    ) as name:
        Path(name).chmod(0o711)
        yield Path(name)
