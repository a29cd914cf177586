"""Whatever is killed, and whenever: every accepted document comes to rest exactly once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from footnote.domain import Document, DocumentStatus
from footnote.engine import WorkspaceEngine, open_engine
from footnote.jobs.maintenance import sweep
from footnote.settings import Settings
from tests.interfaces.serving import environment
from tests.jobs.kept import Kept

SEED = 20_260_703
DOCUMENTS = 80
BROKEN = 16  # Every so manieth cannot be read.
UPLOADS_AT_ONCE = 6
PATIENCE_SECONDS = 300
KILLS_WHILE_TAKING_IN = ("worker", "postgres", "server", "worker", "server")
KILLS_WHILE_INDEXING = ("postgres", "worker")


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
    last_seen: str = ""

    def story(self) -> str:
        """What happened so far, for whoever waited in vain."""
        starts = [each.starts for each in (self.server, *self.workers)]
        return f"killed {self.killed}, started {starts}, last seen {self.last_seen}"

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


@asynccontextmanager
async def installation(home: Path) -> AsyncIterator[Installation]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = environment(
        Settings(home=home, database_url=None, owner_database_url=None),
        FOOTNOTE_TIMEOUTS='{"worker": 2}',
    )
    server = Kept(("serve", "--no-worker", "--port", str(port)), env)
    workers = Kept(("worker",), env), Kept(("worker",), env)
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
    moments = sorted(running.chance.sample(range(20, DOCUMENTS), len(KILLS_WHILE_TAKING_IN)))
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


async def test_every_accepted_document_rests_exactly_once(home: Path) -> None:
    settings = Settings(home=home, database_url=None, owner_database_url=None)
    async with asyncio.timeout(PATIENCE_SECONDS):
        async with installation(home) as running:
            try:
                accepted = await take_in(running)
                await let_rest(running)
                await let_queue_empty(settings)
            except asyncio.CancelledError as cut_off:
                cut_off.add_note(running.story())
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
