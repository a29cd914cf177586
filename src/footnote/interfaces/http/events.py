"""Routes for a workspace's events: streamed to a client, or delivered to webhooks."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated
from uuid import UUID

from fastapi.responses import StreamingResponse
from pydantic import Field

from footnote.domain.events import WEBHOOK_KINDS, NewWebhook
from footnote.engine import WorkspaceEngine
from footnote.engine.events import cursor_from
from footnote.interfaces.http import requests, streaming
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.http.streaming import STREAM, EventStream, LastEventId
from footnote.interfaces.schemas import Delivery, WebhookList, json_of
from footnote.jobs.webhooks import try_webhook

router = workspace_router("events")

_RECONNECT_MILLISECONDS = 2000


class AddWebhook(requests.Request):
    """An address and the events that are delivered to it."""

    url: Annotated[str, Field(min_length=1, max_length=2000)]
    events: tuple[Annotated[str, Field(max_length=100)], ...] = Field(
        WEBHOOK_KINDS, max_length=10, description="All of them by default."
    )


@router.get("/v1/events", response_class=StreamingResponse, responses=STREAM)
async def stream_events(
    *, workspace: TheWorkspace, last_event_id: LastEventId = None
) -> StreamingResponse:
    """Stream the events of the workspace's documents from now on, or after `Last-Event-ID`."""
    return _stream(workspace, last_event_id, None)


@router.get(
    "/v1/documents/{document_id}/events", response_class=StreamingResponse, responses=STREAM
)
async def stream_document_events(
    *, workspace: TheWorkspace, document_id: UUID, last_event_id: LastEventId = None
) -> StreamingResponse:
    """Stream the past and coming events of a document, until it is deleted."""
    await workspace.document(document_id)
    return _stream(workspace, last_event_id, document_id)


def _stream(
    workspace: WorkspaceEngine, last_event_id: str | None, document_id: UUID | None
) -> StreamingResponse:
    after = None if last_event_id is None else cursor_from(last_event_id)

    async def lines() -> AsyncGenerator[str]:
        yield f"retry: {_RECONNECT_MILLISECONDS}\n\n"
        async for event in workspace.follow_events(
            after=after,
            document_id=document_id,
            heartbeat_seconds=streaming.HEARTBEAT_SECONDS,
        ):
            if event is None:
                yield ": nothing happened\n\n"
            else:
                yield f"id: {event.id}\nevent: {event.kind}\ndata: {json_of(event)}\n\n"

    return EventStream(lines())


@router.post("/v1/webhooks", status_code=201)
async def add_endpoint(workspace: TheWorkspace, webhook: AddWebhook) -> NewWebhook:
    """Add a webhook; this answer alone has the secret that signs its messages."""
    endpoint, secret = await workspace.add_webhook(webhook.url, webhook.events)
    return NewWebhook(endpoint=endpoint, secret=secret)


@router.get("/v1/webhooks")
async def list_webhooks(workspace: TheWorkspace) -> WebhookList:
    """List the webhooks with their delivery status."""
    return WebhookList(webhooks=await workspace.webhooks())


@router.post("/v1/webhooks/{webhook_id}/test")
async def send_trial(workspace: TheWorkspace, webhook_id: UUID) -> Delivery:
    """Send the event `webhook.test` now, once.

    If it is taken, deliveries to a disabled webhook begin again.
    """
    error = await try_webhook(workspace, webhook_id)
    return Delivery(delivered=error is None, error=error)


@router.delete("/v1/webhooks/{webhook_id}", status_code=204)
async def delete_webhook(workspace: TheWorkspace, webhook_id: UUID) -> None:
    """Delete a webhook."""
    await workspace.remove_webhook(webhook_id)
