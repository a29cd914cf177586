"""Sends an endpoint a trial message, at once and outside of the queue."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from uuid import UUID

from footnote.engine import WorkspaceEngine
from footnote.jobs.deliver import offer
from footnote.store.webhooks import note_attempt, note_delivery


async def try_webhook(workspace: WorkspaceEngine, endpoint_id: UUID) -> str | None:
    """Why the endpoint did not take a trial message; None when it did. Raises NotFound.

    One that was disabled and takes it is told of events again.
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
