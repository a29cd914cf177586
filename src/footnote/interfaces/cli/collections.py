"""`footnote collections`: what collections hold, and the removal of empty ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from footnote.domain import DocumentStatus
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
from footnote.interfaces.cli.options import of_kind
from footnote.interfaces.schemas import CollectionList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="collections",
    help="See what collections hold, and remove empty ones.",
    no_args_is_help=True,
)


@workspace_command(app, "list")
async def show_collections(workspace: WorkspaceEngine) -> Shown:
    """List the collections that you administer, with what they hold."""
    collections = await workspace.collections()
    yield CollectionList(collections=collections)
    if not collections:
        present.terminal().print("No collections.")
        return
    listing = present.table("name", "documents", "failed", "chunks", "bytes", "changed", "roles")
    for collection in collections:
        listing.add_row(
            present.plain(collection.name),
            f"{collection.documents:,}",
            f"{collection.documents_by_status.get(DocumentStatus.FAILED, 0):,}",
            f"{collection.chunks:,}",
            f"{collection.bytes:,}",
            "" if collection.changed_at is None else f"{collection.changed_at:%Y-%m-%d %H:%M}",
            present.plain(
                ", ".join(f"{grant.subject}: {grant.role}" for grant in collection.grants)
            ),
        )
    listing.show(present.terminal())


@workspace_command(app, "delete")
async def delete_collection(
    workspace: WorkspaceEngine,
    *,
    collection: Annotated[
        str,
        typer.Argument(parser=of_kind("Name"), metavar="COLLECTION", help="Its name."),
    ],
) -> None:
    """Remove a collection without documents, with the roles that were granted in it."""
    await workspace.delete_collection(collection)
    present.show_done(f"Deleted the collection {collection}.")
