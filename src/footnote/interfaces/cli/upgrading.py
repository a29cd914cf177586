"""`footnote upgrade`: the database brought up to date before servers and workers start."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from footnote import __version__
from footnote.engine.upgrading import upgrade as upgrade_database
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import AsJson

_PENDING = 1


def upgrade(
    check: Annotated[
        bool,
        typer.Option("--check", help="Change nothing; the exit code is 1 if there is a step left."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Apply the steps of migration that the database lacks.

    Servers and workers do so when they start; this does it by itself, as the owner of the tables.
    """
    done = wait_for(upgrade_database(prepared(), check=check))
    if as_json:
        present.print_json(done)
    elif not done.steps:
        present.terminal().print(Text(f"The database is up to date with Footnote {__version__}."))
    else:
        told = "Applied" if done.applied else "Not applied yet"
        present.terminal().print(Text(f"{told}: {', '.join(done.steps)}."))
    if not done.applied:
        raise typer.Exit(_PENDING)
