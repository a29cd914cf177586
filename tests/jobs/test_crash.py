"""An accepted document comes to rest exactly once, whoever is killed on the way."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL

import psycopg
import pytest

from footnote.domain import DocumentStatus
from footnote.engine import Engine, WorkspaceEngine
from footnote.settings import Settings
from tests.conftest import TestDatabase
from tests.interfaces.serving import MAIN
from tests.processes import Process, start_python

pytestmark = pytest.mark.usefixtures("own_database")

DOCUMENTS = 24
HOLD = "SELECT FROM footnote.procrastinate_jobs ORDER BY id DESC LIMIT 8 FOR UPDATE"
_PATIENCE_SECONDS = 600


async def start_worker(settings: Settings) -> Process:
    """A worker process of its own, as an operator starts it."""
    environment = os.environ | {
        "FOOTNOTE_HOME": str(settings.home),
        "FOOTNOTE_DATABASE_URL": str(settings.database_url),
        "FOOTNOTE_OWNER_DATABASE_URL": str(settings.owner_database_url),
        "FOOTNOTE_TIMEOUTS": settings.timeouts,
    }
    return await start_python(*MAIN, "worker", env=environment, stdout=DEVNULL, stderr=DEVNULL)


async def indexed(workspace: WorkspaceEngine) -> int:
    return (await workspace.stats()).documents_by_status.get(DocumentStatus.INDEXED, 0)


async def until_indexed(workspace: WorkspaceEngine, count: int, worker: Process) -> None:
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while await indexed(workspace) < count:
            assert worker.returncode is None, "the worker ended by itself"
            await asyncio.sleep(0.2)


async def test_a_killed_worker_loses_nothing_and_repeats_nothing(
    engine: Engine,
    workspace: WorkspaceEngine,
    settings: Settings,
    own_database: TestDatabase,
) -> None:
    for number in range(DOCUMENTS):
        text = f"# Note {number}\n\nBuoy number {number} was moored at berth {number % 17}.\n"
        await workspace.receive(text.encode(), f"note-{number}.md")
    async with await psycopg.AsyncConnection.connect(own_database.superuser_url) as holding:
        # What is locked is given to nobody: the kill never comes when all is done.
        await holding.execute(HOLD)
        worker = await start_worker(settings)
        await until_indexed(workspace, DOCUMENTS // 10, worker)
        worker.send_signal(signal.SIGKILL)
        await worker.wait()
    assert await indexed(workspace) < DOCUMENTS

    worker = await start_worker(settings)
    try:
        await until_indexed(workspace, DOCUMENTS, worker)
    finally:
        worker.send_signal(signal.SIGTERM)
        assert await worker.wait() == 0

    stats = await workspace.stats()
    assert dict(stats.documents_by_status) == {"indexed": DOCUMENTS}
    async with workspace.scope() as scope:
        rows = await (
            await scope.connection.execute(
                """
                SELECT (SELECT count(*) FROM chunks) AS chunks,
                    (SELECT count(*) FROM embeddings) AS vectors,
                    (SELECT count(DISTINCT document_id) FROM chunks) AS documents,
                    (SELECT sum(chunk_count) FROM segments) AS indexed,
                    (SELECT count(*) FROM stage_results) AS leftovers,
                    (SELECT count(*) FROM staged_embeddings) AS staged
                """
            )
        ).fetchone()
    assert rows == {
        "chunks": DOCUMENTS,
        "vectors": DOCUMENTS,
        "documents": DOCUMENTS,
        "indexed": DOCUMENTS,
        "leftovers": 0,
        "staged": 0,
    }
