"""The Model Context Protocol over this process's standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

import anyio

from footnote.engine import WorkspaceEngine
from footnote.interfaces.mcp.messages import MAX_LINE_BYTES, error_of
from footnote.interfaces.mcp.server import Context, Inside, mcp_server
from footnote.interfaces.tools.library import optional_import

with optional_import("mcp", "mcp"):
    from mcp.server.stdio import stdio_server
    from mcp.shared.message import SessionMessage
    from mcp.types import (
        JSONRPCError,
        JSONRPCNotification,
        JSONRPCRequest,
        JSONRPCResponse,
        jsonrpc_message_adapter,
    )

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import WriteStream

ANSWERS_SECONDS = 60.0
"""How long requests are still answered once the input has ended."""
_CANCELLED = "notifications/cancelled"

Refuse = Callable[[JSONRPCError], Awaitable[None]]


async def serve_stdio(
    open_workspace: Callable[[], AbstractAsyncContextManager[WorkspaceEngine]],
) -> None:
    """Serve one workspace until standard input ends or the process is asked to end.

    Nothing but messages of the protocol comes out: while it serves, whatever else is printed goes
    to standard error.
    """
    serving = asyncio.current_task()
    assert serving is not None, "this is a coroutine"
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, serving.cancel)
    with suppress(asyncio.CancelledError):
        async with open_workspace() as workspace:
            await _serve(workspace)


async def _serve(workspace: WorkspaceEngine) -> None:
    async def inside(_: Context) -> Inside:
        return Inside(workspace=workspace)

    server = mcp_server(inside)
    stream_ready = asyncio.get_running_loop().create_future()
    unanswered = _Unanswered()

    async def refuse(error: JSONRPCError) -> None:
        await (await stream_ready).send(SessionMessage(error))

    # It is only ever iterated over.
    lines = cast("anyio.AsyncFile[str]", _messages(await _lines(), refuse, unanswered))
    async with stdio_server(stdin=lines) as (incoming, outgoing):
        stream_ready.set_result(outgoing)
        tracked = _TrackedStream(outgoing, unanswered)
        await server.run(incoming, tracked, server.create_initialization_options())


class _Unanswered:
    """The requests without an answer yet."""

    def __init__(self) -> None:
        self._ids: set[int | str] = set()
        self._empty = asyncio.Event()
        self._empty.set()

    def add(self, message: object) -> None:
        """Add a request, or discard one that its client cancelled."""
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
            self._empty.clear()
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            self.discard((message.params or {}).get("requestId"))

    def discard(self, identifier: object) -> None:
        """Discard a request that was answered."""
        self._ids = {pending for pending in self._ids if pending != identifier}
        if not self._ids:
            self._empty.set()

    async def wait_until_empty(self) -> None:
        """Wait until all are answered, for a while at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWERS_SECONDS):
                await self._empty.wait()


class _TrackedStream:
    """The outgoing stream; a request whose answer was sent is no longer unanswered."""

    def __init__(self, stream: WriteStream[SessionMessage], unanswered: _Unanswered) -> None:
        self._stream = stream
        self._unanswered = unanswered
        self.aclose = stream.aclose

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        await self._stream.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._unanswered.discard(item.message.id)

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._stream.__aexit__(kind, error, trace)


async def _messages(
    lines: AsyncIterator[bytes], refuse: Refuse, unanswered: _Unanswered
) -> AsyncIterator[str]:
    """The lines that are messages; any other line is refused with what is wrong with it.

    They end once their requests are answered: the server answers none after they end.
    """
    async for line in lines:
        if not line.strip():
            continue
        if (error := error_of(line, unit="line")) is None:
            unanswered.add(jsonrpc_message_adapter.validate_json(line, by_name=False))
            yield line.decode()
        else:
            await refuse(error)
    await unanswered.wait_until_empty()


async def _lines() -> AsyncIterator[bytes]:
    """The lines of standard input, read so that reading can be cancelled unless it is a file."""
    kind = os.fstat(sys.stdin.fileno()).st_mode
    # The loop cannot wait for other devices, such as /dev/null, and reports no error.
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or sys.stdin.isatty()):
        return cast("AsyncIterator[bytes]", anyio.wrap_file(sys.stdin.buffer))
    reader = asyncio.StreamReader(limit=MAX_LINE_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    return _lines_of(reader)


async def _lines_of(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Each line; of one that is longer than the limit, its beginning, longer than that."""
    beginning = b""
    while True:
        try:
            line = await reader.readuntil()
        except asyncio.LimitOverrunError as error:
            piece = await reader.readexactly(error.consumed)
            beginning = beginning or piece
        except asyncio.IncompleteReadError as end:
            yield beginning or end.partial
            return
        else:
            yield beginning or line
            beginning = b""
