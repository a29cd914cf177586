"""`footnote encryption` and `footnote workspace destroy`: keys shown, renewed and destroyed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.encryption import Destruction, EncryptionStatus
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import require_yes
from footnote.interfaces.cli.operations import in_installation, workspaces
from footnote.interfaces.cli.options import EXIT_CODES, AsJson
from footnote.interfaces.cli.results import counted

if TYPE_CHECKING:
    from footnote.engine import Engine

_INCOMPLETE = 1

app = typer.Typer(
    name="encryption",
    help="See and renew the keys that stored content is encrypted under.",
    no_args_is_help=True,
)


@app.command("status", epilog=EXIT_CODES)
def status(as_json: AsJson = False) -> None:
    """Show the master key, and which keys each workspace has."""
    report = in_installation(lambda engine: engine.encryption_status())
    if as_json:
        present.print_json(report)
    else:
        _show(report)


@app.command("rotate-master", epilog=EXIT_CODES)
def rotate_master(
    same_version: Annotated[
        bool,
        typer.Option(
            "--no-new-version",
            help="Wrap with the master key as it is, after it was rotated elsewhere or another one "
            "was set.",
        ),
    ] = False,
    retire_old: Annotated[
        bool,
        typer.Option(
            "--retire-old",
            help="Make older versions useless for ever; keys in backups of before with them.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Wrap every data key anew; no content is encrypted again."""
    rotation = in_installation(
        lambda engine: engine.rotate_master_key(new_version=not same_version, retire_old=retire_old)
    )
    if as_json:
        present.print_json(rotation)
        return
    message = (
        f"Wrapped {counted(rotation.keys, 'key')} of {counted(rotation.workspaces, 'workspace')} "
        f"by {rotation.master_key}."
    )
    message += " Older versions are retired." if rotation.old_retired else ""
    present.terminal().print(Text(message))


@app.command("rotate-data", epilog=EXIT_CODES)
def rotate_data(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which workspace.")],
    as_json: AsJson = False,
) -> None:
    """Have a workspace encrypted under a new data key, by a worker in the background."""

    async def begin(engine: Engine) -> EncryptionStatus | None:
        await engine.rotate_data_key(name)
        return await engine.encryption_status() if as_json else None

    if (status := in_installation(begin)) is not None:
        present.print_json(
            next(workspace for workspace in status.workspaces if workspace.workspace == name)
        )
        return
    present.terminal().print(
        Text(f"A worker will encrypt {present.plain(name)} under a new key, within half an hour.")
    )


@app.command("export-keys", epilog=EXIT_CODES)
def export_keys(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; replaces an older one.")],
    as_json: AsJson = False,
) -> None:
    """Write the wrapped data keys of all workspaces into a file, to keep beside backups."""
    export = in_installation(lambda engine: engine.export_keys(path))
    if as_json:
        present.print_json(export)
        return
    message = (
        f"Wrote {counted(export.keys, 'wrapped key')} of {counted(export.workspaces, 'workspace')} "
        f"to {export.path}."
    )
    present.terminal().print(Text(present.plain(message)), soft_wrap=True)


@app.command("import-keys", epilog=EXIT_CODES)
def import_keys(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="What export-keys wrote.")],
    as_json: AsJson = False,
) -> None:
    """Put the keys of a file back, after a backup of the database was restored."""
    imported = in_installation(lambda engine: engine.import_keys(path))
    if as_json:
        present.print_json(imported)
        return
    terminal = present.terminal()
    terminal.print(
        Text(f"Restored {counted(imported.restored, 'key')}; {imported.unchanged} there already.")
    )
    if imported.absent:
        message = f"Not here: {present.plain(', '.join(imported.absent))}."
        terminal.print(Text(message), soft_wrap=True)
    if imported.unlisted:
        message = (
            f"Not in the file: {present.plain(', '.join(imported.unlisted))}. Whatever was "
            "destroyed before it was written came back with the backup: footnote workspace "
            "destroy NAME"
        )
        terminal.print(Text(message), soft_wrap=True)


@workspaces.command("destroy", epilog=EXIT_CODES)
def destroy(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which workspace.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    retire_master_key: Annotated[
        bool,
        typer.Option(
            "--retire-master-key",
            help="Rotate the master key and retire its old versions, so that backups cannot be "
            "read either.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Destroy a workspace, its keys first, and prove that nothing of it can be read."""
    if not yes:
        in_installation(lambda engine: engine.workspace(name))  # Before asking about it.
        require_yes(
            f"Destroy the workspace {present.plain(name)} with all that is in it, for ever?",
            done="destroyed",
        )
    destruction = in_installation(
        lambda engine: engine.destroy_workspace(name, retire_master_key=retire_master_key)
    )
    if as_json:
        present.print_json(destruction)
    else:
        for line in proof(destruction):
            present.terminal().print(Text(line))
    if not destruction.complete:
        raise typer.Exit(_INCOMPLETE)


def proof(destruction: Destruction) -> list[str]:
    """What was checked and tried, a sentence for each."""
    held = sum(check.held for check in destruction.checks)
    left = sum(check.left for check in destruction.checks)
    lines = [
        f"Destroyed the workspace {present.plain(destruction.workspace)}: of {held:,} rows and "
        f"files in {len(destruction.checks)} places {left:,} are left.",
        f"Tried to decrypt {destruction.samples:,} encrypted values that were copied before: "
        f"{destruction.samples_readable:,} could be read with the keys that are left.",
    ]
    if places := [f"{check.place} ({check.left:,})" for check in destruction.checks if check.left]:
        lines.append(
            f"Left in {', '.join(places)}: what belongs to {destruction.workspace_id} there is to "
            "be deleted by hand."
        )
    if not destruction.encrypted:
        lines.append(
            "Its content was not encrypted, so backups made before still show it; delete them."
        )
    elif destruction.backup_keys_usable:
        lines.append(
            f"Backups made before hold {destruction.backup_keys_usable} of its keys, which the "
            "master key still unwraps. To make those backups unreadable too: footnote encryption "
            "rotate-master --retire-old"
        )
    else:
        lines.append("No key of it in a backup can be unwrapped: the master key that did is gone.")
    return lines


def _show(report: EncryptionStatus) -> None:
    terminal = present.terminal()
    terminal.print(Text(f"New workspaces are encrypted: {report.encryption}"))
    terminal.print(Text(f"Master key: {report.master_key}"))
    for workspace in report.workspaces:
        keys = ", ".join(f"version {key.version} {key.state}" for key in workspace.keys) or "none"
        state = "encrypted" if workspace.encrypted else "not encrypted"
        line = f"{present.plain(workspace.workspace)}: {state}"
        line += f", data keys: {keys}"
        if workspace.bare_credentials:
            line += f", credentials stored before encryption: {workspace.bare_credentials}"
        terminal.print(Text(line))
        if workspace.unavailable is not None:
            name, reason = workspace.workspace, workspace.unavailable
            warning = f"{name}: not all data keys can be unwrapped: {reason}"
            terminal.print(Text(present.plain(warning)), soft_wrap=True)
