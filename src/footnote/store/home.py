"""Check and open the home folder of an installation."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from footnote.errors import UnsupportedSettings
from footnote.store.system_user import ROOT_HOME, ServerAccount, require_traversable, server_uid

FILESYSTEM_ROOT = Path("/")

_LONGEST_SOCKET_PATH = 100
"""Unix socket paths end at 103 bytes on macOS and 107 on Linux."""

_SOCKETS = re.compile(r"\.s\.PGSQL\..*|core.*")
"""Files that a server leaves in its working folder, that of its sockets."""

_CLUSTER = re.compile(r"PG_VERSION|base|global|pg_.*|postgresql\..*|postmaster\..*|server\.log")
"""Files made by initdb; a partial cluster may hold any of them."""


_OURS = re.compile(
    r"blobs|models|pages|run|postgres(?:\..*)?|(?:master|identity)\.key|login\.token|server\.json"
    r"|(?:restoring|verifying)(?:\.lock)?|replaced-.*|made-by-the-demo"
    r"|\.?footnote-.*"
)
"""Entries of a home folder in any version; one of them identifies a home."""

_IGNORED = re.compile(r"lost\+found|\.snapshots?|\.DS_Store|\.nfs.*|\.git(?:ignore|keep)|\.keep")
"""Files ignored in an empty folder: those of file systems, and placeholders in repositories."""


def require_home(home: Path) -> None:
    """Raise UnsupportedSettings for a folder that cannot be a home, whatever its database.

    A folder with foreign files is refused, so that ours do not mix with them.
    """
    home = home.expanduser().absolute()
    with _refusing(home):
        for path in (home, *home.parents):
            if path.is_dir():
                break
            if path.exists():
                raise _refused(f"{path} is a file, not a folder")
            if path.is_symlink():
                raise _refused(f"{path} is a symbolic link that leads to no folder")
        if home.exists() and home.samefile(FILESYSTEM_ROOT):
            raise _refused(f"{home} is the root of the file system, not a folder of its own")
        names = [entry.name for entry in home.iterdir()] if home.exists() else []
    if not any(map(_OURS.fullmatch, names)) and not all(map(_IGNORED.fullmatch, names)):
        raise UnsupportedSettings(
            f"{home} has files in it, and none of Footnote's",
            hint=f"set FOOTNOTE_HOME to an empty or a new folder, such as {home / 'footnote'}",
        )


def require_usable(home: Path) -> None:
    """Raise UnsupportedSettings if no server may run in `home`, before anything is created.

    Raises StoreUnavailable if the server's account cannot traverse the path to it.
    """
    require_home(home)
    home = home.expanduser().absolute()
    with _refusing(home):
        if os.geteuid() == 0:
            require_traversable(home)
        # Whether a server has run here, so that its folders are ours whatever else lies in them.
        cluster = home / "postgres"
        is_ours = (
            not cluster.is_symlink()
            and cluster.is_dir()
            and cluster.stat().st_uid == server_uid()
            and (cluster / "PG_VERSION").is_file()
        )
        if not is_ours:
            _require_unshared(home)
        _require_ours(home / "postgres", None if is_ours else re.compile("(?!)"))
        _require_ours(home / "postgres.new", _CLUSTER)
        _require_ours(socket_folder_of(home), None if is_ours else _SOCKETS)
        for name in ("postgres.lock", "postgres.users"):
            _require_no_link(home / name)


def open_home(home: Path, account: ServerAccount) -> None:
    """Create a home closed to other users, but traversable for the server's account.

    Raises OSError, and StoreUnavailable where a parent folder is closed to that account.
    """
    private_folder(home)
    if account.uid is not None:
        home.chmod(home.stat().st_mode | 0o011)
    account.require_reachable(home / "postgres")


def private_folder(folder: Path) -> None:
    """Make a folder that is closed to other users, if it is not there yet."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def socket_folder_of(home: Path) -> Path:
    """Return a folder for sockets, whose path is short enough and has no comma.

    libpq reads a comma in a host as a separator of hosts, however it is quoted.
    """
    folder = home / "run"
    socket = os.fsencode(folder / ".s.PGSQL.5432")
    if len(socket) <= _LONGEST_SOCKET_PATH and b"," not in socket:
        return folder
    name = hashlib.sha256(str(home).encode()).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"footnote-{os.geteuid()}-{name}"


def _require_unshared(home: Path) -> None:
    """Raise UnsupportedSettings for a world-writable home, where others could replace files."""
    if home.exists() and home.stat().st_mode & (stat.S_IWOTH | stat.S_ISVTX):
        raise UnsupportedSettings(
            f"{home} is a folder that is shared with other users",
            hint=f"set FOOTNOTE_HOME to a folder of its own, such as {home / 'footnote'}",
        )


def _require_ours(folder: Path, allowed: re.Pattern[str] | None) -> None:
    """Raise UnsupportedSettings for an existing folder that Footnote cannot have made.

    `allowed` matches the names of its entries; None allows any.
    """
    _require_no_link(folder)
    try:
        status = folder.lstat()
        foreign = not stat.S_ISDIR(status.st_mode)
        if not foreign and status.st_uid not in {os.geteuid(), server_uid()}:
            raise _obstructed(folder, "belongs to another user")
        if not foreign and allowed is not None:
            foreign = any(not allowed.fullmatch(entry.name) for entry in folder.iterdir())
    except FileNotFoundError:
        # Absent, or just renamed by another process that starts the same server.
        return
    if foreign:
        raise _obstructed(folder, "was not made by Footnote")


def _require_no_link(path: Path) -> None:
    if path.is_symlink():
        raise _obstructed(path, "is a symbolic link")


def _obstructed(path: Path, reason: str) -> UnsupportedSettings:
    return UnsupportedSettings(
        f"{path} {reason}, and Footnote keeps its database there",
        hint=f"set FOOTNOTE_HOME to another folder, or move {path} away",
    )


@contextmanager
def _refusing(home: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _refused(f"{home} cannot be used: {error.strerror}") from error


def _refused(reason: str) -> UnsupportedSettings:
    return UnsupportedSettings(
        reason, hint=f"set FOOTNOTE_HOME to a folder you may write to, such as {ROOT_HOME}"
    )
