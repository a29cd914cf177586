"""`footnote serve` over its own Postgres: it starts it again, and leaves none behind."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx
import pytest

from footnote.settings import Settings
from tests.interfaces.serving import environment, serving

PATIENCE_SECONDS = 600


@pytest.fixture
def env(home: Path) -> Mapping[str, str]:
    return environment(Settings(home=home, database_url=None, owner_database_url=None))


def postmaster(home: Path) -> int:
    return int((home / "postgres" / "postmaster.pid").read_text().splitlines()[0])


async def until(
    http: httpx.AsyncClient, path: str, settled: Callable[[httpx.Response], bool]
) -> None:
    """Ask until the answer is as it should be."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            if settled(await http.get(path)):
                return
            await asyncio.sleep(0.1)  # between looks; nothing is assumed about how long it takes


async def test_a_postgres_that_dies_is_started_again(env: Mapping[str, str], home: Path) -> None:
    async with (
        serving(env, "--no-worker") as (_, address),
        httpx.AsyncClient(base_url=address, timeout=600) as http,
    ):
        first = postmaster(home)
        os.kill(first, signal.SIGKILL)
        await until(http, "/health", lambda found: found.is_success and postmaster(home) != first)
        assert (await http.get("/stats")).status_code == 200
    assert not (home / "postgres" / "postmaster.pid").exists()


async def test_no_postgres_is_left_when_it_ends_amid_a_long_document(
    env: Mapping[str, str], home: Path
) -> None:
    notes = (f"Buoy {number} lies at berth {number % 97}. " * 12 for number in range(2000))
    text = "\n\n".join(notes)
    async with serving(env) as (process, address):
        async with httpx.AsyncClient(base_url=address, timeout=600) as http:
            accepted = await http.post("/v1/documents", files={"file": ("a.txt", text.encode())})
            location = accepted.headers["location"]
            await until(http, location, lambda found: found.json()["stage"] == "embed")
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), PATIENCE_SECONDS) == 0
    assert not (home / "postgres" / "postmaster.pid").exists()
