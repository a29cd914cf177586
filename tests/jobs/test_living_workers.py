"""A worker that lives is heard, hears and takes over, whatever went wrong for a moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psycopg
import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.worker import work_on_queue
from footnote.ports import Embedder
from footnote.settings import Settings, settings_from
from footnote.store.embedded import SUPERUSER, EmbeddedPostgres
from footnote.store.job_recovery import recover_stalled_jobs, worker_lives
from tests.conftest import TestDatabase
from tests.jobs.stages import Stuck, stages

pytestmark = pytest.mark.usefixtures("own_database")

PATIENCE_SECONDS = 600

REFUSING = """
CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'refused';
END
$$;
CREATE TRIGGER refusing BEFORE UPDATE ON footnote.procrastinate_jobs FOR EACH ROW
    WHEN (old.status = 'doing' AND new.status = 'todo') EXECUTE FUNCTION public.refuse()
"""


SILENT = "CREATE RULE silent AS ON UPDATE TO procrastinate_workers DO INSTEAD NOTHING"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Those of the other tests, with heartbeats that follow each other soon."""
    return settings_from(settings, {"timeouts": '{"worker": 0.5}'})


@dataclass(frozen=True)
class Server:
    """What happens at the server, seen and done by its superuser."""

    connection: psycopg.AsyncConnection
    database: TestDatabase
    elsewhere: str
    """Another database of it."""

    async def run(self, statement: str) -> None:
        await self.connection.execute(statement.encode())

    async def until(self, condition: str) -> None:
        """Wait until the query finds something."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                if await (await self.connection.execute(condition.encode())).fetchone():
                    return
                await asyncio.sleep(0.05)  # between looks

    async def end(self, doing: str) -> None:
        """End the connections of others that are, or were last, at such a query."""
        await self.until(f"SELECT 1 FROM {_others(doing)}")
        await self.run(
            "SELECT pg_terminate_backend(pid) FROM "
            f"(SELECT pid FROM {_others(doing)} OFFSET 0) AS found"
        )

    @asynccontextmanager
    async def locking(self, table: str) -> AsyncIterator[None]:
        """Nobody writes to the table for the length of the block."""
        url = self.database.superuser_url
        async with await psycopg.AsyncConnection.connect(url) as connection:
            await connection.execute(f"LOCK TABLE footnote.{table} IN EXCLUSIVE MODE".encode())
            yield

    @asynccontextmanager
    async def refusing(self) -> AsyncIterator[None]:
        """Nobody connects to the database for the length of the block."""
        connecting = psycopg.AsyncConnection.connect(self.elsewhere, autocommit=True)
        async with await connecting as connection:
            admitting = f'ALTER DATABASE "{self.database.name}" ALLOW_CONNECTIONS '
            await connection.execute(f"{admitting} false".encode())
            try:
                yield
            finally:
                await connection.execute(f"{admitting} true".encode())


def _others(doing: str) -> str:
    """Connections of others to the database that are, or were last, at such a query."""
    return (
        "pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
        f"AND query LIKE '{doing}'"
    )


@pytest.fixture
async def server(postgres: EmbeddedPostgres, own_database: TestDatabase) -> AsyncIterator[Server]:
    connecting = psycopg.AsyncConnection.connect(own_database.superuser_url, autocommit=True)
    async with await connecting as connection:
        await connection.execute("SET search_path = footnote")
        yield Server(connection, own_database, postgres.url(SUPERUSER, "postgres"))


@asynccontextmanager
async def at_work(engine: Engine, embedder: Embedder | None = None) -> AsyncIterator[None]:
    """A worker beside the block."""
    stop = asyncio.Event()
    async with stages(engine, embedder or engine.embedder) as ingestion:
        worker = asyncio.create_task(work_on_queue(engine, ingestion, stop))
        try:
            yield
        finally:
            stop.set()
            await worker


@pytest.fixture
def logged() -> Iterator[list[EventDict]]:
    """What is logged, wherever an earlier test of this process has logs written to."""
    with capture_logs() as entries:
        yield entries


async def until_logged(logged: list[EventDict], what: dict[str, str]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not any(what.items() <= each.items() for each in logged):  # noqa: ASYNC110
            await asyncio.sleep(0.05)  # between looks


async def test_a_worker_whose_heartbeat_failed_once_is_heard_again(
    engine: Engine, server: Server
) -> None:
    async with at_work(engine):
        await server.until("SELECT 1 FROM procrastinate_workers")
        async with server.locking("procrastinate_workers"):
            await server.end("%SET last_heartbeat = now()%")
        await server.run("UPDATE procrastinate_workers SET last_heartbeat = 'epoch'")
        await server.until("SELECT 1 FROM procrastinate_workers WHERE last_heartbeat > 'epoch'")


async def test_a_worker_that_cannot_listen_for_a_moment_listens_again(
    engine: Engine, server: Server, logged: list[EventDict]
) -> None:
    listening = "%LISTEN%procrastinate_any_queue%"
    async with at_work(engine):
        await server.until(f"SELECT 1 FROM {_others(listening)}")
        async with server.refusing():
            await server.end(listening)
            await until_logged(logged, {"undone": "listening"})
        await server.until(f"SELECT 1 FROM {_others(listening)}")


async def test_a_worker_that_was_silent_is_not_forgotten_by_one_that_starts(
    engine: Engine, server: Server
) -> None:
    async with at_work(engine):
        await server.until("SELECT 1 FROM procrastinate_workers")
        await server.run("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1h'")
        await server.run(SILENT)
        async with at_work(engine):
            await server.until("SELECT 1 FROM procrastinate_workers HAVING count(*) = 2")


async def test_jobs_of_a_worker_that_is_only_slow_are_not_taken_from_it(
    engine: Engine, server: Server, workspace: WorkspaceEngine
) -> None:
    await workspace.receive(b"A buoy is moored.", "buoy.txt")
    embedder = Stuck(engine.embedder)
    async with at_work(engine, embedder):
        await asyncio.wait_for(embedder.begun.wait(), PATIENCE_SECONDS)
        await server.run(SILENT)
        for silence, taken in (("5 s", 0), ("1 h", 1)):
            await server.run(
                f"""
                ALTER TABLE procrastinate_workers DISABLE RULE silent;
                UPDATE procrastinate_workers SET last_heartbeat = now() - interval '{silence}';
                ALTER TABLE procrastinate_workers ENABLE RULE silent
                """
            )
            lives = await worker_lives(engine.database, silence_seconds=1)
            recovered = await recover_stalled_jobs(engine.database, silence_seconds=1)
            assert (len(recovered), lives) == (taken, not taken), silence


async def test_nobody_is_judged_before_a_server_that_has_just_started_could_hear_them(
    engine: Engine, server: Server, workspace: WorkspaceEngine
) -> None:
    await workspace.receive(b"A buoy is moored.", "buoy.txt")
    await server.run("UPDATE procrastinate_jobs SET status = 'doing'")
    a_year = 3.2e7
    assert await recover_stalled_jobs(engine.database, silence_seconds=a_year) == ()
    assert await recover_stalled_jobs(engine.database, silence_seconds=0)


async def test_whatever_prevents_taking_over_it_is_tried_again(
    engine: Engine, server: Server, workspace: WorkspaceEngine, logged: list[EventDict]
) -> None:
    for number in range(2):
        await workspace.receive(f"Buoy {number} is moored.".encode(), f"{number}.txt")
    await server.run("UPDATE procrastinate_jobs SET status = 'doing'")
    await server.run(REFUSING)
    async with at_work(engine):
        await until_logged(logged, {"event": "taking_over_failed"})
        await server.run("DROP TRIGGER refusing ON procrastinate_jobs")
        await server.until("SELECT 1 FROM documents WHERE status = 'indexed' HAVING count(*) = 2")
