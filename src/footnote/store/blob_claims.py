"""Claim blobs before they are written, and remove those that nothing references.

Before bytes are written, a claim on their key is committed; the transaction that attaches them to a
document deletes the claim. So an interrupted write leaves a claim by which the bytes are found.
Before bytes are removed, a tombstone on their key is committed; it is deleted once they are gone.
Meanwhile nothing is written under that key, and an interrupted removal is found and repeated. The
blob store is never called while a transaction is open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO
from uuid import UUID, uuid4

from footnote.errors import NotFound, StoreUnavailable
from footnote.ports import Blobs
from footnote.store.blobs import blob_key
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.queue import enqueue_sweep
from footnote.store.statements import load_statements

_SQL = load_statements("blob_claims")

GRACE_SECONDS = 3600.0
"""How long a claim is valid, in seconds; receiving a file takes seconds or minutes."""

_KEYS_AT_ONCE = 500
_TOMBSTONE = UUID(int=0)
"""The claim id that marks a tombstone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobClaim:
    """A claim on a blob that is about to be written and attached to a document."""

    blob_key: str
    claim_id: UUID


async def claim_blob(scope: WorkspaceScope, content_sha256: str) -> BlobClaim:
    """Claim a blob for these bytes; write it only after the claim is committed.

    If a blob with these bytes is being removed, another key is used.
    """
    claim = BlobClaim(blob_key=blob_key(scope.workspace_id, content_sha256), claim_id=uuid4())
    await scope.execute(_SQL["one_at_a_time"], _parameters(claim))
    row = await scope.single(_SQL["being_removed"], _parameters(claim))
    if row["being_removed"]:
        folder, _, name = claim.blob_key.rpartition("/")
        claim = replace(claim, blob_key=f"{folder}/{claim.claim_id}/{name}")
    await scope.execute(_SQL["claim"], _parameters(claim))
    await enqueue_sweep(scope, GRACE_SECONDS)
    return claim


@asynccontextmanager
async def write_claimed(
    database: Database,
    blobs: Blobs,
    workspace_id: UUID,
    claim: BlobClaim,
    content: bytes | BinaryIO,
) -> AsyncIterator[None]:
    """Write the claimed bytes; the body attaches them to a document.

    If the workspace was destroyed meanwhile they are deleted, since the destruction has already
    listed its blobs. Raises what `Blobs.put` raises.
    """
    await blobs.put(claim.blob_key, content)
    try:
        yield
    except (NotFound, StoreUnavailable):
        async with database.workspace(workspace_id, SYSTEM) as scope:
            is_gone = (await scope.single(_SQL["is_gone"]))["is_gone"]
        if is_gone:
            await blobs.delete(claim.blob_key)
        raise


async def redeem(scope: WorkspaceScope, claim: BlobClaim) -> None:
    """Delete the claim, in the transaction that attaches the blob to a document.

    Follow it with `release_unreferenced`, for the document may have its bytes already. Raises
    StoreUnavailable when the claim has expired and the blob may be gone.
    """
    if not await scope.change(_SQL["redeem"], _parameters(claim)):
        raise StoreUnavailable(
            "storing the file took so long that it was given up", hint="hand it in once more"
        )


async def release_unreferenced(scope: WorkspaceScope, claim: BlobClaim) -> None:
    """Mark the blob of a redeemed claim for removal if no version references it."""
    await scope.execute(_SQL["give_up_unnamed"], _parameters(claim))


async def release(scope: WorkspaceScope, blob_keys: Sequence[str]) -> None:
    """Mark blobs for removal after the commit, if nothing references them then."""
    await scope.execute(_SQL["give_up"], {"blob_keys": list(blob_keys)})
    await enqueue_sweep(scope, GRACE_SECONDS)


async def remove_unused(
    database: Database,
    blobs: Blobs,
    workspace_id: UUID,
    blob_keys: Sequence[str],
    grace_seconds: float = GRACE_SECONDS,
) -> int:
    """Remove the blobs that no version references and nobody claims; return their number.

    Raises BlobsUnavailable; a later sweep removes what was left.
    """
    keys, count = sorted(set(blob_keys)), 0
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        buried = await _bury_unused(
            database, workspace_id, keys[start : start + _KEYS_AT_ONCE], grace_seconds
        )
        removed: list[str] = []
        try:
            for key in buried:
                await blobs.delete(key)
                removed.append(key)
        finally:
            count += len(removed)
            if removed:
                async with database.workspace(workspace_id, SYSTEM) as scope:
                    parameters = {"blob_keys": removed, "tombstone": _TOMBSTONE}
                    await scope.execute(_SQL["removed"], parameters)
    return count


async def _bury_unused(
    database: Database, workspace_id: UUID, keys: list[str], grace_seconds: float
) -> list[str]:
    """Commit tombstones on the blobs among these that are not used; return their keys."""
    parameters: dict[str, object] = {
        "blob_keys": keys,
        "hashes": list(map(_content_sha256, keys)),
        "tombstone": _TOMBSTONE,
        "grace_seconds": grace_seconds,
    }
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["take_turns"], parameters)
        unwanted = [row["blob_key"] for row in await scope.all(_SQL["unwanted"], parameters)]
        rows = await scope.all(_SQL["bury"], parameters | {"blob_keys": unwanted})
        await scope.execute(_SQL["settle"], parameters)
    return [row["blob_key"] for row in rows]


async def sweep_blobs(
    database: Database,
    blobs: Blobs,
    workspace_id: UUID,
    grace_seconds: float = GRACE_SECONDS,
) -> int:
    """Remove every blob whose claim has expired unredeemed; return their number."""
    removed = 0
    parameters = {"grace_seconds": grace_seconds, "limit": _KEYS_AT_ONCE}
    while True:
        async with database.workspace(workspace_id, SYSTEM) as scope:
            rows = await scope.all(_SQL["due"], parameters)
        if not rows:
            return removed
        keys = [row["blob_key"] for row in rows]
        removed += await remove_unused(database, blobs, workspace_id, keys, grace_seconds)


async def has_claims(scope: WorkspaceScope) -> bool:
    """Whether any claims are left for a later sweep."""
    return bool((await scope.single(_SQL["any_left"]))["left_over"])


def _parameters(claim: BlobClaim) -> dict[str, object]:
    return {
        "blob_key": claim.blob_key,
        "claim_id": claim.claim_id,
        "content_sha256": _content_sha256(claim.blob_key),
        "tombstone": _TOMBSTONE,
    }


def _content_sha256(key: str) -> bytes:
    return bytes.fromhex(key.rpartition("/")[2])
