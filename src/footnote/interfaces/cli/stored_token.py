"""The key or token that the commands of this user authenticate with.

`footnote login` keeps it in a file of FOOTNOTE_HOME that only this user may read; FOOTNOTE_API_KEY
wins over it.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

import platformdirs

FILE = "login.token"
VARIABLE = "FOOTNOTE_API_KEY"
MAX_CHARACTERS = 16 * 1024


def stored_token(home: Path | None = None) -> str | None:
    """The key or token; None where nobody logged in."""
    if token := os.environ.get(VARIABLE):
        return token
    folder = home or Path(os.environ.get("FOOTNOTE_HOME") or platformdirs.user_data_dir("footnote"))
    with suppress(OSError):
        descriptor = os.open(folder / FILE, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor) as file:
            status = os.fstat(descriptor)
            if status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077:
                return file.read(MAX_CHARACTERS)
    return None


def store_token(path: Path, token: str) -> None:
    """Write it whole or not at all, for this user alone."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(token)
    draft.replace(path)
