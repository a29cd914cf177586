"""The tools of a workspace's MCP servers, contacted only at permitted addresses."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import httpx2
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import BinaryContent, ToolReturn
from pydantic_ai.tools import RunContext
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset
from pydantic_core import to_jsonable_python

from footnote.models.agent_tools import WhyForbidden
from footnote.ports import McpServer

CONNECT_SECONDS = 10.0
RESULT_CHARACTERS = 40_000
"""Most characters of one result given to a model; more would displace the rest of its context."""

_USABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what every vendor takes as a tool's name


@dataclass
class ServerTools(WrapperToolset[object]):
    """The tools of one server, named `SERVER_TOOL`; none when it cannot be reached.

    Results and failures, of any size and type, become text of bounded length.
    """

    server: str
    client: httpx2.AsyncClient = field(repr=False)
    reserved: frozenset[str]
    """Names of built-in tools, which no server's tool may have."""
    unreachable: str = ""
    """Why its tools are missing, after a connection failed."""

    async def __aenter__(self) -> Self:
        try:
            await self.wrapped.__aenter__()
        except Exception as error:  # No error of a user's server may end the answer.
            self.unreachable = _reason(error)
        return self

    async def __aexit__(self, *args: object) -> None:
        try:
            if not self.unreachable:
                await self.wrapped.__aexit__(*args)
        finally:
            await self.client.aclose()

    async def get_tools(self, ctx: RunContext[object]) -> dict[str, ToolsetTool[object]]:
        """Return its tools by prefixed name; those with invalid or reserved names are left out."""
        if self.unreachable:
            return {}
        try:
            tools = await self.wrapped.get_tools(ctx)
        except Exception as error:  # As above.
            self.unreachable = _reason(error)
            return {}
        return {
            name: replace(tool, toolset=self, tool_def=replace(tool.tool_def, name=name))
            for name, tool in (
                (f"{self.server}_{tool_name}", tool) for tool_name, tool in tools.items()
            )
            if _USABLE_NAME.fullmatch(name) and name not in self.reserved
        }

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, object],
        ctx: RunContext[object],
        tool: ToolsetTool[object],
    ) -> str:
        """Call the tool; return its result as text of bounded length. Raises ToolFailed."""
        tool_name = name.removeprefix(f"{self.server}_")
        inner = replace(tool, tool_def=replace(tool.tool_def, name=tool_name))
        try:
            result: object = await self.wrapped.call_tool(tool_name, tool_args, ctx, inner)
        except (ModelRetry, ToolFailed) as error:
            raise ToolFailed(_cut(str(error))) from None
        except Exception as error:  # As above.
            raise ToolFailed(f"The MCP server {self.server} failed: {_reason(error)}.") from None
        return _cut(_text(result))


def tools_of(
    servers: Sequence[McpServer], why_forbidden: WhyForbidden, reserved: frozenset[str]
) -> list[ServerTools]:
    """Return a toolset for each server, without reserved names; nothing is connected yet."""
    return [_tools_of(server, why_forbidden, reserved) for server in servers]


def _tools_of(
    server: McpServer, why_forbidden: WhyForbidden, reserved: frozenset[str]
) -> ServerTools:
    # No redirects and no proxy: the address that was checked is the one that is contacted.
    client = httpx2.AsyncClient(
        transport=_CheckedTransport(why_forbidden),
        headers=dict(server.headers),
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=300.0),
        follow_redirects=False,
        trust_env=False,
    )
    wrapped = MCPToolset[object](
        server.url,
        id=server.name,
        http_client=client,
        init_timeout=CONNECT_SECONDS,
        tool_error_behavior="failed",
    )
    return ServerTools(wrapped, server=server.name, client=client, reserved=reserved)


class _CheckedTransport(httpx2.AsyncBaseTransport):
    """Connects to the IP address that was checked, under the host name that was given.

    The name is resolved once, so that a later DNS answer cannot replace the checked address (DNS
    rebinding).
    """

    def __init__(self, why_forbidden: WhyForbidden) -> None:
        self._why_forbidden = why_forbidden
        self._inner = httpx2.AsyncHTTPTransport(trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host = request.url.host
        loop = asyncio.get_running_loop()
        resolved = await loop.getaddrinfo(host, request.url.port, type=socket.SOCK_STREAM)
        addresses = [str(address_info[4][0]) for address_info in resolved]
        for address in addresses:
            if why := self._why_forbidden(address):
                raise httpx2.ConnectError(f"{host} may not be reached: {why}", request=request)
        request.url = request.url.copy_with(host=addresses[0])
        request.extensions = {**request.extensions, "sni_hostname": host}
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _text(result: object) -> str:
    if isinstance(result, ToolReturn):
        result = result.return_value
    if isinstance(result, str):
        return result
    if isinstance(result, BinaryContent):
        return f"[{result.media_type}, {len(result.data)} bytes]"
    if isinstance(result, list) and any(isinstance(part, (str, BinaryContent)) for part in result):
        return "\n".join(_text(part) for part in result)
    value = to_jsonable_python(result, bytes_mode="base64", serialize_unknown=True)
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    if len(text) <= RESULT_CHARACTERS:
        return text
    return f"{text[:RESULT_CHARACTERS]}\n… (cut off; the result has {len(text)} characters)"


def _reason(error: BaseException) -> str:
    """Return the message in one line, unwrapped from exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = " ".join(str(error).split())
    return text[:200] or type(error).__name__
