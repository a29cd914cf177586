"""Extracts facts a slice at a time, so that a worker can stop at any time."""

from __future__ import annotations

import asyncio
from uuid import UUID

from footnote.domain.backfill import BackgroundWork
from footnote.engine import Services, as_system
from footnote.engine.configuration import is_paused
from footnote.engine.fact_extraction import ATTEMPTS, extract_document, extraction_of
from footnote.engine.model_reading import ModelAway
from footnote.engine.redaction import model_use_of_job
from footnote.errors import BudgetExceeded
from footnote.store.database import SYSTEM
from footnote.store.fact_progress import pending_documents
from footnote.store.queue import enqueue_facts

SLICE_SECONDS = 3.0
"""Less than a worker that is being stopped waits for what it has in hand."""
MODEL_PAUSE_SECONDS = 60.0
"""After a request that failed, before the model is asked again."""
BUDGET_PAUSE_SECONDS = 300.0
_LOOKED_AT_TOGETHER = 64


async def extract_slice(engine: Services, workspace_id: UUID) -> None:
    """Read documents for facts for some seconds, then have the rest read.

    What was kept of a document stays kept; a workspace that is switched off
    or paused is left at once.
    """
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + SLICE_SECONDS
    system = await as_system(engine, workspace_id)
    wanted = await extraction_of(system)
    by_rules = wanted.enabled and not await is_paused(system, BackgroundWork.FACTS)
    by_model = (
        wanted.enabled
        and wanted.reader is not None
        and not await is_paused(system, BackgroundWork.FACTS_BY_MODEL)
    )
    if not (by_rules or by_model):
        return
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        pending = await pending_documents(
            scope,
            wanted.extractor,
            wanted.classes,
            attempts=ATTEMPTS,
            limit=_LOOKED_AT_TOGETHER,
            # Without a model, what was begun and failed is tried again by rules.
            begun=() if wanted.reader is None else (wanted.rules, wanted.extractor),
            with_new=by_rules,
            with_begun=by_model,
        )
    waits_seconds = 0.0
    for each in pending:
        try:
            async with model_use_of_job(engine, workspace_id, each.document_id):
                await extract_document(
                    engine, workspace_id, each, wanted, lambda: loop.time() > ends_at
                )
        except ModelAway:
            waits_seconds = MODEL_PAUSE_SECONDS
        except BudgetExceeded:
            waits_seconds = BUDGET_PAUSE_SECONDS
        if waits_seconds or loop.time() > ends_at:
            break
    if pending:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await enqueue_facts(scope, delay_seconds=waits_seconds)
