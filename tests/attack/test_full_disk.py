"""A database on a disk that really is full: nothing is lost, and it goes on when there is room."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from structlog.testing import capture_logs
from structlog.typing import EventDict

from footnote.engine import open_engine
from footnote.jobs import bookkeeping
from footnote.jobs.worker import work_on_queue
from footnote.settings import Settings
from footnote.store.embedded import SUPERUSER, EmbeddedPostgres
from tests.conftest import TestDatabase
from tests.jobs.stages import notes, stages

PATIENCE_SECONDS = 240
DOCUMENTS = 3
SIZE = "64m"

pytestmark = [
    pytest.mark.usefixtures("own_database"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk"),
]


@pytest.fixture
def small_disk(postgres: EmbeddedPostgres, test_database: TestDatabase) -> Iterator[Path]:
    """The folder of a file system that holds the test's database, and little else."""
    name = psycopg.conninfo.conninfo_to_dict(test_database.superuser_url)["dbname"]
    with tempfile.TemporaryDirectory(prefix="fd-", dir=postgres.home) as folder:
        disk = Path(folder)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=755", "tmpfs", folder], check=False
        )
        if mounted.returncode:
            pytest.skip("file systems cannot be mounted here")
        try:
            disk.parent.chmod(0o711)
            tables = disk / "tables"
            tables.mkdir()
            os.chown(tables, postgres.account.uid or 0, postgres.account.gid or 0)
            with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as server:
                server.execute(sql.SQL("CREATE TABLESPACE small LOCATION {}").format(str(tables)))
                server.execute(
                    sql.SQL("ALTER DATABASE {} SET TABLESPACE small").format(
                        sql.Identifier(str(name))
                    )
                )
                yield disk
                server.execute(
                    sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(str(name)))
                )
                server.execute(
                    sql.SQL("CREATE DATABASE {}").format(sql.Identifier(str(name)))
                )  # which the fixture it comes from drops
                server.execute("DROP TABLESPACE small")
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path) -> Path:
    """A file that takes all the room there is."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    return ballast


async def test_documents_wait_for_room_and_lose_no_try(
    small_disk: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.setattr(bookkeeping, "ROOM_SECONDS", 0.3)
    unretrieved: list[str] = []
    gc.collect()  # what tests before this one left is not its worker's
    request.addfinalizer(partial(asyncio.get_running_loop().set_exception_handler, None))
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: unretrieved.append(str(context["message"]))
    )
    with capture_logs() as logged:
        await _filled_and_emptied(settings, small_disk, logged)
    assert not unretrieved


async def _filled_and_emptied(
    settings: Settings, small_disk: Path, logged: list[EventDict]
) -> None:
    async with await open_engine(settings) as engine, stages(engine, engine.embedder) as ingestion:
        workspace = await engine.workspace()
        for number in range(DOCUMENTS):
            await workspace.receive(notes(30 + number), f"{number}.txt")
        ballast, stop = fill(small_disk), asyncio.Event()
        worker = asyncio.create_task(work_on_queue(engine, ingestion, stop))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while str(logged).count("No space left") < 2 * settings.limits.attempts:
                await asyncio.sleep(0.2)  # between looks
                assert (await workspace.stats()).documents_by_status.get("failed", 0) == 0
            ballast.unlink()
            while (await workspace.stats()).documents_by_status != {"indexed": DOCUMENTS}:  # noqa: ASYNC110
                await asyncio.sleep(0.2)  # between looks
        stop.set()
        await worker
