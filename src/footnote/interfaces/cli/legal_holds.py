"""`footnote hold`: what may not be deleted until an administrator lets it go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.retention import LegalHold
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
from footnote.interfaces.cli.options import Collection
from footnote.interfaces.schemas import LegalHoldList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="hold",
    help="Keep documents and conversations from being deleted.",
    no_args_is_help=True,
)

Reason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept with the hold.")
]


@workspace_command(app, "list")
async def show(
    workspace: WorkspaceEngine,
    *,
    lifted: Annotated[bool, typer.Option("--lifted", help="Also those that were lifted.")] = False,
) -> Shown:
    """List the legal holds in force, oldest first."""
    holds = await workspace.legal_holds(lifted=lifted)
    yield LegalHoldList(legal_holds=holds)
    if holds:
        _show(holds)
    else:
        present.terminal().print("No legal holds.")


@workspace_command(app, "set")
async def set_hold(
    workspace: WorkspaceEngine,
    *,
    reason: Reason,
    document: Annotated[
        str | None,
        typer.Option("--document", metavar="DOCUMENT", help="This document, and its attachments."),
    ] = None,
    collection: Collection = None,
    principal: Annotated[
        str | None,
        typer.Option(
            "--principal",
            metavar="ID",
            help="What this one asked and was answered, and the documents it handed in.",
        ),
    ] = None,
) -> Shown:
    """Keep a document, a collection, or all of a principal from being deleted by anything."""
    hold = await workspace.set_legal_hold(
        reason,
        document_id=None if document is None else await workspace.document_called(document),
        collection=collection,
        principal_id=principal,
    )
    yield hold
    _tell(hold)


@workspace_command(app, "lift")
async def lift(
    workspace: WorkspaceEngine,
    *,
    hold_id: Annotated[UUID, typer.Argument(metavar="HOLD", help="Its id.")],
    reason: Reason,
) -> Shown:
    """Let what was held be deleted again."""
    hold = await workspace.lift_legal_hold(hold_id, reason)
    yield hold
    _tell(hold)


def _tell(hold: LegalHold) -> None:
    _show([hold])


def _show(holds: Sequence[LegalHold]) -> None:
    listing = present.table("hold", "on", "reason", "set by", "since", "lifted")
    for hold in holds:
        target = (
            f"document {hold.document_id}"
            if hold.document_id
            else f"collection {hold.collection}"
            if hold.collection
            else f"principal {hold.principal_id}"
        )
        listing.add_row(
            str(hold.hold_id),
            present.plain(target),
            present.plain(hold.reason),
            present.plain(hold.set_by),
            f"{hold.set_at:%Y-%m-%d %H:%M}",
            f"{hold.lifted_at:%Y-%m-%d}: {present.plain(hold.lift_reason or '')}"
            if hold.lifted_at
            else "",
        )
    listing.show(present.terminal())
