"""The Model Context Protocol as a route of the HTTP application."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from footnote.errors import FootnoteError
from footnote.interfaces.http.lifecycle import Lifecycle
from footnote.interfaces.http.problems import answer_with_problem, problem
from footnote.interfaces.http.scope import WORKSPACE_HEADER, requester_of, workspace_header
from footnote.interfaces.tools.library import optional_import

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from footnote.interfaces.mcp.server import Context, Inside

MCP_PATH = "/mcp"


@dataclass(slots=True)
class McpMount:
    """Serves the protocol at `/mcp` without sessions, each request on its own.

    The library takes a second to load, so it is loaded with the first request.
    """

    lifecycle: Lifecycle
    _serving: asyncio.Task[None] | None = None
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _manager: StreamableHTTPSessionManager | None = None

    def route(self) -> Route:
        """The route, for all methods."""
        return Route(MCP_PATH, endpoint=self)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of the protocol."""
        try:
            manager = await self._started()
        except FootnoteError as error:
            response = await answer_with_problem(Request(scope, receive), error)
            await response(scope, receive, send)
            return
        if scope["method"] != "POST":
            # A client may ask for a stream of the server's own messages; there are none.
            refusal = problem(405, "Send messages with POST.", headers={"Allow": "POST"})
            await refusal(scope, receive, send)
            return
        # Here the library is loaded.
        from footnote.interfaces.mcp.messages import error_of  # noqa: PLC0415

        body = await Request(scope, receive).body()
        if (rpc_error := error_of(body, unit="body")) is not None:
            message = rpc_error.model_dump_json(by_alias=True, exclude_unset=True)
            await Response(message, 400, media_type="application/json")(scope, receive, send)
            return
        pieces: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pieces.pop() if pieces else await receive()

        await manager.handle_request(scope, replay, send)

    async def aclose(self) -> None:
        """Stop serving."""
        if self._serving is not None:
            self._serving.cancel()
            with suppress(asyncio.CancelledError):
                await self._serving
        self._serving = self._manager = None

    async def _started(self) -> StreamableHTTPSessionManager:
        """The manager that answers. Raises NotInstalled where the library is missing."""
        async with self._starting:
            if self._manager is None:
                manager = await asyncio.to_thread(_manager_of, self)
                ready = asyncio.Event()
                # Its tasks must end in the task they began in, which no request's is.
                self._serving = asyncio.create_task(_run(manager, ready))
                await ready.wait()
                self._manager = manager
        return self._manager

    async def inside(self, context: Context) -> Inside:
        """The workspace that a request names, in the same header as elsewhere."""
        from footnote.interfaces.mcp.server import Inside  # noqa: PLC0415  # loaded by now

        request = context.request
        assert isinstance(request, Request), "HTTP hands its request on"
        name = workspace_header(request, request.headers.get(WORKSPACE_HEADER))
        workspace = await requester_of(request.scope, self.lifecycle).enter(name)
        return Inside(workspace=workspace, base_url=str(request.base_url).rstrip("/"))


def _manager_of(mount: McpMount) -> StreamableHTTPSessionManager:
    with optional_import("mcp", "mcp"):
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415

        from footnote.interfaces.mcp.server import mcp_server  # noqa: PLC0415

    return StreamableHTTPSessionManager(mcp_server(mount.inside), stateless=True)


async def _run(manager: StreamableHTTPSessionManager, ready: asyncio.Event) -> None:
    async with manager.run():
        ready.set()
        await asyncio.Event().wait()
