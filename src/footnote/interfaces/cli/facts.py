"""`footnote facts`: what was extracted from documents, where it stands, and what disagrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.facts import (
    Fact,
    FactKind,
    FactStatus,
)
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import Shown, workspace_command
from footnote.interfaces.cli.model_use import reading_advice, show_reading
from footnote.interfaces.cli.options import Cursor, Limit, of_kind
from footnote.interfaces.cli.results import counted
from footnote.interfaces.schemas import RecalledFactList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="facts",
    help="See, recall, confirm and compare facts extracted from documents.",
    no_args_is_help=True,
)

FactId = Annotated[UUID, typer.Argument(metavar="FACT", help="The fact's id.")]
OfDocument = Annotated[
    str | None,
    typer.Option("--document", metavar="DOCUMENT", help="Only of this: an id or a file name."),
]


@workspace_command(app, "list")
async def show_facts(
    inside: WorkspaceEngine,
    *,
    document: OfDocument = None,
    entity: Annotated[
        str | None,
        typer.Option("--entity", metavar="ENTITY", help="Only about this: an id or a name."),
    ] = None,
    kinds: Annotated[
        list[FactKind] | None,
        typer.Option("--kind", help="Only of this kind; may be repeated."),
    ] = None,
    statuses: Annotated[
        list[FactStatus] | None,
        typer.Option(
            "--status", help="Only with this; may be repeated. Else proposed and confirmed."
        ),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Shown:
    """List facts in the order of their documents."""
    wanted = tuple(statuses or (FactStatus.PROPOSED, FactStatus.CONFIRMED))
    found = await inside.facts(
        document_id=await _called(inside, document),
        entity_id=None if entity is None else await inside.entity_called(entity),
        kinds=tuple(kinds or ()),
        statuses=wanted,
        limit=limit,
        cursor=cursor,
    )
    yield found
    if not found.facts:
        progress = await inside.fact_progress()
        present.terminal().print("There are no facts. " + reading_advice(progress, "facts"))
        return
    _show(found.facts)


@workspace_command(app, "recall")
async def recall(
    inside: WorkspaceEngine,
    *,
    query: Annotated[
        str,
        typer.Argument(
            parser=of_kind("FactQuery"), metavar="QUERY", help="A question, or a topic."
        ),
    ],
    document: OfDocument = None,
    limit: Limit = 10,
) -> Shown:
    """Find the facts that say most about a query."""
    document_id = await _called(inside, document)
    found = await inside.recall_facts(query, document_id=document_id, limit=limit)
    yield RecalledFactList(facts=found)
    if not found:
        progress = await inside.fact_progress()
        present.terminal().print("No facts were found. " + reading_advice(progress, "facts"))
        return
    _show([each.fact for each in found])


@workspace_command(app, "show")
async def show_fact(
    inside: WorkspaceEngine,
    *,
    fact_id: FactId,
) -> Shown:
    """Show a fact with the words that it was taken from."""
    found = await inside.fact(fact_id)
    yield found
    _show_one(found)


@workspace_command(app, "confirm")
async def confirm(
    inside: WorkspaceEngine,
    *,
    fact_id: FactId,
) -> Shown:
    """Confirm a fact, wherever the same is said."""
    found = await inside.decide_fact(fact_id, "confirmed")
    yield found
    _show_one(found)


@workspace_command(app, "reject")
async def reject(
    inside: WorkspaceEngine,
    *,
    fact_id: FactId,
) -> Shown:
    """Reject a fact: it is neither recalled nor compared any more."""
    found = await inside.decide_fact(fact_id, "rejected")
    yield found
    _show_one(found)


@workspace_command(app, "conflicts")
async def show_conflicts(
    inside: WorkspaceEngine,
    *,
    document: OfDocument = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Shown:
    """List what documents say in several ways of one subject and period."""
    document_id = await _called(inside, document)
    found = await inside.fact_conflicts(document_id=document_id, limit=limit, cursor=cursor)
    yield found
    if not found.conflicts:
        present.terminal().print("No facts disagree.")
        return
    listing = present.table("subject", "says", "document", "fact")
    for conflict in found.conflicts:
        for number, each in enumerate(conflict.facts):
            listing.add_row(
                "" if number else present.plain(f"{conflict.subject} – {conflict.predicate}"),
                present.plain(each.object),
                present.plain(each.sources[0].document_title),
                str(each.fact_id),
            )
    listing.show(present.terminal())


@workspace_command(app, "changes")
async def show_changes(
    inside: WorkspaceEngine,
    *,
    document: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="An id, its beginning, or a file name.")
    ],
) -> Shown:
    """Say how the facts of a document differ from those of the version before."""
    found = await inside.fact_changes(await inside.document_called(document))
    yield found
    if not (found.changed or found.added or found.removed):
        present.terminal().print(
            "No facts of this document are extracted yet."
            if found.version is None
            else f"No fact differs between version {found.version} and the version before, if any."
        )
        return
    listing = present.table("what", "subject", "before", "now")
    for pair in found.changed:
        listing.add_row("changed", _about(pair.after), _said(pair.before), _said(pair.after))
    for each in found.added:
        listing.add_row("added", _about(each), "", _said(each))
    for each in found.removed:
        listing.add_row("removed", _about(each), _said(each), "")
    listing.show(present.terminal())


@workspace_command(app, "extract")
async def extract(inside: WorkspaceEngine) -> Shown:
    """Have a worker extract the facts of all documents that lack them."""
    found = await inside.extract_facts()
    yield found
    show_reading(found, counted(found.facts, "fact"), "facts")


@workspace_command(app, "progress")
async def show_progress(inside: WorkspaceEngine) -> Shown:
    """Say how far the facts of the workspace are extracted."""
    found = await inside.fact_progress()
    yield found
    show_reading(found, counted(found.facts, "fact"), "facts")


async def _called(inside: WorkspaceEngine, document: str | None) -> UUID | None:
    return None if document is None else await inside.document_called(document)


def _show(facts: Sequence[Fact]) -> None:
    listing = present.table("statement", "status", "document", "fact")
    for each in facts:
        listing.add_row(
            present.plain(each.statement),
            each.status.value,
            present.plain(", ".join(dict.fromkeys(one.document_title for one in each.sources))),
            str(each.fact_id),
        )
    listing.show(present.terminal())


def _show_one(found: Fact) -> None:
    terminal = present.terminal()
    terminal.print(present.plain(found.statement))
    said = [found.status.value, found.kind.value, f"confidence {found.confidence:.2f}"]
    if found.value is not None:
        said.append(f"{found.value} {found.unit}".strip())
    if found.valid_from or found.valid_to:
        said.append(f"{found.valid_from or '…'} to {found.valid_to or '…'}")
    terminal.print(present.plain(", ".join(said)))
    for each in found.sources:
        terminal.print(present.plain(f"“{each.quote}” – {each.document_title}"))


def _about(fact: Fact) -> str:
    return present.plain(f"{fact.subject} – {fact.predicate}")


def _said(fact: Fact) -> str:
    return present.plain(fact.object)
