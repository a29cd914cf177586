"""Loads what takes long to load only when a command needs it, so that `--help` answers at once."""

# ruff: noqa: PLC0415  # imports inside functions are this module's purpose

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    import asyncio

    from fastapi import FastAPI
    from uvicorn import Server

    from footnote.domain import Document, Health, Received
    from footnote.engine import Engine, WorkspaceEngine
    from footnote.errors import FootnoteError
    from footnote.settings import Settings


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Engine]:
    """The engine, open for the length of a block."""
    from footnote.engine import open_engine

    engine = await open_engine(settings)
    try:
        yield engine
    finally:
        await engine.close()


async def work_until_resting(
    engine: Engine,
    workspace: WorkspaceEngine,
    document_ids: Sequence[UUID],
    on_change: Callable[[Mapping[UUID, Document]], None],
) -> Mapping[UUID, Document]:
    """Index these documents in this process."""
    from footnote.jobs.inline import work_until_resting as work

    return await work(engine, workspace, document_ids, on_change)


async def receive_named(
    workspace: WorkspaceEngine,
    path: Path,
    filename: str,
    *,
    external_id: str,
    collection: str | None,
    tags: Sequence[str],
) -> Received:
    """Accept a file under a name and an id that are not its path.

    Raises InvalidRequest when it cannot be opened or is too large.
    """
    import asyncio

    from footnote.engine.files import TooLarge, read_file
    from footnote.errors import InvalidRequest

    file = await asyncio.to_thread(read_file, path, workspace.engine.settings.max_file_bytes)
    if isinstance(file, TooLarge):
        cause = f"{filename} has more than {workspace.engine.settings.max_file_bytes:,} bytes"
        raise InvalidRequest(cause, hint=file.failure.advice)
    return await workspace.receive(
        file.content, filename, collection=collection, external_id=external_id, tags=tags
    )


async def run_worker(engine: Engine, stop: asyncio.Event) -> None:
    """Index whatever is queued until told to stop."""
    from footnote.jobs.worker import run_worker as work

    await work(engine, stop=stop)


async def examine(settings: Settings) -> Health:
    """What is there and what is missing."""
    from footnote.doctor import examine as look

    return await look(settings)


def create_app(
    settings: Settings,
    on_ready: Callable[[], None],
    on_failure: Callable[[FootnoteError], None],
    beside: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
) -> FastAPI:
    """The HTTP application."""
    from footnote.interfaces.http.app import create_app as create

    return create(settings, on_ready=on_ready, on_failure=on_failure, beside=beside)


def is_loopback(host: str) -> bool:
    """Whether a host means this computer only."""
    from footnote.interfaces.http.guard import is_loopback as judge

    return judge(host)


def server(app: FastAPI, grace_seconds: int) -> Server:
    """A server for the application, silent but for the logs of this process."""
    import uvicorn

    config = uvicorn.Config(
        app,
        lifespan="on",
        log_config=None,
        access_log=True,
        server_header=False,
        proxy_headers=False,  # nothing may claim another address for itself
        timeout_graceful_shutdown=grace_seconds,
    )
    return uvicorn.Server(config)
