"""Streaming standbys of an embedded server, made and promoted by its own programs."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    SUPERUSER,
    EmbeddedPostgres,
    _start,
    start_embedded,
)
from footnote.store.migrate import migrate
from tests.folders import server_home


@dataclass(slots=True)
class Pair:
    """A primary and its streaming standby."""

    primary: EmbeddedPostgres
    standby: EmbeddedPostgres
    alive: set[str] = field(default_factory=lambda: {"primary", "standby"})

    def on_primary(self, *statements: str) -> None:
        """Run statements as the superuser."""
        run(self.primary, *statements)

    def on_standby(self, *statements: str) -> None:
        """Run statements on the standby, which change its own state alone."""
        run(self.standby, *statements)

    def catch_up(self) -> None:
        """Wait until the standby has replayed all that the primary has written."""
        with psycopg.connect(self.primary.url(SUPERUSER), autocommit=True) as connection:
            # Where nothing follows, the head of a segment is counted as written, and is sent with
            # what the primary writes next of itself, up to 15 s later.
            connection.execute("SELECT pg_logical_emit_message(false, 'catch up', '', true)")
            written = connection.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
        assert written is not None
        with psycopg.connect(self.standby.url(SUPERUSER), autocommit=True) as connection:
            deadline = time.monotonic() + 60
            while connection.execute(
                "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", written
            ).fetchone() != (True,):
                assert time.monotonic() < deadline, "the standby does not catch up"
                time.sleep(0.01)

    def kill_primary(self) -> None:
        """End the primary as a lost machine would, without a word to anybody."""
        kill(self.primary)
        self.alive.discard("primary")

    def promote(self) -> None:
        """Have the standby take writes; returns once it does."""
        self.standby.run("pg_ctl", "-w", "-D", str(self.standby.cluster), "promote")

    def stop(self) -> None:
        """Stop what still runs."""
        for name in ("standby", "primary"):
            server: EmbeddedPostgres = getattr(self, name)
            if name in self.alive:
                with suppress(Exception):
                    server.run(*("pg_ctl", "-m", "immediate", "-D", str(server.cluster), "stop"))
        if self.primary._use is not None:
            self.primary._use.close()


def run(server: EmbeddedPostgres, *statements: str) -> None:
    with psycopg.connect(server.url(SUPERUSER), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def start(server: EmbeddedPostgres) -> None:
    """Start a server that was stopped or killed, as whatever its folder makes it."""
    _start(server)


def kill(server: EmbeddedPostgres) -> None:
    """Kill the postmaster and its children, and wait until none of them is there any more.

    A server is not started again while one of them still has its shared memory.
    """
    pid = int((server.cluster / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGSTOP)  # it starts no other
    with ExitStack() as opened:
        processes = []
        for each in (pid, *map(int, _children_of(pid))):
            with suppress(ProcessLookupError):
                processes.append(os.pidfd_open(each))
                opened.callback(os.close, processes[-1])
                os.kill(each, signal.SIGKILL)
        for process in processes:
            select.select([process], [], [])


def _children_of(pid: int) -> list[str]:
    found: list[str] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += (task / "children").read_text().split()
    return found


@contextmanager
def pair(*, synchronous: bool = False) -> Iterator[Pair]:
    """A migrated primary with a standby that follows it; synchronous, no commit ends without it."""
    with server_home() as folder:
        for each in ("primary", "standby"):
            (folder / each).mkdir()
        primary = start_embedded(folder / "primary")
        made = Pair(primary, _like(primary, folder / "standby"), {"primary"})
        try:
            # What a kill tests is the copy, not the disk.
            made.on_primary("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
            migrate(primary.url(OWNER_ROLE))
            _copy(made)
            if synchronous:
                made.on_primary(
                    "ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (standby)'",
                    "SELECT pg_reload_conf()",
                )
            yield made
        finally:
            made.stop()


def _like(primary: EmbeddedPostgres, home: Path) -> EmbeddedPostgres:
    home.chmod(0o711)
    sockets = home / "run"
    primary.account.own(sockets)
    return EmbeddedPostgres(
        home=home, socket_folder=sockets, binaries=primary.binaries, account=primary.account
    )


def _copy(made: Pair) -> None:
    """Copy the primary as it runs, and have the copy follow it."""
    standby = made.standby
    standby.account.own(standby.cluster)
    where = f"host={made.primary.socket_folder} user={SUPERUSER} application_name=standby"
    standby.run(
        *("pg_basebackup", "-D", str(standby.cluster), "-d", where),
        *("-X", "stream", "-c", "fast", "-R", "--no-sync"),
    )
    start(standby)
    made.alive.add("standby")
    made.catch_up()


def urls(server: EmbeddedPostgres) -> tuple[str, str]:
    """Where the application and the owner connect."""
    return server.url(APPLICATION_ROLE), server.url(OWNER_ROLE)
