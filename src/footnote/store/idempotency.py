"""Idempotency keys: store the outcome of a request, so that a retry returns it again."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from footnote.domain import Received
from footnote.errors import Conflict
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("idempotency")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentRequest:
    """An idempotency key, and the fingerprint of the request that used it."""

    principal_id: str
    key: str
    fingerprint: bytes
    """Hash of the request, 32 bytes."""
    lifetime_seconds: float

    @property
    def parameters(self) -> dict[str, object]:
        """Statement parameters that identify the key."""
        return {"principal": self.principal_id, "key": self.key}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOutcome:
    """The outcome of an earlier request with the key."""

    document_id: UUID
    duplicate: bool
    new_version: bool


async def stored_outcome(scope: WorkspaceScope, request: IdempotentRequest) -> StoredOutcome | None:
    """Return the outcome of an earlier equal request; concurrent uses of the key wait.

    Raises Conflict when the key belongs to another request.
    """
    parameters = request.parameters
    await scope.execute(_SQL["one_use_at_a_time"], parameters)
    row = await scope.one(_SQL["known"], parameters)
    if row is None:
        return None
    if bytes(row["fingerprint"]) != request.fingerprint:
        raise Conflict(
            f"the idempotency key {request.key!r} was used for another file or another place",
            hint="use a new key for each file; repeat a key only with the same bytes, collection "
            "and external id",
        )
    return record_of(StoredOutcome, row)


async def store_outcome(
    scope: WorkspaceScope, request: IdempotentRequest, received: Received
) -> None:
    """Store the outcome in the transaction of the request."""
    await scope.execute(
        _SQL["keep"],
        request.parameters
        | {
            "fingerprint": request.fingerprint,
            "document_id": received.document.document_id,
            "duplicate": received.duplicate,
            "new_version": received.new_version,
            "lifetime_seconds": request.lifetime_seconds,
        },
    )


async def forget_expired(scope: WorkspaceScope) -> bool:
    """Delete expired keys; return whether others are left."""
    await scope.execute(_SQL["forget_expired"])
    return bool((await scope.single(_SQL["any_left"]))["left_over"])
