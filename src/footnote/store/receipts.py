"""Remembers what became of a request that came with a key, so that repeating it does nothing."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from footnote.domain import Received
from footnote.errors import Conflict
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements

_SQL = load_statements("receipts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The key of a request, and what tells the request from another one."""

    principal_id: str
    key: str
    fingerprint: bytes
    """32 bytes, the same for the same request."""
    lifetime_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What became of a request that had the key before."""

    document_id: UUID
    duplicate: bool
    new_version: bool


async def earlier(scope: WorkspaceScope, receipt: Receipt) -> Earlier | None:
    """What became of the same request before; others with the key wait until this one ends.

    Raises Conflict when the key belongs to another request.
    """
    parameters = _parameters(scope, receipt)
    await scope.connection.execute(_SQL["one_use_at_a_time"], parameters)
    row = await (await scope.connection.execute(_SQL["known"], parameters)).fetchone()
    if row is None:
        return None
    if bytes(row["fingerprint"]) != receipt.fingerprint:
        raise Conflict(
            f"the idempotency key {receipt.key!r} was used for another file or another place",
            hint="use a new key for each file; repeat a key only with the same bytes, collection "
            "and external id",
        )
    return Earlier(
        document_id=row["document_id"],
        duplicate=row["duplicate"],
        new_version=row["new_version"],
    )


async def keep_receipt(scope: WorkspaceScope, receipt: Receipt, received: Received) -> None:
    """Remember the outcome in the transaction that brought it about."""
    await scope.connection.execute(
        _SQL["keep"],
        _parameters(scope, receipt)
        | {
            "fingerprint": receipt.fingerprint,
            "document_id": received.document.document_id,
            "duplicate": received.duplicate,
            "new_version": received.new_version,
            "lifetime_seconds": receipt.lifetime_seconds,
        },
    )


async def forget_expired(scope: WorkspaceScope) -> bool:
    """Drop the keys whose time is over; whether others are left."""
    parameters = {"workspace_id": scope.workspace_id}
    await scope.connection.execute(_SQL["forget_expired"], parameters)
    row = await (await scope.connection.execute(_SQL["any_left"], parameters)).fetchone()
    return row is not None and bool(row["left_over"])


def _parameters(scope: WorkspaceScope, receipt: Receipt) -> dict[str, object]:
    return {
        "workspace_id": scope.workspace_id,
        "principal": receipt.principal_id,
        "key": receipt.key,
    }
