"""The Model Context Protocol over this process's standard input and output."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, suppress
from typing import cast

import anyio

from footnote.engine import WorkspaceEngine
from footnote.interfaces.mcp.server import Context, Inside, mcp_server
from footnote.interfaces.tools.library import wanted

with wanted("mcp", "mcp"):
    from mcp.server.stdio import stdio_server

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Of one message."""


async def serve_stdio(
    opened: Callable[[], AbstractAsyncContextManager[WorkspaceEngine]],
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
        async with opened() as workspace:
            await _serve(workspace)


async def _serve(workspace: WorkspaceEngine) -> None:
    async def inside(_: Context) -> Inside:
        return Inside(workspace=workspace)

    server = mcp_server(inside)
    async with stdio_server(stdin=await _lines()) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _lines() -> anyio.AsyncFile[str] | None:
    """Standard input, read such that it can be cancelled; None where it is a file."""
    reader = asyncio.StreamReader(limit=MAX_LINE_BYTES)
    try:
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
    except ValueError:
        return None

    async def lines() -> AsyncIterator[str]:
        while line := await reader.readline():
            yield line.decode("utf-8", "replace")

    # It is only ever iterated over.
    return cast("anyio.AsyncFile[str]", lines())
