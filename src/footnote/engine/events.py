"""What happens in a workspace, as it happens, and who is told of it."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator, Sequence
from uuid import UUID

from footnote.domain.events import (
    TOLD_KINDS,
    Event,
    EventCursor,
    EventKind,
    WebhookEndpoint,
)
from footnote.engine.reaching import require_reachable_url
from footnote.engine.scoping import scope_of
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import InvalidRequest
from footnote.store.events import BEGINNING, cursor_of_now, events_after
from footnote.store.webhooks import (
    add_endpoint,
    endpoint_and_secret,
    list_endpoints,
    remove_endpoint,
)

_CURSOR = re.compile(r"(\d{1,18})-(\d{1,18})")
_PAGE = 200
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds between looks after something was heard: it shows once older transactions ended."""


async def follow_events(
    workspace: WorkspaceEngine,
    *,
    after: EventCursor | None,
    document_id: UUID | None = None,
    heartbeat_seconds: float,
) -> AsyncGenerator[Event | None]:
    """Events as they happen, oldest first; None whenever nothing was said for a heartbeat.

    Without a place to go on after, those of one document begin with the oldest that is kept, those
    of a workspace with what happens next. A document's end with its deletion.
    """
    listener = workspace.engine.listener
    with listener.subscribed(workspace.workspace.workspace_id) as woken:
        cursor = after or await _start(workspace, document_id)
        pauses: Sequence[float] = _PAUSES
        while True:
            woken.clear()
            async with scope_of(workspace) as scope:
                events = await events_after(scope, cursor, document_id, _PAGE)
            for event in events:
                yield event
                cursor = event.cursor
                if document_id is not None and event.kind == "document.deleted":
                    return
            if len(events) == _PAGE:
                continue
            pause = pauses[0] if pauses else heartbeat_seconds
            heard = await _heard(woken, pause)
            if heard:
                pauses = _PAUSES
            elif pauses:
                pauses = pauses[1:]
            else:
                yield None


def cursor_from(text: str) -> EventCursor:
    """The place that an event's id names. Raises InvalidRequest."""
    match = _CURSOR.fullmatch(text)
    if match is None:
        raise InvalidRequest(
            "Last-Event-ID is not one we gave", hint="send an event's id unchanged"
        )
    return EventCursor(transaction_id=int(match[1]), event_no=int(match[2]))


async def _start(workspace: WorkspaceEngine, document_id: UUID | None) -> EventCursor:
    if document_id is not None:
        return BEGINNING
    async with scope_of(workspace) as scope:
        return await cursor_of_now(scope)


async def _heard(woken: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await woken.wait()
    except TimeoutError:
        return False
    return True


async def add_webhook(
    workspace: WorkspaceEngine, url: str, kinds: Sequence[str] = TOLD_KINDS
) -> tuple[WebhookEndpoint, str]:
    """Have an address told of events from now on, and the secret that signs them.

    The secret is shown this once. Raises InvalidRequest, also for an address that may not be
    spoken to; deliveries ask anew whether they may, since a name can lead elsewhere by then.
    """
    wanted = _checked_kinds(kinds)
    await require_reachable_url(
        url,
        allow_private=workspace.engine.settings.allow_private_urls,
        example="https://example.com/footnote-events",
    )
    secret = secrets.token_urlsafe(32)
    async with scope_of(workspace) as scope:
        return await add_endpoint(scope, url, wanted, secret), secret


async def webhooks(workspace: WorkspaceEngine) -> tuple[WebhookEndpoint, ...]:
    """The addresses that are told, and how that fares."""
    async with scope_of(workspace) as scope:
        return await list_endpoints(scope)


async def webhook_and_secret(
    workspace: WorkspaceEngine, endpoint_id: UUID
) -> tuple[WebhookEndpoint, str]:
    """One of them with its secret, for a trial. Raises NotFound."""
    async with scope_of(workspace) as scope:
        return await endpoint_and_secret(scope, endpoint_id)


async def remove_webhook(workspace: WorkspaceEngine, endpoint_id: UUID) -> None:
    """Tell an address nothing any more. Raises NotFound."""
    async with scope_of(workspace) as scope:
        await remove_endpoint(scope, endpoint_id)


def _checked_kinds(kinds: Sequence[str]) -> tuple[EventKind, ...]:
    known = {kind: kind for kind in TOLD_KINDS}
    unknown = [kind for kind in kinds if kind not in known]
    if unknown or not kinds:
        raise InvalidRequest(
            f"there are no events {', '.join(unknown)}" if unknown else "no event is named",
            hint=f"name some of {', '.join(TOLD_KINDS)}",
        )
    return tuple(dict.fromkeys(known[kind] for kind in known if kind in kinds))
