"""Run a worker in this process until given documents or a lane are done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, TypeVar
from uuid import UUID

from footnote.domain import Document, DocumentStatus, Received, Reembedding
from footnote.domain.sources import KnownEntry, Labels, Offered
from footnote.engine import Services, WorkspaceAccess, WorkspaceEngine
from footnote.engine.documents import statuses
from footnote.engine.lanes import reembedding
from footnote.errors import QueueFull
from footnote.jobs.sources.following import Listing, Source
from footnote.jobs.worker import run_worker
from footnote.store.job_recovery import worker_lives
from footnote.validation.arguments import OfItsClass, checks

T = TypeVar("T")

_POLL_SECONDS = 0.2
_WORKER_POLL_SECONDS = 1.0
_FINAL_STATUSES = (DocumentStatus.INDEXED, DocumentStatus.FAILED)


@checks
async def work_until_resting(
    engine: Services,
    workspace: Annotated[WorkspaceAccess, OfItsClass],
    document_ids: Sequence[UUID],
    on_change: Callable[[Mapping[UUID, Document]], None],
    on_other: Callable[[], None] | None = None,
) -> Mapping[UUID, Document]:
    """Work until the documents and their attachments are indexed or failed, or are gone.

    Other workers may share the work. `on_change` sees the documents about five times a second.
    With `on_other`, the work is left to another worker while one runs, and `on_other` hears of it.
    Raises InvalidRequest for what are no ids.
    """
    current: Mapping[UUID, Document] = {}

    async def all_final() -> bool:
        nonlocal current
        current = await statuses(workspace, document_ids)
        on_change(current)
        return all(document.status in _FINAL_STATUSES for document in current.values())

    await _work_until(engine, all_final, on_other)
    return current


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
    current = await reembedding(workspace, lane)

    async def ended() -> bool:
        nonlocal current
        current = await reembedding(workspace, lane)
        on_change(current)
        return not current.is_under_way

    await _work_until(engine, ended)
    return current


async def receive_when_queue_has_room(
    workspace: WorkspaceEngine,
    receive: Callable[[], Awaitable[T]],
    *,
    work: bool,
    tell: Callable[[QueueFull], None],
) -> T:
    """Call `receive`, again and again while the queue is full, and return its result.

    With `work` this process indexes meanwhile, unless another worker runs; without, it waits for a
    worker without limit. `tell` is called each time that the queue is full.
    """
    while True:
        try:
            return await receive()
        except QueueFull as full:
            tell(full)
            if work:
                await _work_until(workspace.engine, workspace.has_room, lambda: None)
            else:
                await asyncio.sleep(full.retry_after_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatientSource:
    """A source that waits while the queue is full, or works until it is not."""

    source: Source
    work: bool
    """Whether this process indexes meanwhile."""
    tell: Callable[[QueueFull], None]
    """Called each time that the queue is full."""

    async def listing(self) -> Listing:
        """Return what the source lists now."""
        return await self.source.listing()

    async def take_in(
        self,
        workspace: WorkspaceEngine,
        offered: Offered,
        labels: Labels,
        before: KnownEntry | None,
    ) -> tuple[Received, Offered] | None:
        """Ingest one entry, reading it again for each try."""
        return await receive_when_queue_has_room(
            workspace,
            lambda: self.source.take_in(workspace, offered, labels, before),
            work=self.work,
            tell=self.tell,
        )

    async def close(self) -> None:
        """Close the source."""
        await self.source.close()


async def run_worker_unless_another_does(
    engine: Services,
    stop: asyncio.Event,
    tell: Callable[[], None],
    on_idle: Callable[[], None] | None = None,
) -> None:
    """Run a worker until `stop` is set, starting once no other worker runs.

    So the settings of only one process are in effect. `tell` is called once if another worker
    runs. A worker that died counts as running until its heartbeat is too old.
    """
    silence_seconds, reported = engine.settings.seconds.worker, False
    while await worker_lives(engine.database, silence_seconds=silence_seconds):
        if not reported:
            tell()
            reported = True
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _WORKER_POLL_SECONDS)
            return
    await run_worker(engine, stop=stop, on_idle=on_idle)


async def _work_until(
    engine: Services,
    done: Callable[[], Awaitable[bool]],
    on_other: Callable[[], None] | None = None,
) -> None:
    """Work until it is done; with `on_other`, only while no other worker runs."""
    stop, wake = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        try:
            if on_other is None:
                await run_worker(engine, stop=stop, on_idle=wake.set)
            else:
                await run_worker_unless_another_does(engine, stop, on_other, wake.set)
        finally:
            wake.set()

    worker = asyncio.create_task(work())
    try:
        while not await done():
            with suppress(TimeoutError):
                await asyncio.wait_for(wake.wait(), _POLL_SECONDS)
            wake.clear()
            if worker.done():
                await worker
    finally:
        stop.set()
        await asyncio.gather(worker, return_exceptions=True)
