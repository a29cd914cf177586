"""A web server on this computer whose answers a test decides, and that keeps what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered to it."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    stalls: bool = False
    """Whether the body never ends."""


Answering = Callable[[Asked], Awaitable[Answer]]


@dataclass(slots=True)
class WebServer:
    """Where it listens and what it was asked."""

    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


@asynccontextmanager
async def web_server(answering: Answering) -> AsyncIterator[WebServer]:
    """The server, for the length of a block."""
    web = WebServer()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = await _read(reader)
            web.asked.append(asked)
            answer = await answering(asked)
            length = len(answer.body) + (10 if answer.stalls else 0)
            headers = {"Content-Length": str(length), "Connection": "close", **answer.headers}
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            writer.write(f"HTTP/1.1 {answer.status} Said\r\n{head}\r\n".encode() + answer.body)
            await writer.drain()
            if answer.stalls:
                await web.stopping.wait()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    web.port = server.sockets[0].getsockname()[1]
    try:
        yield web
    finally:
        web.stopping.set()
        server.close()
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ")
    headers = {
        name.lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)
