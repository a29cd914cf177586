"""A standby is promoted while files come in: what was accepted is there, and comes to rest."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from footnote.models.aligned import AlignedEncoder
from footnote.settings import Settings
from footnote.store.embedded import APPLICATION_ROLE, OWNER_ROLE
from tests.interfaces.serving import environment, hosted
from tests.store.standby import Pair, pair

DOCUMENTS = 16
BROKEN = 8  # Every so manieth cannot be read.
ACCEPTED_BEFORE = 6  # Documents that are accepted when the primary is killed.
UPLOADS_AT_ONCE = 4
PATIENCE_SECONDS = 600


@pytest.fixture
def servers() -> Iterator[Pair]:
    with pair(synchronous=True) as made:
        yield made


@pytest.fixture
def over_both(
    servers: Pair, tmp_path: Path, model_home: Path, packaged_models: AlignedEncoder
) -> Settings:
    (tmp_path / "models").symlink_to(model_home)
    return Settings(
        home=tmp_path,
        database_url=either(servers, APPLICATION_ROLE),
        owner_database_url=either(servers, OWNER_ROLE),
    )


def either(servers: Pair, role: str) -> str:
    """The address of whichever of both takes writes."""
    sockets = (servers.primary.socket_folder, servers.standby.socket_folder)
    return f"postgresql://{role}@/footnote?host={quote(','.join(map(str, sockets)))}"


async def hand_in(http: httpx.AsyncClient, number: int) -> str:
    """The id of the document, asked for until somebody answers."""
    name, content = f"{number}.md", f"# Note\n\nBuoy {number} lies at berth 17.\n".encode()
    if number % BROKEN == 0:
        name, content = f"{number}.pdf", b"%%PDF-1.7 broken %d" % number
    while True:
        with suppress(httpx.TransportError):
            answer = await http.post(
                "/v1/documents",
                files={"file": (name, content)},
                headers={"Idempotency-Key": f"note {number}"},
            )
            if answer.status_code == 202:
                return str(answer.json()["document_id"])
            assert answer.status_code == 503, answer.text
        await asyncio.sleep(0.1)  # before asking again


async def rested(http: httpx.AsyncClient) -> list[dict[str, str]]:
    """All documents, once each has come to rest."""
    while True:
        answer = await http.get("/v1/documents", params={"limit": 200})
        if answer.is_success:
            found: list[dict[str, str]] = answer.json()["documents"]
            if all(each["status"] in ("indexed", "failed") for each in found):
                return found
        await asyncio.sleep(0.1)  # between looks


async def test_no_accepted_document_is_lost_when_a_standby_is_promoted(
    servers: Pair, over_both: Settings
) -> None:
    accepted: dict[int, str] = {}
    waiting = iter(range(1, DOCUMENTS + 1))
    enough = asyncio.Event()

    async def carry(http: httpx.AsyncClient) -> None:
        for number in waiting:
            accepted[number] = await hand_in(http, number)
            if len(accepted) >= ACCEPTED_BEFORE:
                enough.set()

    async def fail_over() -> None:
        await enough.wait()
        await asyncio.to_thread(servers.kill_primary)
        await asyncio.to_thread(servers.promote)

    async with (
        hosted(environment(over_both)) as address,
        httpx.AsyncClient(base_url=address, timeout=600) as http,
        asyncio.timeout(PATIENCE_SECONDS),
    ):
        await asyncio.gather(fail_over(), *(carry(http) for _ in range(UPLOADS_AT_ONCE)))
        documents = await rested(http)
    assert Counter(each["document_id"] for each in documents) == Counter(accepted.values())
    broken = {accepted[number] for number in accepted if number % BROKEN == 0}
    for each in documents:
        wanted = "failed" if each["document_id"] in broken else "indexed"
        assert each["status"] == wanted, repr(each)
