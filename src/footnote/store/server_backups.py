"""Back up a running Postgres with its own tools: base backups, WAL and dumps."""

from __future__ import annotations

import os
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

import psycopg
from psycopg import conninfo
from psycopg.rows import DictRow, dict_row

from footnote.errors import Conflict, Forbidden, StoreUnavailable
from footnote.store.statements import load_statements

SLOT = "footnote_backup"
"""Replication slot that makes the server retain WAL until a backup has stored it."""
_READING = "footnote_backup_reading"
_LOCK = 0x666F6F75  # beside that of migrations
_CHUNK_BYTES = 1024 * 1024
_SEGMENT_NAME_LENGTH = 24
UNFINISHED = ".partial"
"""Ending of a WAL segment that was not received completely."""
_SQL = load_statements("backups")

Connection = psycopg.Connection[DictRow]
ReadCallback = Callable[[int], None]
"""Callback that receives the number of bytes just read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Properties of a server, and of the login to it."""

    system_identifier: str
    timeline: int
    version: int
    database: str
    superuser: str
    replicates: bool
    reads_all: bool
    rules: bool
    login: str
    standby: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTools:
    """The programs of Postgres, and the login they connect with."""

    binaries: Path
    url: str

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open an autocommit connection. Raises Forbidden and StoreUnavailable."""
        try:
            with psycopg.connect(self.url, autocommit=True, row_factory=dict_row) as connection:
                yield connection
        except psycopg.errors.InsufficientPrivilege as error:
            raise Forbidden(
                f"the login of backups may not do this: {error.diag.message_primary}",
                hint="docs/backup.md says which rights FOOTNOTE_BACKUP_DATABASE_URL needs",
            ) from error
        except psycopg.OperationalError as error:
            raise StoreUnavailable(
                f"the database cannot be reached: {str(error).strip()}",
                hint="check FOOTNOTE_BACKUP_DATABASE_URL and that the server runs",
            ) from error

    def base(self, label: str, since: bytes | None, on_read: ReadCallback) -> Base:
        """Return a base backup to read as a tar file; incremental if manifest `since` is given."""
        return Base(self, label, since, on_read)

    def dump(self, on_read: ReadCallback) -> Iterator[bytes]:
        """Yield a dump of the schema with all rows, for `pg_restore`. Raises StoreUnavailable."""
        dump = ("pg_dump", "--format=custom", "--compress=none", "--schema=footnote", "--no-owner")
        with self._running(*dump) as (output, _):
            while piece := output.read(_CHUNK_BYTES):
                on_read(len(piece))
                yield piece

    def restore_dump(self, dump: Iterator[bytes]) -> None:
        """Restore a dump in one transaction. Raises StoreUnavailable."""
        command, environment = self._command(
            "pg_restore",
            *("--single-transaction", "--exit-on-error", "--no-owner", "--dbname"),
        )
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment
            )
            assert process.stdin is not None
            try:
                with process.stdin:
                    for piece in dump:
                        process.stdin.write(piece)
            except BrokenPipeError:
                pass  # Its output gives the reason.
            except BaseException:
                process.kill()
                process.wait()
                raise
            if process.wait():
                raise _failed("pg_restore", log)

    def log_into(self, folder: Path, position: str) -> None:
        """Receive WAL from the slot's position up to `position`, and no more, into a folder.

        Uses a copy of the slot, so that WAL that is not stored yet stays on the server. Raises
        StoreUnavailable.
        """
        with self.connected() as connection:
            connection.execute(_SQL["drop_slot"], {"slot": _READING})
            connection.execute(_SQL["copy_slot"], {"slot": SLOT, "copy": _READING})
        try:
            receive = ("pg_receivewal", "--directory", str(folder), "--slot", _READING)
            with self._running(*receive, "--endpos", position, "--no-loop", "--no-sync") as (
                output,
                _,
            ):
                output.read()
        finally:
            with self.connected() as connection:
                connection.execute(_SQL["drop_slot"], {"slot": _READING})
        for segment in segments_in(folder):
            _clear_after(position, segment)

    @contextmanager
    def _running(
        self, program: str, *arguments: str
    ) -> Iterator[tuple[IO[bytes], subprocess.Popen[bytes]]]:
        """Run a program, and yield its output. Raises StoreUnavailable when it fails."""
        command, environment = self._command(program, *arguments, "--dbname")
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
            )
            assert process.stdout is not None
            try:
                with process.stdout:
                    yield process.stdout, process
            except BaseException:
                process.kill()
                process.wait()
                raise
            if process.wait():
                raise _failed(program, log)

    def _command(self, program: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
        """Return the command line, which ends with the connection string, and the environment.

        The password is passed in the environment: command lines are visible to every user.
        """
        parts = conninfo.conninfo_to_dict(self.url)
        password = parts.pop("password", None)
        environment = {**os.environ, "LC_ALL": "C"}
        if password is not None:
            environment["PGPASSWORD"] = str(password)
        connection_string = conninfo.make_conninfo("", **parts)
        return [
            str(self.binaries / program),
            "--no-password",
            *arguments,
            connection_string,
        ], environment


class Base:
    """A base backup to be read once; afterwards `manifest` has Postgres's list of its files."""

    def __init__(
        self, tools: ServerTools, label: str, since: bytes | None, on_read: ReadCallback
    ) -> None:
        self.manifest = b""
        self._tools, self._label, self._since, self._on_read = tools, label, since, on_read

    def __iter__(self) -> Iterator[bytes]:
        """Yield the tar file. Raises StoreUnavailable, after a part of it if the server fails
        midway.
        """
        with tempfile.NamedTemporaryFile() as manifest_file:
            incremental: tuple[str, ...] = ()
            if self._since is not None:
                manifest_file.write(self._since)
                manifest_file.flush()
                incremental = ("--incremental", manifest_file.name)
            options = ("--pgdata=-", "--format=tar", "--wal-method=fetch", "--checkpoint=fast")
            with self._tools._running(
                "pg_basebackup", *options, "--label", self._label, *incremental
            ) as (output, _):
                yield from self._chunks(output)

    def _chunks(self, output: IO[bytes]) -> Iterator[bytes]:
        """Yield the output as it comes, and copy the manifest, which is its last member."""
        members = _Members()
        while piece := output.read(_CHUNK_BYTES):
            self._on_read(len(piece))
            members.feed(piece)
            yield piece
        self.manifest = members.manifest


class _Members:
    """Reads a tar file as it passes by, and keeps the backup manifest."""

    def __init__(self) -> None:
        self.manifest = b""
        self._buffer = bytearray()
        self._skip = 0
        self._manifest_left = 0

    def feed(self, piece: bytes) -> None:
        """Take the next bytes."""
        view = memoryview(piece)
        while view:
            if self._skip:
                skipped = min(self._skip, len(view))
                if self._manifest_left:
                    copied = min(self._manifest_left, skipped)
                    self.manifest += bytes(view[:copied])
                    self._manifest_left -= copied
                self._skip -= skipped
                view = view[skipped:]
                continue
            missing = tarfile.BLOCKSIZE - len(self._buffer)
            self._buffer += view[:missing]
            view = view[missing:]
            if len(self._buffer) == tarfile.BLOCKSIZE:
                self._header(bytes(self._buffer))
                self._buffer.clear()

    def _header(self, block: bytes) -> None:
        if not any(block):
            return  # The end is blocks of zeros.
        member = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        self._skip = -(-member.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
        self._manifest_left = member.size if member.name == "backup_manifest" else 0


def server_of(connection: Connection) -> Server:
    """Return the properties of the server and the login."""
    row = _single_row(connection, "server")
    return Server(**row)


def login_of(url: str) -> str:
    """Return the user that a URL connects as."""
    return str(conninfo.conninfo_to_dict(url).get("user") or os.environ.get("PGUSER", ""))


def lock_backups(connection: Connection) -> None:
    """Take the lock of backups while the connection lives. Raises Conflict."""
    if not _single_row(connection, "lock", lock=_LOCK)["got"]:
        raise Conflict(
            "another backup of this database is being made", hint="wait until it has ended"
        )


def prepare_own_server(connection: Connection) -> None:
    """Enable WAL summaries on the embedded server, and limit the WAL that slots retain."""
    for name in ("summarize", "limit_log", "reload"):
        connection.execute(_SQL[name])


def slot_reaches(connection: Connection, end: str) -> bool:
    """Return whether the server still has WAL from position `end` on; False if it is empty."""
    slot = connection.execute(_SQL["slot"], {"slot": SLOT}).fetchone()
    if not end or slot is None or slot["restart_lsn"] is None or slot["wal_status"] == "lost":
        return False
    return bool(_single_row(connection, "reaches", restart=slot["restart_lsn"], end=end)["reaches"])


def renew_slot(connection: Connection) -> None:
    """Create the slot anew, so that WAL is retained from now on."""
    connection.execute(_SQL["drop_slot"], {"slot": SLOT})
    connection.execute(_SQL["create_slot"], {"slot": SLOT})


def drop_slot(connection: Connection) -> None:
    """Drop the slot, so that WAL is no longer retained."""
    connection.execute(_SQL["drop_slot"], {"slot": SLOT})


def advance_slot(connection: Connection, position: str) -> None:
    """Advance the slot, so that only WAL from the position on is retained."""
    connection.execute(_SQL["advance_slot"], {"slot": SLOT, "position": position})


def server_time(connection: Connection) -> datetime:
    """The time of the server, aware."""
    now: datetime = _single_row(connection, "now")["now"]
    return now


def marked_position(connection: Connection) -> tuple[datetime, str]:
    """Return a time, and a WAL position that includes all that was committed until then."""
    now = server_time(connection)
    with connection.transaction():
        connection.execute("SET LOCAL synchronous_commit = on")
        connection.execute(_SQL["mark"])
    return now, str(_single_row(connection, "position")["position"])


def segments_in(folder: Path) -> Sequence[Path]:
    """Return the received WAL segments in order; the last may be incomplete."""
    return sorted(path for path in folder.iterdir() if path.is_file())


def _clear_after(position: str, segment: Path) -> None:
    """Zero what a received WAL segment has after a position, so that its replay ends there.

    pg_receivewal stops after the message that reaches the position, which may be 128 KiB longer.
    """
    name = segment.name.removesuffix(UNFINISHED)
    if len(name) != _SEGMENT_NAME_LENGTH:
        return  # The history of a timeline.
    size = segment.stat().st_size  # It is as long as a whole segment from the start.
    log, number = (int(part, 16) for part in (name[8:16], name[16:]))
    high, low = (int(part, 16) for part in position.split("/"))
    kept = max(0, (high << 32) + low - ((log << 32) + number * size))
    if kept < size:
        os.truncate(segment, kept)
        os.truncate(segment, size)


def _single_row(connection: Connection, name: str, **parameters: object) -> DictRow:
    row = connection.execute(_SQL[name], parameters).fetchone()
    assert row is not None, name
    return row


def _failed(program: str, log: IO[bytes]) -> StoreUnavailable:
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    errors = [line for line in lines if "error:" in line or "FATAL" in line]
    reason = (errors or lines or ["it says nothing"])[0].removeprefix(f"{program}: ")
    return StoreUnavailable(
        f"{program} failed: {reason}",
        hint="docs/backup.md says which rights and settings the server needs",
    )
