"""Events of a workspace, followed as they happen."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from uuid import UUID

from footnote.domain.events import Event, EventCursor
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.store.events import BEGINNING, current_cursor, events_after

_CURSOR = re.compile(r"(\d{1,18})-(\d{1,18})")
_PAGE = 200
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds between polls after a notification: its event shows once older transactions ended."""


async def follow_events(
    workspace: WorkspaceAccess,
    *,
    after: EventCursor | None,
    document_id: UUID | None = None,
    heartbeat_seconds: float,
) -> AsyncGenerator[Event | None]:
    """Yield events as they happen, oldest first; None after a heartbeat without any.

    Without `after`, the events of a document begin with the oldest that is kept, those of a
    workspace with the next. A document's stream ends with its deletion, every stream with the
    listener of the process.
    """
    listener = workspace.engine.listener
    with listener.subscribed(workspace.workspace_id) as woken:
        cursor = after
        if cursor is None and document_id is not None:
            cursor = BEGINNING
        if cursor is None:
            async with workspace.scope() as scope:
                cursor = await current_cursor(scope)
        pauses: Sequence[float] = PAUSES
        while not listener.ended:
            woken.clear()
            async with workspace.scope() as scope:
                events = await events_after(scope, cursor, document_id, _PAGE)
            for event in events:
                yield event
                cursor = event.cursor
                if document_id is not None and event.kind == "document.deleted":
                    return
            if len(events) == _PAGE:
                continue
            pause = pauses[0] if pauses else heartbeat_seconds
            notified = await _notified_within(woken, pause)
            if notified:
                pauses = PAUSES
            elif pauses:
                pauses = pauses[1:]
            else:
                yield None


def cursor_from(text: str) -> EventCursor:
    """The cursor that an event's id encodes. Raises InvalidRequest."""
    match = _CURSOR.fullmatch(text)
    if match is None:
        raise InvalidRequest(
            "Last-Event-ID is not one we gave", hint="send an event's id unchanged"
        )
    return EventCursor(transaction_id=int(match[1]), event_no=int(match[2]))


async def _notified_within(woken: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await woken.wait()
    except TimeoutError:
        return False
    return True
