"""Looks at passages of before for orders to a model, so that no search has to."""

from __future__ import annotations

import asyncio
from uuid import UUID

from footnote.domain.backfill import BackgroundWork
from footnote.engine import Services, as_system
from footnote.engine.configuration import is_paused
from footnote.store.database import SYSTEM
from footnote.store.queue import enqueue_marking
from footnote.store.suspicion import mark_passages, unmarked_passages

SLICE_SECONDS = 3.0
"""Less than a worker that is being stopped waits for what it has in hand."""
_LOOKED_AT_TOGETHER = 64


async def mark_slice(engine: Services, workspace_id: UUID) -> None:
    """Look at passages for some seconds, then have the rest looked at.

    What was found is kept after each batch.
    """
    now = asyncio.get_running_loop().time
    ends_at = now() + SLICE_SECONDS
    system = await as_system(engine, workspace_id)
    if await is_paused(system, BackgroundWork.SUSPICION):
        return
    while True:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            passages = await unmarked_passages(scope, _LOOKED_AT_TOGETHER)
        if not passages:
            return
        looked = await engine.suspicion.look_at(passages)
        found = {each.chunk_no: each.suspicious is True for each in looked}
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await mark_passages(scope, found)
            if now() > ends_at:
                await enqueue_marking(scope)
                return
