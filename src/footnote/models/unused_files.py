"""Files built from weights that no program has opened for long are removed.

A new version builds graphs of its own beside those of the version before, which another program
of the same folder may still open: each says by the time of access that it did. What is open stays
readable where it is removed all the same, and what is missing is built anew.
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
"""How the folder of a graph begins that is being made, and stays behind where its maker died."""
_OF_A_REVISION = re.compile(r"document--packaged--.+|multilingual-e5-small-[0-9a-f]{12}")
"""What the folders are called that hold what is built of one revision of a packaged model."""


def note_use(file: Path) -> None:
    """Say that a file is in use, whatever the file system notes of that by itself."""
    with suppress(OSError), file.open("rb") as opened:
        os.utime(opened.fileno(), ns=(time.time_ns(), os.fstat(opened.fileno()).st_mtime_ns))


def remove_unused(folder: Path) -> None:
    """Remove what was built into the folder, and other revisions, if unopened for a week."""
    latest = time.time() - _UNUSED_SECONDS
    with suppress(OSError):
        for each in folder.iterdir():
            if each.name.startswith(_BEING_MADE) or each.suffix in _BUILT:
                with suppress(OSError):
                    if _last_use(each) < latest:
                        shutil.rmtree(each) if each.is_dir() else each.unlink()
        for each in folder.parent.iterdir():
            # One that is empty is about to be filled.
            if each != folder and _OF_A_REVISION.fullmatch(each.name) and any(each.iterdir()):
                with suppress(OSError):
                    if max(map(_last_use, each.iterdir())) < latest:
                        shutil.rmtree(each)


def _last_use(file: Path) -> float:
    found = file.stat()
    return max(found.st_atime, found.st_mtime)
