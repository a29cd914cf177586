"""A run goes on for as long as somebody may read it, and is kept within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import (
    LOCAL_PRINCIPAL,
    AnswerEvent,
    AnswerFailed,
    Principal,
    TextWritten,
)
from footnote.engine.answer_runs import AnswerRuns, Owner, Reader, RunLimits
from footnote.errors import InvalidRequest, ModelUnavailable, NotFound

OWNER = Owner(workspace_id=uuid4(), principal=LOCAL_PRINCIPAL)
PATIENCE_SECONDS = 60


class Source:
    """Frames that come when they are let, and a note of how it ended."""

    def __init__(self, *frames: bytes, failure: Exception | None = None) -> None:
        self.frames = frames
        self.failure = failure
        self.let = asyncio.Semaphore(0)
        self.ended = asyncio.Event()
        self.complete = False

    def release(self, frames: int | None = None) -> Source:
        for _ in range(len(self.frames) + 1 if frames is None else frames):
            self.let.release()
        return self

    async def __call__(self) -> AsyncGenerator[AnswerEvent]:
        try:
            for frame in self.frames:
                await self.let.acquire()
                yield TextWritten(text=frame.decode("latin-1"))
            await self.let.acquire()
            if self.failure is not None:
                raise self.failure
            self.complete = True
        finally:
            self.ended.set()


def encode(event: AnswerEvent) -> list[bytes]:
    """The frame of what a source said, or of how it failed."""
    match event:
        case TextWritten():
            return [event.text.encode("latin-1")]
        case AnswerFailed():
            return [event.code.encode()]
        case _:
            raise AssertionError(event)


async def read(reader: Reader, frames: int | None = None) -> list[tuple[int, bytes]]:
    """So many frames, or all."""
    found: list[tuple[int, bytes]] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            for frame in reader.unread():
                found.append(frame)
                if len(found) == frames:
                    return found
            if not reader.waits:
                return found
            await reader.run.changed.wait()


async def test_a_reader_gets_every_frame_with_its_number() -> None:
    runs = AnswerRuns()
    source = Source(b"a", b"b").release()
    assert await read(runs.begin(OWNER, source(), encode)) == [(1, b"a"), (2, b"b")]
    assert source.complete


@given(frames=st.lists(st.binary(min_size=1, max_size=9), max_size=8), cut=st.integers(0, 8))
async def test_what_was_read_and_what_followed_are_the_whole(frames: list[bytes], cut: int) -> None:
    runs = AnswerRuns()
    reader = runs.begin(OWNER, Source(*frames).release()(), encode)
    whole = list(enumerate(frames, start=1))
    assert await read(reader) == whole
    reader.close()
    after = min(cut, len(frames))
    assert await read(await runs.resume(OWNER, reader.run.run_id, after)) == whole[after:]
    await runs.close()


async def test_a_run_waits_for_its_reader_to_come_back() -> None:
    runs = AnswerRuns(RunLimits(resume_seconds=PATIENCE_SECONDS))
    source = Source(b"a", b"b").release(1)
    first = runs.begin(OWNER, source(), encode)
    assert await read(first, 1) == [(1, b"a")]
    first.close()
    source.release()
    again = await runs.resume(OWNER, first.run.run_id, 1)
    assert await read(again) == [(2, b"b")]
    assert source.complete


@pytest.mark.parametrize("resume_seconds", [0.0, 0.01])
async def test_a_run_that_nobody_reads_ends(resume_seconds: float) -> None:
    runs = AnswerRuns(RunLimits(resume_seconds=resume_seconds))
    source = Source(b"a", b"b").release(1)
    reader = runs.begin(OWNER, source(), encode)
    await read(reader, 1)
    reader.close()
    async with asyncio.timeout(PATIENCE_SECONDS):
        await source.ended.wait()
    assert not source.complete
    with pytest.raises(NotFound):
        await runs.resume(OWNER, reader.run.run_id)
    assert (runs.kept, runs.kept_bytes) == (0, 0)


async def test_a_run_goes_on_while_one_of_two_readers_is_there() -> None:
    runs = AnswerRuns(RunLimits(resume_seconds=0))
    source = Source(b"a", b"b").release(1)
    first = runs.begin(OWNER, source(), encode)
    second = await runs.resume(OWNER, first.run.run_id)
    assert await read(first, 1) == [(1, b"a")]
    first.close()
    first.close()
    source.release()
    assert [number for number, _ in await read(second)] == [1, 2]


async def test_a_run_that_cannot_be_resumed_ends_with_its_reader() -> None:
    runs = AnswerRuns(RunLimits(resume_seconds=PATIENCE_SECONDS))
    source = Source(b"a", b"b").release(1)
    reader = runs.begin(OWNER, source(), encode, resumable=False)
    await read(reader, 1)
    with pytest.raises(NotFound):
        await runs.resume(OWNER, reader.run.run_id)
    reader.close()
    async with asyncio.timeout(PATIENCE_SECONDS):
        await source.ended.wait()
    assert not source.complete


@pytest.mark.parametrize(
    "other",
    [
        Owner(workspace_id=uuid4(), principal=LOCAL_PRINCIPAL),
        Owner(workspace_id=OWNER.workspace_id, principal=Principal(principal_id="alice")),
    ],
    ids=["workspace", "principal"],
)
async def test_the_run_of_another_looks_like_none(other: Owner) -> None:
    runs = AnswerRuns()
    reader = runs.begin(OWNER, Source(b"a").release()(), encode)
    await read(reader)
    with pytest.raises(NotFound) as foreign:
        await runs.resume(other, reader.run.run_id)
    with pytest.raises(NotFound) as absent:
        await runs.resume(other, uuid4())
    assert str(foreign.value) == str(absent.value)
    await runs.close()


async def test_a_place_that_was_never_reached_is_refused() -> None:
    runs = AnswerRuns()
    reader = runs.begin(OWNER, Source(b"a").release()(), encode)
    await read(reader)
    with pytest.raises(InvalidRequest, match="Last-Event-ID"):
        await runs.resume(OWNER, reader.run.run_id, 2)
    await runs.close()


async def test_a_failure_before_the_first_frame_is_noted_beside_its_frame() -> None:
    runs = AnswerRuns()
    source = Source(failure=ModelUnavailable("no")).release()
    reader = runs.begin(OWNER, source(), encode)
    assert await read(reader) == [(1, b"ModelUnavailable")]
    assert reader.run.failure is source.failure
    await runs.close()


async def test_a_failure_later_is_the_last_frame_for_every_reader() -> None:
    runs = AnswerRuns()
    source = Source(b"a", failure=ModelUnavailable("no")).release()
    reader = runs.begin(OWNER, source(), encode)
    whole = [(1, b"a"), (2, b"ModelUnavailable")]
    assert await read(reader) == whole
    assert await read(await runs.resume(OWNER, reader.run.run_id, 1)) == whole[1:]
    await runs.close()


async def test_a_reader_waits_until_something_comes_or_nothing_more_does() -> None:
    runs = AnswerRuns()
    source = Source(b"a")
    reader = runs.begin(OWNER, source(), encode)
    assert (reader.waits, [*reader.unread()]) == (True, [])
    source.release(1)
    assert (await read(reader, 1), reader.waits) == ([(1, b"a")], True)
    source.release()
    assert (await read(reader), reader.waits) == ([], False)
    await runs.close()


async def test_the_oldest_that_ended_gives_way_first() -> None:
    runs = AnswerRuns(RunLimits(max_runs=2))
    readers = []
    for _ in range(3):
        readers.append(runs.begin(OWNER, Source(b"a").release()(), encode))
        await read(readers[-1])
        readers[-1].close()
    assert runs.kept == 2
    with pytest.raises(NotFound):
        await runs.resume(OWNER, readers[0].run.run_id)
    assert (await runs.resume(OWNER, readers[2].run.run_id)).position == 0
    await runs.close()


async def test_the_bytes_that_are_kept_stay_within_their_limit() -> None:
    runs = AnswerRuns(RunLimits(max_bytes=10))
    for _ in range(4):
        reader = runs.begin(OWNER, Source(b"12345").release()(), encode)
        await read(reader)
        reader.close()
        assert runs.kept_bytes <= 10
    large = runs.begin(OWNER, Source(b"12345", b"678901").release()(), encode)
    assert len(await read(large)) == 2
    assert (runs.kept, runs.kept_bytes) == (0, 0)


async def test_what_was_given_is_forgotten_after_a_while() -> None:
    runs = AnswerRuns(RunLimits(replay_seconds=0.001))
    reader = runs.begin(OWNER, Source(b"a").release()(), encode)
    await read(reader)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while runs.kept:  # noqa: ASYNC110  # the runs tell nobody that they forget
            await asyncio.sleep(0)
    assert runs.kept_bytes == 0


async def test_closing_ends_every_run_and_every_reading() -> None:
    runs = AnswerRuns(RunLimits(resume_seconds=PATIENCE_SECONDS))
    source = Source(b"a", b"b").release(1)
    reader = runs.begin(OWNER, source(), encode)
    reading = asyncio.create_task(read(reader))
    while not reader.position:  # noqa: ASYNC110  # a reader tells nobody that it has read
        await asyncio.sleep(0)
    await runs.close()
    assert await reading == [(1, b"a")]
    assert source.ended.is_set()
    assert (runs.kept, runs.under_way) == (0, 0)
