"""`footnote entities`: what documents name, where they do, and which names are of one entity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.entities import Entity, EntityKind
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
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

EntityName = Annotated[str, typer.Argument(metavar="ENTITY", help="Its id, or its name.")]


@workspace_command(app, "list")
async def show_entities(
    workspace: WorkspaceEngine,
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
    document_id = None if document is None else await workspace.document_called(document)
    page = await workspace.entities(
        query=query,
        kinds=tuple(kinds or ()),
        document_id=document_id,
        limit=limit,
        cursor=cursor,
    )
    yield page
    if not page.entities:
        progress = await workspace.entity_progress()
        present.terminal().print(
            "There are no such entities. " + reading_advice(progress, "entities")
        )
        return
    listing = present.table("name", "kind", "documents", "mentions", "entity")
    for entity in page.entities:
        listing.add_row(
            present.plain(entity.name),
            entity.kind.value,
            f"{entity.documents:,}",
            f"{entity.mentions:,}",
            str(entity.entity_id),
        )
    listing.show(present.terminal())
    if page.next_cursor:
        present.terminal().print(f"More: --cursor {page.next_cursor}")


@workspace_command(app, "show")
async def show_entity(
    workspace: WorkspaceEngine,
    *,
    entity_name: EntityName,
) -> Shown:
    """Show an entity, the documents that name it, and why they are taken to name the same."""
    entity = await workspace.entity(await workspace.entity_called(entity_name))
    yield entity
    _print_entity(entity)


@workspace_command(app, "mentions")
async def show_mentions(
    workspace: WorkspaceEngine,
    *,
    entity_name: EntityName,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Shown:
    """List every place where documents name an entity."""
    entity_id = await workspace.entity_called(entity_name)
    page = await workspace.entity_mentions(entity_id, limit=limit, cursor=cursor)
    yield page
    listing = present.table("document", "place", "words")
    for mention in page.mentions:
        listing.add_row(
            present.plain(mention.document_title),
            f"{mention.char_start}–{mention.char_end}",
            present.plain(f"{mention.before}[{mention.quote}]{mention.after}"),
        )
    listing.show(present.terminal())
    if page.next_cursor:
        present.terminal().print(f"More: --cursor {page.next_cursor}")


@workspace_command(app, "merge")
async def merge(
    workspace: WorkspaceEngine,
    *,
    entity_name: EntityName,
    other: Annotated[
        str, typer.Argument(metavar="OTHER", help="What it takes in: its id, or its name.")
    ],
) -> Shown:
    """Let an entity take in another: all names of both are one, in later documents too."""
    entity_id = await workspace.entity_called(entity_name)
    entity = await workspace.merge_entities(entity_id, await workspace.entity_called(other))
    yield entity
    _print_entity(entity)


@workspace_command(app, "split")
async def split(
    workspace: WorkspaceEngine,
    *,
    entity_name: EntityName,
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
    entity_id = await workspace.entity_called(entity_name)
    document_ids = [await workspace.document_called(name) for name in documents or ()]
    entity = await workspace.split_entity(
        entity_id, names=tuple(names or ()), documents=document_ids
    )
    yield entity
    _print_entity(entity)


@workspace_command(app, "rename")
async def rename(
    workspace: WorkspaceEngine,
    *,
    entity_name: EntityName,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name that it gets.")],
) -> Shown:
    """Give an entity a name."""
    entity = await workspace.rename_entity(await workspace.entity_called(entity_name), name)
    yield entity
    _print_entity(entity)


@workspace_command(app, "decisions")
async def show_decisions(
    workspace: WorkspaceEngine,
    *,
    entity_name: EntityName,
) -> Shown:
    """List what was decided of an entity, latest first."""
    entity_id = await workspace.entity_called(entity_name)
    history = EntityDecisionList(decisions=await workspace.entity_decisions(entity_id))
    yield history
    listing = present.table("act", "name", "by", "when", "undone", "decision")
    for decision in history.decisions:
        listing.add_row(
            decision.act.value,
            present.plain(decision.name),
            present.plain(decision.decided_by),
            decision.decided_at.isoformat(timespec="minutes"),
            "yes" if decision.undone else "",
            str(decision.decision_id),
        )
    listing.show(present.terminal())


@workspace_command(app, "undo")
async def undo(
    workspace: WorkspaceEngine,
    *,
    decision_id: Annotated[UUID, typer.Argument(metavar="DECISION", help="The decision's id.")],
) -> Shown:
    """Have things as they were before a decision."""
    decision = await workspace.undo_entity_decision(decision_id)
    yield decision
    present.terminal().print(f"The {decision.act.value} is undone.")


@workspace_command(app, "extract")
async def extract(workspace: WorkspaceEngine) -> Shown:
    """Have a worker read all documents for entities that were not."""
    progress = await workspace.extract_entities()
    yield progress
    show_reading(progress, counted(progress.mentions, "mention"), "entities")


@workspace_command(app, "progress")
async def show_progress(workspace: WorkspaceEngine) -> Shown:
    """Say how far the documents of the workspace are read for entities."""
    progress = await workspace.entity_progress()
    yield progress
    show_reading(progress, counted(progress.mentions, "mention"), "entities")


def _print_entity(entity: Entity) -> None:
    terminal = present.terminal()
    terminal.print(
        present.plain(
            f"{entity.name} – {entity.kind.value}, {counted(entity.mentions, 'mention')} in "
            f"{counted(entity.documents, 'document')} ({entity.entity_id})"
        )
    )
    for identifier in entity.identifiers:
        terminal.print(present.plain(f"{identifier.kind.value}: {identifier.name}"))
    listing = present.table("document", "written", "mentions", "why")
    for naming in entity.named_in:
        reasons = [reason.value for reason in naming.reasons]
        if naming.linked_by is not None:
            reasons.append(f"{naming.linked_by.value} as elsewhere ({naming.confidence:.2f})")
        listing.add_row(
            present.plain(naming.document_title),
            present.plain(", ".join(naming.forms)),
            f"{naming.mentions:,}",
            ", ".join(reasons),
        )
    listing.show(terminal)
