"""`footnote documents list`, `similar` and `change`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain import (
    Document,
    DocumentClass,
    DocumentPage,
    DocumentSort,
    DocumentStatus,
    MetadataValue,
    SortOrder,
)
from footnote.errors import InvalidRequest
from footnote.filters import condition_from_text
from footnote.interfaces import schemas
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import in_workspace
from footnote.interfaces.cli.options import AsJson, Collection, DocumentName, Workspace
from footnote.interfaces.cli.searching import warn_of_unknown_collections
from footnote.interfaces.cli.server import running_server
from footnote.validation.text import json_fault

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine


TitleWords = Annotated[
    str, typer.Option(help="Only with each of these words in the title or the file name.")
]
Status = Annotated[DocumentStatus | None, typer.Option(help="Only these.")]
ClassOption = Annotated[DocumentClass | None, typer.Option("--class", help="Only of this sort.")]
TagOption = Annotated[str | None, typer.Option(metavar="TAG", help="Only with this tag.")]
DocumentFilter = Annotated[
    str | None, typer.Option("--filter", metavar="JSON", help="Only what meets this filter.")
]


def list_documents(
    *,
    context: typer.Context,
    query: TitleWords = "",
    collection: Collection = None,
    status: Status = None,
    document_class: ClassOption = None,
    tag: TagOption = None,
    where: DocumentFilter = None,
    sort: Annotated[
        DocumentSort, typer.Option(help="By what they are sorted.")
    ] = DocumentSort.CREATED_AT,
    order: Annotated[
        SortOrder | None,
        typer.Option(help="Which way; if not given, times fall and all else rises."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most documents shown.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the page before ended.")] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List documents, newest first or as they are to be sorted."""
    page = None
    if server := running_server(context, workspace):
        params = {
            "query": query or None,
            "collection": collection,
            "status": status,
            "document_class": document_class,
            "tag": tag,
            "where": where,
            "sort": sort,
            "order": order,
            "limit": limit,
            "cursor": cursor,
        }
        page = server.get(DocumentPage, "/v1/documents", params)
    if page is None or (collection and not page.documents):  # there may be no such collection

        async def read(workspace: WorkspaceEngine) -> DocumentPage:
            page = await workspace.documents(
                query=query,
                collection=collection,
                status=status,
                document_class=document_class,
                tag=tag,
                where=None if where is None else condition_from_text(where),
                sort=sort,
                order=order,
                limit=limit,
                cursor=cursor,
            )
            await warn_of_unknown_collections(workspace, [collection] if collection else [])
            return page

        page = in_workspace(context, workspace, read)
    if as_json:
        present.print_json(page)
        return
    present.show_documents(present.terminal(), page.documents)
    if page.next_cursor:
        message = f"There are more: footnote documents list --cursor {page.next_cursor}"
        if sort is not DocumentSort.CREATED_AT:
            message += f" --sort {sort}"
        if order is not None:
            message += f" --order {order}"
        present.notices().print(Text(message, style="dim"), soft_wrap=True)


def similar_documents(
    *,
    context: typer.Context,
    document_name: DocumentName,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most documents shown.")] = 5,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List the documents that are most like one, by what their passages mean."""

    async def read(workspace: WorkspaceEngine) -> schemas.SimilarDocuments:
        document_id = await workspace.document_called(document_name)
        return schemas.SimilarDocuments(
            documents=await workspace.similar_documents(document_id, limit=limit)
        )

    similar = in_workspace(context, workspace, read)
    if as_json:
        present.print_json(similar)
        return
    console = present.terminal()
    if not similar.documents:
        console.print("No document is like it.")
        return
    listing = present.table("id", "document", "collection", "#similarity")
    for match in similar.documents:
        listing.add_row(
            str(match.document.document_id),
            present.plain(match.document.title),
            present.plain(match.document.collection),
            f"{match.similarity:.2f}",
        )
    listing.show(console)


def change_document(
    *,
    context: typer.Context,
    document_name: DocumentName,
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Its tags from now on; may be repeated."),
    ] = None,
    untag: Annotated[bool, typer.Option("--no-tags", help="Without any tag.")] = False,
    metadata: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="Merged with what there is; null removes a member."),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Change the tags and the metadata of a document, from the next search on."""
    if (not tag and not untag and metadata is None) or (tag and untag):
        raise InvalidRequest(
            "It is not clear what is to be changed.",
            hint="Give --tag or --no-tags, or --metadata.",
        )
    changes = None if metadata is None else _parsed(metadata)

    async def change(workspace: WorkspaceEngine) -> Document:
        document_id = await workspace.document_called(document_name)
        return await workspace.change_document(
            document_id, tags=tuple(tag or ()) if tag or untag else None, metadata=changes
        )

    document = in_workspace(context, workspace, change)
    if as_json:
        present.print_json(document)
    else:
        present.show_document(present.terminal(), document, ())


def _parsed(metadata: str) -> Mapping[str, MetadataValue | None]:
    try:
        parsed = json.loads(metadata)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(
            f"--metadata cannot be used: {json_fault(error)}", hint='Write it as {"year": 2025}.'
        ) from error
    if not isinstance(parsed, dict):
        raise InvalidRequest("--metadata is no object.", hint='Write it as {"year": 2025}.')
    return parsed
