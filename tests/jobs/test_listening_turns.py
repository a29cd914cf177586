"""One turn at a time, and no workspace has two while another waits."""

from __future__ import annotations

import asyncio
from uuid import UUID

from footnote.jobs.turns import Turns

BUSY, CALM = UUID(int=1), UUID(int=2)


async def test_workspaces_take_turns_whatever_each_has_waiting() -> None:
    turns, served = Turns(), list[UUID]()

    async def want(workspace_id: UUID, times: int) -> None:
        for _ in range(times):
            async with turns.of(workspace_id):
                served.append(workspace_id)
                await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(want(BUSY, 4))
        group.create_task(want(CALM, 4))
    last_of_calm = max(index for index, each in enumerate(served) if each == CALM)
    assert len(served) == 24
    # The first may have begun before the other came.
    assert last_of_calm <= 8


async def test_two_never_have_a_turn_at_once() -> None:
    turns, inside = Turns(), 0

    async def want(number: int) -> None:
        nonlocal inside
        for _ in range(5):
            async with turns.of(UUID(int=number % 3)):
                inside += 1
                assert inside == 1
                await asyncio.sleep(0)
                inside -= 1

    await asyncio.gather(*map(want, range(9)))


async def test_who_leaves_while_waiting_holds_nobody_up() -> None:
    turns = Turns()
    async with turns.of(BUSY):
        waiting = [asyncio.create_task(one_turn(turns, CALM)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
    # The second was given the turn just now and leaves before it takes it.
    waiting[1].cancel()
    assert await asyncio.wait_for(waiting[2], 10) == CALM
    async with asyncio.timeout(10), turns.of(BUSY):
        pass


async def one_turn(turns: Turns, workspace_id: UUID) -> UUID:
    async with turns.of(workspace_id):
        return workspace_id
