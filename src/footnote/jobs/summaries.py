"""Summarises documents a slice at a time, so that a worker can stop at any time."""

from __future__ import annotations

import asyncio
from uuid import UUID

from footnote.engine import Services, WorkspaceEngine
from footnote.engine.redaction import model_use_of_job
from footnote.engine.summarising import ATTEMPTS, summarise_document, summarising_of
from footnote.store.database import SYSTEM
from footnote.store.pushes import workspace_of
from footnote.store.queue import enqueue_summarising
from footnote.store.summaries import unsummarised_documents

SLICE_SECONDS = 3.0
"""Less than a worker that is being stopped waits for what it has in hand."""
_LOOKED_AT_TOGETHER = 64


async def summarise_slice(engine: Services, workspace_id: UUID) -> None:
    """Summarise documents for some seconds, then have the rest done.

    What was kept of a document stays kept; a workspace that is switched off is left at once.
    """
    ends_at = asyncio.get_running_loop().time() + SLICE_SECONDS
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        workspace = await workspace_of(scope)
    system = WorkspaceEngine(
        engine=engine, workspace=workspace, principal=SYSTEM, credential="system"
    )
    wanted = await summarising_of(system)
    if not wanted.enabled:
        return
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        waiting = await unsummarised_documents(
            scope, wanted.summariser, attempts=ATTEMPTS, limit=_LOOKED_AT_TOGETHER
        )
    for each in waiting:
        async with model_use_of_job(engine, workspace_id, each.document_id):
            await summarise_document(engine, workspace_id, each, wanted)
        if asyncio.get_running_loop().time() > ends_at:
            break
    if waiting:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await enqueue_summarising(scope)
