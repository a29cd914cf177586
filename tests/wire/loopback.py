"""A server on loopback for the length of a `with`, which answers each POST by a function."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

LOOK_SECONDS = 0.02
"""How often a server that waits looks whether its client is still there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as the server received it."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Where the answer to one request goes."""

    handler: BaseHTTPRequestHandler = field(repr=False)
    closing: threading.Event = field(repr=False)

    def send(
        self,
        status: int,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        kind: str = "application/json",
        bytes_sent: int | None = None,
    ) -> None:
        """Answer at once; with `bytes_sent` the connection breaks after so much of the body."""
        self._head(status, {"Content-Type": kind, "Content-Length": str(len(body))}, headers)
        self.handler.wfile.write(body[:bytes_sent])

    def begin_stream(self, headers: Mapping[str, str] | None = None) -> None:
        """Begin to answer with events; `piece` sends one and `end` is the end."""
        self._head(
            200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"}, headers
        )

    def piece(self, event: bytes) -> None:
        """Send an event. Raises ConnectionError when nobody is there."""
        self.handler.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        self.handler.wfile.flush()

    def end(self) -> None:
        """Say that the stream is complete; without it, the client sees it cut off."""
        self.handler.wfile.write(b"0\r\n\r\n")

    def client_left(self) -> bool:
        """Whether the client has closed its end."""
        link: socket.socket = self.handler.connection
        readable, _, _ = select.select([link], [], [], 0)
        if not readable:
            return False
        try:
            return link.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def wait_until_left(self) -> bool:
        """Say nothing until the client leaves; False if the server was closed before that."""
        while not self.client_left():
            if self.closing.wait(LOOK_SECONDS):
                return False
        return True

    def _head(
        self, status: int, usual: Mapping[str, str], headers: Mapping[str, str] | None
    ) -> None:
        self.handler.send_response(status)
        for name, value in {**usual, "Connection": "close", **(headers or {})}.items():
            self.handler.send_header(name, value)
        self.handler.end_headers()


class Loopback:
    """`with Loopback(answer) as server: …` serves at `server.origin`."""

    def __init__(self, answer: Callable[[Received, Connection], None]) -> None:
        self.closing = threading.Event()
        """Set when the server stops, so that an answer that waits gives up."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(answer, self.closing))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(LOOK_SECONDS,))

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def unreachable_origin() -> str:
    """An address where nothing listens: no server is given a port that only root may have."""
    return "http://127.0.0.1:9"


def _handler_of(
    answer: Callable[[Received, Connection], None], closing: threading.Event
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(path=self.path, headers=headers, content=content)
            self.close_connection = True
            try:
                answer(received, Connection(handler=self, closing=closing))
            except ConnectionError:
                return  # The client gave up waiting.

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's
            """Say nothing."""

    return Handler
