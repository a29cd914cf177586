"""Webhooks: endpoints that receive the events of a workspace."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from uuid import UUID

from footnote.domain.events import WEBHOOK_KINDS, WebhookEndpoint
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.ingestion.sources.reach import require_reachable_url
from footnote.store import webhooks as stored


async def add_webhook(
    workspace: WorkspaceAccess, url: str, kinds: Sequence[str] = WEBHOOK_KINDS
) -> tuple[WebhookEndpoint, str]:
    """Add an endpoint that receives events from now on; return it with its signing secret.

    The secret is returned only once. Raises InvalidRequest, also for an address that is not
    allowed; each delivery checks the address again, since a name may resolve to another one by
    then.
    """
    unknown = [kind for kind in kinds if kind not in WEBHOOK_KINDS]
    if unknown or not kinds:
        raise InvalidRequest(
            f"there are no events {', '.join(unknown)}" if unknown else "no event is named",
            hint=f"name some of {', '.join(WEBHOOK_KINDS)}",
        )
    await require_reachable_url(
        url,
        allow_private=workspace.engine.settings.allow_private_urls,
        example="https://example.com/footnote-events",
    )
    secret = secrets.token_urlsafe(32)
    await workspace.ensure_data_key()
    async with workspace.scope() as scope:
        selected_kinds = tuple(kind for kind in WEBHOOK_KINDS if kind in kinds)
        return await stored.add_endpoint(scope, url, selected_kinds, secret), secret


async def webhooks(workspace: WorkspaceAccess) -> tuple[WebhookEndpoint, ...]:
    """List the endpoints with the state of their deliveries."""
    async with workspace.scope() as scope:
        return await stored.list_endpoints(scope)


async def webhook_and_secret(
    workspace: WorkspaceAccess, endpoint_id: UUID
) -> tuple[WebhookEndpoint, str]:
    """Return an endpoint with its secret, for a test delivery. Raises NotFound."""
    async with workspace.scope() as scope:
        return await stored.endpoint_and_secret(scope, endpoint_id)


async def remove_webhook(workspace: WorkspaceAccess, endpoint_id: UUID) -> None:
    """Remove an endpoint. Raises NotFound."""
    async with workspace.scope() as scope:
        await stored.remove_endpoint(scope, endpoint_id)
