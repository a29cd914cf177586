"""`footnote serve`: the HTTP server on this computer, with a worker beside it."""

from __future__ import annotations

import asyncio
import signal
import socket
import webbrowser
from contextlib import AbstractAsyncContextManager, ExitStack, nullcontext
from typing import Annotated

import structlog
import typer
import uvicorn
from fastapi import FastAPI
from rich.text import Text

from footnote.engine.answer_models import answer_models_from
from footnote.engine.credential_settings import credentials_from
from footnote.errors import FootnoteError, UnsupportedSettings
from footnote.interfaces.cli import operations, present
from footnote.interfaces.cli.edge import prepared, return_freed_memory, wait_for
from footnote.interfaces.cli.options import chosen_workspace
from footnote.interfaces.cli.server import announced
from footnote.interfaces.cli.worker_beside import (
    ForkedWorker,
    fork_worker,
    forks,
    worker_beside,
)
from footnote.interfaces.http.app import create_app
from footnote.interfaces.http.connections import Patience, patient_protocol
from footnote.interfaces.http.guard import MAX_HEAD_BYTES, is_loopback, policy_from
from footnote.interfaces.http.lifecycle import Lifecycle
from footnote.settings import Settings, settings_from

_GRACE_SECONDS = 10
"""How long requests and the worker's documents may take to end."""

HEAD_SECONDS = 10.0
"""Within which a client must have sent the headers of a request."""
REST_SECONDS = 75
"""For which a connection stays open between two requests: longer than proxies keep theirs, which
would otherwise send a request to what is being closed."""
BODY_SECONDS = 20.0
"""Within which the body of a request must go on, at 500 bytes a second."""


def serve(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Option(help="Address; of this computer, unless identity is set.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")
    ] = None,
    worker: Annotated[
        bool, typer.Option("--worker/--no-worker", help="Index what comes in, or only accept it.")
    ] = True,
    open_: Annotated[
        bool, typer.Option("--open", help="Open the web app in a browser once it is ready.")
    ] = False,
) -> None:
    """Serve the HTTP API and the web app until it is stopped."""
    return_freed_memory()
    settings = prepared()
    forked = None
    if worker and forks():
        forked = fork_worker(settings.metrics_at)
        if forked is None:
            operations.worker(until_stdin_ends=True)
            return
    if host is not None or port is not None:
        set_host, set_port = settings.listens_at
        where = (set_host if host is None else host).strip("[]")
        named = f"[{where}]" if ":" in where else where
        address = f"{named}:{set_port if port is None else port}"
        settings = settings_from(settings, {"address": address})
    # Refused before anything is said to listen.
    credentials_from(settings)
    policy_from(settings)
    listening = listen(settings)
    with listening:
        address = _address(listening)
        console = present.notices()
        console.print(Text.assemble("Footnote listens on ", (address, "bold cyan")))
        ways = sorted(settings.identity_ways)
        told = f"Callers prove who they are by {', '.join(ways)}. Ctrl-C stops."
        console.print(Text(told if ways else _ONLY_HERE, style="dim"), soft_wrap=True)
        opened = None
        if open_:
            workspace = chosen_workspace(context, None)
            opened = f"{address}/?workspace={workspace}" if workspace else address
        wait_for(_serve(settings, listening, forked, with_worker=worker, opened=opened))


_ONLY_HERE = (
    "Only this computer is served: nobody is asked who they are, which FOOTNOTE_IDENTITY changes. "
    "Ctrl-C stops."
)


def listen(settings: Settings) -> socket.socket:
    """A socket bound to the settings' address. Raises UnsupportedSettings if it is not ours."""
    host, port = settings.listens_at
    if not is_loopback(host) and not settings.identity_ways:
        raise UnsupportedSettings(
            f"Footnote does not listen on {host}: nobody is asked who they are, so it "
            "serves this computer only.",
            hint="Set FOOTNOTE_IDENTITY, for instance to keys, or use --host 127.0.0.1.",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UnsupportedSettings(
            f"Footnote cannot listen on {host} port {port}: {error.strerror}.",
            hint="Another program may use the port; choose one with --port, or 0 for any.",
        ) from error


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _serve(
    settings: Settings,
    listening: socket.socket,
    forked: ForkedWorker | None,
    *,
    with_worker: bool,
    opened: str | None,
) -> None:
    failures: list[FootnoteError] = []
    ready = asyncio.Event()

    def begin() -> None:
        try:
            app.state.lifecycle.engine.serve_metrics()
        except FootnoteError as failure:
            stop_for(failure)
            return
        writes_answers = bool(answer_models_from(settings).names)
        try:
            announcement.enter_context(
                announced(settings.home, listening.getsockname()[:2], writes_answers=writes_answers)
            )
        except OSError as error:
            log = structlog.get_logger(__name__)
            log.warning("commands cannot find this server", reason=str(error))
        present.notices().print("Ready.")
        if opened is not None:
            webbrowser.open(opened)
        ready.set()

    def stop_for(failure: FootnoteError) -> None:
        failures.append(failure)
        server.should_exit = True

    def beside() -> AbstractAsyncContextManager[None]:
        if not with_worker:
            return nullcontext()
        return worker_beside(ready, settings.metrics_at, forked, _GRACE_SECONDS)

    app = create_app(settings, on_ready=begin, on_failure=stop_for, beside=beside)
    server = server_of(app, _GRACE_SECONDS)
    _end_quietly_on_signals(server)
    with ExitStack() as announcement:
        await server.serve(sockets=[listening])
    if failures:
        raise failures[0]


def server_of(app: FastAPI, grace_seconds: int) -> uvicorn.Server:
    """A server for the application, silent but for the logs of this process."""
    patience = Patience(head_seconds=HEAD_SECONDS, body_seconds=BODY_SECONDS)
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
        timeout_keep_alive=REST_SECONDS,
        timeout_graceful_shutdown=grace_seconds,
    )
    return _Server(config, app.state.lifecycle)


class _Server(uvicorn.Server):
    """uvicorn's server, which ends what would never end by itself before it waits for the rest."""

    def __init__(self, config: uvicorn.Config, lifecycle: Lifecycle) -> None:
        super().__init__(config)
        self._lifecycle = lifecycle

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams of events, and everything else once it is done."""
        self._lifecycle.end_streams()
        await super().shutdown(sockets)


def _end_quietly_on_signals(server: uvicorn.Server) -> None:
    """Outlive the signal that uvicorn raises again after it has shut down, to end the worker."""

    def stop(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
