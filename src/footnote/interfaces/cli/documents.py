"""`footnote documents`: show, retry, delete; lists of them stand in `document_lists.py`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain import (
    Document,
    DocumentWithAttachments,
    Erasure,
    Retried,
)
from footnote.errors import InvalidRequest
from footnote.interfaces import schemas
from footnote.interfaces.cli import document_lists, document_map, present
from footnote.interfaces.cli.command_runner import in_workspace, require_yes
from footnote.interfaces.cli.options import (
    EXIT_CODES,
    AsJson,
    Collection,
    DocumentName,
    Workspace,
)
from footnote.interfaces.cli.results import counted
from footnote.interfaces.cli.server import running_server

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

_WHOLE_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

app = typer.Typer(name="documents", help="See and delete documents.", no_args_is_help=True)
app.command("list", epilog=EXIT_CODES)(document_lists.list_documents)
app.command("similar", epilog=EXIT_CODES)(document_lists.similar_documents)
app.command("map", epilog=EXIT_CODES)(document_map.map_documents)
app.command("change", epilog=EXIT_CODES)(document_lists.change_document)


@app.command("show", epilog=EXIT_CODES)
def show_document(
    *,
    context: typer.Context,
    document_name: DocumentName,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show a document and its attachments."""
    record = None
    if (server := running_server(context, workspace)) and _WHOLE_ID.fullmatch(document_name):
        record = server.get(DocumentWithAttachments, f"/v1/documents/{document_name}")
    if record is None:

        async def read(workspace: WorkspaceEngine) -> DocumentWithAttachments:
            document_id = await workspace.document_called(document_name)
            return DocumentWithAttachments(
                document=await workspace.document(document_id),
                attachments=await workspace.children(document_id),
            )

        record = in_workspace(context, workspace, read)
    if as_json:
        present.print_json(record)
    else:
        present.show_document(present.terminal(), record.document, record.attachments)


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

    async def retry(workspace: WorkspaceEngine) -> tuple[Retried, ...]:
        if all_failed:
            return await workspace.retry_failed()
        ids = [await workspace.document_called(name) for name in documents or ()]
        return await workspace.retry_all(ids)

    retried = in_workspace(context, workspace, retry)
    if as_json:
        present.print_json(schemas.RetryReport(documents=retried))
    else:
        _show_retried(retried)
    if any(outcome.refusal for outcome in retried):
        raise typer.Exit(1)


def _show_retried(retried: Sequence[Retried]) -> None:
    if not retried:
        present.terminal().print("No failed documents.")
        return
    listing = present.table("document", "status", "")
    for outcome in retried:
        document = outcome.document
        status = present.status_text(document) if document else Text("refused", style="bold red")
        listing.add_row(str(outcome.document_id), status, present.plain(outcome.refusal))
    listing.show(present.terminal())


@app.command("delete", epilog=EXIT_CODES)
def delete_document(
    *,
    context: typer.Context,
    document_name: DocumentName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Erase it, as `documents erase` does.")
    ] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Delete a document, its attachments and everything made from them."""

    async def delete(workspace: WorkspaceEngine) -> tuple[Document, Erasure | None]:
        document_id = await workspace.document_called(document_name)
        document = await workspace.document(document_id)
        if not yes:
            require_yes(_question(document, " and everything made from it"), done="deleted")
        if verify:
            return document, await workspace.erase_document(document_id)
        await workspace.delete_document(document_id)
        return document, None

    document, erasure = in_workspace(context, workspace, delete)
    if erasure is not None:
        _show_erasure(erasure, as_json=as_json)
        raise typer.Exit(0 if erasure.complete else 1)
    if as_json:
        present.print_json(document)
    else:
        present.terminal().print(Text(f"Deleted {_description(document)}."))


@app.command("erase", epilog=EXIT_CODES)
def erase(
    *,
    context: typer.Context,
    document_name: Annotated[
        str | None,
        typer.Argument(
            metavar="[DOCUMENT]", help="Its id, the beginning of its id, or its file name."
        ),
    ] = None,
    collection: Collection = None,
    principal: Annotated[
        str | None,
        typer.Option(
            "--principal",
            metavar="ID",
            help="The documents this one handed in, its conversations, and what it asked.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Delete for good, with all that quotes it, and print a certificate of what is left where.

    Keep the certificate (--json): `footnote erasure verify` holds it against the audit log.
    """
    if sum(target is not None for target in (document_name, collection, principal)) != 1:
        raise InvalidRequest(
            "It is not clear what is meant.",
            hint="Name a document, or give --collection or --principal.",
        )

    async def erase_target(workspace: WorkspaceEngine) -> Erasure:
        if document_name is not None:
            document_id = await workspace.document_called(document_name)
            if not yes:
                document = await workspace.document(document_id)
                require_yes(
                    _question(document, ", everything made from it, and what quotes it"),
                    done="erased",
                )
            return await workspace.erase_document(document_id)
        scope = (
            f"all documents of the collection {collection}"
            if collection is not None
            else f"all that {principal} handed in, asked and was answered"
        )
        if not yes:
            require_yes(f"Erase {present.plain(scope)}, and what quotes it?", done="erased")
        if collection is not None:
            return await workspace.erase_collection(collection)
        return await workspace.erase_principal(principal or "")

    erasure = in_workspace(context, workspace, erase_target)
    _show_erasure(erasure, as_json=as_json)
    raise typer.Exit(0 if erasure.complete else 1)


def _question(document: Document, besides: str) -> str:
    return f"Delete {_description(document)}{besides}?"


def _description(document: Document) -> str:
    text = f"{document.title} ({document.filename}, {document.document_id})"
    return present.plain(text)


def _show_erasure(erasure: Erasure, *, as_json: bool) -> None:
    if as_json:
        present.print_json(erasure)
        return
    console = present.terminal()
    listing = present.table("place", "#held", "#left", "")
    for check in erasure.checks:
        if check.held or check.left:
            listing.add_row(check.place, f"{check.held:,}", f"{check.left:,}", check.kept)
    listing.show(console)
    empty = sum(not check.held and not check.left for check in erasure.checks)
    name = present.plain(erasure.name)
    documents = counted(len(erasure.document_ids), "document")
    message = (
        f"Erased the {erasure.target} {name} with {documents} for "
        f"{present.plain(erasure.erased_by)} on {erasure.erased_at:%Y-%m-%d %H:%M:%S} UTC; "
        f"{_remainder(erasure)}. {empty} other places had nothing of it."
    )
    console.print(Text(message), soft_wrap=True)
    console.print("Not reached:")
    for unreached in erasure.not_reached:
        console.print(Text(f"- {unreached}"), soft_wrap=True)
    seal = f"Certificate {erasure.certificate_id}, SHA-256 {erasure.sha256}"
    console.print(Text(seal), soft_wrap=True)


def _remainder(erasure: Erasure) -> str:
    """What is left of it."""
    left = [
        f"{check.left} {check.place}" for check in erasure.checks if check.left and not check.kept
    ]
    retained = [
        f"{check.left} {check.place}" for check in erasure.checks if check.left and check.kept
    ]
    if left:
        return f"there is still something of it left: {', '.join(left)}"
    return (
        f"nothing of it is left but {', '.join(retained)}" if retained else "nothing of it is left"
    )
