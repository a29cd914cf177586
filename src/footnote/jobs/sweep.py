"""Removes what a workspace has no use for: blobs without a document, keys whose time is over."""

from __future__ import annotations

from uuid import UUID

from footnote.engine import Services
from footnote.store.blob_claims import GRACE_SECONDS, claims_left, sweep_blobs
from footnote.store.database import SYSTEM
from footnote.store.idempotency import forget_expired
from footnote.store.queue import enqueue_sweep


async def sweep(engine: Services, workspace_id: UUID, grace_seconds: float = GRACE_SECONDS) -> int:
    """Remove what is due, and come again as long as something may become so; blobs removed."""
    removed = await sweep_blobs(engine.database, engine.blobs, workspace_id, grace_seconds)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        keys_left = await forget_expired(scope)
        if await claims_left(scope) or keys_left:
            await enqueue_sweep(scope, GRACE_SECONDS)
    return removed
