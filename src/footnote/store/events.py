"""Read the events of documents after a cursor, and wait for new ones."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

import psycopg
import structlog
from psycopg.rows import DictRow

from footnote.domain.events import Event, EventCursor
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("events")
_log = structlog.get_logger(__name__)
_RECONNECT_SECONDS = 1.0

BEGINNING = EventCursor(transaction_id=0, event_no=0)


async def events_after(
    scope: WorkspaceScope, after: EventCursor, document_id: UUID | None, limit: int
) -> tuple[Event, ...]:
    """List events after a cursor, oldest first, of one document or of all visible ones."""
    name = "events_after" if document_id is None else "events_of_document_after"
    complete = await scope.single(_SQL["complete"])
    rows = await scope.all(
        _SQL[name],
        {
            "document_id": document_id,
            "event_no": after.event_no,
            "complete": complete["event_no"],
            "limit": limit,
        },
    )
    return tuple(_event(row) for row in rows)


async def current_cursor(scope: WorkspaceScope) -> EventCursor:
    """Return a cursor at the end of the complete events: later reads return newer ones only."""
    row = await scope.single(_SQL["complete"])
    return EventCursor(transaction_id=0, event_no=row["event_no"])


async def get_event(scope: WorkspaceScope, cursor: EventCursor) -> Event | None:
    """Return the event at a cursor; None if it has expired."""
    row = await scope.one(
        _SQL["event"], {"transaction_id": cursor.transaction_id, "event_no": cursor.event_no}
    )
    return None if row is None else _event(row)


def _event(row: DictRow) -> Event:
    return record_of(Event, row, cursor=record_of(EventCursor, row))


@dataclass(slots=True)
class Listener:
    """Listens on one connection per process for workspaces with new events."""

    url: str = field(repr=False)
    _waiting: dict[str, set[asyncio.Event]] = field(default_factory=dict)
    """Waiters by NOTIFY payload, a hash of the workspace id: every login may listen, so the id is
    not sent."""
    _task: asyncio.Task[None] | None = None
    ended: bool = False
    """Whether followers of events are to stop."""

    @contextmanager
    def subscribed(self, workspace_id: UUID) -> Iterator[asyncio.Event]:
        """Yield an asyncio event that is set whenever the workspace may have new events."""
        if self._task is None:
            self._task = asyncio.create_task(self._listen())
        event = asyncio.Event()
        notified = hashlib.sha256(str(workspace_id).encode()).hexdigest()
        self._waiting.setdefault(notified, set()).add(event)
        try:
            yield event
        finally:
            events = self._waiting[notified]
            events.discard(event)
            if not events:
                del self._waiting[notified]

    def end(self) -> None:
        """Make all followers of events stop, now and from now on."""
        self.ended = True
        for events in self._waiting.values():
            for event in events:
                event.set()

    async def close(self) -> None:
        """Stop listening."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _listen(self) -> None:
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(
                    self.url, autocommit=True
                ) as connection:
                    await connection.execute(_SQL["listen"])
                    self._wake(*self._waiting)
                    async for notice in connection.notifies():
                        self._wake(notice.payload)
            except psycopg.OperationalError as error:
                _log.warning("events_unheard", reason=str(error).strip())
            await asyncio.sleep(_RECONNECT_SECONDS)

    def _wake(self, *notified: str) -> None:
        for channel in notified:
            for event in self._waiting.get(channel, ()):
                event.set()
