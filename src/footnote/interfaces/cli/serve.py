"""`footnote serve`: the HTTP server on this computer, with a worker beside it."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import webbrowser
from contextlib import AbstractAsyncContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated

import structlog
import typer
import uvicorn
from fastapi import FastAPI
from rich.text import Text

from footnote.engine import Engine
from footnote.engine.answer_models import answer_models_from
from footnote.engine.credential_settings import credentials_from
from footnote.engine.opening import make_home
from footnote.engine.sibling_runs import share_runs
from footnote.errors import FootnoteError, UnsupportedSettings
from footnote.interfaces.cli import operations, present
from footnote.interfaces.cli.command_runner import prepared, return_freed_memory, wait_for
from footnote.interfaces.cli.local_worker import (
    ForkedWorker,
    fork_worker,
    forks,
    worker_process,
)
from footnote.interfaces.cli.options import workspace_name
from footnote.interfaces.cli.server import announced
from footnote.interfaces.cli.server_processes import ServerProcess, fork_processes
from footnote.interfaces.http.app import create_app
from footnote.interfaces.http.connections import Patience, patient_protocol
from footnote.interfaces.http.guard import MAX_HEAD_BYTES, is_loopback, policy_from
from footnote.interfaces.http.lifecycle import Lifecycle
from footnote.settings import Settings, settings_from
from footnote.store.shared_vectors import SharedVectors

_GRACE_SECONDS = 10
"""How long requests and the worker's documents may take to end."""

HEAD_SECONDS = 10.0
"""Within which a client must have sent the headers of a request."""
REST_SECONDS = 75
"""For which a connection stays open between two requests: longer than proxies keep theirs, which
would otherwise send a request to what is being closed."""
BACKLOG = 2048
"""Connections that may wait to be taken."""
BODY_SECONDS = 20.0
"""Within which the body of a request must go on, at 500 bytes a second."""


def serve(
    context: typer.Context,
    *,
    host: Annotated[
        str | None, typer.Option(help="Address; of this computer, unless identity is set.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")
    ] = None,
    worker: Annotated[
        bool, typer.Option("--worker/--no-worker", help="Index what comes in, or only accept it.")
    ] = True,
    processes: Annotated[
        int | None, typer.Option(min=1, max=64, help="Processes that serve the address together.")
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Open the web app in a browser once it is ready.")
    ] = False,
) -> None:
    """Serve the HTTP API and the web app until it is stopped."""
    return_freed_memory()
    settings = prepared(processes=processes)
    together = settings.processes > 1
    if together and not forks():
        raise UnsupportedSettings(
            f"{settings.processes} processes cannot serve one address on this system.",
            hint="Set FOOTNOTE_PROCESSES to 1, or use Linux.",
        )
    forked = None
    if worker and not together and forks():
        forked = fork_worker(settings.metrics_at)
        if forked is None:
            operations.worker(until_stdin_ends=True)
            return
    settings = _listening_at(settings, host, port)
    # Refused before anything is said to listen.
    credentials_from(settings)
    policy_from(settings)
    with listen(settings) as listening:
        address = _address(listening)
        console = present.notices()
        console.print(Text.assemble("Footnote listens on ", (address, "bold cyan")))
        ways = sorted(settings.identity_ways)
        message = f"Callers prove who they are by {', '.join(ways)}. Ctrl-C stops."
        console.print(Text(message if ways else _ONLY_HERE, style="dim"), soft_wrap=True)
        page_url = None
        if open_:
            workspace = workspace_name(context, None)
            page_url = f"{address}/?workspace={workspace}" if workspace else address
        serving = _Serving(
            settings=settings,
            listening=listening,
            process=None,
            with_worker=worker,
            forked=forked,
            opened=page_url,
        )
        if together:
            _serve_together(serving)
        else:
            wait_for(serving.until_stopped())


def _serve_together(base: _Serving) -> None:
    """Serve in several processes, of which the first has the worker beside it."""
    settings = base.settings
    make_home(settings)  # What the processes share lies there, and they may be its first.
    process = fork_processes(settings.processes, settings.home)
    if process is None:
        return
    forked = None
    if process.number == 0 and base.with_worker:
        forked = fork_worker(settings.metrics_at)
        if forked is None:
            process.close_here()
            base.listening.close()
            operations.worker(until_stdin_ends=True)
            return
    if process.number > 0 and settings.metrics_at is not None:
        metrics_host, metrics_port = settings.metrics_at
        # One port above that of the first process is the worker's.
        settings = _with_address(
            settings, "metrics_address", metrics_host, metrics_port + 1 + process.number
        )
    serving = replace(
        base,
        settings=settings,
        process=process,
        with_worker=base.with_worker and process.number == 0,
        forked=forked,
    )
    wait_for(serving.until_stopped())


_ONLY_HERE = (
    "Only this computer is served: nobody is asked who they are, which FOOTNOTE_IDENTITY changes. "
    "Ctrl-C stops."
)


def _listening_at(settings: Settings, host: str | None, port: int | None) -> Settings:
    """The settings with the parts of the address that a command gives."""
    if host is None and port is None:
        return settings
    set_host, set_port = settings.listens_at
    bare_host = (set_host if host is None else host).strip("[]")
    return _with_address(settings, "address", bare_host, set_port if port is None else port)


def _with_address(settings: Settings, name: str, host: str, port: int) -> Settings:
    url_host = f"[{host}]" if ":" in host else host
    return settings_from(settings, {name: f"{url_host}:{port}"})


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
        hint = "Another program may use the port; choose one with --port, or 0 for any."
        if error.errno == errno.EADDRNOTAVAIL:
            hint = "This computer has no such address; choose one that it has with --host."
        raise UnsupportedSettings(
            f"Footnote cannot listen on {host} port {port}: {error.strerror}.", hint=hint
        ) from error


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@dataclass(slots=True, kw_only=True)
class _Serving:
    """One process that serves a socket, alone or beside others."""

    settings: Settings
    listening: socket.socket
    process: ServerProcess | None
    """What it shares with the other processes, if there are any."""
    with_worker: bool
    forked: ForkedWorker | None
    opened: str | None
    """The page that is opened once it is ready."""
    app: FastAPI = field(init=False)
    server: uvicorn.Server = field(init=False)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    failures: list[FootnoteError] = field(default_factory=list)
    at_end: ExitStack = field(default_factory=ExitStack)

    async def until_stopped(self) -> None:
        """Serve. Raises what made it impossible."""
        self.app = create_app(
            self.settings,
            on_ready=self._begin,
            on_failure=self._stop_for,
            beside=self._worker_context,
            opens_first=self.process is not None and self.process.others_serve,
        )
        self.server = server_of(self.app, _GRACE_SECONDS, shares_socket=self.process is not None)
        _end_quietly_on_signals(self.server)
        if self.process is not None:
            self.process.end_with_its_starter(partial(setattr, self.server, "should_exit", True))
        with self.at_end:
            await self.server.serve(sockets=[self.listening])
        if self.failures:
            raise self.failures[0]

    def _begin(self) -> None:
        engine: Engine = self.app.state.lifecycle.engine
        try:
            engine.serve_metrics()
        except FootnoteError as failure:
            self._stop_for(failure)
            return
        if self.process is not None:
            share_runs(engine.answer_runs, self.process.siblings, self.process.inbox)
            engine.vector_cache.shared = SharedVectors(self.process.vectors)
            self.process.tell_ready()
        if self.process is None or self.process.number == 0:
            self._announce()
        self.ready.set()

    def _announce(self) -> None:
        writes_answers = bool(answer_models_from(self.settings).names)
        address = self.listening.getsockname()[:2]
        try:
            self.at_end.enter_context(
                announced(self.settings.home, address, writes_answers=writes_answers)
            )
        except OSError as error:
            log = structlog.get_logger(__name__)
            log.warning("commands cannot find this server", reason=str(error))
        if self.process is not None and self.process.others_serve:
            return  # It took the place of one that died.
        present.notices().print("Ready.")
        if self.opened is not None:
            webbrowser.open(self.opened)

    def _stop_for(self, failure: FootnoteError) -> None:
        self.failures.append(failure)
        self.server.should_exit = True

    def _worker_context(self) -> AbstractAsyncContextManager[None]:
        if not self.with_worker:
            return nullcontext()
        return worker_process(self.ready, self.settings.metrics_at, self.forked, _GRACE_SECONDS)


def server_of(app: FastAPI, grace_seconds: int, *, shares_socket: bool = False) -> uvicorn.Server:
    """A server for the application, silent but for the logs of this process.

    One that shares its socket with other processes leaves them their part of the connections.
    """
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
        # asyncio takes as many connections at once as this says before it does anything else.
        backlog=1 if shares_socket else BACKLOG,
    )
    return _Server(config, app.state.lifecycle)


class _Server(uvicorn.Server):
    """uvicorn's server, which ends event streams before it waits for the other requests."""

    def __init__(self, config: uvicorn.Config, lifecycle: Lifecycle) -> None:
        super().__init__(config)
        self._lifecycle = lifecycle

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, with a full backlog, however few connections are accepted at once."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams of events, and everything else once it is done."""
        self._lifecycle.begin_to_end()
        await super().shutdown(sockets)


def _end_quietly_on_signals(server: uvicorn.Server) -> None:
    """Handle the signals that uvicorn raises again after its shutdown, so that the worker ends."""

    def stop(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
