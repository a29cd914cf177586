"""`footnote erasure`: what was deleted for good, verified, and deleted again after a restore."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError
from rich.text import Text

from footnote.domain import Erasure
from footnote.domain.erasure import ErasureEntry
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import (
    Shown,
    in_workspace,
    require_yes,
    workspace_command,
)
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.cli.results import counted
from footnote.interfaces.schemas import ErasureList, ReplayReport, adapter
from footnote.validation.text import json_fault

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="erasure",
    help="See and verify what was deleted for good, and repeat it after a restore.",
    no_args_is_help=True,
)


@workspace_command(app, "list")
async def show(workspace: WorkspaceEngine) -> Shown:
    """List what was erased, oldest first: ids, and nothing of what was erased."""
    ledger = await workspace.erasures()
    yield ErasureList(erasures=ledger)
    if not ledger:
        present.terminal().print("Nothing was erased.")
        return
    listing = present.table("certificate", "target", "name", "#documents", "erased by", "on")
    for erasure in ledger:
        listing.add_row(
            str(erasure.certificate_id),
            erasure.target,
            present.plain(erasure.name),
            f"{len(erasure.document_ids):,}",
            present.plain(erasure.erased_by),
            f"{erasure.erased_at:%Y-%m-%d %H:%M}",
        )
    listing.show(present.terminal())


@app.command("verify", epilog=EXIT_CODES)
def verify(
    *,
    context: typer.Context,
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="The file that holds it, as JSON.")
    ],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Verify a certificate against the audit log; the exit code is 1 if it does not hold."""
    try:
        erasure = adapter(Erasure).validate_python(_json_in(certificate))
    except ValidationError as error:
        raise InvalidRequest(
            f"{certificate} holds no certificate of an erasure",
            hint="give the JSON that `footnote documents erase --json` printed",
        ) from error
    verification = in_workspace(
        context, workspace, lambda workspace_engine: workspace_engine.verify_erasure(erasure)
    )
    if as_json:
        present.print_json(verification)
    elif verification.valid:
        message = (
            f"The certificate {verification.certificate_id} is entry {verification.entry_no} of "
            "the audit log, and nothing of it is there again."
        )
        present.terminal().print(Text(message), soft_wrap=True)
    else:
        for fault in verification.faults:
            present.terminal().print(Text(f"{fault}.", style="bold red"), soft_wrap=True)
    if not verification.valid:
        raise typer.Exit(1)


@app.command("replay", epilog=EXIT_CODES)
def replay(
    *,
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Certificates, or what `footnote erasure list --json` printed."
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Erase again what a restored backup brought back; the exit code is 1 if some is refused."""
    entries = [entry for file in files for entry in entries_in(file)]
    if not yes:
        documents = len({document_id for entry in entries for document_id in entry.document_ids})
        action = (
            f"{counted(len(entries), 'erasure')} out again, of {counted(documents, 'document')}"
        )
        require_yes(f"Carry {action}?", done="erased")
    results = in_workspace(
        context, workspace, lambda workspace_engine: workspace_engine.replay_erasures(entries)
    )
    if as_json:
        present.print_json(ReplayReport(erasures=results))
    else:
        listing = present.table("certificate", "#documents", "")
        for result in results:
            erased = result.erasure
            listing.add_row(
                str(result.certificate_id),
                "0" if erased is None else f"{len(erased.document_ids):,}",
                present.plain(result.refusal or ("" if erased else "nothing of it was there")),
            )
        listing.show(present.terminal())
    if any(
        result.refusal or (result.erasure and not result.erasure.complete) for result in results
    ):
        raise typer.Exit(1)


def entries_in(file: Path) -> tuple[ErasureEntry, ...]:
    """The erasures in a file: a certificate, an entry or a ledger. Raises InvalidRequest."""
    content = _json_in(file)
    try:
        if isinstance(content, dict) and "erasures" in content:
            return adapter(ErasureList).validate_python(content).erasures
        is_certificate = isinstance(content, dict) and "sha256" in content
        return (adapter(Erasure if is_certificate else ErasureEntry).validate_python(content),)
    except ValidationError as error:
        raise InvalidRequest(
            f"{file} holds neither a certificate nor a ledger of erasures",
            hint="give the JSON that `footnote documents erase` or `footnote erasure list` printed",
        ) from error


def _json_in(file: Path) -> object:
    try:
        content: object = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidRequest(
            f"{file} cannot be read as JSON: {json_fault(error)}",
            hint="check the path and its content",
        ) from error
    return content
