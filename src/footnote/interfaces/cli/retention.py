"""`footnote retention`: after how many days documents, conversations and queries are deleted."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from footnote.domain.retention import RetentionKind, RetentionRule
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Collection, Workspace
from footnote.interfaces.cli.results import counted
from footnote.interfaces.schemas import RetentionRules

app = typer.Typer(
    name="retention",
    help="Delete documents and conversations after so many days.",
    no_args_is_help=True,
)

What = Annotated[
    RetentionKind,
    typer.Argument(metavar="KIND", help="documents, conversations, queries or pushes."),
]
_FOREVER = "forever"


@app.command("list", epilog=EXIT_CODES)
def show(*, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """List after how many days what is deleted."""
    rules = in_workspace(context, workspace, lambda inside: inside.retention_rules())
    _show(rules, as_json=as_json)


@app.command("set", epilog=EXIT_CODES)
def change(
    *,
    context: typer.Context,
    kind: What,
    days: Annotated[
        str, typer.Argument(metavar="DAYS", help="After so many days, or forever to keep them.")
    ],
    collection: Collection = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Set a rule; a worker deletes what is due within an hour or two, and then each day."""
    count = None if days == _FOREVER else _number(days)
    rules = in_workspace(
        context,
        workspace,
        lambda inside: inside.set_retention(kind, count, collection=collection),
    )
    _show(rules, as_json=as_json)


@app.command("unset", epilog=EXIT_CODES)
def unset(
    *,
    context: typer.Context,
    kind: What,
    collection: Collection = None,
    workspace: Workspace = None,
) -> None:
    """Remove a rule."""
    in_workspace(
        context, workspace, lambda inside: inside.remove_retention(kind, collection=collection)
    )


@app.command("preview", epilog=EXIT_CODES)
def preview(
    *,
    context: typer.Context,
    within: Annotated[
        int,
        typer.Option("--within", min=0, max=36_500, metavar="DAYS", help="So many days from now."),
    ] = 0,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=500, help="The most documents that are shown.")
    ] = 50,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show what the rules delete until some time, soonest first."""
    found = in_workspace(
        context,
        workspace,
        lambda inside: inside.retention_preview(within_days=within, limit=limit),
    )
    if as_json:
        present.print_json(found)
        return
    console = present.terminal()
    if found.documents:
        listing = present.table("document", "file", "collection", "handed in", "due")
        for each in found.documents:
            listing.add_row(
                str(each.document_id),
                present.plain(each.filename),
                present.plain(each.collection),
                f"{each.handed_in_at:%Y-%m-%d}",
                f"{each.due_at:%Y-%m-%d %H:%M}",
            )
        listing.show(console)
    said = (
        f"Due until {found.until:%Y-%m-%d %H:%M} UTC: "
        f"{counted(found.document_count, 'document')}, "
        f"{counted(found.conversation_count, 'conversation')}, "
        f"{counted(found.query_count, 'query', 'queries')}, "
        f"{counted(found.push_count, 'push', 'pushes')}."
    )
    console.print(Text(said), soft_wrap=True)


@app.command("apply", epilog=EXIT_CODES)
def apply(*, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Delete what is due now, rather than wait for a worker."""
    run = in_workspace(context, workspace, lambda inside: inside.apply_retention())
    if as_json:
        present.print_json(run)
        return
    said = (
        f"Deleted {counted(run.documents, 'document')}, "
        f"{counted(run.conversations, 'conversation')}, "
        f"{counted(run.queries, 'query', 'queries')} and {counted(run.pushes, 'push', 'pushes')}."
    )
    present.terminal().print(Text(said), soft_wrap=True)


def _number(days: str) -> int:
    if not (days.isascii() and days.isdigit() and len(days) < 6):
        raise InvalidRequest(
            f"DAYS: {days[:100]!r} is no number of days", hint=f"give a number, or {_FOREVER}"
        )
    return int(days)


def _show(rules: tuple[RetentionRule, ...], *, as_json: bool) -> None:
    if as_json:
        present.print_json(RetentionRules(rules=rules))
        return
    if not rules:
        present.terminal().print("Nothing is deleted by its age.")
        return
    listing = present.table("what", "collection", "days", "set by", "on")
    for each in rules:
        listing.add_row(
            each.kind,
            present.plain(each.collection or ""),
            _FOREVER if each.days is None else f"{each.days:,}",
            present.plain(each.set_by),
            f"{each.set_at:%Y-%m-%d %H:%M}",
        )
    listing.show(present.terminal())
