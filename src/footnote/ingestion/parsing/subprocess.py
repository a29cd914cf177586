"""The parser the engine uses: each file is read in a child process with limits."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from footnote.domain import ParsedDocument, Stage
from footnote.errors import DocumentInterrupted, DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions
from footnote.ingestion.parsing.wire import (
    HEADER,
    MalformedFrame,
    decode_document,
    decode_json,
    decode_lengths,
    encode_frame,
)

_PASSED_ENVIRONMENT = (
    "PATH HOME LANG LC_ALL LC_CTYPE TMPDIR TESSDATA_PREFIX LD_LIBRARY_PATH PYTHONPATH PYTHONHOME "
    "VIRTUAL_ENV"
).split()
"""A reader that was taken over finds no password, key or address in its environment."""
_FILES_PER_CHILD = 500
"""A child is replaced after this many, so that what a library leaks stays small."""


class _ChildDied(Exception):
    """The child ended, or spoke nonsense, before it answered."""


@dataclass(slots=True)
class _Child:
    process: Process
    files: int = 0
    ended_by_us: bool = False


class ChildParser:
    """Reads files in at most `processes` children, started when first needed.

    A crash or a time-out costs the child and fails the one file it was reading.
    """

    def __init__(
        self,
        *,
        options: ReadingOptions | None = None,
        timeout_seconds: float = 300.0,
        memory_bytes: int = 4 * 1024**3,
        processes: int = 1,
    ) -> None:
        self._options = options or ReadingOptions()
        self._timeout_seconds = timeout_seconds
        self._memory_bytes = memory_bytes
        self._slots = asyncio.Semaphore(processes)
        self._idle: list[_Child] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End every child."""
        while self._idle:
            await _end(self._idle.pop())

    async def __call__(self, content: bytes, filename: str) -> ParsedDocument:
        """Read a file.

        Raises DocumentUnreadable when the file cannot be read, takes too long or crashes the
        reader, DocumentInterrupted when the operating system ended the reader.
        """
        async with self._slots:
            child = self._idle.pop() if self._idle else await self._start()
            used_before = child.files > 0
            try:
                return await self._read(child, content, filename)
            except _ChildDied:
                if not used_before:
                    raise _crashed(child) from None
            # A child that had read other files may have died of those: a fresh one decides.
            child = await self._start()
            try:
                return await self._read(child, content, filename)
            except _ChildDied:
                raise _crashed(child) from None

    async def _read(self, child: _Child, content: bytes, filename: str) -> ParsedDocument:
        """One exchange with a child, which returns to the idle ones only if it went well."""
        healthy = False
        try:
            async with asyncio.timeout(self._timeout_seconds):
                document = await _exchange(child.process, content, filename)
            healthy = True
        except DocumentUnreadable:
            healthy = True
            raise
        except TimeoutError:
            raise DocumentUnreadable(
                stage=Stage.PARSE,
                cause=f"reading it takes longer than {self._timeout_seconds:g} seconds",
                advice="split it, or raise FOOTNOTE_PARSE_TIMEOUT_SECONDS",
            ) from None
        finally:
            child.files += 1
            if healthy and child.files < _FILES_PER_CHILD:
                self._idle.append(child)
            else:
                await _end(child)
        return document

    async def _start(self) -> _Child:
        environment = {name: os.environ[name] for name in _PASSED_ENVIRONMENT if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "footnote.ingestion.parsing.child",
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=environment,
            start_new_session=True,
        )
        settings = {
            "memory_bytes": self._memory_bytes,
            "ocr": self._options.ocr,
            "ocr_languages": self._options.ocr_languages,
            "max_pages": self._options.max_pages,
            "max_text_characters": self._options.max_text_characters,
            "pictures": self._options.pictures,
            "archive_max_depth": self._options.archive.max_depth,
            "archive_max_members": self._options.archive.max_members,
            "archive_max_bytes": self._options.archive.max_bytes,
            "archive_max_ratio": self._options.archive.max_ratio,
        }
        assert process.stdin is not None
        process.stdin.write(encode_frame(settings))
        return _Child(process)


async def _exchange(process: Process, content: bytes, filename: str) -> ParsedDocument:
    """Send a file, receive its document. Raises DocumentUnreadable or _ChildDied."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(encode_frame({"filename": filename}, content))
        await process.stdin.drain()
        lengths = decode_lengths(await process.stdout.readexactly(HEADER.size))
        text = await process.stdout.readexactly(lengths[0])
        body = await process.stdout.readexactly(lengths[1])
        header = await asyncio.to_thread(decode_json, text)
        if "cause" not in header:
            return await asyncio.to_thread(decode_document, header, body)
    except (OSError, EOFError, MalformedFrame) as error:
        raise _ChildDied from error
    raise DocumentUnreadable(
        stage=Stage.PARSE, cause=str(header["cause"]), advice=str(header.get("advice", ""))
    )


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
            # Its whole group: it may be waiting for an OCR program.
            os.killpg(child.process.pid, signal.SIGKILL)
    await child.process.wait()


def _crashed(child: _Child) -> DocumentUnreadable | DocumentInterrupted:
    if child.process.returncode == -signal.SIGKILL and not child.ended_by_us:
        return DocumentInterrupted(
            stage=Stage.PARSE,
            cause="the operating system ended the reader, most likely for want of memory",
            advice="free memory or allow the worker more; the document is tried again by itself",
        )
    return DocumentUnreadable(
        stage=Stage.PARSE,
        cause=f"the reader crashed on it (exit code {child.process.returncode})",
        advice="save the file anew in its own program, or as PDF, and upload that copy",
    )
