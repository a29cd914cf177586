"""`footnote admin`: the first administrator of a workspace in which nobody has a role yet."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from footnote.domain import Role
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace

app = typer.Typer(name="admin", help="Make administrators of a workspace.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Make administrators of a workspace."""


@app.command("create", epilog=EXIT_CODES)
def create(
    *,
    context: typer.Context,
    principal: Annotated[
        str, typer.Argument(metavar="PRINCIPAL", help="As the identity provider names the person.")
    ],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Let somebody administer the workspace as soon as they log in."""
    grant = in_workspace(
        context, workspace, lambda inside: inside.grant_role(principal, Role.ADMIN)
    )
    if as_json:
        present.print_json(grant)
    else:
        told = f"{present.plain(grant.subject)} may administer the workspace."
        present.terminal().print(Text(told), soft_wrap=True)
