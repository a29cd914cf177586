"""A stage that does not come forward fails its document, whatever it is at."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AbstractAsyncContextManager, suppress

import pytest

from footnote.domain import Stage
from footnote.errors import DocumentInterrupted, DocumentUnreadable
from footnote.ingestion.stages import StageLimit, stage_running
from footnote.ingestion.turns import FairSemaphore
from tests.jobs.stages import skip

LONG = 3600.0


def chunking(seconds: float = 0.0) -> AbstractAsyncContextManager[StageLimit]:
    return stage_running(Stage.CHUNK, "buoys.txt", seconds)


async def test_what_does_not_answer_is_named_with_its_document_and_may_be_tried_again() -> None:
    with pytest.raises(DocumentInterrupted) as raised:
        async with stage_running(Stage.EMBED, "buoys.txt", 0.0):
            await asyncio.Event().wait()
    assert raised.value.stage is Stage.EMBED
    assert raised.value.cause == "“buoys.txt” did not come forward for 0 seconds"
    assert "FOOTNOTE_TIMEOUTS" in raised.value.advice


async def test_what_computes_for_ever_is_ended_with_its_thread() -> None:
    threads: list[threading.Thread] = []

    def compute() -> None:
        threads.append(threading.current_thread())
        while True:
            pass

    with pytest.raises(DocumentUnreadable) as raised:
        async with chunking() as limit:
            await limit.compute(compute)
    assert raised.value.stage is Stage.CHUNK
    for each in threads:
        await asyncio.to_thread(each.join)


async def test_a_thread_is_ended_with_whoever_waits_for_it() -> None:
    begun, threads = threading.Event(), []

    def compute() -> None:
        threads.append(threading.current_thread())
        begun.set()
        while True:
            pass

    async def work() -> None:
        async with chunking(LONG) as limit:
            await limit.compute(compute)

    working = asyncio.create_task(work())
    await asyncio.to_thread(begun.wait)
    working.cancel()
    await asyncio.wait([working])
    assert working.cancelled()
    for each in threads:
        await asyncio.to_thread(each.join)


async def test_what_is_computed_comes_back_and_so_does_an_error() -> None:
    async with chunking(LONG) as limit:
        assert await limit.compute(int, "7") == 7
        with pytest.raises(ValueError, match="invalid literal"):
            await limit.compute(int, "seven")


async def test_waiting_for_a_turn_takes_no_time_of_a_stage() -> None:
    turns = FairSemaphore(1)
    async with chunking(LONG) as limit:
        async with turns.hold("another"):
            waiting = asyncio.create_task(in_turn(limit, turns))
            await asyncio.sleep(0)
            skip(2 * LONG)
            await asyncio.sleep(0)
        await waiting


async def in_turn(limit: StageLimit, turns: FairSemaphore) -> None:
    async with turns.hold("us", waiting=limit.unlimited()):
        pass


async def test_a_time_out_within_a_stage_is_not_taken_for_its_own() -> None:
    with pytest.raises(TimeoutError):
        async with chunking(LONG):
            raise TimeoutError


async def test_an_error_that_is_caught_leaves_a_stage_its_time_out() -> None:
    def fail() -> None:
        raise LookupError

    async def work() -> None:
        async with chunking(0.05) as limit:
            with suppress(LookupError):
                await limit.compute(fail)
            with suppress(LookupError), limit.unlimited():
                raise LookupError
            await asyncio.Event().wait()

    with pytest.raises(DocumentInterrupted):
        await work()
