"""Routes of documents: uploaded, shown, changed, tried again, downloaded, deleted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, BinaryIO
from urllib.parse import quote
from uuid import UUID

from fastapi import File, Form, Header, Query, Response, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import Field
from starlette.types import Receive, Scope, Send

from footnote.domain import (
    MAX_TAGS,
    Document,
    DocumentWithAttachments,
    Erasure,
    Received,
    Visibility,
)
from footnote.errors import InvalidRequest
from footnote.interfaces.http.problems import (
    ProblemResponse,
    content_too_large,
    problem,
    problem_responses,
)
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import ExactForm, workspace_router
from footnote.interfaces.http.scope import LinkedWorkspace, TheWorkspace
from footnote.interfaces.schemas import json_of
from footnote.validation.constrained_types import (
    MAX_CHANGES,
    MAX_KEY_CHARACTERS,
    MAX_SHARED,
    ExternalId,
    MetadataText,
    MetadataValue,
    Name,
    Subject,
    Tag,
    Tags,
)

UPLOAD_PATH = "/v1/documents"
_PIECE_BYTES = 256 * 1024
_ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.IGNORECASE)
"""As in RFC 9110, 14."""

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
        **problem_responses("budget-exceeded", "conflict", "queue-full"),
    },
)
async def receive_document(
    *,
    response: Response,
    workspace: TheWorkspace,
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
    max_bytes = workspace.engine.settings.limits.bytes
    if (file.size or 0) > max_bytes:
        raise content_too_large("file", max_bytes)
    # Starlette wrote the body to an unnamed temporary file as it came, within the limit.
    received = await workspace.receive_stream(
        file.file,
        _unescaped(file.filename),
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


_ESCAPED = re.compile("%(22|0D|0A)")
"""What forms write for a quotation mark and the two characters of a line break, and for no other
(WHATWG HTML, multipart/form-data encoding algorithm)."""


def _unescaped(filename: str) -> str:
    """A file's name as it was before a form escaped it."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), filename)


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
        206: {
            "description": "The part of the file that `Range` asks for.",
            "content": {
                "*/*": {
                    "schema": {"type": "string", "format": "binary"},
                    "example": "the bytes that are asked for",
                }
            },
            "headers": {
                "Content-Range": {
                    "description": "Which bytes of how many these are.",
                    "schema": {"type": "string"},
                }
            },
        },
        **problem_responses("range-not-satisfiable"),
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
        },
    },
)
async def get_document_content(
    workspace: LinkedWorkspace,
    document_id: UUID,
    range_header: Annotated[
        str | None,
        Header(alias="Range", description="One range of bytes, as `bytes=0-1023`."),
    ] = None,
) -> Response:
    """Download a document's file, or a part of it.

    It is that of the published version, or of the newest one before any is published.
    """
    file = await workspace.original_file(document_id)
    part = _requested_range(range_header, file.byte_size)
    if part is not None and not part:
        file.content.close()
        return _not_satisfiable(file.byte_size)
    sent_range = range(file.byte_size) if part is None else part
    plain = "".join(
        character
        if character.isascii() and character.isprintable() and character not in '"\\%'
        else "_"
        for character in file.filename
    )
    encoded = quote(file.filename, safe="")
    content_range = (
        {}
        if part is None
        else {"Content-Range": f"bytes {part.start}-{part.stop - 1}/{file.byte_size}"}
    )
    return _FilePart(
        file.content,
        sent_range,
        status_code=200 if part is None else 206,
        media_type=file.media_type,
        headers={
            **content_range,
            "Accept-Ranges": "bytes",
            "Content-Length": f"{len(sent_range)}",
            # A name of any characters (RFC 6266).
            "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}",
            # Never shown in a browser: the file may be a web page that somebody else wrote.
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'",
            "Cache-Control": "private, no-store",
        },
    )


class _FilePart(StreamingResponse):
    """A part of a file, which is closed once it was sent or its client has left."""

    def __init__(
        self,
        file: BinaryIO,
        part: range,
        *,
        status_code: int,
        media_type: str,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(
            _pieces(file, part), status_code=status_code, media_type=media_type, headers=headers
        )
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        with self._file:
            await super().__call__(scope, receive, send)


async def _pieces(file: BinaryIO, part: range) -> AsyncIterator[bytes]:
    """A part of a file, a piece at a time."""
    file.seek(part.start)
    remaining = len(part)
    while piece := await asyncio.to_thread(file.read, min(remaining, _PIECE_BYTES)):
        remaining -= len(piece)
        yield piece


@router.post(
    "/v1/documents/{document_id}/retry", status_code=202, responses=problem_responses("conflict")
)
async def retry_document(workspace: TheWorkspace, document_id: UUID) -> Document:
    """Queue a failed document once more; one that waits or is worked on stays as it is."""
    return await workspace.retry(document_id)


class DocumentChanges(Request):
    """What is to be changed of a document; what is not named stays."""

    tags: Tags | None = Field(
        None,
        max_length=MAX_TAGS,
        description="Its tags from now on, and those of its attachments.",
    )
    metadata: dict[Name, MetadataValue | None] | None = Field(
        None,
        max_length=MAX_CHANGES,
        description="Merged with what there is; a member that is null is removed.",
        examples=[{"year": 2025, "draft": None}],
    )


@router.patch("/v1/documents/{document_id}")
async def change_document(
    workspace: TheWorkspace, document_id: UUID, changes: DocumentChanges
) -> Document:
    """Change the tags and the metadata of a document, from the next search on."""
    return await workspace.change_document(
        document_id, tags=changes.tags, metadata=changes.metadata
    )


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


def _requested_range(header: str | None, byte_size: int) -> range | None:
    """The bytes that `Range` asks for, of a file of that size; None for the whole of it.

    Several ranges, and what is no range of bytes, may be passed over. An empty range means that
    none of the bytes asked for is there.
    """
    match = _ONE_RANGE.fullmatch(header.strip()) if header else None
    if match is None:
        return None
    first, last = match.groups()
    if not first:
        return range(byte_size - min(int(last), byte_size), byte_size) if last else None
    if last and int(last) < int(first):
        return None
    end = min(int(last) + 1, byte_size) if last else byte_size
    return range(min(int(first), end), end)


def _not_satisfiable(byte_size: int) -> ProblemResponse:
    """The answer to a range that a file of that size does not have."""
    return problem(
        416,
        f"The file has {byte_size:,} bytes, and none of those that are asked for.",
        code="range-not-satisfiable",
        hint="Ask for a range within the file, or for all of it.",
        headers={"Content-Range": f"bytes */{byte_size}"},
    )
