"""Temporary folders that are removed once their process has ended, such as those of parsers.

A process that is killed cannot remove its folders, and they hold contents of documents. So each
folder is locked by its process and its forked children, and the next process that makes one removes
those that are no longer locked.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path


class TemporaryFolder:
    """An empty folder that only this user can access, in the system's temporary folder or
    `parent`."""

    def __init__(self, purpose: str, parent: Path | None = None) -> None:
        parent = Path(tempfile.gettempdir()) if parent is None else parent
        prefix = f"footnote-{purpose}-"
        _remove_abandoned(parent, prefix)
        # It gets its final name once it is locked, so that no process takes it for abandoned.
        folder = Path(tempfile.mkdtemp(prefix=f".{prefix}", dir=parent))
        self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.path = str(folder.rename(parent / folder.name.removeprefix(".")))

    def remove(self) -> None:
        """Remove it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


@cache
def _remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove folders of processes that have ended; once in a process is enough."""
    for folder in parent.glob(f"{prefix}*"):
        # Another user's, or one that another process removes at this moment.
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
