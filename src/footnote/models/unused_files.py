"""Delete generated model files that no process has used for a week.

A new version builds its own graphs beside those of the previous version, which another process with
the same folder may still use; each use updates the file's access time. A file that is deleted while
open stays readable, and a missing file is built again.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from contextlib import suppress
from pathlib import Path

_UNUSED_SECONDS = 7 * 86_400
_BUILT_SUFFIXES = (".onnx", ".bin", ".partial")
_TEMPORARY_PREFIX = "mapping-"
"""Prefix of the folder in which a graph is being built; left behind if the process is killed."""
_REVISION_FOLDER = re.compile(r"document--packaged--.+|multilingual-e5-small-[0-9a-f]{12}")
"""Matches the folders with the files built from one revision of a packaged model."""


def note_use(file: Path) -> None:
    """Set the file's access time to now, even if the file system does not update it on reads."""
    with suppress(OSError), file.open("rb") as opened:
        os.utime(opened.fileno(), ns=(time.time_ns(), os.fstat(opened.fileno()).st_mtime_ns))


def remove_unused(folder: Path) -> None:
    """Delete generated files in the folder, and other revisions beside it, unused for a week."""
    latest = time.time() - _UNUSED_SECONDS
    with suppress(OSError):
        for file in folder.iterdir():
            if file.name.startswith(_TEMPORARY_PREFIX) or file.suffix in _BUILT_SUFFIXES:
                with suppress(OSError):
                    if _last_use(file) < latest:
                        shutil.rmtree(file) if file.is_dir() else file.unlink()
        for revision in folder.parent.iterdir():
            # An empty folder may be about to be filled.
            if (
                revision != folder
                and _REVISION_FOLDER.fullmatch(revision.name)
                and any(revision.iterdir())
            ):
                with suppress(OSError):
                    if max(map(_last_use, revision.iterdir())) < latest:
                        shutil.rmtree(revision)


def _last_use(file: Path) -> float:
    status = file.stat()
    return max(status.st_atime, status.st_mtime)
