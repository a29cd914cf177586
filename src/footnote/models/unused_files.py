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
_BUILT = (".onnx", ".bin", ".partial")
_BEING_MADE = "mapping-"
"""Prefix of the folder in which a graph is being built; left behind if the process is killed."""
_OF_A_REVISION = re.compile(r"document--packaged--.+|multilingual-e5-small-[0-9a-f]{12}")
"""Matches the folders with the files built from one revision of a packaged model."""


def note_use(file: Path) -> None:
    """Set the file's access time to now, even if the file system does not update it on reads."""
    with suppress(OSError), file.open("rb") as opened:
        os.utime(opened.fileno(), ns=(time.time_ns(), os.fstat(opened.fileno()).st_mtime_ns))


def remove_unused(folder: Path) -> None:
    """Delete generated files in the folder, and other revisions beside it, unused for a week."""
    latest = time.time() - _UNUSED_SECONDS
    with suppress(OSError):
        for each in folder.iterdir():
            if each.name.startswith(_BEING_MADE) or each.suffix in _BUILT:
                with suppress(OSError):
                    if _last_use(each) < latest:
                        shutil.rmtree(each) if each.is_dir() else each.unlink()
        for each in folder.parent.iterdir():
            # An empty folder may be about to be filled.
            if each != folder and _OF_A_REVISION.fullmatch(each.name) and any(each.iterdir()):
                with suppress(OSError):
                    if max(map(_last_use, each.iterdir())) < latest:
                        shutil.rmtree(each)


def _last_use(file: Path) -> float:
    found = file.stat()
    return max(found.st_atime, found.st_mtime)
