"""The addresses that are told of a workspace's events, and how telling them fares."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from psycopg.rows import DictRow

from footnote.domain.events import EventKind, WebhookEndpoint
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements

_SQL = load_statements("webhooks")


async def add_endpoint(
    scope: WorkspaceScope, url: str, kinds: Sequence[EventKind], secret: str
) -> WebhookEndpoint:
    """Have an address told of these kinds from now on."""
    row = await (
        await scope.connection.execute(
            _SQL["add"],
            {
                "workspace_id": scope.workspace_id,
                "endpoint_id": uuid4(),
                "url": url,
                "kinds": list(kinds),
                "secret": secret,
            },
        )
    ).fetchone()
    assert row is not None, "an insert returns its row"
    return _endpoint(row)


async def list_endpoints(scope: WorkspaceScope) -> tuple[WebhookEndpoint, ...]:
    """Every endpoint of the workspace, oldest first."""
    rows = await (
        await scope.connection.execute(_SQL["list"], {"workspace_id": scope.workspace_id})
    ).fetchall()
    return tuple(_endpoint(row) for row in rows)


async def endpoint_and_secret(
    scope: WorkspaceScope, endpoint_id: UUID
) -> tuple[WebhookEndpoint, str]:
    """An endpoint and what its deliveries are signed with. Raises NotFound."""
    cursor = await scope.connection.execute(_SQL["get"], _parameters(scope, endpoint_id))
    row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no endpoint {endpoint_id}")
    return _endpoint(row), row["secret"]


async def remove_endpoint(scope: WorkspaceScope, endpoint_id: UUID) -> None:
    """Tell an address nothing any more. Raises NotFound."""
    cursor = await scope.connection.execute(_SQL["remove"], _parameters(scope, endpoint_id))
    if not cursor.rowcount:
        raise NotFound(f"there is no endpoint {endpoint_id}")


async def note_delivery(scope: WorkspaceScope, endpoint_id: UUID) -> None:
    """It took an event; whatever was wrong before is forgotten."""
    await scope.connection.execute(_SQL["note_delivery"], _parameters(scope, endpoint_id))


async def note_attempt(scope: WorkspaceScope, endpoint_id: UUID, error: str) -> None:
    """It did not take an event and is told again."""
    await scope.connection.execute(
        _SQL["note_attempt"], _parameters(scope, endpoint_id) | {"error": error}
    )


async def note_failure(
    scope: WorkspaceScope, endpoint_id: UUID, error: str, disable_at: int
) -> None:
    """A delivery was given up; after `disable_at` in a row the endpoint is left alone."""
    await scope.connection.execute(
        _SQL["note_failure"],
        _parameters(scope, endpoint_id) | {"error": error, "limit": disable_at},
    )


def _parameters(scope: WorkspaceScope, endpoint_id: UUID) -> dict[str, object]:
    return {"workspace_id": scope.workspace_id, "endpoint_id": endpoint_id}


def _endpoint(row: DictRow) -> WebhookEndpoint:
    return WebhookEndpoint(
        endpoint_id=row["endpoint_id"],
        url=row["url"],
        kinds=tuple(row["kinds"]),
        created_at=row["created_at"],
        failures=row["failures"],
        last_error=row["last_error"],
        last_delivery_at=row["last_delivery_at"],
        disabled_at=row["disabled_at"],
    )
