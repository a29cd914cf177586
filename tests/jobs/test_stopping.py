"""A worker that is stopped costs a document nothing; one that is killed costs it a try."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from footnote.domain import DocumentStatus, ParsedDocument, Stage
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import DocumentInterrupted
from footnote.jobs.ingest import IngestionJob, ingest_version
from footnote.jobs.process import NICENESS
from footnote.jobs.worker import work_on_queue
from footnote.models.testing import CountingEmbedder
from footnote.ports import OnProgress, ignore_progress
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment
from tests.jobs.deadly_worker import STUCK_ON
from tests.jobs.stages import Stuck, notes, stages
from tests.processes import Process, start_python

pytestmark = pytest.mark.usefixtures("own_database")

PATIENCE_SECONDS = 600
TRIES = 3


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Those of the other tests, with few tries and a short patience."""
    return settings_from(
        settings,
        {
            "document_limits": f'{{"attempts": {TRIES}}}',
            "timeouts": '{"worker": 1.2}',
        },
    )


async def jobs(engine: Engine) -> list[tuple[str, int]]:
    async with engine.database.outside() as connection:
        rows = await (
            await connection.execute(
                "SELECT status::text, attempts FROM procrastinate_jobs WHERE queue_name = 'ingest'"
            )
        ).fetchall()
    return [(row["status"], row["attempts"]) for row in rows]


async def test_a_worker_that_is_stopped_does_not_count_as_a_try(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(notes(3), "buoys.txt")
    for _ in range(TRIES + 1):
        embedder, stop = Stuck(engine.embedder), asyncio.Event()
        async with stages(engine, embedder) as ingestion:
            working = asyncio.create_task(work_on_queue(engine, ingestion, stop))
            await asyncio.wait_for(embedder.begun.wait(), PATIENCE_SECONDS)
            stop.set()
            await working
        assert await jobs(engine) == [("todo", 0)]
    document = await workspace.document(received.document.document_id)
    assert document.status is DocumentStatus.INGESTING


async def test_a_worker_that_is_cancelled_does_not_count_as_a_try(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await workspace.receive(notes(3), "buoys.txt")
    embedder = Stuck(engine.embedder)
    async with stages(engine, embedder) as ingestion:
        working = asyncio.create_task(work_on_queue(engine, ingestion, asyncio.Event()))
        await asyncio.wait_for(embedder.begun.wait(), PATIENCE_SECONDS)
        working.cancel()
        await asyncio.wait([working])
    assert await jobs(engine) == [("todo", 0)]


async def start(settings: Settings, module: str, *arguments: str, **variables: str) -> Process:
    env = environment(
        settings,
        **variables,
        FOOTNOTE_DOCUMENT_LIMITS=settings.document_limits,
        FOOTNOTE_TIMEOUTS=settings.timeouts,
    )
    return await start_python("-m", module, *arguments, env=env, stdout=DEVNULL, stderr=DEVNULL)


async def test_a_worker_that_is_told_to_stop_ends_soon_amid_a_long_document(
    engine: Engine, workspace: WorkspaceEngine, settings: Settings
) -> None:
    received = await workspace.receive(notes(4000), "buoys.txt")
    worker = await start(settings, "footnote.interfaces.cli.main", "worker")
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            document = received.document
            while document.stage != "embed":
                await asyncio.sleep(0.1)  # between looks
                document = await workspace.document(document.document_id)
        assert min(niceness_of_threads(worker.pid)) >= NICENESS
    finally:
        worker.send_signal(signal.SIGTERM)
        assert await worker.wait() == 0
    assert await jobs(engine) == [("todo", 0)]


def niceness_of_threads(pid: int) -> list[int]:
    """Of each thread of a process, as Linux schedules it."""
    threads = Path(f"/proc/{pid}/task")
    if not threads.is_dir():
        pytest.skip("threads have no niceness of their own here")
    return [os.getpriority(os.PRIO_PROCESS, int(each.name)) for each in threads.iterdir()]


async def test_a_deadly_document_takes_one_worker_along_and_then_only_itself(
    engine: Engine, workspace: WorkspaceEngine, settings: Settings
) -> None:
    deadly = await workspace.receive(b"This is poison to whoever reads it.", "deadly.txt")
    for number in range(6):
        await workspace.receive(f"Buoy {number} is moored.".encode(), f"{number}.txt")
    worker = await start(settings, "tests.jobs.deadly_worker")
    assert await asyncio.wait_for(worker.wait(), PATIENCE_SECONDS) == -signal.SIGKILL
    worker = await start(settings, "tests.jobs.deadly_worker")
    async with asyncio.timeout(PATIENCE_SECONDS):
        while set(await statuses(workspace)) & {"queued", "ingesting"}:
            assert worker.returncode is None, "it died of what is tried in a process of its own"
            await asyncio.sleep(0.1)  # between looks
    worker.send_signal(signal.SIGTERM)
    await worker.wait()
    assert await statuses(workspace) == {"indexed": 6, "failed": 1}
    failed = await workspace.document(deadly.document.document_id)
    assert failed.failure is not None
    assert f"ended {TRIES} times" in failed.failure.cause


async def test_small_documents_of_a_killed_worker_do_not_wait_for_a_large_one(
    engine: Engine, workspace: WorkspaceEngine, settings: Settings
) -> None:
    large = await workspace.receive(b"This is endless. " + notes(40), "large.txt")
    for number in range(3):
        await workspace.receive(f"Buoy {number} lies still.".encode(), f"{number}.txt")
    worker = await start(settings, "tests.jobs.deadly_worker", **{STUCK_ON: "Buoy"})
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await stages_of_all(workspace) != {("ingesting", "embed")}:  # noqa: ASYNC110
                await asyncio.sleep(0.1)  # between looks
    finally:
        worker.kill()
        await worker.wait()
    worker = await start(settings, "tests.jobs.deadly_worker", **{STUCK_ON: "endless"})
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await set_aside(engine) != {str(large.document.document_id)}:  # noqa: ASYNC110
                await asyncio.sleep(0.1)  # between looks
            # It waits again until the process of its own begins with it, and is never done.
            while await statuses(workspace) != {"indexed": 3, "ingesting": 1}:  # noqa: ASYNC110
                await asyncio.sleep(0.1)  # between looks
    finally:
        worker.send_signal(signal.SIGTERM)
        await worker.wait()


async def stages_of_all(workspace: WorkspaceEngine) -> set[tuple[str, str]]:
    return {(each.status, each.stage) for each in (await workspace.documents()).documents}


async def set_aside(engine: Engine) -> set[str]:
    """The documents that are tried in a process of their own."""
    async with engine.database.outside() as connection:
        rows = await (
            await connection.execute(
                "SELECT lock FROM procrastinate_jobs WHERE queue_name = 'set_aside'"
            )
        ).fetchall()
    return {row["lock"] for row in rows}


async def statuses(workspace: WorkspaceEngine) -> dict[str, int]:
    return dict((await workspace.stats()).documents_by_status)


async def test_a_crash_amid_embedding_pays_for_no_text_twice(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(notes(40), "buoys.txt")
    job = IngestionJob(
        workspace_id=workspace.workspace.workspace_id,
        document_id=received.document.document_id,
        version=1,
        attempt=0,
    )

    def crash(batch: int) -> None:
        if batch == 3:
            raise asyncio.CancelledError

    before = CountingEmbedder(inner=engine.embedder, before=crash)
    async with stages(engine, before, embedding_batch=4) as ingestion:
        with pytest.raises(asyncio.CancelledError):
            await ingest_version(engine, ingestion, job)
    after = CountingEmbedder(inner=engine.embedder)
    async with stages(engine, after, embedding_batch=4) as ingestion:
        await ingest_version(engine, ingestion, replace(job, attempt=1))
    document = await workspace.document(received.document.document_id)
    assert document.status is DocumentStatus.INDEXED
    assert len(before.texts) == 12
    assert not set(before.texts) & set(after.texts)
    assert len(set(before.texts) | set(after.texts)) == document.chunk_count + 1


async def test_text_that_another_document_holds_is_not_paid_for_again(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    for name, collection in (("one.txt", "left"), ("one.txt", "right")):
        received = await workspace.receive(notes(6), name, collection=collection)
        embedder = CountingEmbedder(inner=engine.embedder)
        async with stages(engine, embedder) as ingestion:
            await ingest_version(
                engine,
                ingestion,
                IngestionJob(
                    workspace_id=workspace.workspace.workspace_id,
                    document_id=received.document.document_id,
                    version=1,
                    attempt=0,
                ),
            )
    assert len(embedder.texts) == 1, "what the document is about, which is found by no other"


async def test_a_reader_that_keeps_being_killed_fails_the_document_after_its_tries(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    async def killed(
        content: BinaryIO, filename: str, on_progress: OnProgress = ignore_progress
    ) -> ParsedDocument:
        raise DocumentInterrupted(stage=Stage.PARSE, cause="the reader was killed", advice="wait")

    received = await workspace.receive(notes(3), "buoys.txt")
    job = IngestionJob(
        workspace_id=workspace.workspace.workspace_id,
        document_id=received.document.document_id,
        version=1,
        attempt=0,
    )
    async with stages(engine, engine.embedder) as ingestion:
        broken = replace(ingestion, parser=killed)
        for attempt in range(TRIES - 1):
            with pytest.raises(DocumentInterrupted):
                await ingest_version(engine, broken, replace(job, attempt=attempt))
        await ingest_version(engine, broken, replace(job, attempt=TRIES - 1))
        failed = await workspace.document(received.document.document_id)
        assert failed.status is DocumentStatus.FAILED
        assert failed.failure is not None
        assert failed.failure.retryable
        await workspace.retry(failed.document_id)
        await ingest_version(engine, ingestion, job)
    healed = await workspace.document(received.document.document_id)
    assert healed.status is DocumentStatus.INDEXED
    assert healed.version == 1
