"""What happened to documents, where that is sent, and what systems pushed to us."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from footnote.domain.access import Visibility
from footnote.domain.documents import Document
from footnote.domain.json_form import json_form

EventKind = Literal[
    "document.queued",
    "document.stage",
    "document.progress",
    "document.indexed",
    "document.failed",
    "document.deleted",
]
WEBHOOK_KINDS: tuple[EventKind, ...] = ("document.indexed", "document.failed", "document.deleted")
"""What endpoints can be sent."""

PushState = Literal["queued", "fetching", "received", "failed"]
PushedStatus = Literal["queued", "fetching", "ingesting", "indexed", "failed", "deleted"]
"""`indexed`, `failed` and `deleted` are resting places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCursor:
    """The place of an event among all of its workspace."""

    transaction_id: int
    event_no: int

    def __str__(self) -> str:
        return f"{self.transaction_id}-{self.event_no}"


@json_form(
    hidden=("cursor", "document_id"), computed=("id",), names={"kind": "type", "body": "data"}
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened to a document."""

    cursor: EventCursor
    """Its text is the event's id, which never changes."""
    kind: EventKind
    document_id: UUID
    body: Mapping[str, object]
    """The document as it was then: its ids, names, version, status, stage,
    progress and failure."""
    created_at: datetime

    @property
    def id(self) -> str:
        """Stays the same however often it is sent."""
        return str(self.cursor)


@json_form(names={"endpoint_id": "webhook_id", "kinds": "events"})
@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEndpoint:
    """An address to which events are sent."""

    endpoint_id: UUID
    url: str
    kinds: tuple[EventKind, ...]
    created_at: datetime
    failures: int
    """Deliveries in a row that were given up."""
    last_error: str | None
    last_delivery_at: datetime | None
    disabled_at: datetime | None
    """When it was left alone for its failures."""


@json_form(flat="endpoint")
@dataclass(frozen=True, slots=True, kw_only=True)
class NewWebhook:
    """An address to which events are sent from now on, with what they are signed with."""

    endpoint: WebhookEndpoint
    secret: str
    """Shown this once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PushedDocument:
    """What is to become of something that was pushed by its address."""

    url: str
    collection: str
    external_id: str
    filename: str | None
    metadata: Mapping[str, str | int | float | bool]
    tags: tuple[str, ...]
    visibility: Visibility | None = None
    """As of an upload; None for what follows from the list."""
    shared_with: tuple[str, ...] | None = None


@json_form(hidden=("state", "document_id"), computed=("status",))
@dataclass(frozen=True, slots=True, kw_only=True)
class PushStatus:
    """How far something that was pushed has come."""

    ingest_id: UUID
    state: PushState
    url: str | None
    """What is fetched; None for pushed content."""
    failure: str | None
    """Why it could not even be fetched."""
    document_id: UUID | None
    document: Document | None
    """None until it is received, and once it was deleted."""
    created_at: datetime
    updated_at: datetime
    """When its status last changed, that of its document and the document's deletion included."""

    @property
    def status(self) -> PushedStatus:
        """`indexed`, `failed` and `deleted` are resting places."""
        if self.state != "received":
            return self.state
        return "deleted" if self.document is None else self.document.status.value
