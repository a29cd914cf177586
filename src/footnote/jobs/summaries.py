"""Summarises documents a slice at a time, so that a worker can stop at any time."""

from __future__ import annotations

import asyncio
from uuid import UUID

from footnote.domain.backfill import BackgroundWork
from footnote.engine import Services, as_system
from footnote.engine.configuration import is_paused
from footnote.engine.redaction import model_use_of_job
from footnote.engine.summarising import (
    ATTEMPTS,
    summarise_document,
    summarising_of,
    write_document,
)
from footnote.errors import BudgetExceeded
from footnote.store.database import SYSTEM
from footnote.store.queue import enqueue_summarising
from footnote.store.summaries import unsummarised_documents
from footnote.store.written_summaries import unwritten_documents

SLICE_SECONDS = 3.0
"""Length of one slice; shorter than the grace period of a worker that is being stopped."""
MODEL_PAUSE_SECONDS = 60.0
"""Pause after a failed request before the model is asked again."""
BUDGET_PAUSE_SECONDS = 300.0
_BATCH_SIZE = 64


async def summarise_slice(engine: Services, workspace_id: UUID) -> None:
    """Summarise documents for one slice, and enqueue a job for the rest.

    Stored results of a document stay. A workspace in which this is switched off or paused is
    skipped.
    """
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + SLICE_SECONDS
    system = await as_system(engine, workspace_id)
    summarising = await summarising_of(system)
    if not summarising.enabled:
        return
    selects_sentences = not await is_paused(system, BackgroundWork.SUMMARIES)
    uses_model = not await is_paused(system, BackgroundWork.SUMMARIES_BY_MODEL)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        waiting = (
            await unsummarised_documents(
                scope, summarising.summariser, attempts=ATTEMPTS, limit=_BATCH_SIZE
            )
            if selects_sentences
            else ()
        )
        unwritten = (
            ()
            if summarising.writer is None or waiting or not uses_model
            else await unwritten_documents(
                scope,
                summarising.summariser,
                summarising.writer.name,
                attempts=ATTEMPTS,
                limit=_BATCH_SIZE,
            )
        )
    for document in waiting:
        async with model_use_of_job(engine, workspace_id, document.document_id):
            await summarise_document(engine, workspace_id, document, summarising)
        if loop.time() > ends_at:
            break
    waits_seconds = 0.0
    for document in unwritten:
        assert summarising.writer is not None, "something is to be written"
        try:
            async with model_use_of_job(engine, workspace_id, document.document_id):
                failed = await write_document(system, document, summarising.writer)
        except BudgetExceeded:
            waits_seconds = BUDGET_PAUSE_SECONDS
        else:
            waits_seconds = MODEL_PAUSE_SECONDS if failed is not None else 0.0
        if waits_seconds or loop.time() > ends_at:
            break
    if waiting or unwritten:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await enqueue_summarising(scope, delay_seconds=waits_seconds)
