"""Idempotency keys: what became of a request is remembered, so that repeating it does nothing."""

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
    """The key of a request, and what tells the request from another one."""

    principal_id: str
    key: str
    fingerprint: bytes
    """32 bytes, the same for the same request."""
    lifetime_seconds: float

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters that name it to a statement."""
        return {"principal": self.principal_id, "key": self.key}


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOutcome:
    """What became of a request that had the key before."""

    document_id: UUID
    duplicate: bool
    new_version: bool


async def known_outcome(scope: WorkspaceScope, request: IdempotentRequest) -> KnownOutcome | None:
    """What became of the same request before; others with the key wait until this one ends.

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
    return record_of(KnownOutcome, row)


async def keep_outcome(
    scope: WorkspaceScope, request: IdempotentRequest, received: Received
) -> None:
    """Remember the outcome in the transaction that brought it about."""
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
    """Drop the keys whose time is over; whether others are left."""
    await scope.execute(_SQL["forget_expired"])
    return bool((await scope.single(_SQL["any_left"]))["left_over"])
