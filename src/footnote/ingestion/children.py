"""Child processes that parse untrusted files: started on demand, sandboxed, replaced.

`ChildPool` is the parent's side, `footnote.ingestion.serving` the child's.
"""

from __future__ import annotations

import asyncio
import io
import math
import os
import signal
from asyncio import StreamReader
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile
from typing import BinaryIO, TypeVar

from pydantic_core import to_json

from footnote.domain import Stage
from footnote.errors import DocumentInterrupted, DocumentUnreadable
from footnote.ingestion.failures import unreadable
from footnote.ingestion.frames import (
    ANSWER,
    LENGTHS,
    PROGRESS,
    REFUSED,
    REQUEST,
    Beginning,
    Bytes,
    Message,
    frame_of,
    lengths_of,
    progress_of,
)
from footnote.ingestion.sandbox import UNCONFINED, Confinement, SandboxMode, command
from footnote.ingestion.temporary_folders import TemporaryFolder
from footnote.ports import OnProgress, ignore_progress
from footnote.ports.telemetry import current_span, span

T = TypeVar("T")

_PART_BYTES = 1 << 20
_IN_MEMORY_BYTES = 64 << 20
_FILES_PER_CHILD = 500
"""A child is replaced after this many files, which bounds memory leaks of libraries."""
_PASSED_ENVIRONMENT = (
    "PATH HOME LANG LC_ALL LC_CTYPE TMPDIR TESSDATA_PREFIX LD_LIBRARY_PATH PYTHONPATH PYTHONHOME "
    "VIRTUAL_ENV"
).split()
"""Environment of a child; a compromised one finds no password, key or address in it."""


class _ChildDied(Exception):
    """The child ended, or sent invalid data, before it answered."""


@dataclass(slots=True)
class _Child:
    process: Process
    folder: TemporaryFolder
    """Its temporary folder, which is removed even if the child is killed."""
    files: int = 0
    ended_by_us: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildLimits:
    """Resource limits and confinement of the children of one pool."""

    timeout_seconds: float
    """For one file."""
    cpu_seconds: int | None = None
    """CPU time of all cores together for one file; None is twice the time-out."""
    memory_bytes: int
    """Address space of each."""
    processes: int = 1
    slow_advice: str
    """Advice for a file that exceeds the time-out or the CPU limit."""
    sandbox: SandboxMode = "auto"
    """How far each is confined."""
    readable: tuple[str, ...] = ()
    """Files and folders that a confined one may read, beside programs and libraries."""
    writable: tuple[str, ...] = ()
    """Folders that a confined one may write in, beside its own."""
    crash_advice: str = "save the file anew in its own program, or as PDF, and upload that copy"
    """Advice for a file that crashes the child."""

    @property
    def most_cpu_seconds(self) -> int:
        """CPU limit for one file, in whole seconds."""
        return self.cpu_seconds or math.ceil(2 * self.timeout_seconds)


class ChildPool:
    """Runs at most so many children of one module, each of which serves with `serve`.

    A crash or a time-out ends the child, and fails only the file that it was reading.
    """

    def __init__(self, module: str, settings: object, limits: ChildLimits) -> None:
        self._module = module
        self._settings = to_json(settings)
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.processes)
        self._idle: list[_Child] = []

    async def aclose(self) -> None:
        """End every child."""
        while self._idle:
            await _end(self._idle.pop())

    async def ask(
        self,
        request: object,
        decode: Callable[[bytes, Bytes], T],
        content: BinaryIO | None = None,
        on_progress: OnProgress = ignore_progress,
    ) -> T:
        """Send a request, return its decoded answer; `decode` raises ValueError for invalid data.

        The content is sent from its beginning, with one part of it in memory at a time.

        Raises DocumentUnreadable when the child refuses the file, takes too long or crashes on it,
        DocumentInterrupted when the operating system ended the child or it cannot be confined.
        """
        record = to_json(request)
        content = content or io.BytesIO()
        with span(f"child {self._module.rpartition('.')[0].rpartition('.')[2]}"):
            async with self._slots:
                child = self._idle.pop() if self._idle else await self._start()
                while True:
                    used_before = child.files > 0
                    try:
                        return await self._exchange(child, record, content, decode, on_progress)
                    except _ChildDied:
                        if not used_before:
                            raise self._crash_error(child) from None
                    # Files that it read before may have caused this: retry in a fresh child.
                    child = await self._start()

    async def _exchange(
        self,
        child: _Child,
        record: bytes,
        content: BinaryIO,
        decode: Callable[[bytes, Bytes], T],
        on_progress: OnProgress,
    ) -> T:
        """Do one exchange with a child, which is reused only if it went well.

        Raises DocumentUnreadable or _ChildDied.
        """
        process, healthy = child.process, False
        current_span().set_attribute("process.pid", process.pid)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(self._limits.timeout_seconds):
                byte_size = content.seek(0, io.SEEK_END)
                content.seek(0)
                process.stdin.write(frame_of(REQUEST, Message(record, body_bytes=byte_size)))
                while piece := await asyncio.to_thread(content.read, _PART_BYTES):
                    process.stdin.write(piece)
                    await process.stdin.drain()
                await process.stdin.drain()
                kind = PROGRESS
                while kind == PROGRESS:
                    prefix = await process.stdout.readexactly(LENGTHS.size)
                    kind, json_bytes, body_bytes = lengths_of(prefix)
                    payload = bytes(await _receive(process.stdout, json_bytes))
                    body = await _receive(process.stdout, body_bytes)
                    if kind == PROGRESS:
                        on_progress(*progress_of(payload))
                if kind == ANSWER:
                    answer = await asyncio.to_thread(decode, payload, body)
                    healthy = True
                    return answer
                refusal = REFUSED.validate_json(payload, strict=True)
                healthy = True
        except TimeoutError:
            raise unreadable(
                f"reading it takes longer than {self._limits.timeout_seconds:g} seconds",
                self._limits.slow_advice,
            ) from None
        except (OSError, EOFError, ValueError) as error:
            raise _ChildDied from error
        finally:
            child.files += 1
            if healthy and child.files < _FILES_PER_CHILD:
                self._idle.append(child)
            else:
                await _end(child)
        raise unreadable(refusal.cause, refusal.advice)

    async def _start(self) -> _Child:
        environment = {name: os.environ[name] for name in _PASSED_ENVIRONMENT if name in os.environ}
        folder = await asyncio.to_thread(TemporaryFolder, "reading")
        environment["TMPDIR"] = folder.path
        confinement = Confinement(
            mode=self._limits.sandbox,
            folder=folder.path,
            readable=self._limits.readable,
            writable=self._limits.writable,
        )
        process = await asyncio.create_subprocess_exec(
            *command(confinement, self._module),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=environment,
            start_new_session=True,
        )
        assert process.stdin is not None
        limits = Beginning(self._limits.memory_bytes, self._limits.most_cpu_seconds)
        message = Message(to_json(limits), body_bytes=len(self._settings))
        process.stdin.write(frame_of(REQUEST, message) + self._settings)
        return _Child(process, folder)

    def _crash_error(self, child: _Child) -> DocumentUnreadable | DocumentInterrupted:
        code = child.process.returncode
        if code == -signal.SIGKILL and not child.ended_by_us:
            return DocumentInterrupted(
                stage=Stage.PARSE,
                cause="the operating system ended the reader, most likely for want of memory",
                advice="free memory or allow the worker more; the document is tried again by "
                "itself",
            )
        if code == UNCONFINED:
            return DocumentInterrupted(
                stage=Stage.PARSE,
                cause="the process that reads files cannot be confined here, which "
                "FOOTNOTE_PARSER_SANDBOX requires",
                advice="see footnote doctor for what the kernel lacks; the document is tried "
                "again by itself",
            )
        cause, advice = f"the reader crashed on it (exit code {code})", self._limits.crash_advice
        if code == -signal.SIGXCPU:
            seconds = self._limits.most_cpu_seconds
            cause = f"reading it takes more than {seconds} seconds of computing"
            advice = self._limits.slow_advice
        return unreadable(cause, advice)


async def _receive(source: StreamReader, size: int) -> Bytes:
    """Read `size` bytes; more than `_IN_MEMORY_BYTES` go to an unnamed file. Raises EOFError.

    An archive may unpack to hundreds of megabytes, from which its files are then taken one by one.
    `readexactly` would hold the bytes twice.
    """
    with io.BytesIO() if size <= _IN_MEMORY_BYTES else TemporaryFile() as file:
        received = 0
        while received < size:
            part = await source.read(min(size - received, _PART_BYTES))
            if not part:
                raise EOFError(f"{received} of {size} bytes came")
            received += file.write(part)
        if isinstance(file, io.BytesIO):
            return file.getvalue()
        file.flush()
        return memoryview(mmap(file.fileno(), size, access=ACCESS_READ))


async def _end(child: _Child) -> None:
    """End a child at once; one that has exited keeps its exit code."""
    if child.process.stdin is not None:
        child.process.stdin.close()
    if child.process.returncode is None:
        try:
            # A child whose pipe broke is exiting: its exit code gives the reason.
            async with asyncio.timeout(0.2):
                await child.process.wait()
        except TimeoutError:
            # On a busy machine, the exit of a child is reported late.
            child.ended_by_us = _is_running(child.process.pid)
            # Its whole group: it may be waiting for a program that it started.
            with suppress(ProcessLookupError):  # it ended meanwhile
                os.killpg(child.process.pid, signal.SIGKILL)
    await child.process.wait()
    await asyncio.to_thread(child.folder.remove)


def _is_running(pid: int) -> bool:
    """Return whether a child of this process still runs, without consuming its exit code."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:  # its exit code was fetched already
        return False
