"""What fails after a response had to begin is told in it, in the words of its protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from ag_ui.core import Event, RunErrorEvent, RunStartedEvent
from pydantic import TypeAdapter

from footnote.interfaces.http import streaming
from footnote.store.embedded import SUPERUSER, EmbeddedPostgres
from tests.interfaces.conftest import Library
from tests.interfaces.serving import served
from tests.interfaces.test_agui import run_of

pytestmark = pytest.mark.usefixtures("own_database")

QUESTION = "Which claims are reported before anyone knows of a loss?"
CHAT = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}], "stream": True}
EVENTS: TypeAdapter[Event] = TypeAdapter(Event)


class Standstill:
    """A table that nobody else can read, so that a search waits for it."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def fail_who_waits(self) -> None:
        """Cancel every statement that waits, as an administrator would."""
        self._connection.execute(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )


@asynccontextmanager
async def standstill(postgres: EmbeddedPostgres, library: Library) -> AsyncIterator[Standstill]:
    database = urlsplit(library.settings.database_url or "").path.removeprefix("/")
    with psycopg.connect(postgres.url(SUPERUSER, database)) as connection:
        # What a server of this process reads just now goes on meanwhile, or never ends.
        locks = "LOCK TABLE footnote.chunks, footnote.index_states"
        await asyncio.to_thread(connection.execute, locks)
        yield Standstill(connection)
        connection.rollback()


async def told_late(
    postgres: EmbeddedPostgres, library: Library, path: str, body: object
) -> list[str]:
    """The data of the events of a response that says nothing for a while and then fails."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "HEARTBEAT_SECONDS", 0.05)
        async with (
            served(library.settings) as client,
            standstill(postgres, library) as waiting,
        ):
            return [line async for line in _lines(client, path, body, waiting)]


async def _lines(
    client: httpx.AsyncClient, path: str, body: object, waiting: Standstill
) -> AsyncIterator[str]:
    async with client.stream("POST", path, json=body) as response:
        assert response.status_code == 200
        async for line in response.aiter_lines():
            if line.startswith(":"):
                waiting.fail_who_waits()
            elif line.startswith(("event: ", "data: ")):
                yield line.partition(": ")[2]


async def test_a_run_ends_with_an_error(postgres: EmbeddedPostgres, library: Library) -> None:
    body = json.loads(run_of(QUESTION).model_dump_json(by_alias=True))
    lines = await told_late(postgres, library, "/agui", body)
    started, failed = (EVENTS.validate_json(line) for line in lines)
    assert isinstance(started, RunStartedEvent)
    assert isinstance(failed, RunErrorEvent)
    assert started.run_id == "r1"
    assert failed.code
    assert "pg_" not in failed.message


async def test_a_completion_ends_with_an_error(
    postgres: EmbeddedPostgres, library: Library
) -> None:
    [line] = await told_late(postgres, library, "/openai/v1/chat/completions", CHAT)
    assert json.loads(line)["error"]["type"] == "server_error"


async def test_an_answer_ends_with_an_error(postgres: EmbeddedPostgres, library: Library) -> None:
    body = {"question": QUESTION, "stream": True}
    event, data = await told_late(postgres, library, "/v1/answers", body)
    assert event == "error"
    assert json.loads(data)["type"].startswith("urn:footnote:problem:")
