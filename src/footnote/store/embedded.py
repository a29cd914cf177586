"""Runs a private Postgres in a folder, shared by every process that opens that folder."""

from __future__ import annotations

import fcntl
import os
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import quote

import psycopg
import structlog
from psycopg import sql

from footnote.errors import StoreUnavailable
from footnote.store.home import open_home, require_usable, socket_folder_of
from footnote.store.statements import load_statements
from footnote.store.system_user import ServerAccount, reachable_binaries, server_account

APPLICATION_ROLE = "footnote_app"
OWNER_ROLE = "footnote_owner"
SUPERUSER = "postgres"
DATABASE = "footnote"

_START_TIMEOUT_SECONDS = 180
"""Recovery after a crash replays the write-ahead log before the server answers."""
_STOP_TIMEOUT_SECONDS = 60

_REMAINS_TIMEOUT_SECONDS = 10

_LOCK_TIMEOUT_SECONDS = 240.0
"""Longer than the slowest start in another process, which holds the lock for so long."""

_SILENT_SECONDS = 3.0
_LOOK_SECONDS = 0.1

_CONFIGURATION = """
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 200
shared_buffers = 64MB
effective_cache_size = 2GB
maintenance_work_mem = 512MB
work_mem = 32MB
max_wal_size = 4GB
wal_compression = on
random_page_cost = 1.1
jit = off
"""


_OOM_SCORE = Path("/proc/self/oom_score_adj")
_WITH_OOM_SCORE = (
    "/bin/sh",
    "-c",
    f'echo "$FOOTNOTE_OOM_SCORE" > {_OOM_SCORE}; exec "$0" "$@"',
)
"""Command prefix that runs a program with the given OOM score, where Linux permits, instead of the
inherited one."""

_SQL = load_statements("rights")
_log = structlog.get_logger(__name__)


def _oom_score() -> str:
    return _OOM_SCORE.read_text(encoding="ascii").strip() if _OOM_SCORE.exists() else ""


@dataclass(slots=True)
class EmbeddedPostgres:
    """A running server; `release` stops it when this was its last user.

    Users hold shared file locks, which the kernel drops however a process dies, so a crash leaves
    no stale user behind.
    """

    home: Path
    socket_folder: Path
    binaries: Path
    account: ServerAccount
    oom_score: str = field(default_factory=_oom_score, repr=False)
    """OOM score adjustment of the server; by default that of this process at creation."""
    _use: IO[bytes] | None = field(default=None, repr=False)

    def url(self, role: str, database: str = DATABASE) -> str:
        """Return the URL for `role`; only this operating system user (and root) can connect."""
        folder = quote(os.fsencode(self.socket_folder))
        return f"postgresql://{quote(role, safe='')}@/{quote(database, safe='')}?host={folder}"

    @property
    def cluster(self) -> Path:
        """The folder of the database files."""
        return self.home / "postgres"

    @property
    def log(self) -> Path:
        """The log file of the server."""
        return self.cluster / "server.log"

    @property
    def advice(self) -> str | None:
        """A hint to read the log; None if it is absent or unreadable."""
        return f"read {self.log}" if os.access(self.log, os.R_OK) else None

    def use(self) -> None:
        """Register as a user; create and start the server if necessary."""
        with _exclusive_lock(self.home / "postgres.lock"):
            self._use = open_lock(self.home / "postgres.users")
            fcntl.flock(self._use, fcntl.LOCK_SH)
            try:
                _ensure_cluster(self)
                _ensure_running(self)
                _ensure_database(self)
            except BaseException:
                self._use.close()
                self._use = None
                raise

    def revive(self) -> bool:
        """Restart a server that died; return whether it had. A lock serialises processes."""
        with _exclusive_lock(self.home / "postgres.lock"):
            if self._use is None or _answers(self):
                return False
            _ensure_running(self)
        return True

    def release(self) -> None:
        """Stop using the server, and stop it if we were its last user."""
        if self._use is None:
            return
        use, self._use = self._use, None
        with use, _exclusive_lock(self.home / "postgres.lock"):
            fcntl.flock(use, fcntl.LOCK_UN)
            if locked(use):
                self.stop()

    def stop(self) -> None:
        """Stop the server and wait until it has exited.

        On Linux a pidfd reports the exit at once, while pg_ctl polls ten times a second.
        """
        stop = ("pg_ctl", "-m", "fast", "-D", str(self.cluster), "stop")
        process = None
        if sys.platform == "linux":
            with suppress(OSError, ValueError):  # pg_ctl says what is wrong
                pid_file = (self.cluster / "postmaster.pid").read_text()
                process = os.pidfd_open(int(pid_file.partition("\n")[0]))
        if process is None:
            self.run(*stop)
            return
        try:
            self.run(*stop, "-W")
            end = select.poll()
            end.register(process, select.POLLIN)
            if not end.poll(1000 * _STOP_TIMEOUT_SECONDS):
                raise StoreUnavailable(
                    f"the server in {self.cluster} did not stop within {_STOP_TIMEOUT_SECONDS} "
                    "seconds",
                    hint=self.advice,
                )
        finally:
            os.close(process)

    def run(
        self,
        program: str,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        within: Sequence[str] = (),
    ) -> None:
        """Run a Postgres program as the server's user. Raises StoreUnavailable with its output."""
        # A file, since a server that inherits a pipe would keep it open for ever.
        with tempfile.TemporaryFile() as output:
            try:
                subprocess.run(
                    [*within, self.binaries / program, *arguments],
                    check=True,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    user=self.account.uid,
                    group=self.account.gid,
                    extra_groups=None if self.account.uid is None else [],
                    cwd=self.socket_folder,
                    env=os.environ | dict(environment or {}),
                )
            except subprocess.CalledProcessError as error:
                output.seek(0)
                lines = output.read().decode(errors="replace").strip().splitlines()
                reason = lines[-1] if lines else str(error)
                raise StoreUnavailable(
                    f"{program} failed in {self.cluster}: {reason}",
                    hint=self.advice,
                ) from error


def start_embedded(home: Path) -> EmbeddedPostgres:
    """Use the server in `home`, creating and starting it if need be.

    Blocks for about a second the first time. Raises StoreUnavailable.
    """
    require_usable(home)
    account = server_account()
    home = home.expanduser().absolute()
    try:
        open_home(home, account)
        sockets = socket_folder_of(home)
        account.own(sockets)
        server = EmbeddedPostgres(
            home=home,
            socket_folder=sockets,
            binaries=reachable_binaries(account),
            account=account,
        )
        server.use()
    except (psycopg.Error, OSError) as error:
        log = home / "postgres" / "server.log"
        raise StoreUnavailable(
            f"the embedded Postgres in {home} did not start: {error}",
            hint="set FOOTNOTE_HOME to a folder you may write to"
            + (f", or read {log}" if os.access(log, os.R_OK) else ""),
        ) from error
    return server


def create_database(server: EmbeddedPostgres, name: str, template: str | None = None) -> None:
    """Create a database owned by the owner role, with pgvector installed."""
    with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        statement = sql.SQL("CREATE DATABASE {} OWNER {}").format(
            sql.Identifier(name), sql.Identifier(OWNER_ROLE)
        )
        if template is not None:
            # Copies files; the default strategy writes each page to the WAL.
            statement += sql.SQL(" TEMPLATE {} STRATEGY FILE_COPY").format(sql.Identifier(template))
        connection.execute(statement)
    with psycopg.connect(server.url(SUPERUSER, name), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    _refuse_what_nothing_needs(server, name)


def _ensure_cluster(server: EmbeddedPostgres) -> None:
    if (server.cluster / "PG_VERSION").exists():
        return
    # Create it in another folder, so that a partial cluster is never used.
    draft = server.cluster.with_name("postgres.new")
    shutil.rmtree(draft, ignore_errors=True)
    server.account.own(draft)
    server.run(
        "initdb",
        "--auth-local=trust",
        "--auth-host=reject",
        "--encoding=UTF8",
        "--locale=C",
        "--username",
        SUPERUSER,
        "-D",
        str(draft),
    )
    with (draft / "postgresql.conf").open("a", encoding="utf-8") as configuration:
        configuration.write(_CONFIGURATION)
    draft.rename(server.cluster)


def _ensure_running(server: EmbeddedPostgres) -> None:
    """Start the server if it does not answer.

    After a server was killed, its children hold its shared memory for a moment, and a new one
    refuses to start; the start is retried meanwhile.
    """
    deadline = time.monotonic() + _REMAINS_TIMEOUT_SECONDS
    while not _answers(server):
        try:
            _start(server)
        except StoreUnavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def _start(server: EmbeddedPostgres) -> None:
    """Start the server.

    pg_ctl writes its options into a shell command line. Paths may contain any character, so they
    are passed in variables, which the shell expands after parsing the line.
    """
    server.run(
        *("pg_ctl", "-w", "-t", str(_START_TIMEOUT_SECONDS)),
        *("-o", '-k "$FOOTNOTE_SOCKETS"', "-l", "$FOOTNOTE_SERVER_LOG", "start"),
        environment={
            "PGDATA": str(server.cluster),
            "FOOTNOTE_OOM_SCORE": server.oom_score,
            "FOOTNOTE_SERVER_LOG": str(server.log),
            "FOOTNOTE_SOCKETS": '"{}"'.format(str(server.socket_folder).replace('"', '""')),
        },
        within=_WITH_OOM_SCORE,
    )


def _answers(server: EmbeddedPostgres) -> bool:
    try:
        psycopg.connect(server.url(SUPERUSER, "postgres")).close()
    except psycopg.OperationalError:
        return False
    return True


def _ensure_database(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        existing_roles = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
        for role in {APPLICATION_ROLE, OWNER_ROLE} - existing_roles:
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS").format(sql.Identifier(role))
            )
        exists = connection.execute(
            "SELECT EXISTS (SELECT FROM pg_database WHERE datname = %s)", [DATABASE]
        ).fetchone()
    if exists != (True,):
        create_database(server, DATABASE)
    else:
        _refuse_what_nothing_needs(server, DATABASE)


def _refuse_what_nothing_needs(server: EmbeddedPostgres, database: str) -> None:
    """Revoke default privileges that the application does not need."""
    with psycopg.connect(server.url(SUPERUSER, database), autocommit=True) as connection:
        for name in ("refuse_temporary_tables", "refuse_large_objects"):
            connection.execute(_SQL[name])


def open_lock(path: Path) -> IO[bytes]:
    """Open a lock file closed to other users: whoever may open it may hold the lock."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    os.fchmod(file, 0o600)
    return os.fdopen(file, "wb")


@contextmanager
def _exclusive_lock(path: Path) -> Iterator[None]:
    """Hold the lock while the server is started or stopped.

    Logs a warning while it waits, and raises StoreUnavailable after longer than any start takes.
    """
    with open_lock(path) as lock:
        started_at, warned = time.monotonic(), False
        while not locked(lock):
            waited = time.monotonic() - started_at
            if waited > _LOCK_TIMEOUT_SECONDS:
                raise StoreUnavailable(
                    f"another process has held {path} for {waited:.0f} seconds",
                    hint=f"see who it is with: fuser {shlex.quote(str(path))}",
                )
            if waited > _SILENT_SECONDS and not warned:
                warned = True
                _log.warning("waiting for a process that starts or stops Postgres", lock=str(path))
            time.sleep(_LOOK_SECONDS)
        yield


def locked(file: IO[bytes]) -> bool:
    """Try to lock a file exclusively; return whether that succeeded."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
