"""Share streamed answers between the processes of one server over Unix sockets.

Several processes serve one address, so a client that reconnects to an answer may reach any of them.
Each process listens on a socket in a folder that only this user may enter. A request is one line of
JSON with the run and its owner. The response is the number of frames so far, those frames, and each
later frame as it is produced; a frame is preceded by its length. The requesting process has
authenticated the caller; the owner of the run is checked here again.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from socket import socket
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from footnote.engine.answer_runs import AnswerRuns, FramesElsewhere, Owner, Reader

_NUMBER = struct.Struct(">I")
_NONE = 0xFFFFFFFF
"""Sentinel: as a number of frames, there is no such run; as a length, the end of the stream."""
_REACH_SECONDS = 2.0
"""Timeout for a process to answer with its frames so far; one that restarts does not answer."""
_MAX_REQUEST_BYTES = 1 << 20
_DISCONNECTED = (OSError, asyncio.IncompleteReadError, TimeoutError)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A request for a run of another process."""

    owner: Owner
    run_id: UUID


_REQUEST = TypeAdapter(RunRequest)


async def _find_run(siblings: Sequence[Path], owner: Owner, run_id: UUID) -> FramesElsewhere | None:
    """Read a run from the first process that has it; None if none has."""
    for socket_path in siblings:
        with suppress(*_DISCONNECTED):
            async with asyncio.timeout(_REACH_SECONDS):
                reading, writing = await asyncio.open_unix_connection(socket_path)
                try:
                    request = _REQUEST.dump_json(RunRequest(owner=owner, run_id=run_id))
                    writing.write(request + b"\n")
                    count = await _number(reading)
                    if count != _NONE:
                        frames = [
                            await reading.readexactly(await _number(reading)) for _ in range(count)
                        ]
                        return FramesElsewhere(
                            made=frames, coming=_later_frames(reading), close=writing.close
                        )
                except BaseException:
                    writing.close()
                    raise
                writing.close()
    return None


def share_runs(runs: AnswerRuns, siblings: Sequence[Path], inbox: socket) -> None:
    """Serve the runs of this process to its siblings, and look theirs up, until it closes."""
    runs.elsewhere = partial(_find_run, siblings)
    runs.sharing = asyncio.ensure_future(_answer_siblings(runs, inbox))
    runs.sharing.add_done_callback(lambda _: inbox.close())


async def _answer_siblings(runs: AnswerRuns, inbox: socket) -> None:
    answering = await asyncio.start_unix_server(
        partial(_serve_run, runs), sock=inbox, limit=_MAX_REQUEST_BYTES
    )
    try:
        await answering.serve_forever()
    finally:
        answering.close()


async def _serve_run(
    runs: AnswerRuns, reading: asyncio.StreamReader, writing: asyncio.StreamWriter
) -> None:
    with suppress(*_DISCONNECTED, ValidationError, ValueError):
        request = _REQUEST.validate_json(await reading.readline())
        run = runs.kept_run(request.owner, request.run_id)
        if run is None:
            writing.write(_NUMBER.pack(_NONE))
        else:
            reader = Reader(runs, run, 0)
            try:
                await _send(reader, reading, writing)
            finally:
                reader.close()
        await writing.drain()
    writing.close()


async def _send(
    reader: Reader, reading: asyncio.StreamReader, writing: asyncio.StreamWriter
) -> None:
    """Send every frame until the run ends or the reader disconnects."""
    writing.write(_NUMBER.pack(len(reader.run.frames)))
    disconnected = asyncio.ensure_future(reading.read(1))
    try:
        while not disconnected.done():
            for _, frame in reader.unread():
                writing.write(_NUMBER.pack(len(frame)) + frame)
            await writing.drain()
            if not reader.waits:
                writing.write(_NUMBER.pack(_NONE))
                return
            changed = asyncio.ensure_future(reader.run.changed.wait())
            await asyncio.wait((changed, disconnected), return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
    finally:
        disconnected.cancel()


async def _later_frames(reading: asyncio.StreamReader) -> AsyncGenerator[bytes]:
    """Yield the later frames; the stream also ends when the other process dies."""
    with suppress(*_DISCONNECTED):
        while (size := await _number(reading)) != _NONE:
            yield await reading.readexactly(size)


async def _number(reading: asyncio.StreamReader) -> int:
    (number,) = _NUMBER.unpack(await reading.readexactly(_NUMBER.size))
    return int(number)
