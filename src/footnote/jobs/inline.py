"""Works on the queue in this process until what is waited for has come to rest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from uuid import UUID

from footnote.domain import Document, DocumentStatus, Reembedding
from footnote.engine import Services, WorkspaceAccess
from footnote.engine.documents import statuses
from footnote.engine.lanes import reembedding
from footnote.jobs.beside import run_worker_unless_another_does
from footnote.jobs.worker import run_worker

_LOOK_SECONDS = 0.2
_RESTING = (DocumentStatus.INDEXED, DocumentStatus.FAILED)


async def work_until_resting(
    engine: Services,
    workspace: WorkspaceAccess,
    document_ids: Sequence[UUID],
    on_change: Callable[[Mapping[UUID, Document]], None],
    on_other: Callable[[], None] | None = None,
) -> Mapping[UUID, Document]:
    """Work until the documents and their attachments are indexed or failed, or are gone.

    Other workers may share the work. `on_change` sees the documents about five times a second.
    With `on_other`, the work is left to another worker while one runs, and `on_other` hears of it.
    """
    found: Mapping[UUID, Document] = {}

    async def rest() -> bool:
        nonlocal found
        found = await statuses(workspace, document_ids)
        on_change(found)
        return all(document.status in _RESTING for document in found.values())

    await _work_until(engine, rest, on_other)
    return found


async def work_until_reembedded(
    engine: Services,
    workspace: WorkspaceAccess,
    lane: str,
    on_change: Callable[[Reembedding], None],
) -> Reembedding:
    """Work until the change of the lane that is under way has ended, one way or another.

    Other workers may share the work. `on_change` sees it about five times a second. Raises
    NotFound for a lane that was never changed.
    """
    found = await reembedding(workspace, lane)

    async def ended() -> bool:
        nonlocal found
        found = await reembedding(workspace, lane)
        on_change(found)
        return not found.is_under_way

    await _work_until(engine, ended)
    return found


async def _work_until(
    engine: Services,
    done: Callable[[], Awaitable[bool]],
    on_other: Callable[[], None] | None = None,
) -> None:
    stop = asyncio.Event()
    worker = asyncio.create_task(
        run_worker(engine, stop=stop)
        if on_other is None
        else run_worker_unless_another_does(engine, stop, on_other)
    )
    try:
        while not await done():
            ended, _ = await asyncio.wait([worker], timeout=_LOOK_SECONDS)
            if ended:
                await worker
    finally:
        stop.set()
        await asyncio.gather(worker, return_exceptions=True)
