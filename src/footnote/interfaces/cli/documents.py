"""`footnote documents`: list, show, retry, delete."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain import (
    Document,
    DocumentPage,
    DocumentStatus,
    DocumentWithAttachments,
    Erasure,
    Retried,
)
from footnote.errors import InvalidRequest
from footnote.interfaces import schemas
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import (
    EXIT_CODES,
    AsJson,
    Collection,
    DocumentName,
    Workspace,
)
from footnote.interfaces.cli.searching import tell_of_unknown_collections
from footnote.interfaces.cli.server import running_server

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

_WHOLE_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

app = typer.Typer(name="documents", help="See and delete documents.", no_args_is_help=True)


@app.command("list", epilog=EXIT_CODES)
def list_documents(
    *,
    context: typer.Context,
    collection: Collection = None,
    status: Annotated[DocumentStatus | None, typer.Option(help="Only these.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most documents shown.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the page before ended.")] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List documents, newest first."""
    page = None
    if server := running_server(context, workspace):
        given = {"collection": collection, "status": status, "limit": limit, "cursor": cursor}
        page = server.get(DocumentPage, "/v1/documents", given)
    if page is None or (collection and not page.documents):  # there may be no such collection

        async def read(inside: WorkspaceEngine) -> DocumentPage:
            page = await inside.documents(
                collection=collection, status=status, limit=limit, cursor=cursor
            )
            await tell_of_unknown_collections(inside, [collection] if collection else [])
            return page

        page = in_workspace(context, workspace, read)
    if as_json:
        present.print_json(page)
        return
    present.show_documents(present.terminal(), page.documents)
    if page.next_cursor:
        more = f"There are more: footnote documents list --cursor {page.next_cursor}"
        present.notices().print(Text(more, style="dim"), soft_wrap=True)


@app.command("show", epilog=EXIT_CODES)
def show_document(
    *,
    context: typer.Context,
    called: DocumentName,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show a document and its attachments."""
    found = None
    if (server := running_server(context, workspace)) and _WHOLE_ID.fullmatch(called):
        found = server.get(DocumentWithAttachments, f"/v1/documents/{called}")
    if found is None:

        async def read(inside: WorkspaceEngine) -> DocumentWithAttachments:
            document_id = await inside.document_called(called)
            return DocumentWithAttachments(
                document=await inside.document(document_id),
                attachments=await inside.children(document_id),
            )

        found = in_workspace(context, workspace, read)
    if as_json:
        present.print_json(found)
    else:
        present.show_document(present.terminal(), found.document, found.attachments)


@app.command("retry", epilog=EXIT_CODES)
def retry_documents(
    *,
    context: typer.Context,
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DOCUMENT", help="Failed ones, by id, beginning of an id, or file name."
        ),
    ] = None,
    all_failed: Annotated[
        bool, typer.Option("--all-failed", help="Every failed document of the workspace.")
    ] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Queue failed documents once more, for a worker to try again."""
    if bool(documents) == all_failed:
        raise InvalidRequest(
            "It is not clear which documents are meant.",
            hint="Name documents, or give --all-failed.",
        )

    async def retry(inside: WorkspaceEngine) -> tuple[Retried, ...]:
        if all_failed:
            return await inside.retry_failed()
        ids = [await inside.document_called(each) for each in documents or ()]
        return await inside.retry_all(ids)

    retried = in_workspace(context, workspace, retry)
    if as_json:
        present.print_json(schemas.RetryReport(documents=retried))
    else:
        _show_retried(retried)
    if any(each.refusal for each in retried):
        raise typer.Exit(1)


def _show_retried(retried: Sequence[Retried]) -> None:
    if not retried:
        present.terminal().print("No failed documents.")
        return
    listing = present.table("document", "status", "")
    for each in retried:
        document = each.document
        status = present.status_text(document) if document else Text("refused", style="bold red")
        listing.add_row(str(each.document_id), status, present.plain(each.refusal))
    listing.show(present.terminal())


@app.command("delete", epilog=EXIT_CODES)
def delete_document(
    *,
    context: typer.Context,
    called: DocumentName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Look everywhere afterwards, and say what is left.")
    ] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Delete a document, its attachments and everything made from them."""

    async def delete(inside: WorkspaceEngine) -> tuple[Document, Erasure | None]:
        document_id = await inside.document_called(called)
        document = await inside.document(document_id)
        if not yes:
            _confirm(document)
        if verify:
            return document, await inside.erase_document(document_id)
        await inside.delete_document(document_id)
        return document, None

    document, erasure = in_workspace(context, workspace, delete)
    if erasure is not None:
        _show_erasure(document, erasure, as_json=as_json)
        raise typer.Exit(0 if erasure.complete else 1)
    if as_json:
        present.print_json(document)
    else:
        present.terminal().print(Text(f"Deleted {present.plain(document.title)}."))


def _show_erasure(document: Document, erasure: Erasure, *, as_json: bool) -> None:
    if as_json:
        present.print_json(erasure)
        return
    console = present.terminal()
    listing = present.table("place", "#held", "#left", "")
    for check in erasure.checks:
        listing.add_row(check.place, str(check.held), str(check.left), check.kept)
    listing.show(console)
    title = present.plain(document.title)
    console.print(Text(f"Deleted {title}; {_remains(erasure)}."))


def _remains(erasure: Erasure) -> str:
    """What is left of a document."""
    left = [f"{each.left} {each.place}" for each in erasure.checks if each.left and not each.kept]
    kept = [f"{each.left} {each.place}" for each in erasure.checks if each.left and each.kept]
    if left:
        return f"there is still something of it left: {', '.join(left)}"
    return f"nothing of it is left but {', '.join(kept)}" if kept else "nothing of it is left"


def _confirm(document: Document) -> None:
    """Ask whether it is meant. Raises typer.Abort, and InvalidRequest where nobody answers."""
    named = f"{document.title} ({document.filename}, {document.document_id})"
    asked = f"Delete {present.plain(named)} and everything made from it?"
    try:
        sure = typer.confirm(asked, err=True)
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        present.notices().print()
        raise InvalidRequest(
            "Nothing was deleted: there is nobody here to ask.",
            hint="Give --yes where no terminal is, or answer y.",
        ) from None
    if not sure:
        raise typer.Abort
