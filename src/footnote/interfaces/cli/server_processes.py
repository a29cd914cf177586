"""Several processes that serve one socket: how they come to be, are kept alive, and end together.

The one that starts them serves nothing. It has no threads, so that a process that died can be
forked off it anew, with its modules; it waits for signals, and for what ends.
"""

from __future__ import annotations

import asyncio
import gc
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import AF_UNIX, socket

import structlog
import typer

from footnote.ingestion.temporary_folders import TemporaryFolder

LONGEST_PAUSE_SECONDS = 30.0
"""Between restarts of a process that keeps dying."""
_LONG_ENOUGH_SECONDS = 60.0
"""After which a process that dies was no failure to start."""
_END_SECONDS = 30.0
"""Within which processes that were told to end do: a server's own patience, and its worker's."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProcess:
    """What one of several processes has in common with the others."""

    number: int
    """From 0, which is ready before the others begin, and does what is done once."""
    vectors: Path
    """The folder of the vectors that all of them hold."""
    inbox: socket
    """Where this one listens to the others."""
    siblings: tuple[Path, ...]
    """Where the others listen to this one."""
    others_serve: bool
    """Whether others serve already."""
    ready: int
    """A pipe that is written to once this one is ready."""
    starter_pipe: int
    """A pipe that ends when the process is gone that started this one."""

    def tell_ready(self) -> None:
        """Let the others begin."""
        with suppress(OSError):
            os.write(self.ready, b"\n")
            os.close(self.ready)

    def end_with_its_starter(self, end: Callable[[], None]) -> None:
        """Call `end` in the running loop when the process that started this one is gone."""
        loop = asyncio.get_running_loop()

        def ended() -> None:
            loop.remove_reader(self.starter_pipe)
            end()

        loop.add_reader(self.starter_pipe, ended)

    def close_here(self) -> None:
        """Leave to the server's process what is its own, in one that was forked off it."""
        self.inbox.close()
        os.close(self.ready)
        os.close(self.starter_pipe)


@dataclass(slots=True, kw_only=True)
class _Kept:
    """A process that is kept alive."""

    process_id: int = 0
    began: float = 0.0
    pause_seconds: float = 1.0
    due: float | None = None
    """When it is started again."""


@dataclass(slots=True, kw_only=True)
class _Processes:
    """The processes, and what they inherit."""

    folder: TemporaryFolder
    """Where the processes find each other: the path of a socket may not be long."""
    vectors: TemporaryFolder
    inboxes: list[socket]
    starter_pipe: tuple[int, int] = field(default_factory=os.pipe)
    """What ends with the process that starts them."""
    kept: list[_Kept] = field(default_factory=list)

    def place(self, number: int) -> Path:
        """Where a process listens to its siblings."""
        return Path(self.folder.path) / str(number)

    def start(self, number: int) -> ServerProcess | int:
        """In the new process what it shares with the others; here the pipe that says it is ready.

        What is open here and not the new process's own is closed there.
        """
        reading, writing = os.pipe()
        kept = self.kept[number]
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        process_id = os.fork()
        if process_id:
            os.close(writing)
            kept.process_id, kept.began, kept.due = process_id, time.monotonic(), None
            return reading
        os.setsid()  # Ctrl-C is for the process that started it, which then ends it.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_SIGNALS, signal.SIGCHLD})
        os.close(reading)
        os.close(self.starter_pipe[1])
        for other, inbox in enumerate(self.inboxes):
            if other != number:
                inbox.close()
        with suppress(OSError):
            # What `ps` and `top` call it.
            Path("/proc/self/comm").write_text("footnote-server", encoding="ascii")
        return ServerProcess(
            number=number,
            vectors=Path(self.vectors.path),
            inbox=self.inboxes[number],
            siblings=tuple(self.place(each) for each in range(len(self.inboxes)) if each != number),
            others_serve=any(each.process_id for each in self.kept),
            ready=writing,
            starter_pipe=self.starter_pipe[0],
        )


def one_of_several(count: int, home: Path) -> ServerProcess | None:
    """In each of so many new processes what it shares; None here, once all of them have ended.

    The first is ready before the others begin, so that what is done once, and what makes starting
    impossible, is done and said once. One that dies is started again. Raises typer.Exit with the
    code of the first where that ended before it was ready.

    Call it in a process without threads. What they hold together lies in a folder of the home.
    """
    # What a collection touches would no longer be shared.
    gc.collect()
    gc.freeze()
    signal.pthread_sigmask(signal.SIG_BLOCK, {*_SIGNALS, signal.SIGCHLD})
    processes = _Processes(
        folder=TemporaryFolder("serving"),
        vectors=TemporaryFolder("vectors", home),
        inboxes=[],
        kept=[_Kept() for _ in range(count)],
    )
    starter = os.getpid()
    try:
        for number in range(count):
            inbox = socket(AF_UNIX)
            inbox.bind(str(processes.place(number)))
            inbox.listen()
            processes.inboxes.append(inbox)
        began = processes.start(0)
        if isinstance(began, ServerProcess):
            return began
        if not _is_ready(began):
            code = _ended(processes)
            raise typer.Exit(code)
        for number in range(1, count):
            began = processes.start(number)
            if isinstance(began, ServerProcess):
                return began
            os.close(began)
        return _keep(processes)
    finally:
        if os.getpid() == starter:
            for folder in (processes.folder, processes.vectors):
                folder.remove()


def _is_ready(pipe: int) -> bool:
    """Whether the first process came to be ready; not if it ended, or is to end, before that."""
    try:
        while True:
            if select.select([pipe], [], [], 0.1)[0]:
                return bool(os.read(pipe, 1))
            if signal.sigtimedwait(_SIGNALS, 0) is not None:
                return False
    finally:
        os.close(pipe)


def _keep(processes: _Processes) -> ServerProcess | None:
    """Start again what dies, until a signal ends all; in what is started again its share."""
    log = structlog.get_logger(__name__)
    while True:
        now = time.monotonic()
        for number, kept in enumerate(processes.kept):
            if kept.due is not None and kept.due <= now:
                began = processes.start(number)
                if isinstance(began, ServerProcess):
                    return began
                os.close(began)
        due = [kept.due for kept in processes.kept if kept.due is not None]
        waited = max(0.0, min(due) - now) if due else LONGEST_PAUSE_SECONDS
        came = signal.sigtimedwait((*_SIGNALS, signal.SIGCHLD), waited)
        if came is not None and came.si_signo in _SIGNALS:
            _ended(processes)
            return None
        for number, code in _reap(processes):
            kept = processes.kept[number]
            if time.monotonic() - kept.began > _LONG_ENOUGH_SECONDS:
                kept.pause_seconds = 1.0
            kept.due = time.monotonic() + kept.pause_seconds
            log.error(
                "a server process died and is started again",
                number=number,
                exit_code=code,
                pause_seconds=kept.pause_seconds,
            )
            kept.pause_seconds = min(kept.pause_seconds * 2, LONGEST_PAUSE_SECONDS)


def _reap(processes: _Processes) -> Iterator[tuple[int, int]]:
    """The number and exit code of each process that has ended since."""
    for number, kept in enumerate(processes.kept):
        if kept.process_id:
            process_id, status = os.waitpid(kept.process_id, os.WNOHANG)
            if process_id:
                kept.process_id = 0
                yield number, os.waitstatus_to_exitcode(status)


def _ended(processes: _Processes) -> int:
    """End every process that is there; the exit code of the first."""
    codes = dict(_reap(processes))
    for kept in processes.kept:
        if kept.process_id:
            os.kill(kept.process_id, signal.SIGTERM)
    last = time.monotonic() + _END_SECONDS
    while any(kept.process_id for kept in processes.kept):
        left = last - time.monotonic()
        if left <= 0:
            for kept in processes.kept:
                if kept.process_id:
                    os.kill(kept.process_id, signal.SIGKILL)
        signal.sigtimedwait((signal.SIGCHLD,), max(left, 0.1))
        codes.update(_reap(processes))
    code = codes.get(0, 0)
    return code if code >= 0 else 128 - code
