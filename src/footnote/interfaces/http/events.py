"""Routes on which a client hears what happens, as Server-Sent Events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse

from footnote.engine import WorkspaceEngine
from footnote.engine.events import cursor_from
from footnote.interfaces.http import examples
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.examples import Responses
from footnote.interfaces.http.scope import ALWAYS, TheSettings, TheWorkspace
from footnote.interfaces.schemas import json_of

router = APIRouter(tags=["events"], route_class=ExactRoute)

_MEDIA_TYPE = "text/event-stream"
_RECONNECT_MILLISECONDS = 2000
_STREAM: Responses = {
    200: {
        "description": "Events until the client goes.",
        "content": {
            _MEDIA_TYPE: {"schema": {"type": "string"}, "example": examples.EVENT_STREAM},
        },
    },
    **ALWAYS,
}

LastEventId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", description="Goes on after this event.", max_length=100),
]


@router.get(
    "/v1/events",
    summary="Hear what happens in the workspace",
    response_class=StreamingResponse,
    responses=_STREAM,
)
async def stream_events(
    *, workspace: TheWorkspace, settings: TheSettings, last_event_id: LastEventId = None
) -> StreamingResponse:
    """What happens to documents from now on, or after `Last-Event-ID`."""
    return _stream(workspace, last_event_id, None, settings.events_heartbeat_seconds)


@router.get(
    "/v1/documents/{document_id}/events",
    summary="Hear what happens to a document",
    response_class=StreamingResponse,
    responses=_STREAM,
)
async def stream_document_events(
    *,
    workspace: TheWorkspace,
    settings: TheSettings,
    document_id: UUID,
    last_event_id: LastEventId = None,
) -> StreamingResponse:
    """What happened to a document, and happens, until it is deleted."""
    await workspace.document(document_id)
    return _stream(workspace, last_event_id, document_id, settings.events_heartbeat_seconds)


def _stream(
    workspace: WorkspaceEngine,
    last_event_id: str | None,
    document_id: UUID | None,
    heartbeat_seconds: float,
) -> StreamingResponse:
    after = None if last_event_id is None else cursor_from(last_event_id)

    async def lines() -> AsyncIterator[str]:
        yield f"retry: {_RECONNECT_MILLISECONDS}\n\n"
        events = workspace.follow_events(
            after=after,
            document_id=document_id,
            heartbeat_seconds=heartbeat_seconds,
        )
        async for event in events:
            if event is None:
                yield ": nothing happened\n\n"
                continue
            yield f"id: {event.id}\nevent: {event.kind}\ndata: {json_of(event)}\n\n"

    return StreamingResponse(
        lines(),
        media_type=_MEDIA_TYPE,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
