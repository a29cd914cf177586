"""Real servers and real processes for the tests of the interfaces."""

import asyncio
import io
import logging
import os
import socket
import sys
import warnings
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from unittest import mock

import httpx
import structlog
from fastapi import FastAPI

from footnote.errors import FootnoteError
from footnote.interfaces.cli.main import app, exit_code_of
from footnote.interfaces.cli.serve import server_of
from footnote.interfaces.http.app import create_app
from footnote.jobs.worker import run_worker
from footnote.settings import Settings, settings_from
from tests.processes import Process, Start, start_python
from tests.wire import WireServer

FRESH = httpx.Limits(keepalive_expiry=2)
"""A connection is not used again when the server may be about to close it, after 5 s."""


@asynccontextmanager
async def served(settings: Settings, *, grace_seconds: int = 5) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server on a free port, once its engine is open.

    At its end it waits so long for requests in hand.
    """
    async with (
        _opened(settings, grace_seconds) as (_, address),
        httpx.AsyncClient(base_url=address, timeout=600, verify=False, limits=FRESH) as client,
    ):
        yield client


@asynccontextmanager
async def hosted(env: Mapping[str, str]) -> AsyncIterator[str]:
    """The address of a server in this process with a worker beside it, which share its models.

    Both run while the tests' loop does. What concerns their processes needs `serving`.
    """
    with mock.patch.dict(os.environ, env, clear=True):
        settings = settings_from(None, {})
    async with _opened(settings) as (app, address):
        stop = asyncio.Event()
        worker = asyncio.create_task(run_worker(app.state.lifecycle.engine, stop=stop))
        try:
            yield address
        finally:
            stop.set()
            await worker


@asynccontextmanager
async def _opened(settings: Settings, grace_seconds: int = 5) -> AsyncIterator[tuple[FastAPI, str]]:
    settled = asyncio.Event()
    failures: list[FootnoteError] = []

    def fail(error: FootnoteError) -> None:
        failures.append(error)
        settled.set()

    listening = socket.create_server(("127.0.0.1", 0))
    app = create_app(settings, on_ready=settled.set, on_failure=fail)
    server = server_of(app, grace_seconds)
    # Whoever interrupts the tests means all of them, and not this server.
    with mock.patch.object(server, "capture_signals", nullcontext):
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        await asyncio.sleep(0)  # until it has begun
    port = listening.getsockname()[1]
    try:
        await settled.wait()
        assert not failures, failures
        yield app, f"http://127.0.0.1:{port}"
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
    """Run the command in a thread of this process, which has loaded its modules and models.

    It must be awaited alone: streams, environment and logs belong to all of this process. What
    concerns signals, pipes, terminals or the encoding of streams needs `footnote_process`.
    """
    return await asyncio.to_thread(_run_here, env, arguments, stdin)


def _run_here(env: Mapping[str, str], arguments: Sequence[str], stdin: bytes) -> Ended:
    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
        for _ in range(2)
    )
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    root, configured = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    call = partial(app, list(arguments), prog_name="footnote", standalone_mode=False)
    with (
        warnings.catch_warnings(),
        mock.patch.dict(os.environ, env, clear=True),
        mock.patch.multiple(sys, stdin=given, stdout=out, stderr=err),
    ):
        try:
            code = exit_code_of(call, arguments)
        finally:
            root.handlers[:], root.level = handlers, level
            structlog.configure(**configured)
            logging.captureWarnings(capture=False)
    written = []
    for stream in (out, err):
        stream.seek(0)
        written.append(stream.read())
    return Ended(code, *written)


MAIN = ("-m", "footnote.interfaces.cli.main")
"""The command, as Python takes it."""


async def footnote_process(
    env: Mapping[str, str], *arguments: str, stdin: bytes = b"", start: Start = start_python
) -> Ended:
    """Run the command in its own process."""
    process = await start(*MAIN, *arguments, env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    out, err = await process.communicate(stdin)
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


def scripted(settings: Settings, model: WireServer, **more: object) -> Settings:
    """Settings under which a scripted model answers."""
    return settings_from(
        settings,
        {
            "answer_models": f"openai:scripted@{model.openai_url}",
            **more,
        },
    )


@asynccontextmanager
async def serving(env: Mapping[str, str], *options: str) -> AsyncIterator[tuple[Process, str]]:
    """The process of a server and its address, once it says that it is ready."""
    process = await start_python(
        *(*MAIN, "serve", "--port", "0", *options), env=env, stdout=PIPE, stderr=PIPE
    )
    assert process.stderr is not None
    try:
        said = await said_until(process.stderr, "Ready.")
        yield process, said.split("listens on ")[1].split()[0]
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


@contextmanager
def reserved_port(count: int = 1) -> Iterator[int]:
    """The first of so many ports in a row, for servers that are started, and started again, there.

    Who asks for any port, or connects from any, is not given one to which a socket is bound that
    does not listen; who asks for it by its number may listen there.
    """
    while True:
        with ExitStack() as held:
            port = 0
            try:
                for number in range(count):
                    bound = held.enter_context(socket.socket())
                    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    bound.bind(("127.0.0.1", port + number if number else 0))
                    port = port or bound.getsockname()[1]
            except OSError:
                continue
            if sys.platform != "linux":
                held.close()  # elsewhere nobody could listen there either
            yield port
            return


async def said_until(stream: asyncio.StreamReader, word: str) -> str:
    """What a process says up to the line with a word."""
    said = ""
    while word not in said:
        line = await asyncio.wait_for(stream.readline(), 600)
        assert line, said
        said += line.decode()
    return said
