"""`footnote entities`: what documents name, where they do, and which names are of one entity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.entities import Entity, EntityKind, EntityPage, MentionPage
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.model_use import reading_advice, show_reading
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Cursor, Limit, Workspace
from footnote.interfaces.cli.results import counted
from footnote.interfaces.schemas import EntityDecisionList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="entities",
    help="See, merge, split and rename what documents name.",
    no_args_is_help=True,
)

Called = Annotated[str, typer.Argument(metavar="ENTITY", help="Its id, or its name.")]


@app.command("list", epilog=EXIT_CODES)
def show_entities(
    *,
    context: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="[WORDS]", help="Words that are all in one of its names.")
    ] = "",
    kinds: Annotated[
        list[EntityKind] | None, typer.Option("--kind", help="Only of this; may be repeated.")
    ] = None,
    document: Annotated[
        str | None,
        typer.Option(
            "--document", metavar="DOCUMENT", help="Only what this names: an id or a file name."
        ),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List entities, those that most documents name first."""

    async def listed(inside: WorkspaceEngine) -> EntityPage:
        document_id = None if document is None else await inside.document_called(document)
        return await inside.entities(
            query=query,
            kinds=tuple(kinds or ()),
            document_id=document_id,
            limit=limit,
            cursor=cursor,
        )

    found = in_workspace(context, workspace, listed)
    if as_json:
        present.print_json(found)
        return
    if not found.entities:
        progress = in_workspace(context, workspace, lambda inside: inside.entity_progress())
        present.terminal().print(
            "There are no such entities. " + reading_advice(progress, "entities")
        )
        return
    listing = present.table("name", "kind", "documents", "mentions", "entity")
    for each in found.entities:
        listing.add_row(
            present.plain(each.name),
            each.kind.value,
            f"{each.documents:,}",
            f"{each.mentions:,}",
            str(each.entity_id),
        )
    listing.show(present.terminal())
    if found.next_cursor:
        present.terminal().print(f"More: --cursor {found.next_cursor}")


@app.command("show", epilog=EXIT_CODES)
def show_entity(
    *, context: typer.Context, called: Called, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Show an entity, the documents that name it, and why they are taken to name the same."""

    async def read(inside: WorkspaceEngine) -> Entity:
        return await inside.entity(await inside.entity_called(called))

    found = in_workspace(context, workspace, read)
    present.print_json(found) if as_json else _show_one(found)


@app.command("mentions", epilog=EXIT_CODES)
def show_mentions(
    *,
    context: typer.Context,
    called: Called,
    limit: Limit = 50,
    cursor: Cursor = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List every place where documents name an entity."""

    async def read(inside: WorkspaceEngine) -> MentionPage:
        entity_id = await inside.entity_called(called)
        return await inside.entity_mentions(entity_id, limit=limit, cursor=cursor)

    found = in_workspace(context, workspace, read)
    if as_json:
        present.print_json(found)
        return
    listing = present.table("document", "place", "words")
    for each in found.mentions:
        listing.add_row(
            present.plain(each.document_title),
            f"{each.char_start}–{each.char_end}",
            present.plain(f"{each.before}[{each.quote}]{each.after}"),
        )
    listing.show(present.terminal())
    if found.next_cursor:
        present.terminal().print(f"More: --cursor {found.next_cursor}")


@app.command("merge", epilog=EXIT_CODES)
def merge(
    *,
    context: typer.Context,
    called: Called,
    other: Annotated[
        str, typer.Argument(metavar="OTHER", help="What it takes in: its id, or its name.")
    ],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Let an entity take in another: all names of both are one, in later documents too."""

    async def merged(inside: WorkspaceEngine) -> Entity:
        entity_id = await inside.entity_called(called)
        return await inside.merge_entities(entity_id, await inside.entity_called(other))

    found = in_workspace(context, workspace, merged)
    present.print_json(found) if as_json else _show_one(found)


@app.command("split", epilog=EXIT_CODES)
def split(
    *,
    context: typer.Context,
    called: Called,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="That is another one; may be repeated."),
    ] = None,
    documents: Annotated[
        list[str] | None,
        typer.Option(
            "--document", metavar="DOCUMENT", help="In which it is another one; may be repeated."
        ),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Make an entity of its own of some names, or of what some documents call so."""

    async def made(inside: WorkspaceEngine) -> Entity:
        entity_id = await inside.entity_called(called)
        chosen = [await inside.document_called(each) for each in documents or ()]
        return await inside.split_entity(entity_id, names=tuple(names or ()), documents=chosen)

    found = in_workspace(context, workspace, made)
    present.print_json(found) if as_json else _show_one(found)


@app.command("rename", epilog=EXIT_CODES)
def rename(
    *,
    context: typer.Context,
    called: Called,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name that it gets.")],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Give an entity a name."""

    async def renamed(inside: WorkspaceEngine) -> Entity:
        return await inside.rename_entity(await inside.entity_called(called), name)

    found = in_workspace(context, workspace, renamed)
    present.print_json(found) if as_json else _show_one(found)


@app.command("decisions", epilog=EXIT_CODES)
def show_decisions(
    *, context: typer.Context, called: Called, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List what was decided of an entity, latest first."""

    async def read(inside: WorkspaceEngine) -> EntityDecisionList:
        entity_id = await inside.entity_called(called)
        return EntityDecisionList(decisions=await inside.entity_decisions(entity_id))

    found = in_workspace(context, workspace, read)
    if as_json:
        present.print_json(found)
        return
    listing = present.table("act", "name", "by", "when", "undone", "decision")
    for each in found.decisions:
        listing.add_row(
            each.act.value,
            present.plain(each.name),
            present.plain(each.decided_by),
            each.decided_at.isoformat(timespec="minutes"),
            "yes" if each.undone else "",
            str(each.decision_id),
        )
    listing.show(present.terminal())


@app.command("undo", epilog=EXIT_CODES)
def undo(
    *,
    context: typer.Context,
    decision_id: Annotated[UUID, typer.Argument(metavar="DECISION", help="The decision's id.")],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Have things as they were before a decision."""
    found = in_workspace(
        context, workspace, lambda inside: inside.undo_entity_decision(decision_id)
    )
    if as_json:
        present.print_json(found)
        return
    present.terminal().print(f"The {found.act.value} is undone.")


@app.command("extract", epilog=EXIT_CODES)
def extract(
    *, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Have a worker read all documents for entities that were not."""
    found = in_workspace(context, workspace, lambda inside: inside.extract_entities())
    present.print_json(found) if as_json else show_reading(
        found, counted(found.mentions, "mention"), "entities"
    )


@app.command("progress", epilog=EXIT_CODES)
def show_progress(
    *, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Say how far the documents of the workspace are read for entities."""
    found = in_workspace(context, workspace, lambda inside: inside.entity_progress())
    present.print_json(found) if as_json else show_reading(
        found, counted(found.mentions, "mention"), "entities"
    )


def _show_one(found: Entity) -> None:
    terminal = present.terminal()
    terminal.print(
        present.plain(
            f"{found.name} – {found.kind.value}, {counted(found.mentions, 'mention')} in "
            f"{counted(found.documents, 'document')} ({found.entity_id})"
        )
    )
    for each in found.identifiers:
        terminal.print(present.plain(f"{each.kind.value}: {each.name}"))
    listing = present.table("document", "written", "mentions", "why")
    for one in found.named_in:
        why = [each.value for each in one.reasons]
        if one.linked_by is not None:
            why.append(f"{one.linked_by.value} as elsewhere ({one.confidence:.2f})")
        listing.add_row(
            present.plain(one.document_title),
            present.plain(", ".join(one.forms)),
            f"{one.mentions:,}",
            ", ".join(why),
        )
    listing.show(terminal)
