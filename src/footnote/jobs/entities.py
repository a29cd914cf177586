"""Extracts what documents name a slice at a time, so that a worker can stop at any time."""

from __future__ import annotations

import asyncio
from uuid import UUID

from footnote.domain.backfill import BackgroundWork
from footnote.engine import Services, as_system
from footnote.engine.configuration import is_paused
from footnote.engine.entity_extraction import (
    ATTEMPTS,
    entity_extraction_of,
    extract_entities_of,
)
from footnote.engine.model_reading import ModelAway
from footnote.engine.redaction import model_use_of_job
from footnote.errors import BudgetExceeded
from footnote.jobs.facts import BUDGET_PAUSE_SECONDS, MODEL_PAUSE_SECONDS
from footnote.store.database import SYSTEM
from footnote.store.entity_keeping import drop_orphans, unread_documents
from footnote.store.queue import enqueue_entities

SLICE_SECONDS = 3.0
"""Less than a worker that is being stopped waits for what it has in hand."""
_LOOKED_AT_TOGETHER = 64


async def extract_entity_slice(engine: Services, workspace_id: UUID) -> None:
    """Read documents for entities for some seconds, then have the rest read.

    What was kept of a document stays kept; a workspace that is switched off
    or paused is left at once.
    """
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + SLICE_SECONDS
    system = await as_system(engine, workspace_id)
    wanted = await entity_extraction_of(system)
    packaged = wanted.enabled and not await is_paused(system, BackgroundWork.ENTITIES)
    by_model = (
        wanted.enabled
        and wanted.reader is not None
        and not await is_paused(system, BackgroundWork.ENTITIES_BY_MODEL)
    )
    if not (packaged or by_model):
        return
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        unread = await unread_documents(
            scope,
            wanted.extractor,
            attempts=ATTEMPTS,
            limit=_LOOKED_AT_TOGETHER,
            begun=() if wanted.reader is None else (wanted.packaged, wanted.extractor),
            with_new=packaged,
            with_begun=by_model,
        )
        await drop_orphans(scope)
    waits_seconds = 0.0
    for each in unread:
        try:
            async with model_use_of_job(engine, workspace_id, each.document_id):
                await extract_entities_of(
                    engine, workspace_id, each, wanted, lambda: loop.time() > ends_at
                )
        except ModelAway:
            waits_seconds = MODEL_PAUSE_SECONDS
        except BudgetExceeded:
            waits_seconds = BUDGET_PAUSE_SECONDS
        if waits_seconds or loop.time() > ends_at:
            break
    if unread:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await enqueue_entities(scope, delay_seconds=waits_seconds)
