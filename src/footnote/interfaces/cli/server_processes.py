"""Several processes that serve one socket: how they are started, kept alive and ended together.

The one that starts them serves nothing. It has no threads, so that it can fork a process that died
once more, with its modules; it waits for signals, and for processes that end.
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
"""A process that lived longer and dies did not fail to start."""
_END_SECONDS = 30.0
"""How long processes may take to end: the time that a server gives its requests and its worker."""
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
        """Close what only the server's process uses, in a process that was forked from it."""
        self.inbox.close()
        os.close(self.ready)
        os.close(self.starter_pipe)


@dataclass(slots=True, kw_only=True)
class _Child:
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
    children: list[_Child] = field(default_factory=list)

    def socket_path(self, number: int) -> Path:
        """Where a process listens to its siblings."""
        return Path(self.folder.path) / str(number)

    def start(self, number: int) -> ServerProcess | int:
        """Fork a process: returns what it shares in the new one, and its ready pipe in this one.

        The new process closes whatever it inherits and does not need.
        """
        reading, writing = os.pipe()
        child = self.children[number]
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        process_id = os.fork()
        if process_id:
            os.close(writing)
            child.process_id, child.began, child.due = process_id, time.monotonic(), None
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
            siblings=tuple(
                self.socket_path(sibling)
                for sibling in range(len(self.inboxes))
                if sibling != number
            ),
            others_serve=any(process.process_id for process in self.children),
            ready=writing,
            starter_pipe=self.starter_pipe[0],
        )


def fork_processes(count: int, home: Path) -> ServerProcess | None:
    """Fork the processes: each of them gets what it shares; this one gets None once all ended.

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
        children=[_Child() for _ in range(count)],
    )
    starter = os.getpid()
    try:
        for number in range(count):
            inbox = socket(AF_UNIX)
            inbox.bind(str(processes.socket_path(number)))
            inbox.listen()
            processes.inboxes.append(inbox)
        started = processes.start(0)
        if isinstance(started, ServerProcess):
            return started
        if not _is_ready(started):
            code = _end_all(processes)
            raise typer.Exit(code)
        for number in range(1, count):
            started = processes.start(number)
            if isinstance(started, ServerProcess):
                return started
            os.close(started)
        return _supervise(processes)
    finally:
        if os.getpid() == starter:
            for folder in (processes.folder, processes.vectors):
                folder.remove()


def _is_ready(pipe: int) -> bool:
    """Whether the first process became ready; False if it ended, or is to end, before that."""
    try:
        while True:
            if select.select([pipe], [], [], 0.1)[0]:
                return bool(os.read(pipe, 1))
            if signal.sigtimedwait(_SIGNALS, 0) is not None:
                return False
    finally:
        os.close(pipe)


def _supervise(processes: _Processes) -> ServerProcess | None:
    """Restart processes that die, until a signal ends all; a restarted one gets what it shares."""
    log = structlog.get_logger(__name__)
    while True:
        now = time.monotonic()
        for number, child in enumerate(processes.children):
            if child.due is not None and child.due <= now:
                started = processes.start(number)
                if isinstance(started, ServerProcess):
                    return started
                os.close(started)
        due = [child.due for child in processes.children if child.due is not None]
        timeout_seconds = max(0.0, min(due) - now) if due else LONGEST_PAUSE_SECONDS
        received = signal.sigtimedwait((*_SIGNALS, signal.SIGCHLD), timeout_seconds)
        if received is not None and received.si_signo in _SIGNALS:
            _end_all(processes)
            return None
        for number, code in _reap(processes):
            child = processes.children[number]
            if time.monotonic() - child.began > _LONG_ENOUGH_SECONDS:
                child.pause_seconds = 1.0
            child.due = time.monotonic() + child.pause_seconds
            log.error(
                "a server process died and is started again",
                number=number,
                exit_code=code,
                pause_seconds=child.pause_seconds,
            )
            child.pause_seconds = min(child.pause_seconds * 2, LONGEST_PAUSE_SECONDS)


def _reap(processes: _Processes) -> Iterator[tuple[int, int]]:
    """The number and exit code of each process that has ended since."""
    for number, child in enumerate(processes.children):
        if child.process_id:
            process_id, status = os.waitpid(child.process_id, os.WNOHANG)
            if process_id:
                child.process_id = 0
                yield number, os.waitstatus_to_exitcode(status)


def _end_all(processes: _Processes) -> int:
    """End every process; returns the exit code of the first."""
    codes = dict(_reap(processes))
    for child in processes.children:
        if child.process_id:
            os.kill(child.process_id, signal.SIGTERM)
    deadline = time.monotonic() + _END_SECONDS
    while any(child.process_id for child in processes.children):
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            for child in processes.children:
                if child.process_id:
                    os.kill(child.process_id, signal.SIGKILL)
        signal.sigtimedwait((signal.SIGCHLD,), max(remaining, 0.1))
        codes.update(_reap(processes))
    code = codes.get(0, 0)
    return code if code >= 0 else 128 - code
