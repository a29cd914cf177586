"""Whatever is killed, and whenever: every accepted document comes to rest exactly once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg
from psycopg import conninfo
from psycopg.rows import dict_row

from footnote.domain import Document, DocumentStatus
from footnote.engine import WorkspaceEngine, open_engine
from footnote.jobs.maintenance import sweep
from footnote.settings import Settings
from footnote.store.embedded import APPLICATION_ROLE, DATABASE
from footnote.store.home import socket_folder_of
from tests.interfaces.serving import environment, reserved_port
from tests.jobs.kept import Kept

SEED = 20_260_703
DOCUMENTS = 40
BROKEN = 16  # Every so manieth cannot be read.
UPLOADS_AT_ONCE = 6
MODEL = "testing:faults#64"
"""Loaded in no time by each process that is started."""
PATIENCE_SECONDS = 900
"""Some 40 s of processor time, most of it to start processes. Workers give way to whatever else
wants the processor, and have a tenth of it beside a busy machine."""
KILLS_WHILE_TAKING_IN = ("worker", "postgres", "server", "worker")
KILLS_WHILE_INDEXING = ("postgres", "worker")

UNFINISHED = """
SELECT job.id, task_name, queue_name, status, attempts, worker_id,
    args ->> 'document_id' AS document_id,
    extract(epoch FROM scheduled_at - now())::integer AS due_in_seconds,
    extract(epoch FROM now() - last_heartbeat)::integer AS worker_silent_for_seconds,
    (
        SELECT array_agg(format('%s %s ago', type, (now() - at)::interval(0)) ORDER BY id)
        FROM procrastinate_events WHERE job_id = job.id
    ) AS events
FROM procrastinate_jobs AS job LEFT JOIN procrastinate_workers AS worker ON worker.id = worker_id
WHERE queue_name <> 'maintenance' AND status IN ('todo', 'doing') ORDER BY job.id LIMIT 8
"""


def paper(number: int) -> tuple[str, bytes]:
    """A small document, of as many sections as its number says, or one that is broken."""
    if number % BROKEN == 0:
        return f"{number}.pdf", b"%%PDF-1.7 broken %d" % number
    parts = (
        f"# Part {part}\n\nBuoy {number} was moored at berth {part}.\n"
        for part in range(sections(number))
    )
    return f"{number}.md", "\n".join(parts).encode()


def sections(number: int) -> int:
    return 1 + number % 3


@dataclass
class Installation:
    """A server, two workers and their Postgres, and the means to kill each."""

    home: Path
    http: httpx.AsyncClient
    server: Kept
    workers: tuple[Kept, Kept]
    chance: random.Random
    killed: list[str] = field(default_factory=list)
    moments: list[str] = field(default_factory=list)
    last_seen: str = ""
    begun: float = field(default_factory=time.monotonic)

    async def story(self) -> str:
        """What happened so far, for whoever waited in vain."""
        kept = (self.server, *self.workers)
        starts = [each.starts for each in kept]
        lines = [f"killed {self.moments}, started {starts}, last seen {self.last_seen}"]
        try:
            url = conninfo.make_conninfo(
                host=str(socket_folder_of(self.home)), dbname=DATABASE, user=APPLICATION_ROLE
            )
            connecting = psycopg.AsyncConnection.connect(
                url, connect_timeout=10, row_factory=dict_row, options="-c search_path=footnote"
            )
            async with await connecting as connection:
                lines += map(repr, await (await connection.execute(UNFINISHED)).fetchall())
        except psycopg.Error as error:
            lines.append(f"the database says nothing of its jobs: {error}")
        return "\n".join([*lines, *(f"{each.arguments}: {each.said()}" for each in kept)])

    def kill(self, what: str) -> None:
        if what == "postgres":
            with suppress(FileNotFoundError, ProcessLookupError, IndexError):
                pid = (self.home / "postgres" / "postmaster.pid").read_text().splitlines()[0]
                os.kill(int(pid), signal.SIGKILL)
        elif what == "server":
            self.server.kill()
        else:
            self.chance.choice(self.workers).kill()
        self.killed.append(what)
        self.moments.append(f"{what} after {time.monotonic() - self.begun:.0f} s")


@asynccontextmanager
async def installation(home: Path, logs: Path) -> AsyncIterator[Installation]:
    env = environment(
        Settings(home=home, database_url=None, owner_database_url=None),
        FOOTNOTE_TIMEOUTS='{"worker": 2}',
        FOOTNOTE_EMBEDDING_MODELS=MODEL,
    )
    with reserved_port() as port:
        server = Kept(("serve", "--no-worker", "--port", str(port)), env, logs / "server.txt")
        workers = (
            Kept(("worker",), env, logs / "worker.txt"),
            Kept(("worker",), env, logs / "another.txt"),
        )
        keeping = [asyncio.create_task(each.keep()) for each in (server, *workers)]
        try:
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=20) as http:
                yield Installation(home, http, server, workers, random.Random(SEED))
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
            await asyncio.gather(*(each.stop() for each in (*workers, server)))


async def hand_in(http: httpx.AsyncClient, number: int) -> str:
    """The id of the document, asked for until somebody answers."""
    name, content = paper(number)
    while True:
        with suppress(httpx.TransportError):
            answer = await http.post(
                "/v1/documents",
                files={"file": (name, content)},
                headers={"Idempotency-Key": f"paper {number}"},
            )
            if answer.status_code == 202:
                return str(answer.json()["document_id"])
            assert answer.status_code >= 500, answer.text
        await asyncio.sleep(0.1)  # before asking again


async def take_in(running: Installation) -> dict[int, str]:
    """Hand all in, several at once, and kill something at chosen numbers of accepted ones."""
    accepted: dict[int, str] = {}
    moments = sorted(running.chance.sample(range(10, DOCUMENTS), len(KILLS_WHILE_TAKING_IN)))
    due = dict(zip(moments, KILLS_WHILE_TAKING_IN, strict=True))
    waiting = iter(range(DOCUMENTS))

    async def carry() -> None:
        for number in waiting:
            accepted[number] = await hand_in(running.http, number)
            if what := due.pop(len(accepted), None):
                running.kill(what)

    await asyncio.gather(*(carry() for _ in range(UPLOADS_AT_ONCE)))
    return accepted


async def resting(running: Installation) -> int:
    """How many documents have come to rest; 0 while nobody answers."""
    with suppress(httpx.TransportError):
        answer = await running.http.get("/stats")
        running.last_seen = answer.text
        if answer.is_success:
            counts = answer.json()["documents_by_status"]
            return int(counts.get("indexed", 0) + counts.get("failed", 0))
    return 0


async def let_rest(running: Installation) -> None:
    """Wait until all rest, and kill something on the way."""
    start = await resting(running)
    for what in (*KILLS_WHILE_INDEXING, None):
        target = DOCUMENTS if what is None else running.chance.randint(start, DOCUMENTS)
        while True:
            start = max(start, await resting(running))
            if start >= target:
                break
            await asyncio.sleep(0.2)  # between looks
        if what:
            running.kill(what)


async def let_queue_empty(settings: Settings) -> None:
    """Wait until the job of a document that rests is gone too: its worker may have died between."""
    async with await open_engine(settings) as engine:
        workspace = await engine.workspace()
        while True:
            if not (await leftovers(workspace))["queued"]:
                return
            await asyncio.sleep(0.2)  # between looks


async def test_every_accepted_document_rests_exactly_once(home: Path, tmp_path: Path) -> None:
    settings = Settings(
        home=home, database_url=None, owner_database_url=None, embedding_models=MODEL
    )
    async with asyncio.timeout(PATIENCE_SECONDS):
        async with installation(home, tmp_path) as running:
            try:
                accepted = await take_in(running)
                await let_rest(running)
                await let_queue_empty(settings)
            except asyncio.CancelledError as cut_off:
                cut_off.add_note(await running.story())
                raise
        assert sorted(running.killed) == sorted(KILLS_WHILE_TAKING_IN + KILLS_WHILE_INDEXING)
        assert sum(each.starts for each in (running.server, *running.workers)) > 3
        async with await open_engine(settings) as engine:
            await check(await engine.workspace(), accepted)


async def check(workspace: WorkspaceEngine, accepted: Mapping[int, str]) -> None:
    documents: dict[str, Document] = {}
    cursor = None
    while True:
        page = await workspace.documents(limit=500, cursor=cursor)
        documents |= {str(each.document_id): each for each in page.documents}
        if (cursor := page.next_cursor) is None:
            break
    assert set(documents) == set(accepted.values())
    for number, document_id in accepted.items():
        document = documents[document_id]
        assert document.filename == paper(number)[0]
        assert document.version == 1
        if number % BROKEN == 0:
            assert document.status is DocumentStatus.FAILED
        elif document.status is DocumentStatus.INDEXED:
            assert document.chunk_count == sections(number)
        else:
            # Only who was in hand at every one of several deaths may have been given up.
            assert document.failure is not None
            assert document.failure.retryable
    chunks = sum(document.chunk_count for document in documents.values())
    assert await leftovers(workspace) == {
        "chunks": chunks,
        "numbered": chunks,
        "vectors": chunks,
        "indexed": chunks,
        "queued": 0,
        "results": 0,
    }
    engine = workspace.engine
    await sweep(engine, workspace.workspace.workspace_id, grace_seconds=0)
    folder = engine.settings.home / "blobs"
    assert len([path for path in folder.rglob("*") if path.is_file()]) == len(accepted)


async def leftovers(workspace: WorkspaceEngine) -> dict[str, int]:
    async with workspace.scope() as scope:
        row = await (
            await scope.connection.execute(
                """
                SELECT (SELECT count(*) FROM chunks) AS chunks,
                    (SELECT count(*) FROM (
                        SELECT DISTINCT document_id, ordinal FROM chunks
                    ) AS once) AS numbered,
                    (SELECT count(*) FROM embeddings) AS vectors,
                    (SELECT sum(chunk_count) FROM segments) AS indexed,
                    (SELECT count(*) FROM procrastinate_jobs
                        WHERE queue_name = 'ingest' AND status IN ('todo', 'doing')) AS queued,
                    (SELECT count(*) FROM stage_results) AS results
                """
            )
        ).fetchone()
    assert row is not None
    return dict(row)
