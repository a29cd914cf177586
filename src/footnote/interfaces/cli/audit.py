"""`footnote audit`: who did what in a workspace, and whether the log of it holds."""

from __future__ import annotations

import re
import sys
from contextlib import aclosing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.audit import Act, AuditHead
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, in_workspace, workspace_command
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.cli.results import counted
from footnote.interfaces.schemas import json_of

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="audit", help="See who did what, and verify the log of it.", no_args_is_help=True
)

_HEAD = re.compile(r"(\d{1,18}):([0-9a-f]{64})")
_TIMES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]


@workspace_command(app, "list")
async def show(
    workspace: WorkspaceEngine,
    *,
    principal: Annotated[
        str | None, typer.Option("--principal", metavar="ID", help="Of this principal alone.")
    ] = None,
    act: Annotated[Act | None, typer.Option("--act", help="Of this kind alone.")] = None,
    document: Annotated[
        str | None,
        typer.Option("--document", metavar="DOCUMENT", help="That showed or changed this one."),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option("--since", formats=_TIMES, metavar="TIME", help="From this time on, in UTC."),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option("--until", formats=_TIMES, metavar="TIME", help="Before this time, in UTC."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=500, help="The most entries that are shown.")
    ] = 50,
    cursor: Annotated[
        str | None, typer.Option("--cursor", help="Where a page before ended.")
    ] = None,
) -> Shown:
    """List what was done, newest first."""
    page = await workspace.audit_entries(
        principal_id=principal,
        act=act,
        document_id=None if document is None else await workspace.document_called(document),
        since=since and since.replace(tzinfo=UTC),
        until=until and until.replace(tzinfo=UTC),
        limit=limit,
        cursor=cursor,
    )
    yield page
    if not page.entries:
        present.terminal().print("No entries.")
        return
    listing = present.table("no", "time", "principal", "verb", "outcome", "documents", "query")
    for entry in page.entries:
        listing.add_row(
            str(entry.entry_no),
            f"{entry.recorded_at:%Y-%m-%d %H:%M:%S}",
            present.plain(entry.principal),
            entry.verb,
            entry.outcome if entry.error is None else f"{entry.outcome}: {entry.error}",
            str(len(entry.documents)),
            present.plain(entry.query or ""),
        )
    listing.show(present.terminal())
    if page.next_cursor:
        message = f"There are more: footnote audit list --cursor {page.next_cursor}"
        present.notices().print(Text(message, style="dim"), soft_wrap=True)


@workspace_command(app, "export")
async def export(workspace: WorkspaceEngine) -> None:
    """Print every entry as a line of JSON, oldest first, with all that verifying needs."""
    async with aclosing(workspace.export_audit()) as entries:
        async for entry in entries:
            sys.stdout.write(present.encodable_json(json_of(entry), sys.stdout.encoding) + "\n")


@app.command("verify", epilog=EXIT_CODES)
def verify(
    *,
    context: typer.Context,
    head_texts: Annotated[
        list[str] | None,
        typer.Option(
            "--kept",
            metavar="NO:HASH",
            help="The head of an earlier verification, kept elsewhere; may be repeated.",
        ),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Verify that no entry was changed, removed or put in between; the exit code is 1 if one was.

    Keep the head that is printed elsewhere: it shows later whether the log was cut off.
    """
    heads = [_head_of(text) for text in head_texts or ()]
    verification = in_workspace(
        context, workspace, lambda workspace_engine: workspace_engine.verify_audit(heads)
    )
    if as_json:
        present.print_json(verification)
    else:
        for fault in verification.faults:
            message = f"Entry {fault.entry_no}: {fault.what}."
            present.terminal().print(Text(message, style="bold red"), soft_wrap=True)
        state = "intact" if verification.intact else "not what was written"
        message = f"{counted(verification.entries, 'entry', 'entries')}, {state}. Head: "
        head = f"{verification.head.entry_no}:{verification.head.entry_hash}"
        present.terminal().print(Text(message + head), soft_wrap=True)
    if not verification.intact:
        raise typer.Exit(1)


def _head_of(text: str) -> AuditHead:
    match = _HEAD.fullmatch(text)
    if match is None:
        raise InvalidRequest(
            f"--kept: {text[:100]!r} is no head of a log",
            hint="give it as `footnote audit verify` printed it: a number, a colon and a hash",
        )
    return AuditHead(entry_no=int(match[1]), entry_hash=match[2])
