"""Chooses keywords anew a document at a time, so that a worker can stop at any time."""

from __future__ import annotations

import asyncio
from uuid import UUID

from footnote.domain.backfill import BackgroundWork
from footnote.engine import Services, as_system
from footnote.engine.configuration import is_paused
from footnote.engine.keyword_choice import choose_next
from footnote.store.database import SYSTEM
from footnote.store.queue import enqueue_keywords

SLICE_SECONDS = 3.0
"""Less than a worker that is being stopped waits for what it has in hand."""


async def keyword_slice(engine: Services, workspace_id: UUID) -> None:
    """Choose keywords for some seconds, then have the rest done."""
    now = asyncio.get_running_loop().time
    ends_at = now() + SLICE_SECONDS
    if await is_paused(await as_system(engine, workspace_id), BackgroundWork.KEYWORDS):
        return
    while await choose_next(engine, workspace_id):
        if now() > ends_at:
            async with engine.database.workspace(workspace_id, SYSTEM) as scope:
                await enqueue_keywords(scope)
            return
