"""Routes of documents: uploaded, listed, tried again, downloaded, deleted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, BinaryIO
from urllib.parse import quote
from uuid import UUID

from fastapi import File, Form, Header, Query, Response, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import Field

from footnote.domain import (
    MAX_TAGS,
    Document,
    DocumentPage,
    DocumentStatus,
    DocumentWithAttachments,
    Erasure,
    Received,
    Visibility,
)
from footnote.errors import InvalidRequest
from footnote.interfaces.http.problems import content_too_large, problem_responses
from footnote.interfaces.http.routing import ExactForm, workspace_router
from footnote.interfaces.http.scope import LinkedWorkspace, TheSettings, TheWorkspace
from footnote.interfaces.schemas import json_of
from footnote.validation.constrained_types import (
    MAX_KEY_CHARACTERS,
    MAX_PAGE,
    MAX_SHARED,
    ExternalId,
    MetadataText,
    Name,
    Subject,
    Tag,
)

UPLOAD_PATH = "/v1/documents"
_PIECE_BYTES = 256 * 1024

router = workspace_router("documents")

_LOCATION = {
    "Location": {"description": "Where the document is.", "schema": {"type": "string"}},
}


@router.post(
    UPLOAD_PATH,
    status_code=202,
    dependencies=[ExactForm],
    responses={
        202: {"headers": _LOCATION},
        200: {
            "model": Received,
            "description": "The same bytes were there already; this is their document.",
            "headers": _LOCATION,
        },
        **problem_responses("conflict", "queue-full"),
    },
)
async def receive_document(
    *,
    response: Response,
    workspace: TheWorkspace,
    settings: TheSettings,
    file: Annotated[UploadFile, File(description="The file, with its name.")],
    collection: Annotated[Name | None, Form(description="The collection it belongs to.")] = None,
    external_id: Annotated[
        ExternalId | None,
        Form(description="Your id for it: other bytes under it become a new version."),
    ] = None,
    metadata: Annotated[
        MetadataText | None, Form(description="A JSON object of text, numbers and booleans.")
    ] = None,
    tags: Annotated[
        Annotated[list[Tag], Field(max_length=MAX_TAGS)] | None,
        Form(description="Its tags; repeat the field. A known document keeps its own."),
    ] = None,
    visibility: Annotated[
        Visibility | None,
        Form(
            description="Who sees it beside those it is shared with; `workspace` without a list, "
            "`private` with one. A known document keeps its own."
        ),
    ] = None,
    shared_with: Annotated[
        Annotated[list[Subject], Field(max_length=MAX_SHARED)] | None,
        Form(description="A principal, or `group:` and a group's name; repeat the field."),
    ] = None,
    idempotency_key: Annotated[
        str | None,
        Header(
            description="An id of this request, such as a UUID: repeating the request does "
            "nothing and gives the same result.",
            min_length=1,
            max_length=MAX_KEY_CHARACTERS,
        ),
    ] = None,
) -> Received:
    """Upload a file.

    A worker indexes it; ask for the document until its status is `indexed` or `failed`.
    """
    if not file.filename:
        raise InvalidRequest("The file has no name.", hint="Send a filename with the file part.")
    if (file.size or 0) > settings.max_file_bytes:
        raise content_too_large("file", settings.max_file_bytes)
    # Starlette wrote the body to an unnamed temporary file as it came, within the limit.
    received = await workspace.receive_stream(
        file.file,
        file.filename,
        collection=collection,
        external_id=external_id,
        metadata=metadata,
        tags=tags or (),
        visibility=visibility,
        shared_with=shared_with,
        idempotency_key=idempotency_key,
    )
    if received.duplicate:
        response.status_code = 200
    response.headers["Location"] = f"{UPLOAD_PATH}/{received.document.document_id}"
    return received


@router.get("/v1/documents")
async def list_documents(
    *,
    workspace: TheWorkspace,
    limit: Annotated[
        int, Query(ge=1, le=MAX_PAGE, description="The most documents in a page.")
    ] = 50,
    cursor: Annotated[
        str | None, Query(max_length=1000, description="`next_cursor` of the page before.")
    ] = None,
    status: Annotated[DocumentStatus | None, Query(description="Only with this status.")] = None,
    collection: Annotated[Name | None, Query(description="Only in this collection.")] = None,
) -> DocumentPage:
    """List the documents of the workspace, newest first."""
    return await workspace.documents(
        collection=collection, status=status, limit=limit, cursor=cursor
    )


@router.get("/v1/documents/{document_id}")
async def get_document(workspace: TheWorkspace, document_id: UUID) -> DocumentWithAttachments:
    """Show a document with its status, why it failed if it did, and its attachments."""
    return DocumentWithAttachments(
        document=await workspace.document(document_id),
        attachments=await workspace.children(document_id),
    )


@router.get(
    "/v1/documents/{document_id}/content",
    response_class=Response,
    responses={
        200: {
            "description": "The file, byte for byte as it came, with its own media type.",
            "content": {
                "*/*": {
                    "schema": {"type": "string", "format": "binary"},
                    "example": "%PDF-1.7 …",
                }
            },
            "headers": {
                "Content-Disposition": {
                    "description": "`attachment`, with the file's name.",
                    "schema": {"type": "string"},
                }
            },
        }
    },
)
async def get_document_content(workspace: LinkedWorkspace, document_id: UUID) -> Response:
    """Download a document's file.

    It is that of the published version, or of the newest one before any is published.
    """
    file = await workspace.original_file(document_id)
    plain = "".join(
        each if each.isascii() and each.isprintable() and each not in '"\\%' else "_"
        for each in file.filename
    )
    coded = quote(file.filename, safe="")
    return StreamingResponse(
        _pieces(file.content),
        media_type=file.media_type,
        headers={
            "Content-Length": f"{file.byte_size}",
            # A name of any characters (RFC 6266).
            "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{coded}",
            # Never shown in a browser: the file may be a web page that somebody else wrote.
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'",
            "Cache-Control": "private, no-store",
        },
    )


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    """A file, a piece at a time; it is closed at its end."""
    with file:
        while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
            yield piece


@router.post(
    "/v1/documents/{document_id}/retry", status_code=202, responses=problem_responses("conflict")
)
async def retry_document(workspace: TheWorkspace, document_id: UUID) -> Document:
    """Queue a failed document once more; one that waits or is worked on stays as it is."""
    return await workspace.retry(document_id)


@router.delete(
    "/v1/documents/{document_id}",
    status_code=204,
    response_model=None,
    responses={200: {"description": "Deleted, with the proof", "model": Erasure}},
)
async def delete_document(
    *,
    workspace: TheWorkspace,
    document_id: UUID,
    verify: Annotated[
        bool, Query(description="Purge what is dead, look everywhere, and report what was found.")
    ] = False,
) -> Response:
    """Delete a document, its attachments and everything made from them."""
    if not verify:
        await workspace.delete_document(document_id)
        return Response(status_code=204)
    erasure = await workspace.erase_document(document_id)
    return Response(json_of(erasure), media_type="application/json")
