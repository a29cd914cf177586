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
"""Encodes an event as the frames sent to readers; may be stateful."""

MAX_RUNS = 1000
"""Most runs kept at once, whatever their size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """Limits on the answer runs kept for readers that reconnect."""

    resume_seconds: float = 5.0
    """Seconds that a run without readers continues; 0 cancels it at once."""
    replay_seconds: float = 60.0
    """Seconds that a run is kept for replay after its end."""
    max_bytes: int = 32 * 1024 * 1024
    max_runs: int = MAX_RUNS


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The workspace and principal that own a run; nobody else can find it."""

    workspace_id: UUID
    principal: Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class FramesElsewhere:
    """The frames of a run that another process produces."""

    made: Sequence[bytes]
    coming: AsyncIterator[bytes]
    close: Callable[[], None]
    """Tells the other process that nobody reads the frames here any more."""


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
        """Cancel the pending timer that would cancel or remove the run."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Reader:
    """A reader of a run, counted in `run.readers` from construction until `close`."""

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
        """The number of frames read so far."""
        return self._position

    def close(self) -> None:
        """Stop reading. A run without readers is cancelled, at once or after `resume_seconds`."""
        if self._open:
            self._open = False
            self.run.readers -= 1
            if not self.run.readers:
                self._runs.leave(self.run)

    @property
    def waits(self) -> bool:
        """Whether all frames are read and more may follow, which `run.changed` signals."""
        return self._position >= len(self.run.frames) and not self.run.ended

    def unread(self) -> Iterator[tuple[int, bytes]]:
        """Yield each unread frame with its number, from 1."""
        while self._position < len(self.run.frames):
            self._position += 1
            yield self._position, self.run.frames[self._position - 1]


class AnswerRuns:
    """The runs of one process. Those kept for replay are limited in number, bytes and time."""

    def __init__(self, limits: RunLimits | None = None) -> None:
        self.elsewhere: Elsewhere | None = None
        self.sharing: asyncio.Future[None] | None = None
        """The task that serves the runs to other processes; `close` cancels it."""
        self._limits = limits or RunLimits()
        self._kept: dict[UUID, AnswerRun] = {}
        self._bytes = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def kept(self) -> int:
        """The number of runs that a reader can resume."""
        return len(self._kept)

    @property
    def under_way(self) -> int:
        """The number of runs that have not ended."""
        return len(self._tasks)

    @property
    def kept_bytes(self) -> int:
        """The size of the frames of the kept runs, in bytes."""
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

        An exception becomes the last event. Raised before any frame it is also the run's `failure`,
        so that it can still become an HTTP status. A run that is not resumable is cancelled as soon
        as its reader is closed.
        """
        run = AnswerRun(owner=owner)
        if resumable:
            self._kept[run.run_id] = run
        reader = Reader(self, run, 0)
        self._start_task(run, self._append_all(run, events, encode))
        return reader

    async def resume(self, owner: Owner, run_id: UUID, after: int = 0) -> Reader:
        """Open another reader of a run, past its first `after` frames.

        Raises NotFound for a run that is absent, expired or of another owner, and InvalidRequest if
        `after` is beyond the last frame.
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
        """The run of this process that its owner can resume, if there is one."""
        run = self._kept.get(run_id)
        return run if run is not None and run.owner == owner else None

    async def _copy_of(self, owner: Owner, run_id: UUID) -> AnswerRun | None:
        """Return a copy of a run of another process, kept only while it has readers here."""
        remote = None if self.elsewhere is None else await self.elsewhere(owner, run_id)
        if remote is None:
            return None
        run = AnswerRun(owner=owner, run_id=run_id)
        for frame in remote.made:
            run.add(frame)

        async def append_coming() -> None:
            async for frame in remote.coming:
                run.add(frame)

        # A task that is cancelled before it begins closes nothing itself.
        self._start_task(run, append_coming()).add_done_callback(lambda _: remote.close())
        return run

    def leave(self, run: AnswerRun) -> None:
        """Cancel a run without readers, after `resume_seconds` if it can be resumed."""
        if run.ended:
            return
        waits = self._limits.resume_seconds if self._is_kept(run) else 0.0
        if waits:
            run.timer = asyncio.get_running_loop().call_later(waits, self._cancel, run)
        else:
            self._cancel(run)

    def forget(self, workspace_id: UUID) -> int:
        """Drop the kept runs of a workspace, so that none can be resumed; return their number."""
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

    def _start_task(
        self, run: AnswerRun, appending: Coroutine[None, None, None]
    ) -> asyncio.Task[None]:
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
        """Mark a run as ended, and keep it for `replay_seconds` unless it was cancelled."""
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
        """Drop kept runs until the limits hold: ended ones first, then others, the current last."""
        while len(self._kept) > self._limits.max_runs or self.kept_bytes > self._limits.max_bytes:
            other_runs = [run for run in self._kept.values() if run is not current]
            ended = (run for run in other_runs if run.ended)
            evicted = next(chain(ended, other_runs, (current,)))
            self._forget(evicted)
            if not evicted.ended and not evicted.readers:
                self._cancel(evicted)

    def _is_kept(self, run: AnswerRun) -> bool:
        return run.run_id in self._kept

    def _forget(self, run: AnswerRun) -> None:
        """Make a run impossible to resume; its open readers continue."""
        if self._kept.pop(run.run_id, None) is not None:
            self._bytes -= run.byte_size
            run.stop_timer()

    def _cancel(self, run: AnswerRun) -> None:
        self._forget(run)
        if run.task is not None:
            run.task.cancel()
