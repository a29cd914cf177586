"""Deliver events to webhook endpoints: at least once, signed, with retries and backoff.

The header is `Footnote-Signature: t=<unix seconds>,v1=<hex>`, where v1 is the HMAC-SHA256, under
the shared secret, of the seconds in decimal, a full stop, and the body as it was sent. The time is
part of what is signed, so an old message cannot be replayed with a new time; a receiver refuses
messages older than five minutes, and detects duplicates by the event's id.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import structlog

from footnote.domain import Workspace
from footnote.domain.events import Event, EventCursor, WebhookEndpoint
from footnote.engine import Services, WorkspaceEngine
from footnote.errors import FootnoteError, InvalidRequest, NotFound, SourceUnreachable
from footnote.jobs.sources.addresses import reach_of
from footnote.jobs.sources.fetching import post
from footnote.settings import Settings
from footnote.store.database import SYSTEM
from footnote.store.events import get_event
from footnote.store.pushes import workspace_of
from footnote.store.webhooks import (
    endpoint_and_secret,
    note_attempt,
    note_delivery,
    note_failure,
)

_log = structlog.get_logger(__name__)
HEADER = "Footnote-Signature"
TOLERANCE_SECONDS = 300
_SHAPE = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})")
_GONE = 410
ATTEMPTS = 8
"""Attempts of one delivery; the pause doubles after each, so they span about four minutes."""
FAILURES_TO_DISABLE = 10
"""Deliveries that failed in a row after which an endpoint is disabled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryJob:
    """The arguments of a queued delivery job."""

    workspace_id: UUID
    endpoint_id: UUID
    event: EventCursor
    attempt: int
    """Number of earlier attempts."""


async def deliver(engine: Services, job: DeliveryJob) -> None:
    """Deliver one event to one endpoint. Raises SourceUnreachable if it is to be retried."""
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        event = await get_event(scope, job.event)
        try:
            endpoint, secret = await endpoint_and_secret(scope, job.endpoint_id)
            workspace = await workspace_of(scope)
        except NotFound:
            return
    if event is None or endpoint.disabled_at is not None:
        return
    refusal = await offer(engine.settings, endpoint, secret, described(event, workspace))
    last = job.attempt + 1 >= ATTEMPTS or refusal.gone
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        if not refusal.reason:
            await note_delivery(scope, job.endpoint_id)
        elif not last:
            await note_attempt(scope, job.endpoint_id, refusal.reason)
        else:
            limit = 1 if refusal.gone else FAILURES_TO_DISABLE
            await note_failure(scope, job.endpoint_id, refusal.reason, limit)
    if refusal.reason and last:
        _log.warning("webhook_given_up", endpoint_id=str(job.endpoint_id), reason=refusal.reason)
    elif refusal.reason:
        raise SourceUnreachable(refusal.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why an endpoint did not accept a message."""

    reason: str = ""
    """Empty if it accepted it."""
    gone: bool = False
    """Whether it answered 410, that is, wants no more messages."""


async def offer(
    settings: Settings, endpoint: WebhookEndpoint, secret: str, message: Mapping[str, object]
) -> Refusal:
    """Send one signed message; a status from 200 to 299 means that it was accepted."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    headers = {
        "Content-Type": "application/json",
        "Footnote-Event": str(message["type"]),
        "Footnote-Event-Id": str(message["id"]),
        HEADER: signature(secret, body, int(time.time())),
    }
    try:
        status = await post(endpoint.url, reach_of(settings), headers, body)
    except InvalidRequest as error:
        # Not final: the next attempt may run in a worker that is allowed to reach it.
        return Refusal(reason="; ".join(filter(None, (str(error), error.hint))))
    except FootnoteError as error:
        return Refusal(reason=str(error))
    if 200 <= status < 300:
        return Refusal()
    return Refusal(reason=f"it answered {status}", gone=status == _GONE)


def described(event: Event, workspace: Workspace) -> dict[str, object]:
    """Return the body of the message for an event."""
    return {
        "id": str(event.cursor),
        "type": event.kind,
        "created_at": event.created_at.isoformat(),
        "workspace": workspace.name,
        "data": dict(event.body),
    }


async def try_webhook(workspace: WorkspaceEngine, endpoint_id: UUID) -> str | None:
    """Send a test message; return why the endpoint did not accept it, None if it did.

    Accepting it enables a disabled endpoint again. Raises NotFound.
    """
    endpoint, secret = await workspace.webhook_and_secret(endpoint_id)
    message: dict[str, object] = {
        "id": f"test-{secrets.token_hex(8)}",
        "type": "webhook.test",
        "created_at": datetime.now(UTC).isoformat(),
        "workspace": workspace.workspace.name,
        "data": {},
    }
    refusal = await offer(workspace.engine.settings, endpoint, secret, message)
    async with workspace.scope() as scope:
        if refusal.reason:
            await note_attempt(scope, endpoint_id, refusal.reason)
        else:
            await note_delivery(scope, endpoint_id)
    return refusal.reason or None


def signature(secret: str, body: bytes, unix_seconds: int) -> str:
    """The value of the header for this body at this time."""
    return f"t={unix_seconds},v1={_mac(secret, body, unix_seconds)}"


def is_genuine(secret: str, body: bytes, header: str, now: float) -> bool:
    """Whether a holder of the secret signed this body within the last five minutes."""
    match = _SHAPE.fullmatch(header.strip())
    if match is None:
        return False
    moment = int(match[1])
    genuine = hmac.compare_digest(_mac(secret, body, moment), match[2])
    return genuine and abs(now - moment) <= TOLERANCE_SECONDS


def _mac(secret: str, body: bytes, unix_seconds: int) -> str:
    signed = f"{unix_seconds}.".encode() + body
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
