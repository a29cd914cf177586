"""`footnote workspace`: create, list."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from footnote import open as opened
from footnote.domain import Workspace
from footnote.interfaces import schemas
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import EXIT_CODES, AsJson

app = typer.Typer(
    name="workspace", help="The walls nothing crosses: create and list.", no_args_is_help=True
)


@app.command("create", epilog=EXIT_CODES)
def create_workspace(
    name: Annotated[str, typer.Argument(metavar="NAME", help="How it will be called.")],
    as_json: AsJson = False,
) -> None:
    """Create a workspace."""
    settings = prepared()

    async def create() -> Workspace:
        async with opened(settings) as engine:
            return await engine.create_workspace(name)

    workspace = wait_for(create())
    if as_json:
        present.print_json(workspace)
    else:
        present.terminal().print(Text(f"Created the workspace {present.plain(workspace.name)}."))


@app.command("list", epilog=EXIT_CODES)
def list_workspaces(as_json: AsJson = False) -> None:
    """List the workspaces of this installation."""
    settings = prepared()

    async def read() -> tuple[Workspace, ...]:
        async with opened(settings) as engine:
            return await engine.workspaces()

    workspaces = wait_for(read())
    if as_json:
        present.print_json(schemas.WorkspaceList(workspaces=tuple(workspaces)))
    else:
        present.show_workspaces(present.terminal(), workspaces)
