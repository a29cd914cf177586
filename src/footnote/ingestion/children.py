"""Child processes that open foreign files: started when first needed, limited, replaced."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import signal
import sys
from asyncio import StreamReader
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile, mkdtemp
from typing import TypeVar

from footnote.domain import Stage
from footnote.errors import DocumentInterrupted, DocumentUnreadable
from footnote.ingestion.parsing.wire import (
    HEADER,
    PART_BYTES,
    Bytes,
    Json,
    MalformedFrame,
    decode_json,
    decode_lengths,
    encode_beginning,
    encode_frame,
    progress_of,
)
from footnote.ports import OnProgress, unheard

T = TypeVar("T")

_PASSED_ENVIRONMENT = (
    "PATH HOME LANG LC_ALL LC_CTYPE TMPDIR TESSDATA_PREFIX LD_LIBRARY_PATH PYTHONPATH PYTHONHOME "
    "VIRTUAL_ENV"
).split()
"""A child that was taken over finds no password, key or address in its environment."""
_IN_MEMORY_BYTES = 64 << 20
_FILES_PER_CHILD = 500
"""A child is replaced after this many, so that what a library leaks stays small."""


class _ChildDied(Exception):
    """The child ended, or spoke nonsense, before it answered."""


@dataclass(slots=True)
class _Child:
    process: Process
    folder: str
    """Of its temporary files, so that one that is killed leaves none."""
    files: int = 0
    ended_by_us: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildLimits:
    """What the children of one pool may take."""

    timeout_seconds: float
    """For one file."""
    cpu_seconds: int | None = None
    """Computing of all cores together, for one file; None is twice the time-out."""
    memory_bytes: int
    """Address space of each."""
    processes: int = 1
    slow_advice: str
    """What to do about a file that takes too long."""
    busy_advice: str
    """What to do about a file that takes too much computing."""
    crash_advice: str = "save the file anew in its own program, or as PDF, and upload that copy"
    """What to do about a file that crashes the child."""

    @property
    def most_cpu_seconds(self) -> int:
        """Whole seconds of computing for one file."""
        return self.cpu_seconds or math.ceil(2 * self.timeout_seconds)


class ChildPool:
    """Asks at most so many children of one module, each of which serves with `child.serve`.

    A crash or a time-out costs the child and fails the one file it had in hand.
    """

    def __init__(self, module: str, settings: Json, limits: ChildLimits) -> None:
        self._module = module
        self._settings = {
            **settings,
            "memory_bytes": limits.memory_bytes,
            "cpu_seconds": limits.most_cpu_seconds,
        }
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.processes)
        self._idle: list[_Child] = []

    async def aclose(self) -> None:
        """End every child."""
        while self._idle:
            await _end(self._idle.pop())

    async def ask(
        self,
        header: Json,
        content: bytes,
        decode: Callable[[Json, Bytes], T],
        on_progress: OnProgress = unheard,
    ) -> T:
        """Send a request, receive its answer; `decode` raises MalformedFrame for what is none.

        Raises DocumentUnreadable when the child refuses the file, takes too long over it or
        crashes on it, DocumentInterrupted when the operating system ended the child.
        """

        async def receive(child: _Child) -> T:
            return await _exchange(child.process, header, content, decode, on_progress)

        async with self._slots:
            child = self._idle.pop() if self._idle else await self._start()
            used_before = child.files > 0
            try:
                return await self._guarded(child, receive)
            except _ChildDied:
                if not used_before:
                    raise self._crashed(child) from None
            # A child that had read other files may have died of those: a fresh one decides.
            child = await self._start()
            try:
                return await self._guarded(child, receive)
            except _ChildDied:
                raise self._crashed(child) from None

    async def _guarded(self, child: _Child, receive: Callable[[_Child], Awaitable[T]]) -> T:
        """One exchange with a child, which returns to the idle ones only if it went well."""
        healthy = False
        try:
            async with asyncio.timeout(self._limits.timeout_seconds):
                answer = await receive(child)
            healthy = True
        except DocumentUnreadable:
            healthy = True
            raise
        except TimeoutError:
            raise DocumentUnreadable(
                stage=Stage.PARSE,
                cause=f"reading it takes longer than {self._limits.timeout_seconds:g} seconds",
                advice=self._limits.slow_advice,
            ) from None
        finally:
            child.files += 1
            if healthy and child.files < _FILES_PER_CHILD:
                self._idle.append(child)
            else:
                await _end(child)
        return answer

    async def _start(self) -> _Child:
        environment = {name: os.environ[name] for name in _PASSED_ENVIRONMENT if name in os.environ}
        folder = environment["TMPDIR"] = mkdtemp(prefix="footnote-")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            self._module,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=environment,
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(encode_frame(self._settings))
        return _Child(process, folder)

    def _crashed(self, child: _Child) -> DocumentUnreadable | DocumentInterrupted:
        code = child.process.returncode
        if code == -signal.SIGXCPU:
            return DocumentUnreadable(
                stage=Stage.PARSE,
                cause=f"reading it takes more than {self._limits.most_cpu_seconds} seconds of "
                "computing",
                advice=self._limits.busy_advice,
            )
        if code == -signal.SIGKILL and not child.ended_by_us:
            return DocumentInterrupted(
                stage=Stage.PARSE,
                cause="the operating system ended the reader, most likely for want of memory",
                advice="free memory or allow the worker more; the document is tried again by "
                "itself",
            )
        return DocumentUnreadable(
            stage=Stage.PARSE,
            cause=f"the reader crashed on it (exit code {code})",
            advice=self._limits.crash_advice,
        )


async def _exchange(
    process: Process,
    header: Json,
    content: bytes,
    decode: Callable[[Json, Bytes], T],
    on_progress: OnProgress,
) -> T:
    """Send a request, receive its answer. Raises DocumentUnreadable or _ChildDied."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(encode_beginning(header, len(content)))
        for start in range(0, len(content), PART_BYTES):
            process.stdin.write(memoryview(content)[start : start + PART_BYTES])
            await process.stdin.drain()
        await process.stdin.drain()
        while True:
            lengths = decode_lengths(await process.stdout.readexactly(HEADER.size))
            text = await _receive(process.stdout, lengths[0])
            body = await _receive_body(process.stdout, lengths[1])
            answer = await asyncio.to_thread(decode_json, text)
            if "total" not in answer:
                break
            on_progress(*progress_of(answer))
        if "cause" not in answer:
            return await asyncio.to_thread(decode, answer, body)
    except (OSError, EOFError, MalformedFrame) as error:
        raise _ChildDied from error
    raise DocumentUnreadable(
        stage=Stage.PARSE, cause=str(answer["cause"]), advice=str(answer.get("advice", ""))
    )


async def _receive(source: StreamReader, size: int) -> bytearray:
    """So many bytes, held once: `readexactly` would hold them twice. Raises EOFError."""
    received = bytearray()
    async for part in _parts(source, size):
        received += part
    return received


async def _receive_body(source: StreamReader, size: int) -> Bytes:
    """So many bytes; of more than a text may have, in a file without a name. Raises EOFError.

    An archive may unpack to hundreds of megabytes, which the files inside it are then taken from
    one by one.
    """
    if size <= _IN_MEMORY_BYTES:
        return await _receive(source, size)
    with TemporaryFile() as file:
        async for part in _parts(source, size):
            file.write(part)
        file.flush()
        return memoryview(mmap(file.fileno(), size, access=ACCESS_READ))


async def _parts(source: StreamReader, size: int) -> AsyncIterator[bytes]:
    received = 0
    while received < size:
        part = await source.read(min(size - received, PART_BYTES))
        if not part:
            raise EOFError(f"{received} of {size} bytes came")
        received += len(part)
        yield part


async def _end(child: _Child) -> None:
    """End a child at once; one that is dead already keeps the code it died with."""
    if child.process.stdin is not None:
        child.process.stdin.close()
    if child.process.returncode is None:
        try:
            # One whose pipe broke is on its way out: its own exit code tells why.
            async with asyncio.timeout(0.2):
                await child.process.wait()
        except TimeoutError:
            child.ended_by_us = True
            # Its whole group: it may be waiting for a program that it started.
            with suppress(ProcessLookupError):  # it ended meanwhile
                os.killpg(child.process.pid, signal.SIGKILL)
    await child.process.wait()
    await asyncio.to_thread(shutil.rmtree, child.folder, ignore_errors=True)
