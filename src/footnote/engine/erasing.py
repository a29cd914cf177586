"""Deletes a document and proves that nothing of it is left."""

from __future__ import annotations

from uuid import UUID

from footnote.domain import Erasure, ErasureCheck, Principal
from footnote.engine.services import Services
from footnote.store.blob_claims import remove_unused
from footnote.store.database import SYSTEM
from footnote.store.erasure import BLOBS, Findings, drop_jobs, family_of, find_all
from footnote.store.merging import purge_dead
from footnote.store.publishing import delete_document

_RECORD = "tells others that it is gone: its names, none of its text"
_CACHES = "caches of this process"


async def erase(
    engine: Services, workspace_id: UUID, principal: Principal, document_id: UUID
) -> Erasure:
    """Delete the document with its attachments, rewrite what holds dead pieces, and look again.

    Takes as long as reading the workspace's whole lexical index twice. Raises NotFound.
    """
    async with engine.database.workspace(workspace_id, principal) as scope:
        await family_of(scope, document_id)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        family = await family_of(scope, document_id)
        before = await find_all(scope, engine.blobs, family)
    held_blobs = len(family.blob_keys)
    async with engine.database.workspace(workspace_id, principal) as scope:
        blobs = await delete_document(scope, document_id, engine.maintenance_limits)
        await drop_jobs(scope, family)
    await remove_unused(engine.database, engine.blobs, workspace_id, blobs)
    await purge_dead(engine.database, workspace_id)
    cached = forget_cached(engine, workspace_id)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        after = await find_all(scope, engine.blobs, family)
    checks = (*_checks(before, after, held_blobs), ErasureCheck(place=_CACHES, held=cached, left=0))
    return Erasure(document_id=document_id, documents=len(family.document_ids), checks=checks)


def forget_cached(engine: Services, workspace_id: UUID) -> int:
    """Drop what this process remembers of the workspace; how many caches held something.

    Other processes look at nothing they remembered before the deletion, and let go of it as
    they search on or after `cache_seconds`.
    """
    return sum(
        cache.forget(workspace_id)
        for cache in (
            engine.search_stages.cache,
            engine.answer_cache,
            engine.cache,
            engine.vector_cache,
        )
    )


def _checks(before: Findings, after: Findings, held_blobs: int) -> tuple[ErasureCheck, ...]:
    return tuple(
        ErasureCheck(
            place=place,
            held=held_blobs if place == BLOBS else before.counts.get(place, 0),
            left=left,
            kept=_RECORD if left and place in after.records else "",
        )
        for place, left in after.counts.items()
    )
