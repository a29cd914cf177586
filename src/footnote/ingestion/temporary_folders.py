"""Folders that do not outlive the processes that use them, such as for what reading writes.

A process that is killed cannot remove its folders, and they hold contents of documents. So each
folder is locked by its process, and by those that are forked off it, and the next process that
makes one removes those that nobody locks any more.
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
    """An empty folder for this user alone, in that for temporary files unless another is named."""

    def __init__(self, purpose: str, parent: Path | None = None) -> None:
        parent = Path(tempfile.gettempdir()) if parent is None else parent
        prefix = f"footnote-{purpose}-"
        _remove_abandoned(parent, prefix)
        # It has its last name once it is locked: no other process takes it for an abandoned one.
        made = Path(tempfile.mkdtemp(prefix=f".{prefix}", dir=parent))
        self._lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.path = str(made.rename(parent / made.name.removeprefix(".")))

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
