"""One turn at a time, and no workspace has two while another waits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import BinaryIO
from uuid import UUID

import pytest

from footnote.domain import DocumentStatus, Transcript, Utterance
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.turns import Postponed, RoundRobinLock, WorkspaceSlots
from footnote.jobs.worker import work_on_queue
from footnote.ports import OnProgress, ignore_progress
from tests.ingestion.recordings import wav
from tests.jobs.stages import stages

BUSY, CALM = UUID(int=1), UUID(int=2)


async def test_workspaces_take_turns_whatever_each_has_waiting() -> None:
    turns, served = RoundRobinLock(), list[UUID]()

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
    turns, inside = RoundRobinLock(), 0

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
    turns = RoundRobinLock()
    async with turns.of(BUSY):
        waiting = [asyncio.create_task(one_turn(turns, CALM)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
    # The second was given the turn just now and leaves before it takes it.
    waiting[1].cancel()
    assert await asyncio.wait_for(waiting[2], 600) == CALM
    async with asyncio.timeout(600), turns.of(BUSY):
        pass


async def one_turn(turns: RoundRobinLock, workspace_id: UUID) -> UUID:
    async with turns.of(workspace_id):
        return workspace_id


def test_no_workspace_has_more_places_than_its_own() -> None:
    places = WorkspaceSlots(each=2, all_together=3, pause_seconds=3)
    with places.of(BUSY), places.of(BUSY):
        waits = []
        for _ in range(3):
            with pytest.raises(Postponed) as raised, places.of(BUSY):
                pass
            waits.append(raised.value.wait_seconds)
        assert waits == [3, 6, 9]
        with places.of(CALM), pytest.raises(Postponed), places.of(UUID(int=3)):
            pass
    with places.of(BUSY):
        pass


@dataclass
class Full:
    """Has no place until it was asked so often."""

    times: int
    name: str = "scripted"

    async def __call__(
        self,
        content: BinaryIO,
        media_type: str,
        *,
        workspace_id: UUID,
        on_progress: OnProgress = ignore_progress,
    ) -> Transcript:
        self.times -= 1
        if self.times >= 0:
            raise Postponed(0.05)
        said = Utterance(text="The winch is here.", start_seconds=0.0, end_seconds=1.0)
        return Transcript(utterances=(said,))


async def test_a_recording_that_is_put_off_is_not_counted_as_tried(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(wav(), "winch.wav")
    stop = asyncio.Event()
    often = engine.settings.limits.attempts + 2
    async with stages(engine, engine.embedder) as ingestion:
        full = Full(often)
        working = asyncio.create_task(
            work_on_queue(engine, replace(ingestion, transcriber=full), stop)
        )
        try:
            async with asyncio.timeout(600):
                while True:
                    document = await workspace.document(received.document.document_id)
                    if document.status in (DocumentStatus.INDEXED, DocumentStatus.FAILED):
                        break
                    await asyncio.sleep(0.1)
        finally:
            stop.set()
            await working
    assert document.status is DocumentStatus.INDEXED
    assert full.times == -1
