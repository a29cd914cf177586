"""`footnote mcp`: the documents of a workspace for a client of the Model Context Protocol."""

from __future__ import annotations

import typer

from footnote.interfaces.cli import loading
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import Workspace, chosen_workspace


def mcp(context: typer.Context, workspace: Workspace = None) -> None:
    """Serve a workspace's documents over MCP on standard input and output."""
    settings = prepared()
    name = chosen_workspace(context, workspace)
    wait_for(loading.serve_mcp(settings, name))
