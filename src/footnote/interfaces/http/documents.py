"""Routes that take files in and tell what became of them."""

from __future__ import annotations

from collections import Counter
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, File, Form, Header, Query, Request, Response, UploadFile
from fastapi.exceptions import RequestValidationError
from pydantic import Field

from footnote.domain import (
    MAX_TAGS,
    Document,
    DocumentPage,
    DocumentStatus,
    DocumentWithAttachments,
    Erasure,
    Received,
)
from footnote.errors import InvalidRequest
from footnote.interfaces.http import examples
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.problems import ContentTooLarge
from footnote.interfaces.http.scope import ALWAYS, TheSettings, TheWorkspace
from footnote.interfaces.schemas import json_of
from footnote.validation.constrained_types import (
    MAX_KEY_CHARACTERS,
    MAX_PAGE,
    ExternalId,
    MetadataText,
    Name,
    Tag,
)

UPLOAD_PATH = "/v1/documents"

router = APIRouter(tags=["documents"], route_class=ExactRoute)

_LOCATION = {
    "Location": {"description": "Where the document is.", "schema": {"type": "string"}},
}


_UPLOAD_FIELDS = frozenset({"file", "collection", "external_id", "metadata", "tags"})


async def refuse_odd_fields(request: Request) -> None:
    """Raise RequestValidationError for fields of the form that mean nothing here, or come twice."""
    given = Counter(name for name, _ in (await request.form()).multi_items())
    wrong = [
        {"type": "extra_forbidden", "loc": ("body", name), "msg": "there is no such field"}
        for name in sorted(given.keys() - _UPLOAD_FIELDS)
    ] + [
        {"type": "assertion_error", "loc": ("body", name), "msg": "send it once, not twice"}
        for name in sorted(_UPLOAD_FIELDS - {"tags"})
        if given[name] > 1
    ]
    if wrong:
        raise RequestValidationError(wrong)


@router.post(
    UPLOAD_PATH,
    status_code=202,
    summary="Hand in a file",
    dependencies=[Depends(refuse_odd_fields)],
    response_model=Received,
    responses={
        202: {"description": "Accepted", "headers": _LOCATION},
        200: {
            "model": Received,
            "description": "The same bytes were there already; this is their document.",
            "headers": _LOCATION,
        },
        **ALWAYS,
        **examples.problem_responses("bad-request", "conflict", "content-too-large", "queue-full"),
    },
    openapi_extra=examples.UPLOAD_FORM,
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
        Form(description="Your name for it: other bytes under it become a new version."),
    ] = None,
    metadata: Annotated[
        MetadataText | None, Form(description="A JSON object of text, numbers and booleans.")
    ] = None,
    tags: Annotated[
        Annotated[list[Tag], Field(max_length=MAX_TAGS)] | None,
        Form(
            description="What you sort it under; repeat the field. A known document keeps its own."
        ),
    ] = None,
    idempotency_key: Annotated[
        str | None,
        Header(
            description="A name of this request, such as a UUID: repeating the request does "
            "nothing and gives the same result.",
            min_length=1,
            max_length=MAX_KEY_CHARACTERS,
        ),
    ] = None,
) -> Received:
    """Accept a file; a worker indexes it. Ask for the document until it rests."""
    if not file.filename:
        raise InvalidRequest("The file has no name.", hint="Send a filename with the file part.")
    if (file.size or 0) > settings.max_file_bytes:
        raise ContentTooLarge("file", settings.max_file_bytes)
    # Starlette wrote the body to an unnamed temporary file as it came, within the limit.
    received = await workspace.receive_stream(
        file.file,
        file.filename,
        collection=collection,
        external_id=external_id,
        metadata=metadata,
        tags=tags or (),
        idempotency_key=idempotency_key,
    )
    if received.duplicate:
        response.status_code = 200
    response.headers["Location"] = f"{UPLOAD_PATH}/{received.document.document_id}"
    return received


@router.get(
    "/v1/documents",
    summary="List documents, newest first",
    response_model=DocumentPage,
    responses={200: {"description": "A page"}, **ALWAYS},
)
async def list_documents(
    *,
    workspace: TheWorkspace,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="Most documents in a page.")] = 50,
    cursor: Annotated[
        str | None, Query(max_length=1000, description="`next_cursor` of the page before.")
    ] = None,
    status: Annotated[DocumentStatus | None, Query(description="Only these.")] = None,
    collection: Annotated[Name | None, Query(description="Only in this collection.")] = None,
) -> DocumentPage:
    """A page of the workspace's documents."""
    return await workspace.documents(
        collection=collection, status=status, limit=limit, cursor=cursor
    )


@router.get(
    "/v1/documents/{document_id}",
    summary="See a document",
    response_model=DocumentWithAttachments,
    responses={200: {"description": "A document"}, **ALWAYS},
)
async def get_document(workspace: TheWorkspace, document_id: UUID) -> DocumentWithAttachments:
    """A document with its status, the reason if it failed, and its attachments."""
    return DocumentWithAttachments(
        document=await workspace.document(document_id),
        attachments=await workspace.children(document_id),
    )


@router.post(
    "/v1/documents/{document_id}/retry",
    status_code=202,
    summary="Try a failed document again",
    response_model=Document,
    responses={
        202: {"description": "Queued"},
        **ALWAYS,
        **examples.problem_responses("conflict"),
    },
)
async def retry_document(workspace: TheWorkspace, document_id: UUID) -> Document:
    """Queue a failed document once more; one that waits or is worked on is left as it is."""
    return await workspace.retry(document_id)


@router.delete(
    "/v1/documents/{document_id}",
    status_code=204,
    summary="Delete a document",
    response_description="It is gone, with its attachments and everything made from it.",
    response_model=None,
    responses={
        200: {
            "description": "Gone, with the proof",
            "model": Erasure,
        },
        **ALWAYS,
    },
)
async def delete_document(
    *,
    workspace: TheWorkspace,
    document_id: UUID,
    verify: Annotated[
        bool, Query(description="Purge what is dead, look everywhere, and say what was found.")
    ] = False,
) -> Response:
    """Delete a document, its attachments and everything that was made from them."""
    if not verify:
        await workspace.delete_document(document_id)
        return Response(status_code=204)
    erasure = await workspace.erase_document(document_id)
    return Response(json_of(erasure), media_type="application/json")
