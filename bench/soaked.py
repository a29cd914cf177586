"""The installation that is soaked: servers, workers, a primary and a replica that may be killed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil  # type: ignore[import-untyped]  # the package ships no types
import psycopg

from footnote.errors import StoreUnavailable
from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    SUPERUSER,
    EmbeddedPostgres,
    _start,
    start_embedded,
)
from footnote.store.migrate import migrate
from memory import MIB, _proportional, resident

RESTART_SECONDS = 1.0
STARTS = 10

_SIZES = """
SELECT relname, pg_total_relation_size(pg_class.oid)
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = 'footnote' AND relkind = 'r'
"""


@dataclass(slots=True)
class Kept:
    """A process of Footnote that is started again whenever it ends, as a supervisor does."""

    name: str
    arguments: tuple[str, ...]
    env: Mapping[str, str]
    log: Path
    process: Process | None = None
    starts: int = 0

    async def keep(self) -> None:
        """Start it, again and again."""
        while True:
            with self.log.open("ab") as log:
                self.process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "footnote.interfaces.cli.main", *self.arguments),
                    env=self.env,
                    stdout=log,
                    stderr=log,
                )
            self.starts += 1
            await self.process.wait()
            await asyncio.sleep(RESTART_SECONDS)

    def kill(self) -> None:
        """End it without a word."""
        if self.process is not None and self.process.returncode is None:
            self.process.kill()

    async def stop(self) -> None:
        """Ask it to end, and wait for that."""
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.terminate()
            await self.process.wait()

    def resident_mb(self) -> float:
        """What it holds with what it started; 0 while it is not there."""
        if self.process is None or self.process.returncode is not None:
            return 0.0
        with suppress(psutil.Error):
            mine = psutil.Process(self.process.pid)
            return resident([mine, *mine.children(recursive=True)]) / MIB
        return 0.0

    def own_mb(self) -> float:
        """What it holds by itself that is no page of a file; 0 while it is not there."""
        if self.process is not None and self.process.returncode is None:
            with suppress(OSError):
                told = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
                return int(told.split("Anonymous:")[1].split()[0]) / 1024
        return 0.0


@dataclass(slots=True, kw_only=True)
class Soaked:
    """What runs: one server and one worker that are never killed, and one of each that are."""

    primary: EmbeddedPostgres
    replica: EmbeddedPostgres
    kept: Mapping[str, Kept]
    ports: tuple[int, int]
    killed: dict[str, int] = field(default_factory=dict)

    async def kill(self, what: str) -> None:
        """Kill one that may be killed; a replica is started again a moment later."""
        self.killed[what] = self.killed.get(what, 0) + 1
        if what != "replica":
            self.kept[f"killed {what}"].kill()
            return
        _kill(self.replica)
        await asyncio.sleep(RESTART_SECONDS)
        await asyncio.to_thread(_started, self.replica)

    def sizes(self) -> dict[str, int]:
        """Bytes of each table with its indexes."""
        with psycopg.connect(self.primary.url(SUPERUSER), autocommit=True) as connection:
            return {str(name): int(size) for name, size in connection.execute(_SIZES)}

    def own_mb(self) -> dict[str, float]:
        """Of each process of ours alone, without pages of files."""
        return {name: each.own_mb() for name, each in self.kept.items()}

    def memory_mb(self) -> dict[str, float]:
        """Of each process with its children; of the primary, what it shares counts once."""
        found = {name: each.resident_mb() for name, each in self.kept.items()}
        with suppress(OSError, psutil.Error):
            postmaster = psutil.Process(_pid(self.primary))
            everyone = [postmaster, *postmaster.children(recursive=True)]
            found["primary"] = _proportional(everyone) / MIB
        return found


@asynccontextmanager
async def soaked(models: Path, logs: Path) -> AsyncIterator[Soaked]:
    """A fresh installation in a temporary folder; all that it started ends with the block."""
    with TemporaryDirectory(prefix="fn-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o711)
        for each in ("primary", "replica", "home"):
            (folder / each).mkdir()
        models.mkdir(parents=True, exist_ok=True)
        (folder / "home" / "models").symlink_to(models.resolve())
        primary = await asyncio.to_thread(start_embedded, folder / "primary")
        try:
            await asyncio.to_thread(migrate, primary.url(OWNER_ROLE))
            replica = await asyncio.to_thread(_copied, primary, folder / "replica")
            try:
                running = _processes(primary, replica, folder / "home", logs)
                tasks = [asyncio.create_task(each.keep()) for each in running.kept.values()]
                try:
                    yield running
                finally:
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                    await asyncio.gather(*(each.stop() for each in running.kept.values()))
            finally:
                with suppress(StoreUnavailable):  # One that was killed and is not back has stopped.
                    replica.stop()
        finally:
            primary.release()


def _processes(
    primary: EmbeddedPostgres, replica: EmbeddedPostgres, home: Path, logs: Path
) -> Soaked:
    inherited = {key: value for key, value in os.environ.items() if key[:9] != "FOOTNOTE_"}
    env = {
        **inherited,
        "FOOTNOTE_HOME": str(home),
        "FOOTNOTE_DATABASE_URL": primary.url(APPLICATION_ROLE),
        "FOOTNOTE_OWNER_DATABASE_URL": primary.url(OWNER_ROLE),
        "FOOTNOTE_REPLICA_DATABASE_URLS": replica.url(APPLICATION_ROLE),
        "FOOTNOTE_TIMEOUTS": '{"worker": 10}',
    }
    ports = (_free_port(), _free_port())
    kept = {}
    for which, port in zip(("steady", "killed"), ports, strict=True):
        for what, arguments in (
            ("server", ("serve", "--no-worker", "--port", str(port))),
            ("worker", ("worker",)),
        ):
            name = f"{which} {what}"
            kept[name] = Kept(name, arguments, env, logs / f"{which}-{what}.log")
    return Soaked(primary=primary, replica=replica, kept=kept, ports=ports)


def _copied(primary: EmbeddedPostgres, home: Path) -> EmbeddedPostgres:
    """A replica that follows the primary."""
    home.chmod(0o711)
    primary.account.own(home / "run")
    replica = EmbeddedPostgres(
        home=home,
        socket_folder=home / "run",
        binaries=primary.binaries,
        account=primary.account,
    )
    replica.account.own(replica.cluster)
    replica.run(
        *("pg_basebackup", "-D", str(replica.cluster), "-X", "stream", "-c", "fast", "-R"),
        *("-d", f"host={primary.socket_folder} user={SUPERUSER}"),
    )
    _start(replica)
    return replica


def _started(server: EmbeddedPostgres) -> None:
    for _ in range(STARTS):  # One that is still ending, or slow on a busy machine, is tried again.
        with suppress(StoreUnavailable):
            _start(server)
            return
    _start(server)


def _kill(server: EmbeddedPostgres) -> None:
    postmaster = psutil.Process(_pid(server))
    for each in (postmaster, *postmaster.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            each.send_signal(signal.SIGKILL)


def _pid(server: EmbeddedPostgres) -> int:
    return int((server.cluster / "postmaster.pid").read_text().split()[0])


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port
