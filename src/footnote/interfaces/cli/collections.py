"""`footnote collections`: what collections hold, and the removal of empty ones."""

from __future__ import annotations

from typing import Annotated

import typer

from footnote.domain import DocumentStatus
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import CollectionList

app = typer.Typer(
    name="collections",
    help="See what collections hold, and remove empty ones.",
    no_args_is_help=True,
)


@app.command("list", epilog=EXIT_CODES)
def show_collections(
    *, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List the collections that you administer, with what they hold."""
    found = in_workspace(context, workspace, lambda inside: inside.collections())
    if as_json:
        present.print_json(CollectionList(collections=found))
        return
    if not found:
        present.terminal().print("No collections.")
        return
    listing = present.table("name", "documents", "failed", "chunks", "bytes", "changed", "roles")
    for each in found:
        listing.add_row(
            present.plain(each.name),
            f"{each.documents:,}",
            f"{each.documents_by_status.get(DocumentStatus.FAILED, 0):,}",
            f"{each.chunks:,}",
            f"{each.bytes:,}",
            "" if each.changed_at is None else f"{each.changed_at:%Y-%m-%d %H:%M}",
            present.plain(", ".join(f"{grant.subject}: {grant.role}" for grant in each.grants)),
        )
    listing.show(present.terminal())


@app.command("delete", epilog=EXIT_CODES)
def delete_collection(
    *,
    context: typer.Context,
    collection: Annotated[str, typer.Argument(metavar="COLLECTION", help="Its name.")],
    workspace: Workspace = None,
) -> None:
    """Remove a collection without documents, with the roles that were granted in it."""
    in_workspace(context, workspace, lambda inside: inside.delete_collection(collection))
