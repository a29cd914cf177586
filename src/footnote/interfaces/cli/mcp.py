"""`footnote mcp`: the documents of a workspace for a client of the Model Context Protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import typer

from footnote import open as opened
from footnote.engine import WorkspaceEngine
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import Workspace, chosen_workspace
from footnote.interfaces.mcp.stdio import serve_stdio


def mcp(context: typer.Context, workspace: Workspace = None) -> None:
    """Serve a workspace's documents over MCP on standard input and output."""
    settings = prepared()
    name = chosen_workspace(context, workspace)

    @asynccontextmanager
    async def inside() -> AsyncIterator[WorkspaceEngine]:
        async with opened(settings) as engine:
            yield await engine.workspace(name)

    wait_for(serve_stdio(inside))
