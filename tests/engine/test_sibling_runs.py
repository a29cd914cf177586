"""An answer that one process makes is read to its end through another one of the same server."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest

from footnote.domain import Principal
from footnote.engine.answer_runs import AnswerRuns, Owner, RunLimits
from footnote.engine.sibling_runs import share_runs
from footnote.errors import InvalidRequest, NotFound
from tests.engine.test_answer_runs import OWNER, PATIENCE_SECONDS, Source, encode, read


@pytest.fixture
def folder() -> Iterator[Path]:
    """One with a short name: that of a socket may not be long."""
    with TemporaryDirectory() as made:
        yield Path(made)


@asynccontextmanager
async def processes(folder: Path, count: int) -> AsyncIterator[list[AnswerRuns]]:
    """The runs of so many processes that share theirs."""
    places = [folder / str(number) for number in range(count)]
    found = []
    for place in places:
        inbox = socket.socket(socket.AF_UNIX)
        inbox.bind(str(place))
        inbox.listen()
        runs = AnswerRuns(RunLimits(resume_seconds=PATIENCE_SECONDS))
        share_runs(runs, [each for each in places if each != place], inbox)
        found.append(runs)
    try:
        yield found
    finally:
        for runs in found:
            await runs.close()


async def test_a_run_goes_on_in_another_process_from_where_its_reader_was(folder: Path) -> None:
    async with processes(folder, 3) as (_, other, own):
        source = Source(b"a", b"b", b"c" * 100_000).release(2)
        first = own.begin(OWNER, source(), encode)
        assert await read(first, 2) == [(1, b"a"), (2, b"b")]
        first.close()
        again = await other.resume(OWNER, first.run.run_id, 1)
        assert await read(again, 1) == [(2, b"b")]
        source.release()
        assert await read(again) == [(3, b"c" * 100_000)]
        assert source.complete
        again.close()


async def test_a_run_that_has_ended_is_replayed_by_any_process(folder: Path) -> None:
    async with processes(folder, 2) as (own, other):
        first = own.begin(OWNER, Source(b"a", b"b").release()(), encode)
        whole = await read(first)
        for after in range(3):
            again = await other.resume(OWNER, first.run.run_id, after)
            assert await read(again) == whole[after:]
        with pytest.raises(InvalidRequest, match="Last-Event-ID"):
            await other.resume(OWNER, first.run.run_id, 3)
        assert other.kept == 0, "what is another's is not kept twice"


async def test_a_run_ends_when_the_reader_in_another_process_goes_for_good(folder: Path) -> None:
    async with processes(folder, 2) as (own, other):
        source = Source(b"a", b"b").release(1)
        first = own.begin(OWNER, source(), encode)
        await read(first, 1)
        again = await other.resume(OWNER, first.run.run_id, 0)
        first.close()
        await read(again, 1)
        again.close()
        async with asyncio.timeout(PATIENCE_SECONDS):
            # Its reader's process hung up; from then on it waits for one that comes back.
            while first.run.timer is None:  # noqa: ASYNC110  # nobody says so
                await asyncio.sleep(0.01)
        assert not first.run.ended


@pytest.mark.parametrize(
    "other_owner",
    [
        Owner(workspace_id=uuid4(), principal=OWNER.principal),
        Owner(workspace_id=OWNER.workspace_id, principal=Principal(principal_id="alice")),
    ],
    ids=["workspace", "principal"],
)
async def test_the_run_of_another_looks_like_none_in_any_process(
    folder: Path, other_owner: Owner
) -> None:
    async with processes(folder, 2) as (own, other):
        first = own.begin(OWNER, Source(b"a").release()(), encode)
        await read(first)
        with pytest.raises(NotFound) as foreign:
            await other.resume(other_owner, first.run.run_id)
        with pytest.raises(NotFound) as absent:
            await other.resume(other_owner, uuid4())
        assert str(foreign.value) == str(absent.value)


async def test_a_copy_ends_with_the_process_that_makes_the_run(folder: Path) -> None:
    async with processes(folder, 2) as (own, other):
        first = own.begin(OWNER, Source(b"a", b"b").release(1)(), encode)
        await read(first, 1)
        again = await other.resume(OWNER, first.run.run_id, 0)
        await read(again, 1)
        await own.close()
        assert await read(again) == []
        assert not again.waits


async def test_what_no_process_says_is_not_answered(folder: Path) -> None:
    async with processes(folder, 1) as (own,):
        first = own.begin(OWNER, Source(b"a").release()(), encode)
        await read(first)
        for said in (b"", b"{}\n", b"GET / HTTP/1.1\r\n", b"\xff" * 100 + b"\n", b"[" * 2_000_000):
            reading, writing = await asyncio.open_unix_connection(folder / "0")
            writing.write(said)
            writing.write_eof()
            async with asyncio.timeout(PATIENCE_SECONDS):
                # What nobody read of it resets the connection.
                with suppress(ConnectionResetError):
                    assert await reading.read() == b""
            writing.close()


async def test_siblings_that_are_not_there_are_passed_over(folder: Path) -> None:
    inbox = socket.socket(socket.AF_UNIX)
    inbox.bind(str(folder / "0"))
    inbox.listen()
    runs = AnswerRuns()
    share_runs(runs, [folder / "1", folder / "2"], inbox)
    with pytest.raises(NotFound):
        await runs.resume(OWNER, uuid4())
    await runs.close()
