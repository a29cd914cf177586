"""Loads what takes long to load only when a command needs it, so that `--help` answers at once."""

# ruff: noqa: PLC0415  # imports inside functions are this module's purpose

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    import asyncio

    from fastapi import FastAPI
    from uvicorn import Server

    from footnote.domain import Document, Health, Received, Reembedding
    from footnote.domain.events import WebhookEndpoint
    from footnote.domain.sources import Labels
    from footnote.engine import Engine, WorkspaceEngine
    from footnote.errors import FootnoteError, QueueFull
    from footnote.jobs.sources.folders import ReceiveFile
    from footnote.jobs.sources.following import Source, Step
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
    on_other: Callable[[], None] | None = None,
) -> Mapping[UUID, Document]:
    """Index these documents, in this process or, with `on_other`, in the one that does already."""
    from footnote.jobs.inline import work_until_resting as work

    return await work(engine, workspace, document_ids, on_change, on_other)


async def document_called(workspace: WorkspaceEngine, called: str) -> UUID:
    """The id of the document with that id, file name or beginning of an id."""
    from footnote.engine.finding import document_called as find

    return await find(workspace, called)


async def unknown_collections(
    workspace: WorkspaceEngine, names: Sequence[str]
) -> tuple[tuple[str, str | None], ...]:
    """Those of the names that no collection has, each with the closest there is."""
    from footnote.engine.finding import unknown_collections as unknown

    return await unknown(workspace, names)


async def received_when_there_is_room(
    workspace: WorkspaceEngine,
    receive: Callable[[], Awaitable[Received]],
    *,
    work: bool,
    tell: Callable[[QueueFull], None],
) -> Received:
    """What was received once the queue takes it."""
    from footnote.jobs.room import received_when_there_is_room as patiently

    return await patiently(workspace, receive, work=work, tell=tell)


async def work_until_reembedded(
    engine: Engine, workspace: WorkspaceEngine, lane: str, on_change: Callable[[Reembedding], None]
) -> Reembedding:
    """Re-embed the workspace in this process."""
    from footnote.jobs.inline import work_until_reembedded as work

    return await work(engine, workspace, lane, on_change)


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


def sources_at(
    addresses: Sequence[str], settings: Settings, *, work: bool, tell: Callable[[QueueFull], None]
) -> list[Source]:
    """Each address as a source; nothing is reached yet. Raises InvalidRequest.

    While the queue is full, `work` lets this process index instead of waiting for a worker; `tell`
    hears of it.
    """
    if not addresses:
        return []
    from footnote.jobs.sources.addresses import source_at
    from footnote.jobs.sources.patience import PatientSource

    return [
        PatientSource(source=source_at(address, settings), work=work, tell=tell)
        for address in addresses
    ]


def files_source(
    list_files: Callable[[], Sequence[Path]],
    roots: Sequence[Path],
    receive: ReceiveFile,
    settle_seconds: float = 0.0,
) -> Source:
    """Files on this machine as a source."""
    from footnote.interfaces.cli.paths import location_of
    from footnote.jobs.sources.folders import FolderSource

    return FolderSource(
        list_files=list_files,
        identify=location_of,
        receive=receive,
        roots=tuple(roots),
        settle_seconds=settle_seconds,
    )


async def follow_all(
    workspace: WorkspaceEngine, sources: Sequence[Source], labels: Labels, *, delete_missing: bool
) -> AsyncIterator[Step]:
    """What became of everything the sources offer, one source after the other."""
    from footnote.jobs.sources.following import follow

    for source in sources:
        steps = follow(workspace, source, labels, delete_missing=delete_missing, retry_failed=True)
        async for step in steps:
            yield step


async def watch(
    workspace: WorkspaceEngine,
    source: Source,
    labels: Labels,
    *,
    paths: Sequence[Path],
    stop: asyncio.Event,
    on_step: Callable[[Step], None],
) -> None:
    """Follow files until told to stop."""
    from footnote.jobs.sources.watching import watch as follow_changes

    settings = workspace.engine.settings
    await follow_changes(
        workspace,
        source,
        labels,
        paths=paths,
        scan_seconds=settings.watch_scan_seconds,
        settle_seconds=settings.watch_settle_seconds,
        stop=stop,
        on_step=on_step,
    )


async def add_webhook(
    workspace: WorkspaceEngine, url: str, kinds: Sequence[str]
) -> tuple[WebhookEndpoint, str]:
    """Have an address told of events."""
    from footnote.engine.events import add_webhook as add

    return await add(workspace, url, kinds)


async def list_webhooks(workspace: WorkspaceEngine) -> tuple[WebhookEndpoint, ...]:
    """Who is told of events."""
    from footnote.engine.events import webhooks

    return await webhooks(workspace)


async def remove_webhook(workspace: WorkspaceEngine, endpoint_id: UUID) -> None:
    """Tell an address nothing any more."""
    from footnote.engine.events import remove_webhook as remove

    await remove(workspace, endpoint_id)


async def try_webhook(workspace: WorkspaceEngine, endpoint_id: UUID) -> str | None:
    """Send a trial message."""
    from footnote.jobs.trial import try_webhook as attempt

    return await attempt(workspace, endpoint_id)


async def run_worker(engine: Engine, stop: asyncio.Event, *, set_aside: bool = False) -> None:
    """Index whatever is queued until told to stop, or what was set aside until none waits."""
    from footnote.jobs.worker import run_worker as work

    if set_aside:
        from footnote.jobs.set_aside import go_first

        go_first()
    await work(engine, stop=stop, set_aside=set_aside)


async def run_worker_unless_another_does(
    engine: Engine, stop: asyncio.Event, tell: Callable[[], None]
) -> None:
    """Index whatever is queued until told to stop, while nobody else does."""
    from footnote.jobs.beside import run_worker_unless_another_does as work

    await work(engine, stop, tell)


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


async def serve_mcp(settings: Settings, name: str | None) -> None:
    """Serve a workspace over MCP on standard input and output."""
    from footnote.interfaces.mcp.stdio import serve_stdio

    @asynccontextmanager
    async def inside() -> AsyncIterator[WorkspaceEngine]:
        async with opened(settings) as engine:
            yield await engine.workspace(name)

    await serve_stdio(inside)


def is_loopback(host: str) -> bool:
    """Whether a host means this computer only."""
    from footnote.interfaces.http.guard import is_loopback as judge

    return judge(host)


def server(app: FastAPI, settings: Settings, grace_seconds: int) -> Server:
    """A server for the application, silent but for the logs of this process."""
    import uvicorn

    from footnote.interfaces.http.connections import Patience, patient_protocol
    from footnote.interfaces.http.guard import MAX_HEAD_BYTES

    patience = Patience(
        head_seconds=settings.request_head_seconds, body_seconds=settings.request_body_seconds
    )
    config = uvicorn.Config(
        app,
        http=patient_protocol(patience),
        ws="none",
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        lifespan="on",
        log_config=None,
        access_log=True,
        server_header=False,
        proxy_headers=False,  # nothing may claim another address for itself
        timeout_graceful_shutdown=grace_seconds,
    )
    return uvicorn.Server(config)
