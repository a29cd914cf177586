"""`footnote source`: places that a workspace follows by itself, as the operator may name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.sources import NewSource, SourceCheck, WorkspaceSource
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, in_workspace, workspace_command
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace, of_kind
from footnote.interfaces.schemas import SourceList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="source", help="Have workers follow folders and addresses.", no_args_is_help=True
)

SourceId = Annotated[UUID, typer.Argument(metavar="SOURCE", help="The source's id.")]
PlaceName = Annotated[
    str, typer.Argument(metavar="PLACE", help="folder:/…, https://, s3://, gs://, az://, imaps://.")
]


@workspace_command(app, "list")
async def show(workspace: WorkspaceEngine) -> Shown:
    """List the sources, with how their last runs went."""
    listed = SourceList(
        sources=await workspace.workspace_sources(), places=await workspace.source_places()
    )
    yield listed
    if not listed.sources:
        present.terminal().print("No sources: footnote source add PLACE follows one.")
        return
    listing = present.table(
        *("source", "place", "collection", "state", "last run", "next run"),
        *("#new", "#changed", "#removed", "#failed"),
    )
    for source in listed.sources:
        listing.add_row(
            str(source.source_id),
            present.plain(source.place),
            present.plain(source.collection),
            source.state,
            "" if source.started_at is None else f"{source.started_at:%Y-%m-%d %H:%M}",
            "" if source.next_run_at is None else f"{source.next_run_at:%Y-%m-%d %H:%M}",
            *(
                f"{count:,}"
                for count in (source.added, source.changed, source.removed, source.failed)
            ),
        )
    listing.show(present.terminal())
    for source in listed.sources:
        if source.last_error is not None:
            present.terminal().print(f"{source.source_id}: {present.plain(source.last_error)}")


@app.command("check", epilog=EXIT_CODES)
def check(
    *,
    context: typer.Context,
    place: PlaceName,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Look into a place without keeping anything; a mailbox with FOOTNOTE_IMAP_PASSWORD."""

    async def look(workspace: WorkspaceEngine) -> SourceCheck:
        from footnote.jobs.sources.source_setup import check_source

        return await check_source(workspace, NewSource(place=place), anywhere=True)

    check_result = in_workspace(context, workspace, look)
    if as_json:
        present.print_json(check_result)
    elif check_result.found is None:
        present.terminal().print(
            f"It cannot be reached: {present.plain(check_result.reason or '')}"
        )
    else:
        prefix = "more than " if check_result.found.more else ""
        names = ", ".join(map(present.plain, check_result.found.names))
        present.terminal().print(f"{prefix}{check_result.found.entries:,} things: {names}")
    if check_result.found is None:
        raise typer.Exit(1)


@workspace_command(app, "add")
async def add(
    workspace: WorkspaceEngine,
    *,
    place: PlaceName,
    collection: Annotated[
        str,
        typer.Option(
            "--collection",
            parser=of_kind("Name"),
            metavar="NAME",
            help="Where its documents go.",
        ),
    ] = "default",
    every: Annotated[
        int | None,
        typer.Option("--every", metavar="MINUTES", help="Read it again so long after each run."),
    ] = None,
    delete_missing: Annotated[
        bool, typer.Option("--delete-missing", help="Delete documents whose files are gone.")
    ] = False,
) -> Shown:
    """Have workers follow a place; a mailbox with FOOTNOTE_IMAP_PASSWORD of the worker."""
    from footnote.jobs.sources.source_setup import follow_source

    new_source = NewSource(
        place=place, collection=collection, every_minutes=every, delete_missing=delete_missing
    )
    source = await follow_source(workspace, new_source, anywhere=True)
    yield source
    _tell(source)


@workspace_command(app, "run")
async def run(workspace: WorkspaceEngine, *, source_id: SourceId) -> Shown:
    """Have a source read at once, also one that is paused."""
    source = await workspace.follow_source_now(source_id)
    yield source
    _tell(source)


@workspace_command(app, "pause")
async def pause(workspace: WorkspaceEngine, *, source_id: SourceId) -> Shown:
    """Leave a source alone until it is told to run."""
    source = await workspace.pause_source(source_id)
    yield source
    _tell(source)


@workspace_command(app, "remove")
async def remove(workspace: WorkspaceEngine, *, source_id: SourceId) -> None:
    """Follow a source no more; its documents stay."""
    await workspace.remove_source(source_id)
    present.show_done(f"Removed the source {source_id}; its documents stay.")


def _tell(source: WorkspaceSource) -> None:
    present.terminal().print(f"{source.source_id}: {source.state}")
