"""Says which blobs are about to be used, and removes those that nobody uses.

Before bytes are written, a claim on their key is committed; the transaction that makes them a
document's takes it back. So whatever is cut off in between leaves a claim by which the bytes are
found, and no removal can come between the writing and the document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from footnote.errors import StoreUnavailable
from footnote.ports import Blobs
from footnote.store.blobs import blob_key
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.queue import enqueue_sweep
from footnote.store.statements import load_statements

_SQL = load_statements("claims")

GRACE_SECONDS = 3600.0
"""A claim counts for so long; taking a file in is a matter of seconds, or minutes."""

_KEYS_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """That somebody is about to write a blob and to make it a document's."""

    blob_key: str
    claim_id: UUID


async def claim_blob(scope: WorkspaceScope, content_sha256: str) -> Claim:
    """Claim the blob of these bytes; write it only once this is committed.

    Waits while somebody removes that blob.
    """
    claim = Claim(blob_key=blob_key(scope.workspace_id, content_sha256), claim_id=uuid4())
    parameters = _parameters(scope, claim)
    await scope.connection.execute(_SQL["one_at_a_time"], parameters)
    await scope.connection.execute(_SQL["claim"], parameters)
    await enqueue_sweep(scope, GRACE_SECONDS)
    return claim


async def redeem(scope: WorkspaceScope, claim: Claim) -> None:
    """Take the claim back, in the transaction that makes the blob a document's.

    Raises StoreUnavailable when it has lapsed and the blob may be gone.
    """
    cursor = await scope.connection.execute(_SQL["redeem"], _parameters(scope, claim))
    if not cursor.rowcount:
        raise StoreUnavailable(
            "storing the file took so long that it was given up", hint="hand it in once more"
        )


async def give_up(scope: WorkspaceScope, blob_keys: Sequence[str]) -> None:
    """Let blobs be removed after this commits, if no document needs them then."""
    await scope.connection.execute(
        _SQL["give_up"], {"workspace_id": scope.workspace_id, "blob_keys": list(blob_keys)}
    )
    await enqueue_sweep(scope, GRACE_SECONDS)


async def remove_unused(
    database: Database,
    blobs: Blobs,
    workspace_id: UUID,
    blob_keys: Sequence[str],
    grace_seconds: float = GRACE_SECONDS,
) -> int:
    """Remove those of the blobs that no version names and nobody claims; how many they were."""
    removed = 0
    for key in blob_keys:
        async with database.workspace(workspace_id, SYSTEM) as scope:
            removed += await _remove_if_unused(scope, blobs, key, grace_seconds)
    return removed


async def sweep_blobs(
    database: Database,
    blobs: Blobs,
    workspace_id: UUID,
    grace_seconds: float = GRACE_SECONDS,
) -> int:
    """Remove every blob that was claimed longer ago and never became a document's."""
    removed = 0
    parameters = {
        "workspace_id": workspace_id,
        "grace_seconds": grace_seconds,
        "limit": _KEYS_AT_ONCE,
    }
    while True:
        async with database.workspace(workspace_id, SYSTEM) as scope:
            rows = await (await scope.connection.execute(_SQL["due"], parameters)).fetchall()
        if not rows:
            return removed
        keys = [row["blob_key"] for row in rows]
        removed += await remove_unused(database, blobs, workspace_id, keys, grace_seconds)


async def claims_left(scope: WorkspaceScope) -> bool:
    """Whether a later sweep may have something to do."""
    row = await (
        await scope.connection.execute(_SQL["any_left"], {"workspace_id": scope.workspace_id})
    ).fetchone()
    return row is not None and bool(row["left_over"])


async def _remove_if_unused(
    scope: WorkspaceScope, blobs: Blobs, key: str, grace_seconds: float
) -> int:
    """Decide and remove under the lock that a claim takes, so that nobody writes meanwhile."""
    parameters = {
        "workspace_id": scope.workspace_id,
        "blob_key": key,
        "content_sha256": bytes.fromhex(key.rpartition("/")[2]),
        "grace_seconds": grace_seconds,
    }
    await scope.connection.execute(_SQL["one_at_a_time"], parameters)
    row = await (await scope.connection.execute(_SQL["wanted"], parameters)).fetchone()
    unused = row is not None and not row["wanted"]
    if unused:
        await blobs.delete(key)
    await scope.connection.execute(_SQL["settle"], parameters)
    return int(unused)


def _parameters(scope: WorkspaceScope, claim: Claim) -> dict[str, object]:
    return {
        "workspace_id": scope.workspace_id,
        "blob_key": claim.blob_key,
        "claim_id": claim.claim_id,
    }
