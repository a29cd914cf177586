"""Waits where a queue is full, or works until it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from footnote.engine import WorkspaceEngine
from footnote.errors import QueueFull
from footnote.jobs.beside import run_worker_unless_another_does

T = TypeVar("T")

_LOOK_SECONDS = 0.2


async def received_when_there_is_room(
    workspace: WorkspaceEngine,
    receive: Callable[[], Awaitable[T]],
    *,
    work: bool,
    tell: Callable[[QueueFull], None],
) -> T:
    """What `receive` gives once the queue takes it.

    With `work` this process indexes meanwhile, unless another does; without, it waits for a worker
    as long as it takes.
    `tell` hears of each time it was full.
    """
    while True:
        try:
            return await receive()
        except QueueFull as full:
            tell(full)
            if work:
                await _work_until_there_is_room(workspace)
            else:
                await asyncio.sleep(full.retry_after_seconds)


async def _work_until_there_is_room(workspace: WorkspaceEngine) -> None:
    stop = asyncio.Event()
    worker = asyncio.create_task(
        run_worker_unless_another_does(workspace.engine, stop, lambda: None)
    )
    try:
        while not await workspace.has_room():
            done, _ = await asyncio.wait([worker], timeout=_LOOK_SECONDS)
            if done:
                await worker
    finally:
        stop.set()
        await asyncio.gather(worker, return_exceptions=True)
