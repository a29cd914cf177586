"""`footnote retention`: after how many days documents, conversations and queries are deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.retention import RetentionKind, RetentionRule
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
from footnote.interfaces.cli.options import Collection
from footnote.interfaces.cli.results import counted
from footnote.interfaces.schemas import RetentionRules

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="retention",
    help="Delete documents and conversations after so many days.",
    no_args_is_help=True,
)

KindArgument = Annotated[
    RetentionKind,
    typer.Argument(metavar="KIND", help="documents, conversations, queries or pushes."),
]
_FOREVER = "forever"


@workspace_command(app, "list")
async def show(workspace: WorkspaceEngine) -> Shown:
    """List after how many days what is deleted."""
    rules = await workspace.retention_rules()
    yield RetentionRules(rules=rules)
    _show(rules)


@workspace_command(app, "set")
async def change(
    workspace: WorkspaceEngine,
    *,
    kind: KindArgument,
    days: Annotated[
        str, typer.Argument(metavar="DAYS", help="After so many days, or forever to keep them.")
    ],
    collection: Collection = None,
) -> Shown:
    """Set a rule; a worker deletes what is due within an hour or two, and then each day."""
    count = None if days == _FOREVER else _number(days)
    rules = await workspace.set_retention(kind, count, collection=collection)
    yield RetentionRules(rules=rules)
    _show(rules)


@workspace_command(app, "unset")
async def unset(
    workspace: WorkspaceEngine,
    *,
    kind: KindArgument,
    collection: Collection = None,
) -> None:
    """Remove a rule."""
    await workspace.remove_retention(kind, collection=collection)
    scope = "the workspace" if collection is None else f"the collection {collection}"
    present.show_done(f"Removed the rule for {kind} in {scope}.")


@workspace_command(app, "preview")
async def preview(
    workspace: WorkspaceEngine,
    *,
    within: Annotated[
        int,
        typer.Option("--within", min=0, max=36_500, metavar="DAYS", help="So many days from now."),
    ] = 0,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=500, help="The most documents that are shown.")
    ] = 50,
) -> Shown:
    """Show what the rules delete until some time, soonest first."""
    report = await workspace.retention_preview(within_days=within, limit=limit)
    yield report
    console = present.terminal()
    if report.documents:
        listing = present.table("document", "file", "collection", "handed in", "due")
        for document in report.documents:
            listing.add_row(
                str(document.document_id),
                present.plain(document.filename),
                present.plain(document.collection),
                f"{document.handed_in_at:%Y-%m-%d}",
                f"{document.due_at:%Y-%m-%d %H:%M}",
            )
        listing.show(console)
    message = (
        f"Due until {report.until:%Y-%m-%d %H:%M} UTC: "
        f"{counted(report.document_count, 'document')}, "
        f"{counted(report.conversation_count, 'conversation')}, "
        f"{counted(report.query_count, 'query', 'queries')}, "
        f"{counted(report.push_count, 'push', 'pushes')}."
    )
    console.print(Text(message), soft_wrap=True)


@workspace_command(app, "apply")
async def apply(workspace: WorkspaceEngine) -> Shown:
    """Delete what is due now, rather than wait for a worker."""
    run = await workspace.apply_retention()
    yield run
    message = (
        f"Deleted {counted(run.documents, 'document')}, "
        f"{counted(run.conversations, 'conversation')}, "
        f"{counted(run.queries, 'query', 'queries')} and {counted(run.pushes, 'push', 'pushes')}."
    )
    present.terminal().print(Text(message), soft_wrap=True)


def _number(days: str) -> int:
    if not (days.isascii() and days.isdigit() and len(days) < 6):
        raise InvalidRequest(
            f"DAYS: {days[:100]!r} is no number of days", hint=f"give a number, or {_FOREVER}"
        )
    return int(days)


def _show(rules: tuple[RetentionRule, ...]) -> None:
    if not rules:
        present.terminal().print("Nothing is deleted by its age.")
        return
    listing = present.table("what", "collection", "days", "set by", "on")
    for rule in rules:
        listing.add_row(
            rule.kind,
            present.plain(rule.collection or ""),
            _FOREVER if rule.days is None else f"{rule.days:,}",
            present.plain(rule.set_by),
            f"{rule.set_at:%Y-%m-%d %H:%M}",
        )
    listing.show(present.terminal())
