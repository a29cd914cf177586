"""A real HTTP server on loopback that issues access tokens to service accounts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread


class TokenServer(HTTPServer):
    """Gives one token to whoever asks, or to nobody."""

    token: str | None = None
    issued = 0

    @property
    def address(self) -> str:
        """Where it is asked."""
        return f"http://127.0.0.1:{self.server_port}/token"


class _Issue(BaseHTTPRequestHandler):
    server: TokenServer

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        answer: dict[str, object] = {"error": "invalid_grant"}
        if self.server.token is not None:
            answer = {"access_token": self.server.token, "expires_in": 3600}
            self.server.issued += 1
        content = json.dumps(answer).encode()
        self.send_response(400 if self.server.token is None else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_request(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def token_server(token: str | None) -> Iterator[TokenServer]:
    """A server on a free port; without a token it refuses."""
    with TokenServer(("127.0.0.1", 0), _Issue) as server:
        server.token = token
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
