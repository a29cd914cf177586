"""Webhook endpoints of a workspace, and the outcomes of their deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from footnote.domain.events import EventKind, WebhookEndpoint
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import WEBHOOK_SECRET
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("webhooks")


async def add_endpoint(
    scope: WorkspaceScope, url: str, kinds: Sequence[EventKind], secret: str
) -> WebhookEndpoint:
    """Add an endpoint for events of these kinds."""
    endpoint_id = uuid4()
    sealed = scope.sealing.secret(WEBHOOK_SECRET.of(endpoint_id), secret)
    row = await scope.single(
        _SQL["add"],
        {"endpoint_id": endpoint_id, "url": url, "kinds": list(kinds), "secret": sealed},
    )
    return record_of(WebhookEndpoint, row)


async def list_endpoints(scope: WorkspaceScope) -> tuple[WebhookEndpoint, ...]:
    """Every endpoint of the workspace, oldest first."""
    rows = await scope.all(_SQL["list"])
    return tuple(record_of(WebhookEndpoint, row) for row in rows)


async def endpoint_and_secret(
    scope: WorkspaceScope, endpoint_id: UUID
) -> tuple[WebhookEndpoint, str]:
    """Return an endpoint and its signing secret. Raises NotFound."""
    row = await scope.one(_SQL["get"], {"endpoint_id": endpoint_id})
    if row is None:
        raise _not_found(endpoint_id)
    secret = scope.sealing.plain_secret(WEBHOOK_SECRET.of(endpoint_id), row["secret"])
    return record_of(WebhookEndpoint, row), secret


async def remove_endpoint(scope: WorkspaceScope, endpoint_id: UUID) -> None:
    """Remove an endpoint. Raises NotFound."""
    if not await scope.change(_SQL["remove"], {"endpoint_id": endpoint_id}):
        raise _not_found(endpoint_id)


async def note_delivery(scope: WorkspaceScope, endpoint_id: UUID) -> None:
    """Record a successful delivery, and clear earlier failures."""
    await scope.execute(_SQL["note_delivery"], {"endpoint_id": endpoint_id})


async def note_attempt(scope: WorkspaceScope, endpoint_id: UUID, error: str) -> None:
    """Record a failed attempt that will be retried."""
    await scope.execute(_SQL["note_attempt"], {"endpoint_id": endpoint_id} | {"error": error})


async def note_failure(
    scope: WorkspaceScope, endpoint_id: UUID, error: str, disable_at: int
) -> None:
    """Record a delivery that was given up; disable the endpoint after `disable_at` in a row."""
    await scope.execute(
        _SQL["note_failure"],
        {"endpoint_id": endpoint_id} | {"error": error, "limit": disable_at},
    )


def _not_found(endpoint_id: UUID) -> NotFound:
    return NotFound(
        f"there is no endpoint {endpoint_id}",
        hint="`footnote webhooks list` or `GET /v1/webhooks` shows what there is",
    )
