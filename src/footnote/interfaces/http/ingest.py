"""Routes for systems that push documents, and ask what became of them."""

from __future__ import annotations

import base64
import binascii
import time
from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError, model_validator

from footnote.domain.events import PushStatus
from footnote.errors import InvalidRequest
from footnote.interfaces.http import examples, requests
from footnote.interfaces.http.exact import ExactBodyRoute
from footnote.interfaces.http.scope import ALWAYS, TheSettings, TheWorkspace
from footnote.jobs.webhooks import HEADER, is_genuine
from footnote.validation.constrained_types import ExternalId, Metadata, Name, Tags

router = APIRouter(tags=["documents"], route_class=ExactBodyRoute)

Url = Annotated[str, Field(min_length=1, max_length=2000)]
Filename = Annotated[str, Field(min_length=1)]
"""Its last part is kept, without what cannot be shown, as of a file that is uploaded."""


class Push(requests.Request):
    """What is to be taken in: an address, a text, or a small file in Base64."""

    url: Url | None = Field(None, description="Fetched by a worker.")
    text: str | None = None
    content: str | None = Field(None, description="Base64.")
    filename: Filename | None = Field(None, description="Required with `text` and `content`.")
    collection: Name | None = None
    external_id: ExternalId | None = Field(None, description="Without one, the address.")
    metadata: Metadata = Field(default_factory=dict)
    tags: Tags = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        given = [each for each in (self.url, self.text, self.content) if each is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of url, text and content")
        if self.url is None and self.filename is None:
            raise ValueError("text and content need a filename")
        return self


class Uploaded(requests.Request):
    """What another system says of a document that was uploaded there."""

    document_id: ExternalId = Field(description="Its id there; the external id here.")
    url: Url = Field(description="Where its bytes can be fetched.")
    filename: Filename | None = None
    project_id: Name | None = Field(None, description="The collection.")
    file_size: int | None = Field(None, ge=0)
    content_type: str | None = Field(None, description="Not believed; the content tells.")
    upload_date: datetime | None = Field(None, description="Kept in the metadata.")
    metadata: Metadata = Field(default_factory=dict)
    tags: Tags = Field(default_factory=list)


_LOCATION = {"Location": {"description": "Where its status is.", "schema": {"type": "string"}}}
_ACCEPTED: examples.Responses = {
    202: {
        "description": "Accepted",
        "headers": _LOCATION,
    },
    **ALWAYS,
    **examples.problem_responses("bad-request", "content-too-large", "queue-full"),
}


@router.post(
    "/v1/ingest",
    status_code=202,
    summary="Push a document",
    response_model=PushStatus,
    responses=_ACCEPTED,
)
async def push_document(
    *,
    response: Response,
    workspace: TheWorkspace,
    push: Push,
) -> PushStatus:
    """Accept an address or a small content; ask for its status until it rests."""
    if push.url is not None:
        status = await workspace.push_url(
            push.url,
            filename=push.filename,
            collection=push.collection,
            external_id=push.external_id,
            metadata=push.metadata,
            tags=push.tags,
        )
    else:
        status = await workspace.push_content(
            _content(push),
            push.filename or "",
            collection=push.collection,
            external_id=push.external_id,
            metadata=push.metadata,
            tags=push.tags,
        )
    return _accepted(response, status)


@router.get(
    "/v1/ingest/{ingest_id}/status",
    summary="What became of a push?",
    response_model=PushStatus,
    responses={200: {"description": "Its status"}, **ALWAYS},
)
async def get_ingest_status(workspace: TheWorkspace, ingest_id: UUID) -> PushStatus:
    """How far something that was pushed has come, with its document once there is one."""
    return await workspace.push_status(ingest_id)


@router.post(
    "/v1/webhooks/document-uploaded",
    status_code=202,
    summary="Another system says that it has a new document",
    response_model=PushStatus,
    responses={**_ACCEPTED, **examples.problem_responses("unauthorized")},
    openapi_extra={
        "parameters": [
            {
                "name": HEADER,
                "in": "header",
                "required": True,
                "description": "`t=<unix seconds>,v1=<HMAC-SHA256 of seconds, '.' and body>`.",
                "schema": {"type": "string"},
            }
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": Uploaded.model_json_schema(),
                    "example": examples.UPLOADED,
                }
            },
        },
    },
)
async def document_uploaded(
    *, request: Request, response: Response, workspace: TheWorkspace, settings: TheSettings
) -> PushStatus:
    """Fetch a document that another system announces, signed with the secret both share."""
    body = await request.body()
    secret = settings.webhook_secret
    signed = request.headers.get(HEADER, "")
    # Nobody learns which of the two is missing, nor anything that the body might tell.
    if secret is None or not is_genuine(secret.get_secret_value(), body, signed, time.time()):
        raise HTTPException(401, "The request is not signed as it should be.")
    try:
        uploaded = Uploaded.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(
            [{**wrong, "loc": ("body", *wrong["loc"])} for wrong in error.errors()]
        ) from error
    metadata = dict(uploaded.metadata)
    if uploaded.upload_date is not None:
        metadata.setdefault("upload_date", uploaded.upload_date.isoformat())
    status = await workspace.push_url(
        uploaded.url,
        filename=uploaded.filename,
        collection=uploaded.project_id,
        external_id=uploaded.document_id,
        metadata=metadata,
        tags=uploaded.tags,
    )
    return _accepted(response, status)


def _accepted(response: Response, status: PushStatus) -> PushStatus:
    response.headers["Location"] = f"/v1/ingest/{status.ingest_id}/status"
    return status


def _content(push: Push) -> bytes:
    if push.text is not None:
        return push.text.encode("utf-8", "replace")
    try:
        return base64.b64decode(push.content or "", validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidRequest(
            "body.content: it is no Base64", hint="encode the file's bytes"
        ) from error
