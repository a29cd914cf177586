"""Backfill what documents of earlier versions lack, in time slices, so that a worker can stop."""

from __future__ import annotations

import asyncio
from uuid import UUID

from footnote.domain.backfill import BackgroundWork
from footnote.engine import Services, as_system
from footnote.engine.configuration import is_paused
from footnote.engine.keyword_choice import choose_next
from footnote.store.database import SYSTEM
from footnote.store.injection_screening import mark_passages, unmarked_passages
from footnote.store.queue import enqueue_keywords, enqueue_marking

SLICE_SECONDS = 3.0
"""Length of one slice; shorter than the grace period of a worker that is being stopped."""
_BATCH_SIZE = 64


async def keyword_slice(engine: Services, workspace_id: UUID) -> None:
    """Choose keywords for one slice, and enqueue a job for the rest."""
    now = asyncio.get_running_loop().time
    ends_at = now() + SLICE_SECONDS
    if await is_paused(await as_system(engine, workspace_id), BackgroundWork.KEYWORDS):
        return
    while await choose_next(engine, workspace_id):
        if now() > ends_at:
            async with engine.database.workspace(workspace_id, SYSTEM) as scope:
                await enqueue_keywords(scope)
            return


async def mark_slice(engine: Services, workspace_id: UUID) -> None:
    """Classify passages as prompt injections for one slice, and enqueue a job for the rest.

    Searches then find the result stored. It is stored after each batch.
    """
    now = asyncio.get_running_loop().time
    ends_at = now() + SLICE_SECONDS
    system = await as_system(engine, workspace_id)
    if await is_paused(system, BackgroundWork.SUSPICION):
        return
    while True:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            passages = await unmarked_passages(scope, _BATCH_SIZE)
        if not passages:
            return
        classified = await engine.suspicion.classify_passages(passages)
        flags = {passage.chunk_no: passage.suspicious is True for passage in classified}
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await mark_passages(scope, flags)
            if now() > ends_at:
                await enqueue_marking(scope)
                return
