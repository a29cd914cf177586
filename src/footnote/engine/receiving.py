"""Takes files in so that none is lost, none is taken twice, and none when too many wait."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from uuid import UUID

from footnote.domain import Principal, Received
from footnote.engine.arguments import require
from footnote.engine.services import Services
from footnote.errors import InvalidRequest, QueueFull
from footnote.store.admission import QueueLimits, require_room
from footnote.store.claims import claim_blob, redeem
from footnote.store.database import SYSTEM, WorkspaceScope
from footnote.store.documents import Incoming, get_document, receive_document
from footnote.store.receipts import Receipt, earlier, keep_receipt

MAX_KEY_CHARACTERS = 255


def checked_key(key: str | None) -> str | None:
    """The idempotency key, if it can be one. Raises InvalidRequest."""
    require(str | None, "a text", idempotency_key=key)
    if key is not None and not (1 <= len(key) <= MAX_KEY_CHARACTERS and key.isprintable()):
        raise InvalidRequest(
            "the idempotency key cannot be used",
            hint=f"give 1 to {MAX_KEY_CHARACTERS} printable characters, such as a UUID",
        )
    return key


async def take_in(
    engine: Services,
    workspace_id: UUID,
    principal: Principal,
    incoming: Incoming,
    content: bytes,
    *,
    idempotency_key: str | None,
) -> Received:
    """Store the bytes, then write document, job and key in one transaction.

    Raises QueueFull while too many documents wait, and Conflict for a key of another request.
    """
    receipt = _receipt(engine, principal, incoming, idempotency_key)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        if receipt is not None and (known := await _repeated(scope, receipt)) is not None:
            return known
        if incoming.failure is None:
            await require_room(scope, queue_limits(engine))
        claim = await claim_blob(scope, incoming.content_sha256)
    await engine.blobs.put(claim.blob_key, content)
    async with engine.database.workspace(workspace_id, principal) as scope:
        if receipt is not None and (known := await _repeated(scope, receipt)) is not None:
            # The same request was faster, and these are its bytes.
            await redeem(scope, claim)
            return known
        received = await receive_document(
            scope, replace(incoming, blob_key=claim.blob_key, claim=claim)
        )
        if receipt is not None:
            await keep_receipt(scope, receipt, received)
        return received


async def has_room(engine: Services, workspace_id: UUID) -> bool:
    """Whether a file would be accepted now."""
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        try:
            await require_room(scope, queue_limits(engine))
        except QueueFull:
            return False
    return True


def queue_limits(engine: Services) -> QueueLimits:
    """How many documents may wait."""
    return QueueLimits(
        workspace=engine.settings.max_queued_documents,
        overall=engine.settings.max_queued_documents_overall,
    )


async def _repeated(scope: WorkspaceScope, receipt: Receipt) -> Received | None:
    """What became of the same request before, with its document as it stands now."""
    known = await earlier(scope, receipt)
    if known is None:
        return None
    return Received(
        document=await get_document(scope, known.document_id),
        duplicate=known.duplicate,
        new_version=known.new_version,
    )


def _receipt(
    engine: Services, principal: Principal, incoming: Incoming, key: str | None
) -> Receipt | None:
    if key is None:
        return None
    told = [incoming.content_sha256, incoming.collection, incoming.external_id or ""]
    return Receipt(
        principal_id=principal.principal_id,
        key=key,
        fingerprint=hashlib.sha256("\0".join(told).encode()).digest(),
        lifetime_seconds=engine.settings.idempotency_key_seconds,
    )
