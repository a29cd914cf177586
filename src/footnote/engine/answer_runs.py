"""The log of each streamed answer: one task appends to it, every reader follows or replays it."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from uuid import UUID, uuid4

import structlog

from footnote.answering.streaming import failed_with
from footnote.domain import AnswerEvent, Principal
from footnote.errors import FootnoteError, InvalidRequest, NotFound

Encode = Callable[[AnswerEvent], Iterable[bytes]]
"""From an event to the frames that readers are sent; it may remember what went before."""

MAX_RUNS = 1000
"""Runs that are kept at once, whatever their size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How long, and how much of, answers are kept for readers who come back."""

    resume_seconds: float = 5.0
    """How long a run goes on that nobody reads; 0 ends it at once."""
    replay_seconds: float = 60.0
    """How long a run is kept after its end."""
    max_bytes: int = 32 * 1024 * 1024
    max_runs: int = MAX_RUNS


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose run it is: nobody else finds it."""

    workspace_id: UUID
    principal: Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class FramesElsewhere:
    """The frames of a run that another process makes."""

    made: Sequence[bytes]
    coming: AsyncIterator[bytes]
    close: Callable[[], None]
    """Lets the other process know that nobody reads them here."""


Elsewhere = Callable[[Owner, UUID], Awaitable[FramesElsewhere | None]]
"""Finds a run of its owner in the other processes of this server."""


@dataclass(slots=True, kw_only=True, eq=False)
class AnswerRun:
    """The log of one answer, as the frames that its readers are sent."""

    owner: Owner
    run_id: UUID = field(default_factory=uuid4)
    frames: list[bytes] = field(default_factory=list, repr=False)
    byte_size: int = 0
    ended: bool = False
    failure: Exception | None = None
    """Why it ended before its first event; its frames say so, too."""
    task: asyncio.Task[None] | None = field(default=None, repr=False)
    readers: int = 0
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)
    changed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def add(self, frame: bytes) -> None:
        """Append a frame and wake the readers."""
        self.frames.append(frame)
        self.byte_size += len(frame)
        self.tell()

    def tell(self) -> None:
        """Wake the readers."""
        self.changed.set()
        self.changed = asyncio.Event()

    def stop_timer(self) -> None:
        """Nothing happens to it by itself any more."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Reader:
    """Someone who reads a run. It counts as being there from its making to its `close`."""

    def __init__(self, runs: AnswerRuns, run: AnswerRun, after: int) -> None:
        self._runs = runs
        self.run = run
        self._position = after
        self._open = True
        run.readers += 1
        if not run.ended:
            run.stop_timer()

    @property
    def position(self) -> int:
        """How many frames it was given."""
        return self._position

    def close(self) -> None:
        """Go away; a run that nobody reads any more ends, at once or after a while."""
        if self._open:
            self._open = False
            self.run.readers -= 1
            if not self.run.readers:
                self._runs.leave(self.run)

    @property
    def waits(self) -> bool:
        """Whether it was given all that is there and more may come: then `run.changed` tells."""
        return self._position >= len(self.run.frames) and not self.run.ended

    def unread(self) -> Iterator[tuple[int, bytes]]:
        """Each frame that it was not given yet, with its number, from 1."""
        while self._position < len(self.run.frames):
            self._position += 1
            yield self._position, self.run.frames[self._position - 1]


class AnswerRuns:
    """The runs of one process. What is to be read later is bounded in number, bytes and time."""

    def __init__(self, limits: RunLimits | None = None) -> None:
        self.elsewhere: Elsewhere | None = None
        self.sharing: asyncio.Future[None] | None = None
        """What lets other processes read the runs; it ends with them."""
        self._limits = limits or RunLimits()
        self._kept: dict[UUID, AnswerRun] = {}
        self._bytes = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def kept(self) -> int:
        """How many runs a reader could come back to."""
        return len(self._kept)

    @property
    def under_way(self) -> int:
        """How many runs have not ended."""
        return len(self._tasks)

    @property
    def kept_bytes(self) -> int:
        """What the frames of those take."""
        return self._bytes

    def begin(
        self,
        owner: Owner,
        events: AsyncGenerator[AnswerEvent],
        encode: Encode,
        *,
        resumable: bool = True,
    ) -> Reader:
        """Start a run in a task of its own, with its first reader.

        What is raised becomes the last event; where it is the only one the run notes it as its
        failure, so that it can still be a status. A run that is not resumable ends as soon as its
        reader has gone.
        """
        run = AnswerRun(owner=owner)
        if resumable:
            self._kept[run.run_id] = run
        reader = Reader(self, run, 0)
        self._go_on(run, self._append_all(run, events, encode))
        return reader

    async def resume(self, owner: Owner, run_id: UUID, after: int = 0) -> Reader:
        """One more reader of a run, who has read so many frames.

        Raises NotFound where there is none, none any more, or it is another's.
        """
        run = self.kept_run(owner, run_id) or await self._copy_of(owner, run_id)
        if run is None:
            raise NotFound(
                "this server neither makes such an answer nor made one just now",
                hint="Ask again. Of several servers only the one that made an answer can "
                "resume it; one of a conversation is among its messages once it is done.",
            )
        if after > len(run.frames):
            if not self._is_kept(run):
                self._cancel(run)  # Nobody reads the copy.
            raise InvalidRequest(
                "Last-Event-ID is not one we gave", hint="send an event's id unchanged"
            )
        return Reader(self, run, after)

    def kept_run(self, owner: Owner, run_id: UUID) -> AnswerRun | None:
        """The run of this process that its owner can come back to, if there is one."""
        run = self._kept.get(run_id)
        return run if run is not None and run.owner == owner else None

    async def _copy_of(self, owner: Owner, run_id: UUID) -> AnswerRun | None:
        """A run of another process, as long as somebody here reads it."""
        found = None if self.elsewhere is None else await self.elsewhere(owner, run_id)
        if found is None:
            return None
        run = AnswerRun(owner=owner, run_id=run_id)
        for frame in found.made:
            run.add(frame)

        async def append_coming() -> None:
            async for frame in found.coming:
                run.add(frame)

        # A task that is cancelled before it begins closes nothing itself.
        self._go_on(run, append_coming()).add_done_callback(lambda _: found.close())
        return run

    def leave(self, run: AnswerRun) -> None:
        """Let a run that nobody reads end, once nobody came back to it for a while."""
        if run.ended:
            return
        waits = self._limits.resume_seconds if self._is_kept(run) else 0.0
        if waits:
            run.timer = asyncio.get_running_loop().call_later(waits, self._cancel, run)
        else:
            self._cancel(run)

    def forget(self, workspace_id: UUID) -> int:
        """Let nobody come back to the runs of a workspace; how many they were."""
        runs = [run for run in self._kept.values() if run.owner.workspace_id == workspace_id]
        for run in runs:
            self._forget(run)
        return len(runs)

    async def close(self) -> None:
        """End every run."""
        for run in list(self._kept.values()):
            self._forget(run)
        tasks = [*self._tasks, *([] if self.sharing is None else [self.sharing])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _go_on(self, run: AnswerRun, appending: Coroutine[None, None, None]) -> asyncio.Task[None]:
        run.task = asyncio.create_task(appending)
        self._tasks.add(run.task)
        run.task.add_done_callback(partial(self._end, run))
        return run.task

    async def _append_all(
        self, run: AnswerRun, events: AsyncGenerator[AnswerEvent], encode: Encode
    ) -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    self._append(run, encode(event))
        except Exception as error:
            if not isinstance(error, FootnoteError):
                structlog.get_logger(__name__).exception("an answer failed")
            run.failure = None if run.frames else error
            self._append(run, encode(failed_with(error)))

    def _append(self, run: AnswerRun, frames: Iterable[bytes]) -> None:
        for frame in frames:
            run.add(frame)
            if self._is_kept(run):
                self._bytes += len(frame)
                self._make_room(run)

    def _end(self, run: AnswerRun, task: asyncio.Task[None]) -> None:
        """Note that nothing follows, and keep the run for a while unless it was cut off."""
        self._tasks.discard(task)
        run.ended = True
        run.stop_timer()
        if task.cancelled():
            self._forget(run)
        elif self._is_kept(run):
            loop = asyncio.get_running_loop()
            run.timer = loop.call_later(self._limits.replay_seconds, self._forget, run)
        run.tell()

    def _make_room(self, current: AnswerRun) -> None:
        """Forget the oldest runs, those that ended first, and the current one last."""
        while len(self._kept) > self._limits.max_runs or self.kept_bytes > self._limits.max_bytes:
            others = [run for run in self._kept.values() if run is not current]
            ended = (run for run in others if run.ended)
            victim = next(chain(ended, others, (current,)))
            self._forget(victim)
            if not victim.ended and not victim.readers:
                self._cancel(victim)

    def _is_kept(self, run: AnswerRun) -> bool:
        return run.run_id in self._kept

    def _forget(self, run: AnswerRun) -> None:
        """Nobody can come back to it any more; those who read it read on."""
        if self._kept.pop(run.run_id, None) is not None:
            self._bytes -= run.byte_size
            run.stop_timer()

    def _cancel(self, run: AnswerRun) -> None:
        self._forget(run)
        if run.task is not None:
            run.task.cancel()
