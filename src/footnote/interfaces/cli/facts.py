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
from footnote.interfaces.cli.command_runner import Shown, workspace_command
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
DocumentOption = Annotated[
    str | None,
    typer.Option("--document", metavar="DOCUMENT", help="Only of this: an id or a file name."),
]


@workspace_command(app, "list")
async def show_facts(
    workspace: WorkspaceEngine,
    *,
    document: DocumentOption = None,
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
    requested = tuple(statuses or (FactStatus.PROPOSED, FactStatus.CONFIRMED))
    page = await workspace.facts(
        document_id=await _document_id(workspace, document),
        entity_id=None if entity is None else await workspace.entity_called(entity),
        kinds=tuple(kinds or ()),
        statuses=requested,
        limit=limit,
        cursor=cursor,
    )
    yield page
    if not page.facts:
        progress = await workspace.fact_progress()
        present.terminal().print("There are no facts. " + reading_advice(progress, "facts"))
        return
    _show(page.facts)


@workspace_command(app, "recall")
async def recall(
    workspace: WorkspaceEngine,
    *,
    query: Annotated[
        str,
        typer.Argument(
            parser=of_kind("FactQuery"), metavar="QUERY", help="A question, or a topic."
        ),
    ],
    document: DocumentOption = None,
    limit: Limit = 10,
) -> Shown:
    """Find the facts that say most about a query."""
    document_id = await _document_id(workspace, document)
    hits = await workspace.recall_facts(query, document_id=document_id, limit=limit)
    yield RecalledFactList(facts=hits)
    if not hits:
        progress = await workspace.fact_progress()
        present.terminal().print("No facts were found. " + reading_advice(progress, "facts"))
        return
    _show([hit.fact for hit in hits])


@workspace_command(app, "show")
async def show_fact(
    workspace: WorkspaceEngine,
    *,
    fact_id: FactId,
) -> Shown:
    """Show a fact with the words that it was taken from."""
    fact = await workspace.fact(fact_id)
    yield fact
    _print_fact(fact)


@workspace_command(app, "confirm")
async def confirm(
    workspace: WorkspaceEngine,
    *,
    fact_id: FactId,
) -> Shown:
    """Confirm a fact, wherever the same is said."""
    fact = await workspace.decide_fact(fact_id, "confirmed")
    yield fact
    _print_fact(fact)


@workspace_command(app, "reject")
async def reject(
    workspace: WorkspaceEngine,
    *,
    fact_id: FactId,
) -> Shown:
    """Reject a fact: it is neither recalled nor compared any more."""
    fact = await workspace.decide_fact(fact_id, "rejected")
    yield fact
    _print_fact(fact)


@workspace_command(app, "conflicts")
async def show_conflicts(
    workspace: WorkspaceEngine,
    *,
    document: DocumentOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Shown:
    """List what documents say in several ways of one subject and period."""
    document_id = await _document_id(workspace, document)
    page = await workspace.fact_conflicts(document_id=document_id, limit=limit, cursor=cursor)
    yield page
    if not page.conflicts:
        present.terminal().print("No facts disagree.")
        return
    listing = present.table("subject", "says", "document", "fact")
    for conflict in page.conflicts:
        for number, fact in enumerate(conflict.facts):
            listing.add_row(
                "" if number else present.plain(f"{conflict.subject} – {conflict.predicate}"),
                present.plain(fact.object),
                present.plain(fact.sources[0].document_title),
                str(fact.fact_id),
            )
    listing.show(present.terminal())


@workspace_command(app, "changes")
async def show_changes(
    workspace: WorkspaceEngine,
    *,
    document: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="An id, its beginning, or a file name.")
    ],
) -> Shown:
    """Say how the facts of a document differ from those of the version before."""
    changes = await workspace.fact_changes(await workspace.document_called(document))
    yield changes
    if not (changes.changed or changes.added or changes.removed):
        present.terminal().print(
            "No facts of this document are extracted yet."
            if changes.version is None
            else f"No fact differs between version {changes.version} and the version before, "
            "if any."
        )
        return
    listing = present.table("what", "subject", "before", "now")
    for pair in changes.changed:
        listing.add_row(
            "changed",
            _subject_text(pair.after),
            _object_text(pair.before),
            _object_text(pair.after),
        )
    for fact in changes.added:
        listing.add_row("added", _subject_text(fact), "", _object_text(fact))
    for fact in changes.removed:
        listing.add_row("removed", _subject_text(fact), _object_text(fact), "")
    listing.show(present.terminal())


@workspace_command(app, "extract")
async def extract(workspace: WorkspaceEngine) -> Shown:
    """Have a worker extract the facts of all documents that lack them."""
    progress = await workspace.extract_facts()
    yield progress
    show_reading(progress, counted(progress.facts, "fact"), "facts")


@workspace_command(app, "progress")
async def show_progress(workspace: WorkspaceEngine) -> Shown:
    """Say how far the facts of the workspace are extracted."""
    progress = await workspace.fact_progress()
    yield progress
    show_reading(progress, counted(progress.facts, "fact"), "facts")


async def _document_id(workspace: WorkspaceEngine, document: str | None) -> UUID | None:
    return None if document is None else await workspace.document_called(document)


def _show(facts: Sequence[Fact]) -> None:
    listing = present.table("statement", "status", "document", "fact")
    for fact in facts:
        listing.add_row(
            present.plain(fact.statement),
            fact.status.value,
            present.plain(
                ", ".join(dict.fromkeys(source.document_title for source in fact.sources))
            ),
            str(fact.fact_id),
        )
    listing.show(present.terminal())


def _print_fact(fact: Fact) -> None:
    terminal = present.terminal()
    terminal.print(present.plain(fact.statement))
    details = [fact.status.value, fact.kind.value, f"confidence {fact.confidence:.2f}"]
    if fact.value is not None:
        details.append(f"{fact.value} {fact.unit}".strip())
    if fact.valid_from or fact.valid_to:
        details.append(f"{fact.valid_from or '…'} to {fact.valid_to or '…'}")
    terminal.print(present.plain(", ".join(details)))
    for source in fact.sources:
        terminal.print(present.plain(f"“{source.quote}” – {source.document_title}"))


def _subject_text(fact: Fact) -> str:
    return present.plain(f"{fact.subject} – {fact.predicate}")


def _object_text(fact: Fact) -> str:
    return present.plain(fact.object)
