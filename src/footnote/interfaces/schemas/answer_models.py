"""Shapes of which models answer in a workspace, and of its MCP servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field

from footnote.domain.models_in_use import EXTRACTIVE, ModelsInUse
from footnote.interfaces.schemas.shape import Shape

if TYPE_CHECKING:
    from footnote.ports import McpServer as Server


class Models(Shape):
    """Which models answer in a workspace."""

    configured: tuple[str, ...] = Field(description="What the installation has.")
    chosen: tuple[str, ...] | None = Field(
        description="What the workspace chose; null if it follows the installation."
    )
    used: tuple[str, ...] = Field(
        description="What is asked, each when those before it failed; `extractive` quotes alone."
    )

    @classmethod
    def from_domain(cls, in_use: ModelsInUse) -> Self:
        """The shape of a choice."""
        chosen = in_use.chosen
        return cls(
            configured=in_use.configured,
            chosen=chosen if chosen is None else chosen or (EXTRACTIVE,),
            used=in_use.used or (EXTRACTIVE,),
        )


class ChatModel(Shape):
    """A workspace as a model that chat front ends can ask, in OpenAI's shape."""

    id: str = Field(description="`footnote`, or `footnote/` and a workspace.")
    object: Literal["model"] = "model"
    created: int = Field(description="When the workspace was, in seconds since the epoch.")
    owned_by: str = "footnote"


class ModelsHere(Models):
    """Which models answer in a workspace, and in OpenAI's words which models it is itself.

    `object` and `data` are what a client of OpenAI's shape reads below `/v1`.
    """

    object: Literal["list"] = "list"
    data: tuple[ChatModel, ...]


class McpServer(Shape):
    """A server whose tools a workspace's agents may use, as `NAME_TOOL`."""

    name: str
    url: str
    header_names: tuple[str, ...] = Field(
        (), description="What is sent with each request; the values are not shown."
    )

    @classmethod
    def from_domain(cls, server: Server) -> Self:
        """The shape of a server, without what its headers say."""
        return cls(name=server.name, url=server.url, header_names=tuple(sorted(server.headers)))


class McpServerList(Shape):
    """A workspace's MCP servers, by name."""

    mcp_servers: tuple[McpServer, ...]

    @classmethod
    def from_domain(cls, servers: tuple[Server, ...]) -> Self:
        """The shape of them all."""
        return cls(mcp_servers=tuple(McpServer.from_domain(each) for each in servers))
