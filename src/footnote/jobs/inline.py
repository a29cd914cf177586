"""Works on the queue in this process until certain documents have come to rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from footnote.domain import Document, DocumentStatus
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.worker import run_worker

_LOOK_SECONDS = 0.2
_RESTING = (DocumentStatus.INDEXED, DocumentStatus.FAILED)


async def work_until_resting(
    engine: Engine,
    workspace: WorkspaceEngine,
    document_ids: Sequence[UUID],
    on_change: Callable[[Mapping[UUID, Document]], None],
) -> Mapping[UUID, Document]:
    """Work until the documents and their attachments are indexed or failed, or are gone.

    Other workers may share the work. `on_change` sees the documents about five times a second.
    """
    stop = asyncio.Event()
    worker = asyncio.create_task(run_worker(engine, stop=stop))
    try:
        while True:
            documents = await workspace.statuses(document_ids)
            on_change(documents)
            if all(document.status in _RESTING for document in documents.values()):
                return documents
            done, _ = await asyncio.wait([worker], timeout=_LOOK_SECONDS)
            if done:
                await worker
    finally:
        stop.set()
        await asyncio.gather(worker, return_exceptions=True)
