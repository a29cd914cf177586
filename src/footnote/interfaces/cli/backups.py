"""`footnote backup`: the installation kept elsewhere, verified, and restored."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from footnote.domain.backups import Restoration
from footnote.engine.backup_run import BackupOptions
from footnote.engine.backups import create_backup, list_backups, prune_backups
from footnote.engine.recorded_answers import Questions
from footnote.engine.restoring import RestoreOptions, restore_backup, verify_backups
from footnote.errors import Forbidden, InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import prepared, require_yes, wait_for
from footnote.interfaces.cli.erasures import entries_in
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace, workspace_name
from footnote.interfaces.cli.results import counted
from footnote.interfaces.cli.stored_token import stored_token
from footnote.settings import Settings

_INCOMPLETE = 1
_NOT_ASKED = "No question was asked; --verify asks those that were recorded."
_NONE_RECORDED = (
    "No question was asked, since none was recorded; footnote backup create --questions GOLDEN "
    "records what it asks."
)

app = typer.Typer(
    name="backup",
    help="Keep the database, the stored files and the wrapped keys elsewhere, and restore them.",
    no_args_is_help=True,
)
BackupId = Annotated[
    str | None, typer.Argument(metavar="ID", help="Which backup; the newest one if not given.")
]


@app.command("create", epilog=EXIT_CODES)
def create(
    *,
    context: typer.Context,
    full: Annotated[
        bool, typer.Option("--full", help="Read all of the database, not only what changed.")
    ] = False,
    log: Annotated[
        bool,
        typer.Option(
            "--log", help="Only the write-ahead log since the last run, where that goes on from it."
        ),
    ] = False,
    logical: Annotated[
        bool,
        typer.Option("--logical", help="Dump the tables, though base backups could be made."),
    ] = False,
    no_log: Annotated[
        bool,
        typer.Option(
            "--no-log",
            help="Do not have the server keep its log until the next run: moments between runs "
            "cannot be restored.",
        ),
    ] = False,
    adopt: Annotated[
        bool,
        typer.Option("--adopt", help="Go on with a place that has backups of another server."),
    ] = False,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="GOLDEN",
            exists=True,
            dir_okay=False,
            help="Questions, JSONL, whose citations are recorded for verifying.",
        ),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Back up what changed since the last run, or all of it."""
    if log and (full or no_log):
        raise InvalidRequest("--log goes with neither --full nor --no-log", hint="give one of them")
    recorded_questions = None
    if questions is not None:
        from footnote.domain.identity import DEFAULT_WORKSPACE
        from footnote.evaluation.golden import read_golden

        recorded_questions = Questions(
            workspace=workspace_name(context, workspace) or DEFAULT_WORKSPACE,
            questions=tuple(golden.question for golden in read_golden(questions).questions),
        )
    options = BackupOptions(
        full=full, log=log, logical=logical, point_in_time=not no_log, adopt=adopt
    )
    backup = wait_for(create_backup(_as_operator(), options, recorded_questions, _tell))
    if as_json:
        present.print_json(backup)
        return
    message = (
        f"Backup {backup.backup_id} ({backup.kind}, {backup.method}): "
        f"{counted(backup.documents, 'document')} in {counted(backup.workspaces, 'workspace')}, "
        f"{counted(backup.files, 'file')} of which {backup.new_files:,} new, "
        f"{counted(backup.bytes, 'byte')} written."
    )
    present.terminal().print(Text(message), soft_wrap=True)


@app.command("list", epilog=EXIT_CODES)
def show(as_json: AsJson = False) -> None:
    """List the backups, and the moments that can be restored."""
    catalog = wait_for(list_backups(_as_operator()))
    if as_json:
        present.print_json(catalog)
        return
    listing = present.table("id", "kind", "covers until", "#documents", "#files", "#bytes")
    for backup in catalog.backups:
        listing.add_row(
            backup.backup_id,
            backup.kind,
            _moment(backup.covered_until),
            f"{backup.documents:,}",
            f"{backup.files:,}",
            f"{backup.bytes:,}",
        )
    listing.show(present.terminal())
    for span in catalog.spans:
        since, until = _moment(span.since), _moment(span.until)
        message = f"Any moment from {since} to {until} can be restored."
        if since == until:
            message = f"The state of {since} can be restored."
        present.terminal().print(Text(message), soft_wrap=True)
    for fault in catalog.damaged:
        present.terminal().print(Text(present.plain(fault), style="bold red"), soft_wrap=True)


@app.command("verify", epilog=EXIT_CODES)
def verify(
    backup_id: BackupId = None,
    parts_only: Annotated[
        bool, typer.Option("--parts-only", help="Read all parts, and restore nothing on trial.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read all parts, restore a backup on trial, and ask the recorded questions.

    The exit code is 1 if something is damaged, missing or answered otherwise.
    """
    report = wait_for(verify_backups(_as_operator(), backup_id, parts_only=parts_only, tell=_tell))
    if as_json:
        present.print_json(report)
    else:
        terminal = present.terminal()
        message = (
            f"Read {counted(report.parts, 'part')} of {counted(report.backups, 'backup')}, "
            f"{counted(report.bytes, 'byte')}."
        )
        terminal.print(Text(message))
        for fault in report.faults:
            terminal.print(Text(present.plain(fault), style="bold red"), soft_wrap=True)
        if report.restoration is not None:
            _show_restoration(report.restoration, asked=True, on_trial=True)
    if not report.sound:
        raise typer.Exit(_INCOMPLETE)


@app.command("restore", epilog=EXIT_CODES)
def restore(
    *,
    backup_id: BackupId = None,
    at: Annotated[
        datetime | None,
        typer.Option(
            "--at",
            metavar="TIME",
            formats=["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S"],
            help="The moment whose state is wanted, such as 2026-11-25T14:30:00+01:00; UTC "
            "without an offset.",
        ),
    ] = None,
    data_folder: Annotated[
        Path | None,
        typer.Option(
            "--data-folder",
            metavar="FOLDER",
            help="Where the files of an external server go, which you start on them.",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Move aside what is in the place.")
    ] = False,
    ask: Annotated[
        bool, typer.Option("--verify", help="Ask the recorded questions of what is restored.")
    ] = False,
    erasures: Annotated[
        list[Path] | None,
        typer.Option(
            "--erasures",
            metavar="FILE",
            help="Certificates or ledgers of erasures that no backup has; may be repeated.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup, a moment, or the newest state, and erase again what was erased since.

    The exit code is 1 if something is missing, refused, or answered otherwise.
    """
    if backup_id is not None and at is not None:
        raise InvalidRequest("a backup and a moment are given", hint="give one of them")
    if replace and not yes:
        require_yes(
            "Move aside what is there, and put what is restored in its place?", done="restored"
        )
    options = RestoreOptions(
        backup_id=backup_id,
        at=at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at,
        data_folder=data_folder,
        replace=replace,
        ask=ask,
        erasures=tuple(entry for file in erasures or () for entry in entries_in(file)),
    )
    restoration = wait_for(restore_backup(_as_operator(), options, _tell))
    if as_json:
        present.print_json(restoration)
    else:
        _show_restoration(restoration, asked=ask)
    if not restoration.complete:
        raise typer.Exit(_INCOMPLETE)


@app.command("prune", epilog=EXIT_CODES)
def prune(
    keep: Annotated[
        int, typer.Option("--keep", min=1, metavar="N", help="How many full backups stay.")
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove all backups before the newest full ones."""
    settings = _as_operator()
    if not yes:
        require_yes(
            f"Remove all backups before the newest {keep} full ones, for ever?", done="removed"
        )
    pruned = wait_for(prune_backups(settings, keep, _tell))
    if as_json:
        present.print_json(pruned)
        return
    message = (
        f"Removed {counted(len(pruned.backups), 'backup')} and {counted(pruned.files, 'file')}: "
        f"{counted(pruned.bytes, 'byte')}."
    )
    present.terminal().print(Text(message))


def _as_operator() -> Settings:
    settings = prepared()
    if stored_token(settings.home) is not None:
        raise Forbidden(
            "this concerns the whole installation, and the command would act as whoever "
            "FOOTNOTE_API_KEY or `footnote login` names",
            hint="as the operator, unset FOOTNOTE_API_KEY, or run `footnote logout`",
        )
    return settings


def _tell(text: str) -> None:
    present.notices().print(Text(present.plain(text), style="dim"), soft_wrap=True)


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _show_restoration(restored: Restoration, *, asked: bool, on_trial: bool = False) -> None:
    """Print what was restored; `asked` is whether recorded questions were to be asked."""
    terminal = present.terminal()
    lines = [
        f"Restored{' on trial' if on_trial else ''} the state of {_moment(restored.at)}: "
        f"{counted(restored.documents, 'document')} in "
        f"{counted(restored.workspaces, 'workspace')}, "
        f"{counted(restored.files, 'file')}."
    ]
    if restored.destroyed:
        lines.append(f"Destroyed again: {', '.join(restored.destroyed)}.")
    if replayed := sum(1 for replay in restored.erasures if replay.erasure is not None):
        lines.append(f"Carried out again: {counted(replayed, 'erasure')}.")
    if restored.comparison is None:
        lines.append(_NONE_RECORDED if asked else _NOT_ASKED)
    else:
        differ = len(restored.comparison.differences)
        questions = counted(restored.comparison.asked, "recorded question")
        lines.append(f"Asked {questions}: {differ:,} cited otherwise.")
    if restored.moved_aside:
        lines.append(f"What was there lies in {restored.moved_aside}.")
    for line in lines:
        terminal.print(Text(present.plain(line)), soft_wrap=True)
    faults = [*restored.refused]
    faults += [f"The stored file {key} is missing." for key in restored.missing_files]
    if restored.comparison is not None:
        faults += [
            f"Cited otherwise: {difference.question}"
            for difference in restored.comparison.differences
        ]
    for line in faults:
        terminal.print(Text(present.plain(line), style="bold red"), soft_wrap=True)
