"""`footnote entities`: what documents name, where they do, and which names are of one entity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.entities import Entity, EntityKind
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import Shown, workspace_command
from footnote.interfaces.cli.model_use import reading_advice, show_reading
from footnote.interfaces.cli.options import Cursor, Limit
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


@workspace_command(app, "list")
async def show_entities(
    inside: WorkspaceEngine,
    *,
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
) -> Shown:
    """List entities, those that most documents name first."""
    document_id = None if document is None else await inside.document_called(document)
    found = await inside.entities(
        query=query,
        kinds=tuple(kinds or ()),
        document_id=document_id,
        limit=limit,
        cursor=cursor,
    )
    yield found
    if not found.entities:
        progress = await inside.entity_progress()
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


@workspace_command(app, "show")
async def show_entity(
    inside: WorkspaceEngine,
    *,
    called: Called,
) -> Shown:
    """Show an entity, the documents that name it, and why they are taken to name the same."""
    found = await inside.entity(await inside.entity_called(called))
    yield found
    _show_one(found)


@workspace_command(app, "mentions")
async def show_mentions(
    inside: WorkspaceEngine,
    *,
    called: Called,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Shown:
    """List every place where documents name an entity."""
    entity_id = await inside.entity_called(called)
    found = await inside.entity_mentions(entity_id, limit=limit, cursor=cursor)
    yield found
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


@workspace_command(app, "merge")
async def merge(
    inside: WorkspaceEngine,
    *,
    called: Called,
    other: Annotated[
        str, typer.Argument(metavar="OTHER", help="What it takes in: its id, or its name.")
    ],
) -> Shown:
    """Let an entity take in another: all names of both are one, in later documents too."""
    entity_id = await inside.entity_called(called)
    found = await inside.merge_entities(entity_id, await inside.entity_called(other))
    yield found
    _show_one(found)


@workspace_command(app, "split")
async def split(
    inside: WorkspaceEngine,
    *,
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
) -> Shown:
    """Make an entity of its own of some names, or of what some documents call so."""
    entity_id = await inside.entity_called(called)
    chosen = [await inside.document_called(each) for each in documents or ()]
    found = await inside.split_entity(entity_id, names=tuple(names or ()), documents=chosen)
    yield found
    _show_one(found)


@workspace_command(app, "rename")
async def rename(
    inside: WorkspaceEngine,
    *,
    called: Called,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name that it gets.")],
) -> Shown:
    """Give an entity a name."""
    found = await inside.rename_entity(await inside.entity_called(called), name)
    yield found
    _show_one(found)


@workspace_command(app, "decisions")
async def show_decisions(
    inside: WorkspaceEngine,
    *,
    called: Called,
) -> Shown:
    """List what was decided of an entity, latest first."""
    entity_id = await inside.entity_called(called)
    found = EntityDecisionList(decisions=await inside.entity_decisions(entity_id))
    yield found
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


@workspace_command(app, "undo")
async def undo(
    inside: WorkspaceEngine,
    *,
    decision_id: Annotated[UUID, typer.Argument(metavar="DECISION", help="The decision's id.")],
) -> Shown:
    """Have things as they were before a decision."""
    found = await inside.undo_entity_decision(decision_id)
    yield found
    present.terminal().print(f"The {found.act.value} is undone.")


@workspace_command(app, "extract")
async def extract(inside: WorkspaceEngine) -> Shown:
    """Have a worker read all documents for entities that were not."""
    found = await inside.extract_entities()
    yield found
    show_reading(found, counted(found.mentions, "mention"), "entities")


@workspace_command(app, "progress")
async def show_progress(inside: WorkspaceEngine) -> Shown:
    """Say how far the documents of the workspace are read for entities."""
    found = await inside.entity_progress()
    yield found
    show_reading(found, counted(found.mentions, "mention"), "entities")


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
