"""The answer models a workspace chose, and the MCP servers its agents may use."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from footnote.errors import Conflict, NotFound
from footnote.ports import McpServer
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import MCP_HEADERS
from footnote.store.statements import load_statements

VERSION = 1
"""Version of the format of stored settings."""

_SQL = load_statements("workspace_settings")
_ANSWER_MODELS = "answer_models"
_NAMES = TypeAdapter(tuple[str, ...] | None)
_HEADERS = TypeAdapter(dict[str, str])


async def chosen_answer_models(scope: WorkspaceScope) -> tuple[str, ...] | None:
    """The answer models the workspace chose, in their order; None if it never chose."""
    row = await scope.one(_SQL["read"])
    return None if row is None else _NAMES.validate_python(row["settings"].get(_ANSWER_MODELS))


async def choose_answer_models(scope: WorkspaceScope, names: Sequence[str]) -> None:
    """Set the workspace's answer models."""
    parameters = {"settings": Jsonb({_ANSWER_MODELS: list(names)}), "version": VERSION}
    await scope.execute(_SQL["write"], parameters)


async def forget_answer_models(scope: WorkspaceScope) -> None:
    """Reset the answer models to those of the installation."""
    parameters = {"key": _ANSWER_MODELS}
    await scope.execute(_SQL["clear"], parameters)


async def add_mcp_server(scope: WorkspaceScope, server: McpServer) -> None:
    """Add an MCP server whose tools the workspace's agents may use. Raises Conflict."""
    headers = scope.sealing.secret_json(MCP_HEADERS.of(server.name), dict(server.headers))
    if not await scope.change(
        _SQL["add_server"],
        {"name": server.name, "url": server.url, "headers": Jsonb(headers)},
    ):
        raise Conflict(
            f"there is an MCP server {server.name!r} already",
            hint="remove it first, or give another name",
        )


async def mcp_servers_of(scope: WorkspaceScope) -> tuple[McpServer, ...]:
    """The workspace's servers by name."""
    return tuple(
        McpServer(
            name=row["name"],
            url=row["url"],
            headers=_HEADERS.validate_python(
                scope.sealing.plain_secret_json(MCP_HEADERS.of(row["name"]), row["headers"])
            ),
        )
        for row in await scope.all(_SQL["list_servers"])
    )


async def remove_mcp_server(scope: WorkspaceScope, name: str) -> None:
    """Remove an MCP server. Raises NotFound."""
    if not await scope.change(_SQL["remove_server"], {"name": name}):
        raise no_such_server(name)


def no_such_server(name: str) -> NotFound:
    """Return the error for an MCP server that the workspace does not have."""
    return NotFound(
        f"there is no MCP server {name!r}",
        hint="`footnote mcp-servers list` or `GET /v1/mcp-servers` shows what there is",
    )
