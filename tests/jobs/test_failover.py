"""A standby is promoted while files come in: what was accepted is there, and comes to rest."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from footnote.settings import Settings
from footnote.store.embedded import APPLICATION_ROLE, OWNER_ROLE
from tests.interfaces.serving import environment
from tests.jobs.kept import Kept
from tests.store.standby import Pair, pair

DOCUMENTS = 16
BROKEN = 8  # Every so manieth cannot be read.
ACCEPTED_BEFORE = 6  # Documents that are accepted when the primary is killed.
UPLOADS_AT_ONCE = 4
PATIENCE_SECONDS = 240


@pytest.fixture
def servers() -> Iterator[Pair]:
    with pair(synchronous=True) as made:
        yield made


@pytest.fixture
def home(tmp_path: Path, model_home: Path) -> Path:
    """A folder for received files, with the models already built."""
    model_home.mkdir(parents=True, exist_ok=True)
    (tmp_path / "models").symlink_to(model_home)
    return tmp_path


def either(servers: Pair, role: str) -> str:
    """The address of whichever of both takes writes."""
    sockets = (servers.primary.socket_folder, servers.standby.socket_folder)
    return f"postgresql://{role}@/footnote?host={quote(','.join(map(str, sockets)))}"


async def hand_in(http: httpx.AsyncClient, number: int) -> str:
    """The id of the document, asked for until somebody answers."""
    name, content = f"{number}.md", f"# Note\n\nBuoy {number} lies at berth 17.\n".encode()
    if number % BROKEN == 0:
        name, content = f"{number}.pdf", b"%%PDF-1.7 broken %d" % number
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            with suppress(httpx.TransportError):
                answer = await http.post(
                    "/v1/documents",
                    files={"file": (name, content)},
                    headers={"Idempotency-Key": f"note {number}"},
                )
                if answer.status_code == 202:
                    return str(answer.json()["document_id"])
                assert answer.status_code in (500, 503), answer.text
            await asyncio.sleep(0.1)  # before asking again


async def test_no_accepted_document_is_lost_when_a_standby_is_promoted(
    servers: Pair, home: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = Settings(
        home=home,
        database_url=either(servers, APPLICATION_ROLE),
        owner_database_url=either(servers, OWNER_ROLE),
    )
    env = environment(settings, FOOTNOTE_WORKER_STALLED_SECONDS="2")
    server = Kept(("serve", "--no-worker", "--port", str(port)), env)
    worker = Kept(("worker",), env)
    keeping = [asyncio.create_task(each.keep()) for each in (server, worker)]
    accepted: dict[int, str] = {}
    waiting = iter(range(1, DOCUMENTS + 1))
    fallen = asyncio.Event()

    async def carry(http: httpx.AsyncClient) -> None:
        for number in waiting:
            accepted[number] = await hand_in(http, number)
            if len(accepted) >= ACCEPTED_BEFORE:
                fallen.set()

    async def fail_over() -> None:
        await fallen.wait()
        await asyncio.to_thread(servers.kill_primary)
        await asyncio.to_thread(servers.promote)

    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=20) as http:
            await asyncio.gather(fail_over(), *(carry(http) for _ in range(UPLOADS_AT_ONCE)))
            documents = await rested(http)
    finally:
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        await asyncio.gather(*(each.stop() for each in (worker, server)))
    assert Counter(each["document_id"] for each in documents) == Counter(accepted.values())
    broken = {accepted[number] for number in accepted if number % BROKEN == 0}
    for each in documents:
        wanted = "failed" if each["document_id"] in broken else "indexed"
        assert each["status"] == wanted, dict(each)
    assert (server.starts, worker.starts) == (1, 1), "neither had to be started again"


async def rested(http: httpx.AsyncClient) -> list[dict[str, str]]:
    """All documents, once each has come to rest."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            with suppress(httpx.TransportError):
                answer = await http.get("/v1/documents", params={"limit": 200})
                if answer.is_success:
                    found: list[dict[str, str]] = answer.json()["documents"]
                    if all(each["status"] in ("indexed", "failed") for each in found):
                        return found
            await asyncio.sleep(0.2)  # between looks
