"""Shapes of what was pushed, of what happened, and of who is told of it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import Field

from footnote.domain import events as happened
from footnote.interfaces.schemas.documents import Document
from footnote.interfaces.schemas.shape import Shape

PushedStatus = Literal["queued", "fetching", "ingesting", "indexed", "failed", "deleted"]


class IngestStatus(Shape):
    """How far something that was pushed has come."""

    ingest_id: UUID
    status: PushedStatus = Field(
        description="`indexed`, `failed` and `deleted` are resting places."
    )
    url: str | None = Field(None, description="What is fetched; null for pushed content.")
    document: Document | None = Field(None, description="Null until the bytes are there.")
    failure: str | None = Field(None, description="Why it could not be fetched.")
    created_at: datetime
    updated_at: datetime = Field(description="When the status last changed.")

    @classmethod
    def from_domain(cls, push: happened.PushStatus) -> Self:
        """The shape of a push."""
        document = push.document and Document.from_domain(push.document)
        return cls(
            ingest_id=push.ingest_id,
            status=_status(push),
            url=push.url,
            document=document,
            failure=push.failure,
            created_at=push.created_at,
            updated_at=push.updated_at,
        )


def _status(push: happened.PushStatus) -> PushedStatus:
    if push.state != "received":
        return push.state
    return "deleted" if push.document is None else push.document.status.value


class Event(Shape):
    """One thing that happened to a document, as a stream and an endpoint are told of it."""

    id: str = Field(description="Stays the same however often it is told.")
    type: str
    created_at: datetime
    data: dict[str, object] = Field(description="The document as it was then.")

    @classmethod
    def from_domain(cls, event: happened.Event) -> Self:
        """The shape of an event."""
        return cls(
            id=str(event.cursor),
            type=event.kind,
            created_at=event.created_at,
            data=dict(event.body),
        )


class Webhook(Shape):
    """An address that is told of events."""

    webhook_id: UUID
    url: str
    events: tuple[str, ...]
    created_at: datetime
    failures: int = Field(description="Deliveries in a row that were given up.")
    last_error: str | None = None
    last_delivery_at: datetime | None = None
    disabled_at: datetime | None = Field(None, description="Since when it is left alone.")

    @classmethod
    def from_domain(cls, endpoint: happened.WebhookEndpoint) -> Self:
        """The shape of an endpoint."""
        return cls.model_validate(_values(endpoint))


class NewWebhook(Webhook):
    """An address that is told from now on, with what its messages are signed with."""

    secret: str = Field(description="Shown this once.")

    @classmethod
    def from_added(cls, endpoint: happened.WebhookEndpoint, secret: str) -> Self:
        """The shape of an endpoint that was just added."""
        return cls.model_validate({**_values(endpoint), "secret": secret})


class WebhookList(Shape):
    """The addresses that are told of a workspace's events."""

    webhooks: tuple[Webhook, ...]


class Delivery(Shape):
    """How a trial message was taken."""

    delivered: bool
    error: str | None = None


def _values(endpoint: happened.WebhookEndpoint) -> dict[str, object]:
    return {
        "webhook_id": endpoint.endpoint_id,
        "url": endpoint.url,
        "events": endpoint.kinds,
        "created_at": endpoint.created_at,
        "failures": endpoint.failures,
        "last_error": endpoint.last_error,
        "last_delivery_at": endpoint.last_delivery_at,
        "disabled_at": endpoint.disabled_at,
    }
