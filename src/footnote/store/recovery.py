"""Restore a server's files from base backups and WAL, and run it where only we can reach it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psycopg

from footnote.errors import CiphertextDamaged, Conflict, InvalidRequest, StoreUnavailable
from footnote.store.embedded import SUPERUSER, EmbeddedPostgres, locked, open_lock
from footnote.store.home import private_folder, socket_folder_of
from footnote.store.system_user import reachable_binaries, server_account

_LONGEST_START_SECONDS = 24 * 3600
_LOOK_SECONDS = 0.1
_NOT_YET = ("starting up", "not yet accepting", "not accepting connections")
_OWN_CONFIGURATION = "postgresql.auto.conf"
"""Settings of ALTER SYSTEM; always read, they may need what this machine lacks."""
_BEFORE_THE_TARGET = "recovery ended before configured recovery target was reached"
_TOO_EARLY = "requested recovery stop point is before consistent recovery point"
_CONFIGURATION = """
# Nothing is synchronised before all of it is, when it is done.
hba_file = '{folder}/hba.conf'
ident_file = '{folder}/ident.conf'
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 200
shared_buffers = 256MB
maintenance_work_mem = 512MB
max_wal_size = 4GB
hot_standby = off
fsync = off
jit = off
restore_command = 'cp "{folder}/log/%f" "%p"'
recovery_target_timeline = 'current'
"""


class Piped:
    """A file object over byte pieces, to be read once."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._buffer = pieces, b""

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        parts, missing = [self._buffer], size - len(self._buffer)
        while missing > 0:
            piece = next(self._pieces, b"")
            if not piece:
                piece = next((piece for piece in self._pieces if piece), b"")
                if not piece:
                    break
            parts.append(piece)
            missing -= len(piece)
        content = b"".join(parts)
        self._buffer = content[size:]
        return content[:size]


def unpack(pieces: Iterator[bytes], folder: Path) -> None:
    """Unpack the tar file of a base backup into a new folder."""
    folder.mkdir(mode=0o700)
    with tarfile.open(fileobj=Piped(pieces), mode="r|", bufsize=1024 * 1024) as archive:  # type: ignore[call-overload]  # it only reads
        archive.extractall(folder, filter="tar")
    for _ in pieces:  # To the end, so that all of it is checked.
        continue


@dataclass(frozen=True, slots=True)
class Recovery:
    """A folder in which a server is restored: files in `postgres`, WAL in `log`, configuration."""

    folder: Path
    superuser: str = SUPERUSER

    @property
    def cluster(self) -> Path:
        """The files of the server."""
        return self.folder / "postgres"

    @property
    def server(self) -> EmbeddedPostgres:
        """The server over the files."""
        account = server_account()
        return EmbeddedPostgres(
            home=self.folder,
            socket_folder=socket_folder_of(self.folder),
            binaries=reachable_binaries(account),
            account=account,
        )

    def combine(self, bases: Iterable[Path]) -> None:
        """Combine a full base backup and the incremental ones after it into the server's files."""
        full, *incremental = bases
        if not incremental:
            full.rename(self.cluster)
        else:
            self._run(
                "pg_combinebackup", "--link", "--no-sync", "-o", self.cluster, full, *incremental
            )
        for base in (full, *incremental):
            shutil.rmtree(base, ignore_errors=True)

    @contextmanager
    def recovered(self, until: datetime | None) -> Iterator[EmbeddedPostgres]:
        """Run the server, after replaying WAL to a point in time or to its end.

        Only our own operating system user can connect. Raises InvalidRequest for a time before the
        base backup was complete, and StoreUnavailable.
        """
        (self.cluster / "recovery.signal").touch()
        target = ""
        if until is not None:
            target = f"recovery_target_time = '{until.isoformat()}'\n"
            target += "recovery_target_action = 'promote'\n"
        server, folder = self.server, self.folder
        quoted_folder = str(folder).replace("'", "''")
        (folder / "scratch.conf").write_text(_CONFIGURATION.format(folder=quoted_folder) + target)
        (folder / "hba.conf").write_text("local all all trust\n")
        (folder / "ident.conf").touch()
        configuration, moved_aside = (
            server.cluster / _OWN_CONFIGURATION,
            folder / _OWN_CONFIGURATION,
        )
        if configuration.exists():
            configuration.rename(moved_aside)
        server.account.own(server.socket_folder)
        _hand_over(folder, server)
        start = len(_text_of(server.log))
        try:
            try:
                server.run(
                    *("pg_ctl", "-w", "-t", str(_LONGEST_START_SECONDS)),
                    *("-o", '-c config_file="$FOOTNOTE_CONF" -k "$FOOTNOTE_SOCKETS"'),
                    *("-l", "$FOOTNOTE_SERVER_LOG", "start"),
                    environment={
                        "PGDATA": str(server.cluster),
                        "FOOTNOTE_CONF": str(folder / "scratch.conf"),
                        "FOOTNOTE_SERVER_LOG": str(server.log),
                        "FOOTNOTE_SOCKETS": str(server.socket_folder),
                    },
                )
                self._wait_until_open(server)
            except StoreUnavailable as error:
                raise _startup_error(error, _text_of(server.log)[start:]) from error
            try:
                yield server
            finally:
                server.stop()
        finally:
            if moved_aside.exists():
                moved_aside.rename(configuration)

    def _wait_until_open(self, server: EmbeddedPostgres) -> None:
        """Wait until recovery ends, before which no connection is accepted. Raises
        StoreUnavailable.
        """
        while True:
            try:
                psycopg.connect(server.url(self.superuser, "template1")).close()
            except psycopg.OperationalError as error:
                if not any(message in str(error) for message in _NOT_YET) or not _runs(
                    self.cluster
                ):
                    raise StoreUnavailable(f"the restored server ended: {error}") from error
                time.sleep(_LOOK_SECONDS)
            else:
                return

    def discard(self) -> None:
        """Delete the folder; stop a server that a killed process left running."""
        if (self.cluster / "postmaster.pid").exists():
            with suppress(StoreUnavailable, OSError):
                self.server.run("pg_ctl", "-m", "immediate", "-D", str(self.cluster), "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str | Path) -> None:
        """Run a program on the files as our own user; the server's account owns them only later."""
        completed = subprocess.run(
            [self.server.binaries / program, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if completed.returncode:
            lines = (completed.stderr.strip() or completed.stdout.strip()).splitlines()
            raise CiphertextDamaged(
                f"{program} refuses the base backup: {lines[-1] if lines else 'it says nothing'}",
                hint="restore another backup",
            )


@contextmanager
def unused(home: Path) -> Iterator[None]:
    """Keep the server of a home from being used. Raises Conflict while it is in use."""
    private_folder(home)
    with (
        open_lock(home / "postgres.lock") as start_lock,
        open_lock(home / "postgres.users") as use_lock,
    ):
        if not (locked(start_lock) and locked(use_lock)):
            raise Conflict(
                f"a server, a worker or another command uses {home}", hint="stop it first"
            )
        yield


@contextmanager
def exclusive(path: Path, activity: str) -> Iterator[None]:
    """Run a block in one process at a time. Raises Conflict while another process runs it."""
    with open_lock(path) as lock:
        if not locked(lock):
            raise Conflict(f"another process is {activity}", hint="wait until it has ended")
        yield


def _hand_over(folder: Path, server: EmbeddedPostgres) -> None:
    """Make the server's account the owner of the files."""
    uid, gid = server.account.uid, server.account.gid
    if uid is None or gid is None:
        return
    folder.chmod(folder.stat().st_mode | 0o011)
    for name in ("postgres", "log", "scratch.conf", "hba.conf", "ident.conf", _OWN_CONFIGURATION):
        path = folder / name
        if path.is_dir():
            for directory, _, names in os.walk(path):
                for entry in (directory, *(os.path.join(directory, name) for name in names)):  # noqa: PTH118  # of many files
                    os.chown(entry, uid, gid, follow_symlinks=False)
        elif path.exists():
            os.chown(path, uid, gid)


def _runs(cluster: Path) -> bool:
    try:
        os.kill(int((cluster / "postmaster.pid").read_text().partition("\n")[0]), 0)
    except (OSError, ValueError):
        return False
    return True


def _text_of(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""


def _startup_error(error: StoreUnavailable, log: str) -> Exception:
    """Return the error for a server that stopped, from what it logged."""
    if _TOO_EARLY in log:
        return InvalidRequest(
            "the moment lies before the base backup was complete",
            hint="footnote backup list shows which moments can be restored",
        )
    if _BEFORE_THE_TARGET in log:
        return StoreUnavailable(
            "the log ends before that moment",
            hint="footnote backup list shows which moments can be restored",
        )
    fatal_lines = [line for line in log.splitlines() if "FATAL" in line or "PANIC" in line]
    if not fatal_lines:
        return error
    return StoreUnavailable(f"the restored server does not start: {fatal_lines[-1].strip()}")
