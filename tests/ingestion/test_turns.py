"""Shares of what is scarce: who holds least is next, and nobody is kept out by many of another."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from footnote.ingestion.turns import FairSemaphore


class Line:
    """Owners who ask for shares, in the order in which they get them."""

    def __init__(self, turns: FairSemaphore) -> None:
        self.turns = turns
        self.held: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, name: str, weight: int = 1) -> None:
        """Ask for a share; the owner is the first letter."""
        self._ends[name] = asyncio.Event()
        self._tasks[name] = asyncio.create_task(self._hold(name, weight))
        await asyncio.sleep(0)

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await self._tasks[name]
        await asyncio.sleep(0)

    async def give_up(self, name: str) -> None:
        self._tasks[name].cancel()
        await asyncio.wait([self._tasks[name]])

    async def _hold(self, name: str, weight: int) -> None:
        async with self.turns.hold(name[0], weight):
            self.held.append(name)
            await self._ends[name].wait()


async def test_who_holds_least_is_next() -> None:
    line = Line(FairSemaphore(2))
    for name in ("a1", "a2", "a3", "b1"):
        await line.ask(name)
    assert line.held == ["a1", "a2"]
    await line.end("a1")
    assert line.held == ["a1", "a2", "b1"]
    await line.end("a2")
    assert line.held[-1] == "a3"


async def test_an_owner_who_holds_nothing_gets_a_small_share_at_once() -> None:
    line = Line(FairSemaphore(8, reserve=2))
    await line.ask("a1", 8)
    await line.ask("a2", 1)
    await line.ask("b1", 3)
    await line.ask("c1", 2)
    assert line.held == ["a1", "c1"], "more than the reserve is no small share"
    await line.end("a1")
    assert line.held == ["a1", "c1", "a2", "b1"]


async def test_more_than_everything_is_held_alone() -> None:
    line = Line(FairSemaphore(8))
    await line.ask("a1")
    await line.ask("b1", 100)
    await line.ask("c1")
    assert line.held == ["a1"], "nobody overtakes it"
    await line.end("a1")
    assert line.held == ["a1", "b1"]
    await line.end("b1")
    assert line.held == ["a1", "b1", "c1"]


async def test_what_is_held_may_grow_and_others_wait_for_it() -> None:
    turns = FairSemaphore(8)
    async with AsyncExitStack() as stack:
        hold = await stack.enter_async_context(turns.hold("a", 2))
        hold.grow(20)
        hold.grow(5)
        line = Line(turns)
        await line.ask("b1", 8)
        assert not line.held
    await asyncio.sleep(0)
    assert line.held == ["b1"]
    await line.end("b1")


async def test_who_gives_up_waiting_holds_nothing() -> None:
    line = Line(FairSemaphore(1))
    for name in ("a1", "b1", "c1"):
        await line.ask(name)
    await line.give_up("b1")
    await line.give_up("a1")
    await asyncio.sleep(0)
    assert line.held == ["a1", "c1"]
    await line.end("c1")
