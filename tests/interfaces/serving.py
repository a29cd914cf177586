"""Real servers and real processes for the tests of the interfaces."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from footnote.errors import FootnoteError
from footnote.interfaces.cli import loading
from footnote.settings import Settings


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server on a free port, once its engine is open."""
    settled = asyncio.Event()
    failures: list[FootnoteError] = []

    def fail(error: FootnoteError) -> None:
        failures.append(error)
        settled.set()

    listening = socket.create_server(("127.0.0.1", 0))
    server = loading.server(loading.create_app(settings, settled.set, fail), settings, 5)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    port = listening.getsockname()[1]
    try:
        await settled.wait()
        assert not failures, failures
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        await serving
        listening.close()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def environment(settings: Settings, **more: str) -> dict[str, str]:
    """The environment of a command that works with these settings."""
    urls = {
        "FOOTNOTE_DATABASE_URL": settings.database_url or "",
        "FOOTNOTE_OWNER_DATABASE_URL": settings.owner_database_url or "",
    }
    inherited = {key: value for key, value in os.environ.items() if key[:9] != "FOOTNOTE_"}
    given = {key: value for key, value in urls.items() if value}
    return {**inherited, "FOOTNOTE_HOME": str(settings.home), **given, **more}


async def footnote(env: Mapping[str, str], *arguments: str, stdin: bytes = b"") -> Ended:
    """Run the command in its own process."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "footnote.interfaces.cli.main", *arguments),
        env=env,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate(stdin)
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())
