"""While the disk of the database is full nothing is lost, and no document loses a try."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import psycopg
import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import StoreFull
from footnote.jobs import bookkeeping
from footnote.jobs.worker import work_on_queue
from footnote.models.testing import CountingEmbedder
from footnote.ports import Embedder, Vectors
from footnote.settings import Settings
from footnote.store.job_recovery import recover_stalled_jobs
from tests.conftest import TestDatabase
from tests.jobs.stages import Around, stages

pytestmark = pytest.mark.usefixtures("own_database")

PATIENCE_SECONDS = 600
DOCUMENTS = 3

FULL = """
CREATE FUNCTION refuse_for_want_of_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
END
$$;
"""


@dataclass(frozen=True)
class Held(Around):
    """Embeds when it is told to."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.begun.set()
        await self.go_on.wait()
        return await super().embed_documents(texts)


class Disk:
    """The disk of a test's database, which refuses to write to some tables while it is full."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def create(self) -> None:
        await self._execute(FULL)

    async def fill(self, *tables: str) -> None:
        for table in tables:
            await self._execute(
                f"CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON footnote.{table}"
                " EXECUTE FUNCTION refuse_for_want_of_room()"
            )

    async def make_room(self, *tables: str) -> None:
        for table in tables:
            await self._execute(f"DROP TRIGGER full_disk ON footnote.{table}")

    async def _execute(self, statement: str) -> None:
        connection = await psycopg.AsyncConnection.connect(self.url, autocommit=True)
        async with connection:
            await connection.execute(statement.encode())


@pytest.fixture
async def disk(test_database: TestDatabase) -> Disk:
    disk = Disk(test_database.owner_url)
    await disk.create()
    return disk


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bookkeeping, "ROOM_SECONDS", 0.3)


@asynccontextmanager
async def working(engine: Engine, embedder: Embedder | None = None) -> AsyncIterator[list[str]]:
    """A worker beside the block; what nobody retrieved of its tasks."""
    loop, unretrieved, stop = asyncio.get_running_loop(), list[str](), asyncio.Event()
    gc.collect()  # what tests before this one left is not its worker's
    loop.set_exception_handler(lambda _, context: unretrieved.append(str(context["message"])))
    try:
        async with stages(engine, embedder or engine.embedder) as ingestion:
            worker = asyncio.create_task(work_on_queue(engine, ingestion, stop))
            try:
                yield unretrieved
            finally:
                stop.set()
                await worker
        gc.collect()
    finally:
        loop.set_exception_handler(None)
    assert not unretrieved


async def attempts(engine: Engine) -> list[int]:
    async with engine.database.outside() as connection:
        rows = await (
            await connection.execute(
                "SELECT attempts FROM procrastinate_jobs WHERE task_name = 'ingest_document'"
            )
        ).fetchall()
    return [row["attempts"] for row in rows]


async def until_indexed(workspace: WorkspaceEngine, count: int) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await workspace.stats()).documents_by_status.get("indexed", 0) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.1)  # between looks


@pytest.fixture
def logged() -> Iterator[list[EventDict]]:
    """What is logged, wherever an earlier test of this process has logs written to."""
    with capture_logs() as entries:
        yield entries


async def until_logged(logged: list[EventDict], event: str, times: int) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while [each["event"] for each in logged].count(event) < times:  # noqa: ASYNC110
            await asyncio.sleep(0.1)  # between looks


async def test_bookkeeping_waits_for_room_and_spends_no_try(
    engine: Engine, workspace: WorkspaceEngine, disk: Disk, logged: list[EventDict]
) -> None:
    for number in range(DOCUMENTS):
        await workspace.receive(f"Buoy {number} is moored.".encode(), f"{number}.md")
    await disk.fill("procrastinate_jobs")
    async with working(engine):
        await until_logged(logged, "disk_full", 2)
        await disk.make_room("procrastinate_jobs")
        await until_indexed(workspace, DOCUMENTS)
    assert await attempts(engine) == []


async def test_a_document_that_finds_no_room_is_tried_until_there_is_some(
    engine: Engine, workspace: WorkspaceEngine, settings: Settings, disk: Disk
) -> None:
    tries = CountingEmbedder(inner=engine.embedder)
    for number in range(DOCUMENTS):
        await workspace.receive(f"Buoy {number} is moored.".encode(), f"{number}.md")
    await disk.fill("staged_embeddings")
    async with working(engine, tries):
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(tries.texts) <= 2 * DOCUMENTS * settings.limits.attempts:  # noqa: ASYNC110
                await asyncio.sleep(0.1)  # between looks
        assert await attempts(engine) == [0] * DOCUMENTS
        await disk.make_room("staged_embeddings")
        await until_indexed(workspace, DOCUMENTS)


async def test_what_is_over_is_written_down_when_there_is_room_again(
    engine: Engine, workspace: WorkspaceEngine, disk: Disk, logged: list[EventDict]
) -> None:
    await workspace.receive(b"A buoy is moored.", "a.md")
    embedder = Held(engine.embedder)
    async with working(engine, embedder):
        await asyncio.wait_for(embedder.begun.wait(), PATIENCE_SECONDS)
        await disk.fill("procrastinate_jobs")
        embedder.go_on.set()
        await until_indexed(workspace, 1)
        await until_logged(logged, "disk_full", 1)
        await disk.make_room("procrastinate_jobs")
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await attempts(engine):  # noqa: ASYNC110
                await asyncio.sleep(0.1)  # between looks


async def test_a_full_disk_is_told_from_a_lost_connection(
    engine: Engine, workspace: WorkspaceEngine, disk: Disk
) -> None:
    await workspace.receive(b"A buoy is moored.", "a.md")
    async with engine.database.outside() as connection:
        await connection.execute("UPDATE procrastinate_jobs SET status = 'doing'")
    await disk.fill("procrastinate_jobs")
    with pytest.raises(StoreFull, match="disk of the database is full") as full:
        await recover_stalled_jobs(engine.database, silence_seconds=0)
    assert full.value.retryable
    assert full.value.hint is not None
