"""Clients hear what happens, miss nothing when they come back, and hear nothing of others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx
import pytest

import footnote
from footnote.domain import LOCAL_PRINCIPAL, Principal
from footnote.engine import events
from footnote.interfaces.http import streaming
from footnote.settings import Settings
from footnote.store.events import BEGINNING
from tests.interfaces.serving import served

PATIENCE_SECONDS = 600


@pytest.fixture(autouse=True)
def quick_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hears nothing looks again a few times before a sign of life is given."""
    monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 0.2)
    monkeypatch.setattr(events, "PAUSES", (0.05, 0.1))


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with served(settings) as client:
        yield client


@dataclass(slots=True)
class Stream:
    """A stream of events as a client reads it."""

    lines: AsyncIterator[str]
    beats: int = 0
    last_id: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    async def next(self) -> str:
        """The kind of the next event."""
        kind = ""
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for line in self.lines:
                name, _, value = line.partition(": ")
                if name == "id":
                    self.last_id = value
                elif name == "event":
                    kind = value
                elif name == "data":
                    self.data = json.loads(value)
                    assert self.data["id"] == self.last_id
                    return kind
                elif line.startswith(":"):
                    self.beats += 1
        raise EOFError

    async def until(self, kind: str) -> list[str]:
        """The kinds up to the first of this kind."""
        kinds = [await self.next()]
        while kinds[-1] != kind:
            kinds.append(await self.next())
        return kinds

    async def beat(self) -> None:
        """Wait for a sign of life."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for line in self.lines:
                if line.startswith(":"):
                    return


@asynccontextmanager
async def streamed(
    client: httpx.AsyncClient, path: str = "/v1/events", **headers: str
) -> AsyncIterator[Stream]:
    async with client.stream("GET", path, headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        stream = Stream(answer.aiter_lines())
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for line in stream.lines:
                if line.startswith("retry: "):
                    break
        yield stream


async def index_all(settings: Settings, *ids: str) -> None:
    async with footnote.open(settings) as engine:
        workspace = await engine.workspace()
        await footnote.work_until_resting(engine, workspace, [UUID(each) for each in ids])


async def upload(client: httpx.AsyncClient, name: str, text: str = "", **headers: str) -> str:
    answer = await client.post(
        "/v1/documents", files={"file": (name, text or f"The text of {name}.")}, headers=headers
    )
    return str(answer.json()["document_id"])


async def test_a_stream_tells_each_stage_up_to_the_deletion(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    async with streamed(client) as stream:
        await stream.beat()
        document_id = await upload(client, "log.txt")
        assert await stream.next() == "document.queued"
        await index_all(settings, document_id)
        stages = []
        while (kind := await stream.next()) in ("document.stage", "document.progress"):
            if kind == "document.stage":
                stages.append(stream.data["data"]["stage"])
            else:
                assert stream.data["data"]["progress"]["total"] > 0
        assert stages == ["parse", "chunk", "embed", "publish"]
        assert stream.data["type"] == "document.indexed"
        assert stream.data["data"]["document_id"] == document_id
        assert stream.data["data"]["filename"] == "log.txt"
        await client.delete(f"/v1/documents/{document_id}")
        assert await stream.next() == "document.deleted"


async def test_a_failure_is_told_with_its_reason(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    async with streamed(client) as stream:
        await stream.beat()
        await upload(client, "noise.bin", "\x00\x01\x02" * 100)
        assert await stream.next() == "document.failed"
        assert stream.data["data"]["failure"]["cause"]


async def test_who_comes_back_misses_nothing(client: httpx.AsyncClient) -> None:
    async with streamed(client) as stream:
        await stream.beat()
        await upload(client, "first.txt")
        await stream.next()
        last = stream.last_id
    for number in range(5):
        await upload(client, f"{number}.txt")
    async with streamed(client, **{"Last-Event-ID": last}) as stream:
        names = []
        for _ in range(5):
            assert await stream.next() == "document.queued"
            names.append(stream.data["data"]["filename"])
    assert names == [f"{number}.txt" for number in range(5)]


async def test_the_stream_of_a_document_tells_its_past_and_ends_with_it(
    client: httpx.AsyncClient,
) -> None:
    document_id = await upload(client, "log.txt")
    await upload(client, "other.txt")
    async with streamed(client, f"/v1/documents/{document_id}/events") as stream:
        assert await stream.next() == "document.queued"
        await client.delete(f"/v1/documents/{document_id}")
        assert await stream.next() == "document.deleted"
        with pytest.raises(EOFError):
            await stream.next()


async def test_events_of_another_workspace_are_not_heard(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    async with footnote.open(settings) as engine:
        await engine.create_workspace("acme")
    acme = {"Footnote-Workspace": "acme"}
    foreign = await upload(client, "secret.txt", **acme)
    async with streamed(client) as stream:
        await stream.beat()
        await upload(client, "another-secret.txt", **acme)
        await upload(client, "mine.txt")
        await stream.next()
        assert stream.data["data"]["filename"] == "mine.txt"
    answer = await client.get(f"/v1/documents/{foreign}/events")
    assert answer.status_code == 404


async def test_events_of_hidden_documents_are_not_heard(settings: Settings) -> None:
    async with footnote.open(settings) as engine:
        boss = await engine.workspace(principal=Principal(principal_id="boss"))
        local = await engine.workspace(principal=LOCAL_PRINCIPAL)
        await boss.receive(b"A secret.", "secret.txt", shared_with=["boss"])
        await local.receive(b"No secret.", "open.txt")
        heard = {}
        for workspace in (boss, local):
            followed = workspace.follow_events(after=BEGINNING, heartbeat_seconds=0.05)
            names = []
            async with asyncio.timeout(PATIENCE_SECONDS):
                async for event in followed:
                    if event is None:
                        break
                    names.append(event.body["filename"])
            heard[workspace.principal.principal_id] = names
        assert heard == {"boss": ["secret.txt", "open.txt"], "local": ["open.txt"]}


async def test_an_id_that_is_none_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/events", headers={"Last-Event-ID": "yesterday"})
    assert answer.status_code == 422
