"""A worker that is killed while it re-embeds costs the batch it had in hand and nothing else."""

from __future__ import annotations

import asyncio
import signal
import threading
from asyncio.subprocess import DEVNULL
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from footnote.domain import ReembeddingState
from footnote.engine import Engine, WorkspaceEngine
from footnote.settings import Settings
from tests.interfaces.serving import environment
from tests.jobs.lanes import OLD, current, found, opened, settings_with, shelf_in
from tests.models.embedding_server import embedded_texts, embeds, texts_of
from tests.models.openai_server import Asked, OpenAiServer, Reply
from tests.processes import Process, start_python

pytestmark = pytest.mark.usefixtures("own_database")

CHUNKS = 60
BATCH = 8
SERVED = "compatible:served#192"
_PATIENCE_SECONDS = 600
WORKER = f"""
from footnote.interfaces.cli.main import run
from footnote.jobs import reembed
reembed.BATCH_TEXTS = {BATCH}
run()
"""


class Gate:
    """Lets requests through until the fourth, which it holds until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()
        self._requests = 0

    def __call__(self, asked: Asked) -> Reply:
        self._requests += len(texts_of(asked)) > 1
        if self._requests == 4 and not self.reached.is_set():
            self.reached.set()
            self.open.wait(_PATIENCE_SECONDS)
        return embeds(asked, 192)


async def start_worker(settings: Settings, url: str) -> Process:
    more = {
        "FOOTNOTE_EMBEDDING_MODELS": f"{OLD},{SERVED}@{url}",
        "FOOTNOTE_TIMEOUTS": '{"worker": 2}',
    }
    return await start_python(
        *("-c", WORKER, "worker"),
        env=environment(settings, **more),
        stdout=DEVNULL,
        stderr=DEVNULL,
    )


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
async def server(gate: Gate) -> AsyncIterator[OpenAiServer]:
    with OpenAiServer(respond=gate) as server:
        yield server


@pytest.fixture
async def engine(settings: Settings, server: OpenAiServer) -> AsyncIterator[Engine]:
    changed = settings_with(settings, embedding_models=f"{OLD},{SERVED}@{server.url}")
    async with await opened(changed) as engine:
        yield engine


async def test_a_killed_worker_embeds_no_more_than_one_batch_twice(
    engine: Engine,
    workspace: WorkspaceEngine,
    settings: Settings,
    server: OpenAiServer,
    gate: Gate,
) -> None:
    await shelf_in(engine, workspace).put(*(f"clause {number} of it" for number in range(CHUNKS)))
    await workspace.reembed(SERVED)
    server.asked.clear()

    worker = await start_worker(settings, server.url)
    assert await asyncio.to_thread(gate.reached.wait, _PATIENCE_SECONDS)
    worker.send_signal(signal.SIGKILL)
    await worker.wait()
    in_hand = texts_of(server.asked[-1])
    gate.open.set()
    assert (await workspace.reembedding()).chunks_embedded == 3 * BATCH
    assert (await current(workspace)).lane.model == "old"
    assert (await found(workspace, "clause 7 of it")).evidence

    worker = await start_worker(settings, server.url)
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while (await workspace.reembedding()).is_under_way:
                assert worker.returncode is None, "the worker ended by itself"
                await asyncio.sleep(0.1)
    finally:
        worker.send_signal(signal.SIGTERM)
        assert await worker.wait() == 0
    done = await workspace.reembedding()
    assert done.state is ReembeddingState.SWITCHED, done.failure
    assert done.chunks_embedded == done.chunks == CHUNKS
    assert done.tokens == 4 * CHUNKS
    counts = Counter(embedded_texts([server]))
    assert {text for text, count in counts.items() if count > 1} == set(in_hand)
    assert len(in_hand) == BATCH
    assert len(counts) == CHUNKS
    assert (await current(workspace)).lane.model == "served"
    assert (await found(workspace, "clause 7 of it")).evidence
