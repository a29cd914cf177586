"""`footnote encryption` and `footnote workspace destroy`: keys shown, renewed and destroyed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.encryption import Destruction, EncryptionStatus
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import require_yes
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
    found = in_installation(lambda engine: engine.encryption_status())
    if as_json:
        present.print_json(found)
    else:
        _show(found)


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
    done = in_installation(
        lambda engine: engine.rotate_master_key(new_version=not same_version, retire_old=retire_old)
    )
    if as_json:
        present.print_json(done)
        return
    said = (
        f"Wrapped {counted(done.keys, 'key')} of {counted(done.workspaces, 'workspace')} by "
        f"{done.master_key}."
    )
    said += " Older versions are retired." if done.old_retired else ""
    present.terminal().print(Text(said))


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
        present.print_json(next(each for each in status.workspaces if each.workspace == name))
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
    done = in_installation(lambda engine: engine.export_keys(path))
    if as_json:
        present.print_json(done)
        return
    said = (
        f"Wrote {counted(done.keys, 'wrapped key')} of {counted(done.workspaces, 'workspace')} to "
        f"{done.path}."
    )
    present.terminal().print(Text(present.plain(said)), soft_wrap=True)


@app.command("import-keys", epilog=EXIT_CODES)
def import_keys(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="What export-keys wrote.")],
    as_json: AsJson = False,
) -> None:
    """Put the keys of a file back, after a backup of the database was restored."""
    done = in_installation(lambda engine: engine.import_keys(path))
    if as_json:
        present.print_json(done)
        return
    terminal = present.terminal()
    terminal.print(
        Text(f"Restored {counted(done.restored, 'key')}; {done.unchanged} there already.")
    )
    if done.absent:
        told = f"Not here: {present.plain(', '.join(done.absent))}."
        terminal.print(Text(told), soft_wrap=True)
    if done.unlisted:
        told = (
            f"Not in the file: {present.plain(', '.join(done.unlisted))}. Whatever was destroyed "
            "before it was written came back with the backup: footnote workspace destroy NAME"
        )
        terminal.print(Text(told), soft_wrap=True)


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
    done = in_installation(
        lambda engine: engine.destroy_workspace(name, retire_master_key=retire_master_key)
    )
    if as_json:
        present.print_json(done)
    else:
        for line in proof(done):
            present.terminal().print(Text(line))
    if not done.complete:
        raise typer.Exit(_INCOMPLETE)


def proof(done: Destruction) -> list[str]:
    """What was looked at and tried, a sentence each."""
    held, left = (sum(getattr(each, what) for each in done.checks) for what in ("held", "left"))
    lines = [
        f"Destroyed the workspace {present.plain(done.workspace)}: of {held:,} rows and files in "
        f"{len(done.checks)} places {left:,} are left.",
        f"Tried to decrypt {done.samples:,} encrypted values that were copied before: "
        f"{done.samples_readable:,} could be read with the keys that are left.",
    ]
    if places := [f"{each.place} ({each.left:,})" for each in done.checks if each.left]:
        lines.append(
            f"Left in {', '.join(places)}: what belongs to {done.workspace_id} there is to be "
            "deleted by hand."
        )
    if not done.encrypted:
        lines.append(
            "Its content was not encrypted, so backups made before still show it; delete them."
        )
    elif done.backup_keys_usable:
        lines.append(
            f"Backups made before hold {done.backup_keys_usable} of its keys, which the master key "
            "still unwraps. To make those backups unreadable too: footnote encryption "
            "rotate-master --retire-old"
        )
    else:
        lines.append("No key of it in a backup can be unwrapped: the master key that did is gone.")
    return lines


def _show(found: EncryptionStatus) -> None:
    terminal = present.terminal()
    terminal.print(Text(f"New workspaces are encrypted: {found.encryption}"))
    terminal.print(Text(f"Master key: {found.master_key}"))
    for each in found.workspaces:
        keys = ", ".join(f"version {key.version} {key.state}" for key in each.keys) or "none"
        said = (
            f"{present.plain(each.workspace)}: {'encrypted' if each.encrypted else 'not encrypted'}"
        )
        said += f", data keys: {keys}"
        if each.bare_credentials:
            said += f", credentials stored before encryption: {each.bare_credentials}"
        terminal.print(Text(said))
        if each.unavailable is not None:
            told = f"{each.workspace}: not all data keys can be unwrapped: {each.unavailable}"
            terminal.print(Text(present.plain(told)), soft_wrap=True)
