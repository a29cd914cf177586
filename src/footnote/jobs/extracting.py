"""Reads documents for facts and entities a slice at a time, so that a worker can stop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

from footnote.domain.backfill import BackgroundWork
from footnote.engine import Services, WorkspaceEngine, as_system, entity_extraction, fact_extraction
from footnote.engine.configuration import is_paused
from footnote.engine.model_reading import Extraction, ModelAway
from footnote.engine.redaction import model_use_of_job
from footnote.errors import BudgetExceeded
from footnote.store.database import SYSTEM, WorkspaceScope
from footnote.store.entity_storage import drop_orphans
from footnote.store.queue import enqueue_entities, enqueue_facts
from footnote.store.reading_progress import Extracted, PublishedVersion, unread_documents

SLICE_SECONDS = 3.0
"""Length of one slice; shorter than the grace period of a worker that is being stopped."""
MODEL_PAUSE_SECONDS = 60.0
"""Pause after a failed request before the model is asked again."""
BUDGET_PAUSE_SECONDS = 300.0
_BATCH_SIZE = 64
_KINDS: dict[Extracted, tuple[BackgroundWork, BackgroundWork, int]] = {
    "facts": (BackgroundWork.FACTS, BackgroundWork.FACTS_BY_MODEL, fact_extraction.ATTEMPTS),
    "entities": (
        BackgroundWork.ENTITIES,
        BackgroundWork.ENTITIES_BY_MODEL,
        entity_extraction.ATTEMPTS,
    ),
}
"""The work without and with a model, and how often a version is tried."""

Read = Callable[[PublishedVersion, Callable[[], bool]], Awaitable[None]]
"""Extracts from one version; the function passed to it returns whether the slice is over."""


async def extract_fact_slice(engine: Services, workspace_id: UUID) -> None:
    """Extract facts for one slice, and enqueue a job for the rest."""
    system = await as_system(engine, workspace_id)
    extraction = await fact_extraction.extraction_of(system)

    async def read(version: PublishedVersion, is_late: Callable[[], bool]) -> None:
        await fact_extraction.extract_document(engine, workspace_id, version, extraction, is_late)

    await _extract_slice(system, "facts", extraction, read, enqueue_facts)


async def extract_entity_slice(engine: Services, workspace_id: UUID) -> None:
    """Extract entities for one slice, and enqueue a job for the rest."""
    system = await as_system(engine, workspace_id)
    extraction = await entity_extraction.entity_extraction_of(system)

    async def read(version: PublishedVersion, is_late: Callable[[], bool]) -> None:
        await entity_extraction.extract_entities_of(
            engine, workspace_id, version, extraction, is_late
        )

    await _extract_slice(system, "entities", extraction, read, enqueue_entities, tidy=drop_orphans)


async def _extract_slice(
    system: WorkspaceEngine,
    kind: Extracted,
    extraction: Extraction,
    read: Read,
    enqueue: Callable[..., Awaitable[None]],
    *,
    tidy: Callable[[WorkspaceScope], Awaitable[None]] | None = None,
) -> None:
    """Extract from versions until the slice is over, or a model or a budget requires a pause.

    Stored results of a document stay. A workspace in which this is switched off or paused is
    skipped.
    """
    engine, workspace_id = system.engine, system.workspace_id
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + SLICE_SECONDS
    without_model, with_model, attempts = _KINDS[kind]
    with_new = extraction.enabled and not await is_paused(system, without_model)
    with_begun = (
        extraction.enabled
        and extraction.reader is not None
        and not await is_paused(system, with_model)
    )
    if not (with_new or with_begun):
        return
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        unread = await unread_documents(
            scope,
            kind,
            extraction.extractor,
            extraction.classes,
            attempts=attempts,
            limit=_BATCH_SIZE,
            # Without a model, versions whose extraction failed are retried like new ones.
            begun=()
            if extraction.reader is None
            else (extraction.without_model, extraction.extractor),
            with_new=with_new,
            with_begun=with_begun,
        )
        if tidy is not None:
            await tidy(scope)
    waits_seconds = 0.0
    for version in unread:
        try:
            async with model_use_of_job(engine, workspace_id, version.document_id):
                await read(version, lambda: loop.time() > ends_at)
        except ModelAway:
            waits_seconds = MODEL_PAUSE_SECONDS
        except BudgetExceeded:
            waits_seconds = BUDGET_PAUSE_SECONDS
        if waits_seconds or loop.time() > ends_at:
            break
    if unread:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await enqueue(scope, delay_seconds=waits_seconds)
