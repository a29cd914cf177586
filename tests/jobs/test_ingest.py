"""Documents go through the queue and come to rest, each by itself."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast
from uuid import UUID, uuid4

import psycopg
import pytest
from structlog.testing import capture_logs

from footnote.domain import DocumentStatus, Progress, SearchRequest, SourceType, Stage
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import NotFound
from footnote.ingestion.chunking import ChunkPolicy
from footnote.ingestion.injection_screening import DetectInjections
from footnote.ingestion.pipeline import Ingestion
from footnote.jobs.ingest import IngestionJob, ingest_version
from footnote.jobs.inline import work_until_resting
from footnote.jobs.worker import work_on_queue
from footnote.ports import Vectors
from footnote.ports.metering import embedding_note, note_usage
from tests.conftest import TestDatabase
from tests.jobs.stages import Around, stages
from tests.parsers import kept_parser

MAIL = b"""From: Ada <ada@example.org>
To: Bob <bob@example.org>
Subject: Winch parts
Date: Mon, 3 Mar 2025 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=cut

--cut
Content-Type: text/plain; charset=utf-8

The delivery note for the winch is attached.

--cut
Content-Type: text/csv; name=parts.csv
Content-Disposition: attachment; filename=parts.csv

part,amount
capstan,4
pawl,12

--cut
Content-Type: application/octet-stream; name=virus.bin
Content-Disposition: attachment; filename=virus.bin
Content-Transfer-Encoding: base64

AAECAwQFBgcICQ==

--cut--
"""


async def ingest(engine: Engine, workspace: WorkspaceEngine, *files: tuple[str, bytes]) -> None:
    received = [await workspace.receive(content, name) for name, content in files]
    await work_until_resting(
        engine, workspace, [each.document.document_id for each in received], lambda _: None
    )


async def test_a_broken_file_fails_alone(engine: Engine, workspace: WorkspaceEngine) -> None:
    files = [
        ("good.md", b"# Terms\n\nThe notice period is three months."),
        ("empty.txt", b""),
        ("noise.bin", bytes(range(256)) * 8),
        ("broken.pdf", b"%PDF-1.7\nthis is not a page tree"),
    ]
    await ingest(engine, workspace, *files)
    page = await workspace.documents()
    by_name = {document.filename: document for document in page.documents}
    assert by_name["good.md"].status is DocumentStatus.INDEXED
    for name in ("empty.txt", "noise.bin", "broken.pdf"):
        document = by_name[name]
        assert document.status is DocumentStatus.FAILED, name
        assert document.failure is not None
        assert document.failure.cause
        assert document.failure.advice
    assert (await workspace.search(SearchRequest(query="notice period"))).evidence


async def test_attachments_become_children_of_their_mail(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await ingest(engine, workspace, ("mail.eml", MAIL))
    page = await workspace.documents()
    mail = next(each for each in page.documents if each.filename == "mail.eml")
    children = {each.filename: each for each in await workspace.children(mail.document_id)}
    assert children["parts.csv"].status is DocumentStatus.INDEXED
    assert children["parts.csv"].source_type is SourceType.EMAIL_ATTACHMENT
    assert children["virus.bin"].status is DocumentStatus.FAILED
    found = await workspace.search(SearchRequest(query="pawl"))
    assert found.evidence[0].passage.parent_id == mail.document_id
    assert found.evidence[0].passage.parent_title == mail.title
    await workspace.delete_document(mail.document_id)
    assert (await workspace.stats()).documents == 0


async def test_a_duplicate_upload_is_the_same_document(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    first = await workspace.receive(b"one text", "a.txt")
    second = await workspace.receive(b"one text", "b.txt")
    assert second.duplicate
    assert second.document.document_id == first.document.document_id


async def test_concurrent_uploads_of_the_same_bytes_make_one_document(
    workspace: WorkspaceEngine,
) -> None:
    received = await asyncio.gather(
        *(workspace.receive(b"one text", f"{number}.txt") for number in range(6))
    )
    assert len({each.document.document_id for each in received}) == 1
    assert sum(not each.duplicate for each in received) == 1


async def test_the_old_version_answers_until_the_new_one_is_published(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    async def upload(text: bytes) -> None:
        received = await workspace.receive(text, "terms.md", external_id="terms")
        await work_until_resting(engine, workspace, [received.document.document_id], lambda _: None)

    await upload(b"The notice period is three months.")
    waiting = await workspace.receive(
        b"The notice period is six months.", "terms.md", external_id="terms"
    )
    assert waiting.new_version
    answered = await workspace.search(SearchRequest(query="notice period"))
    assert "three" in answered.evidence[0].passage.text
    await upload(b"The notice period is six months.")
    answered = await workspace.search(SearchRequest(query="notice period"))
    assert [each.passage.text for each in answered.evidence] == ["The notice period is six months."]


async def test_a_new_version_that_cannot_be_read_leaves_the_old_one(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    for content in (b"The notice period is three months.", b"%PDF-1.7 broken"):
        received = await workspace.receive(content, "terms", external_id="terms")
        await work_until_resting(engine, workspace, [received.document.document_id], lambda _: None)
    document = await workspace.document(received.document.document_id)
    assert document.status is DocumentStatus.FAILED
    assert (await workspace.search(SearchRequest(query="notice period"))).evidence


async def test_a_failed_document_is_tried_again_when_it_is_sent_again(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    broken = b"%PDF-1.7 broken"
    await ingest(engine, workspace, ("a.pdf", broken))
    again = await workspace.receive(broken, "a.pdf")
    assert not again.duplicate
    assert again.document.status is DocumentStatus.QUEUED


async def test_a_document_whose_worker_keeps_dying_is_parked(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(b"one text", "a.txt")
    async with engine.database.outside() as connection:
        await connection.execute("UPDATE procrastinate_jobs SET attempts = 99")
    documents = await work_until_resting(
        engine, workspace, [received.document.document_id], lambda _: None
    )
    document = documents[received.document.document_id]
    assert document.status is DocumentStatus.FAILED
    assert document.failure is not None
    assert "99 times" in document.failure.cause


async def test_deleting_while_it_is_queued_leaves_nothing_to_do(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(b"one text", "a.txt")
    other = await workspace.receive(b"another text", "b.txt")
    await workspace.delete_document(received.document.document_id)
    await work_until_resting(engine, workspace, [other.document.document_id], lambda _: None)
    assert (await workspace.stats()).documents == 1


@dataclass(frozen=True)
class Deletes(Around):
    """The engine's embedder, and somebody who deletes the document at the first batch."""

    workspace: WorkspaceEngine
    document_id: UUID
    batches: list[int] = field(default_factory=list)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if not self.batches:
            await self.workspace.delete_document(self.document_id)
        self.batches.append(len(texts))
        return await self.inner.embed_documents(texts)


async def test_a_document_deleted_while_it_is_embedded_costs_no_further_batch(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    text = "\n\n".join(f"Buoy {number} is moored. " * 20 for number in range(40))
    received = await workspace.receive(text.encode(), "buoys.txt")
    embedder = Deletes(engine.embedder, workspace, received.document.document_id)
    job = IngestionJob(
        workspace_id=workspace.workspace.workspace_id,
        document_id=received.document.document_id,
        version=1,
        attempt=0,
    )
    async with kept_parser(processes=1) as parser:
        ingestion = Ingestion(
            parser=parser,
            embedder=embedder,
            analyzer=engine.analyzer,
            policy=ChunkPolicy(target_tokens=64),
            max_file_bytes=engine.settings.limits.bytes,
            embedding_batch=4,
        )
        await ingest_version(engine, ingestion, job)
        await ingest_version(engine, ingestion, job)
    assert embedder.batches == [4]
    async with workspace.scope() as scope:
        row = await (
            await scope.connection.execute("SELECT count(*) AS count FROM staged_embeddings")
        ).fetchone()
    assert row == {"count": 0}


@dataclass(frozen=True)
class Destroys(Around):
    """Embeds for a workspace that is destroyed meanwhile."""

    engine: Engine

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        note_usage(embedding_note(self.lane, len(texts), 1))
        await self.engine.destroy_workspace("doomed")
        return await self.inner.embed_documents(texts)


async def test_a_workspace_destroyed_while_it_is_indexed_ends_quietly(
    own_database: TestDatabase, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "procrastinate")
    doomed = await engine.create_workspace("doomed")
    inside = await engine.workspace(doomed.name)
    await inside.receive(b"The buoy is moored.", "buoy.txt")
    stop = asyncio.Event()
    async with (
        stages(engine, Destroys(engine.embedder, engine)) as ingestion,
        await psycopg.AsyncConnection.connect(
            own_database.owner_url, autocommit=True
        ) as connection,
    ):
        with capture_logs() as logged:
            worker = asyncio.create_task(work_on_queue(engine, ingestion, stop))
            jobs = "SELECT FROM footnote.procrastinate_jobs WHERE task_name = 'ingest_document'"
            while (await (await connection.execute(jobs)).fetchone()) is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.05)  # between looks
            stop.set()
            await worker
    assert [each for each in caplog.records if each.exc_info] == []
    assert [each for each in logged if each["log_level"] != "info"] == []


async def test_whoever_waits_sees_how_far_embedding_has_come(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    text = "\n\n".join(f"Buoy {number} is moored. " * 20 for number in range(20))
    received = await workspace.receive(text.encode(), "buoys.txt")
    document_id = received.document.document_id
    seen: list[Progress | None] = []

    class Looks(Around):
        async def embed_documents(self, texts: Sequence[str]) -> Vectors:
            seen.append((await workspace.document(document_id)).progress)
            return await self.inner.embed_documents(texts)

    job = IngestionJob(
        workspace_id=workspace.workspace.workspace_id,
        document_id=document_id,
        version=1,
        attempt=0,
    )
    async with stages(engine, Looks(engine.embedder), embedding_batch=8) as ingestion:
        await ingest_version(engine, ingestion, job)
    assert seen[0] is None
    dones = [each.done for each in seen[1:] if each is not None]
    assert dones == list(range(8, 8 * len(seen), 8))
    events = workspace.follow_events(after=None, document_id=document_id, heartbeat_seconds=0.01)
    told = []
    async with aclosing(events):
        async for event in events:
            if event is not None and event.kind == "document.progress":
                told.append(cast("dict[str, int]", event.body["progress"]))
            if event is not None and event.kind == "document.indexed":
                break
    assert [each["done"] for each in told][: len(dones)] == dones
    assert told[-1]["done"] == told[-1]["total"]
    assert (await workspace.document(document_id)).progress is None


async def test_a_blob_goes_with_its_last_document(workspace: WorkspaceEngine) -> None:
    one = await workspace.receive(b"one text", "a.txt", collection="left")
    two = await workspace.receive(b"one text", "a.txt", collection="right")
    blobs = workspace.engine.settings.home / "blobs"
    assert one.document.document_id != two.document.document_id
    await workspace.delete_document(one.document.document_id)
    assert [path for path in blobs.rglob("*") if path.is_file()]
    await workspace.delete_document(two.document.document_id)
    assert not [path for path in blobs.rglob("*") if path.is_file()]
    with pytest.raises(NotFound):
        await workspace.document(uuid4())


async def test_a_file_too_large_is_kept_as_failed_without_its_bytes(
    engine: Engine, workspace: WorkspaceEngine, tmp_path: Path
) -> None:
    path = tmp_path / "large.txt"
    path.touch()
    os.truncate(path, engine.settings.limits.bytes + 1)
    received = await workspace.receive_file(path)
    assert received.document.status is DocumentStatus.FAILED
    assert received.document.failure is not None
    assert received.document.failure.stage is Stage.RECEIVE
    assert not (engine.settings.home / "blobs").exists()


async def test_what_two_documents_are_about_is_embedded_once_and_serves_both(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    """The second to be published finds the vector with the first, whose own is staged no more."""
    jobs = []
    for number in (1, 2):
        text = f"# Note\n\nBuoy {number} lies at berth 17.\n"
        received = await workspace.receive(text.encode(), f"{number}.md")
        jobs.append(
            IngestionJob(
                workspace_id=workspace.workspace.workspace_id,
                document_id=received.document.document_id,
                version=1,
                attempt=0,
            )
        )
    embedded, publish = [asyncio.Event(), asyncio.Event()], [asyncio.Event(), asyncio.Event()]

    def held(turn: int) -> DetectInjections:
        async def detect_injections(texts: Sequence[str], _read: Sequence[str]) -> list[bool]:
            embedded[turn].set()
            await publish[turn].wait()
            return [False] * len(texts)

        return detect_injections

    async with stages(engine, engine.embedder) as ingestion, asyncio.TaskGroup() as together:
        for turn, job in enumerate(jobs):
            own = replace(ingestion, detect_injections=held(turn))
            task = together.create_task(ingest_version(engine, own, job))
            await embedded[turn].wait()
            task.add_done_callback(lambda _: publish[1].set())
        publish[0].set()
    for job in jobs:
        assert (await workspace.document(job.document_id)).status is DocumentStatus.INDEXED
