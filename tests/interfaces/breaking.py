"""A server before the server: it refuses, cuts connections, and counts what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

Whim = Literal["refuse", "cut", "cut-after"]


@dataclass(slots=True)
class Breaker:
    """Does to the next connections what `whims` says, then passes everything on."""

    target_port: int
    whims: list[tuple[Whim, int]] = field(default_factory=list)
    """`refuse` with a status, `cut` at once, or `cut-after` so many bytes of the answer."""
    heads: list[str] = field(default_factory=list)
    """The first line and headers of each request, by connection."""
    port: int = 0
    open: set[asyncio.Task[None]] = field(default_factory=set)
    """What serves a connection now."""

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection; it ends with its first answer."""
        serving = asyncio.create_task(self._serve_quietly(reader, writer))
        self.open.add(serving)

        # Also where the task was cancelled before it began.
        def ended(task: asyncio.Task[None]) -> None:
            self.open.discard(task)
            writer.close()

        serving.add_done_callback(ended)

    async def _serve_quietly(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        # Its task ends as one that was done, or asyncio logs that it was cancelled.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._serve(reader, writer)
            writer.close()
            await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head.decode())
        whim, number = self.whims.pop(0) if self.whims else ("cut-after", -1)
        if whim == "cut":
            return
        if whim == "refuse":
            problem = b'{"type": "urn:footnote:problem:not-ready", "detail": "not yet"}'
            writer.write(
                b"HTTP/1.1 %d Busy\r\nRetry-After: 0\r\nConnection: close\r\n"
                b"Content-Length: %d\r\n\r\n%b" % (number, len(problem), problem)
            )
            await writer.drain()
            return
        await self._pass_on(head, reader, writer, number)

    async def _pass_on(
        self,
        head: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        limit: int,
    ) -> None:
        there_reader, there = await asyncio.open_connection("127.0.0.1", self.target_port)
        there.write(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        sending = asyncio.create_task(_copied(reader, there))
        try:
            sent = 0
            while chunk := await there_reader.read(256):
                kept = chunk if limit < 0 else chunk[: limit - sent]
                writer.write(kept)
                await writer.drain()
                sent += len(kept)
                if 0 <= limit <= sent:
                    break
        finally:
            # Before anything that waits: a task that is cancelled here stops waiting.
            sending.cancel()
            there.close()
            await asyncio.gather(sending, return_exceptions=True)
            with suppress(ConnectionError):
                await there.wait_closed()


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(65536):
        writer.write(chunk)
        await writer.drain()


@asynccontextmanager
async def before(url: str, *whims: tuple[Whim, int]) -> AsyncIterator[Breaker]:
    """A breaker before the server at a URL."""
    port = urlsplit(url).port
    assert port is not None
    breaker = Breaker(port, list(whims))
    server = await asyncio.start_server(breaker.serve, "127.0.0.1", 0)
    breaker.port = server.sockets[0].getsockname()[1]
    try:
        yield breaker
    finally:
        server.close()
        await server.wait_closed()
        # Before Python 3.12 that does not wait for connections that are still served.
        serving = tuple(breaker.open)
        for each in serving:
            each.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
