"""`footnote admin`: the first administrator of a workspace, and all that is kept about a person."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Annotated, BinaryIO, cast
from zipfile import ZipFile

import typer
from rich.text import Text

from footnote.domain import Role
from footnote.domain.personal_data import PersonalDataExport
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, in_workspace, workspace_command
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="admin",
    help="Make administrators, and export what is kept about people.",
    no_args_is_help=True,
)


@app.callback()
def _group() -> None:
    """Make administrators, and export what is kept about people."""


@workspace_command(app, "create")
async def create(
    workspace: WorkspaceEngine,
    *,
    principal: Annotated[
        str, typer.Argument(metavar="PRINCIPAL", help="As the identity provider names the person.")
    ],
) -> Shown:
    """Let somebody administer the workspace as soon as they log in."""
    grant = await workspace.grant_role(principal, Role.ADMIN)
    yield grant
    message = f"{present.plain(grant.subject)} may administer the workspace."
    present.terminal().print(Text(message), soft_wrap=True)


@app.command("export", epilog=EXIT_CODES)
def export(
    *,
    context: typer.Context,
    principal: Annotated[str, typer.Argument(metavar="PRINCIPAL", help="Whose data is exported.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The archive to write; it must be new.")
    ],
    with_files: Annotated[
        bool, typer.Option("--with-files", help="With the files that the person added.")
    ] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Write everything that is kept about somebody into a zip archive."""

    with _new_file(out) as file:

        async def write(workspace: WorkspaceEngine) -> None:
            exported = workspace.export_person(principal, with_files=with_files)
            async with aclosing(exported) as pieces:
                async for piece in pieces:
                    file.write(piece.content)

        in_workspace(context, workspace, write)
    with ZipFile(out) as archive:
        files = json.loads(archive.read("manifest.json"))["files"]
    records = {entry["name"]: entry["records"] for entry in files if entry["records"]}
    if as_json:
        present.print_json(PersonalDataExport(path=str(out), records=records))
        return
    message = (
        f"What is kept about {present.plain(principal)} is in {present.plain(str(out))}: "
        f"{sum(records.values()):,} records."
    )
    if not records.keys() - {"audit.jsonl"}:  # Which has this export by now.
        message += " But for the audit log nothing is kept of this id: check how it is spelled."
    present.terminal().print(Text(message), soft_wrap=True)


@contextmanager
def _new_file(path: Path) -> Iterator[BinaryIO]:
    """A file that its owner alone may read, and that is there once it is whole."""
    try:
        if path.exists():
            raise FileExistsError(errno.EEXIST, "it is there already")
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.") as file:
            yield cast("BinaryIO", file)
            file.flush()
            os.link(file.name, path)  # Which, unlike a renaming, never takes another's place.
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be written: {error.strerror}",
            hint="name a file that is not there, in a folder you may write to",
        ) from error
