"""Blocking calls into an engine's event loop end, whatever the loop's thread does meanwhile."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from footnote.errors import InvalidRequest
from footnote.interfaces.tools.bridge import Bridge

PATIENCE_SECONDS = 60


async def answer() -> str:
    return "done"


def in_a_loop_of_its_own(work: Callable[[Bridge], Awaitable[object]]) -> object:
    """What the work gives, or raises; a loop that stands still fails the test, not the run."""
    ended: queue.SimpleQueue[object] = queue.SimpleQueue()

    async def run() -> None:
        try:
            ended.put(await work(Bridge.here()))
        except InvalidRequest as error:
            ended.put(error)

    threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()
    try:
        return ended.get(timeout=PATIENCE_SECONDS)
    except queue.Empty:
        return "the loop stands still"


def test_a_thread_that_the_loops_own_thread_waits_for_is_refused() -> None:
    async def work(bridge: Bridge) -> str:
        with ThreadPoolExecutor() as pool:
            return pool.submit(bridge.wait, answer).result()

    error = in_a_loop_of_its_own(work)
    assert isinstance(error, InvalidRequest), error
    assert "would stop the event loop" in str(error)
    assert "await the asynchronous call" in str(error.hint)


def test_so_is_one_that_it_joins() -> None:
    async def work(bridge: Bridge) -> object:
        caught: list[object] = []

        def call() -> None:
            with pytest.raises(InvalidRequest) as raised:
                bridge.wait(answer)
            caught.append(raised.value)

        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        thread.join()
        return caught[0]

    assert isinstance(in_a_loop_of_its_own(work), InvalidRequest)


def test_what_was_refused_is_not_done_later() -> None:
    async def work(bridge: Bridge) -> list[str]:
        done: list[str] = []

        async def note() -> None:
            done.append("done")

        with ThreadPoolExecutor() as pool, pytest.raises(InvalidRequest):
            pool.submit(bridge.wait, note).result()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return done

    assert in_a_loop_of_its_own(work) == []


def test_a_loop_that_is_only_busy_is_waited_for() -> None:
    async def work(bridge: Bridge) -> str:
        waiting = asyncio.create_task(asyncio.to_thread(bridge.wait, answer))
        await asyncio.sleep(0)
        until = time.monotonic() + 2.5
        while time.monotonic() < until:
            sum(range(10_000))
        return await waiting

    assert in_a_loop_of_its_own(work) == "done"
