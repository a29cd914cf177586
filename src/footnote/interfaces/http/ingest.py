"""Routes for systems that push documents, and ask for their status."""

from __future__ import annotations

import base64
import binascii
import time
from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from fastapi import Depends, Request, Response
from pydantic import Field, model_validator

from footnote.domain import Visibility
from footnote.domain.events import PushStatus
from footnote.errors import InvalidRequest
from footnote.interfaces.http import requests
from footnote.interfaces.http.problems import Refused, Responses, problem_responses
from footnote.interfaces.http.routing import ExactBodyRoute, workspace_router
from footnote.interfaces.http.scope import TheSettings, TheWorkspace
from footnote.jobs.webhooks import HEADER, is_genuine
from footnote.validation.constrained_types import (
    MAX_SHARED,
    ExternalId,
    Metadata,
    Name,
    Subject,
    Tags,
)

router = workspace_router("documents", ExactBodyRoute)

Url = Annotated[str, Field(min_length=1, max_length=2000)]
Filename = Annotated[str, Field(min_length=1)]
"""Its last part is kept, without what cannot be shown, as of a file that is uploaded."""


class _Labels(requests.Request):
    metadata: Metadata = Field(default_factory=dict)
    tags: Tags = Field(default_factory=list)
    visibility: Visibility | None = Field(
        None,
        description="Who sees it beside those it is shared with; `workspace` without a list, "
        "`private` with one. A known document keeps its own.",
    )
    shared_with: tuple[Subject, ...] | None = Field(
        None, max_length=MAX_SHARED, description="Principals, and `group:` and a group's name."
    )


class Push(_Labels):
    """What to ingest: an address, a text, or a small file in Base64."""

    url: Url | None = Field(None, description="Fetched by a worker.")
    text: str | None = None
    content: str | None = Field(None, description="Base64.")
    filename: Filename | None = Field(None, description="Required with `text` and `content`.")
    collection: Name | None = None
    external_id: ExternalId | None = Field(None, description="The address by default.")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        sources = [source for source in (self.url, self.text, self.content) if source is not None]
        if len(sources) != 1:
            raise ValueError("give exactly one of url, text and content")
        if self.url is None and self.filename is None:
            raise ValueError("text and content need a filename")
        return self

    def decoded(self) -> bytes:
        """The bytes of `text` or `content`. Raises InvalidRequest."""
        if self.text is not None:
            return self.text.encode("utf-8", "replace")
        try:
            return base64.b64decode(self.content or "", validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidRequest(
                "body.content: it is not Base64", hint="encode the file in Base64"
            ) from error


class Uploaded(_Labels):
    """A document that was uploaded to another system."""

    document_id: ExternalId = Field(description="Its id there; the external id here.")
    url: Url = Field(description="Where its bytes can be fetched.")
    filename: Filename | None = None
    project_id: Name | None = Field(None, description="The collection.")
    file_size: int | None = Field(None, ge=0)
    content_type: str | None = Field(None, description="Ignored; the content decides.")
    upload_date: datetime | None = Field(None, description="Kept in the metadata.")


_ACCEPTED: Responses = {
    202: {
        "headers": {
            "Location": {"description": "Where its status is.", "schema": {"type": "string"}}
        }
    },
    **problem_responses("budget-exceeded", "conflict", "queue-full"),
}


@router.post("/v1/ingest", status_code=202, responses=_ACCEPTED)
async def push_document(
    *,
    response: Response,
    workspace: TheWorkspace,
    push: Push,
    idempotency_key: requests.IdempotencyKey = None,
) -> PushStatus:
    """Push a document as an address or a small content.

    Ask for its status until it is `indexed` or `failed`.
    """
    labels = push.model_dump(
        include={
            *("collection", "external_id", "metadata", "tags"),
            *("visibility", "shared_with"),
        }
    )
    labels["idempotency_key"] = idempotency_key
    if push.url is not None:
        status = await workspace.push_url(push.url, filename=push.filename, **labels)
    else:
        status = await workspace.push_content(push.decoded(), push.filename or "", **labels)
    return _accepted(response, status)


@router.get("/v1/ingest/{ingest_id}/status")
async def get_ingest_status(workspace: TheWorkspace, ingest_id: UUID) -> PushStatus:
    """Show the status of a push, with its document once there is one."""
    return await workspace.push_status(ingest_id)


async def require_signature(request: Request, settings: TheSettings) -> None:
    """Raise Refused unless the request is signed with the shared secret."""
    secret = settings.webhook_secret
    signed = request.headers.get(HEADER, "")
    body = await request.body()
    # The answer does not say which of the two is missing.
    if secret is None or not is_genuine(secret.get_secret_value(), body, signed, time.time()):
        raise Refused(
            401,
            "The request is not signed as it should be.",
            hint=f"Sign its body with the secret that both systems know, in the header {HEADER}.",
        )


@router.post(
    "/v1/webhooks/document-uploaded",
    status_code=202,
    dependencies=[Depends(require_signature)],
    responses={**_ACCEPTED, **problem_responses("unauthorized")},
    openapi_extra={
        "parameters": [
            {
                "name": HEADER,
                "in": "header",
                "required": True,
                "description": "`t=<unix seconds>,v1=<HMAC-SHA256 of seconds, '.' and body>`.",
                "schema": {"type": "string"},
            }
        ]
    },
)
async def document_uploaded(
    *, request: Request, response: Response, workspace: TheWorkspace, uploaded: Uploaded
) -> PushStatus:
    """Fetch a document that another system announces.

    The request is signed with a secret that both systems know. The same request again, sent twice
    or replayed, is the same push.
    """
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
        visibility=uploaded.visibility,
        shared_with=uploaded.shared_with,
        idempotency_key=request.headers[HEADER],
    )
    return _accepted(response, status)


def _accepted(response: Response, status: PushStatus) -> PushStatus:
    response.headers["Location"] = f"/v1/ingest/{status.ingest_id}/status"
    return status
