"""Answers that another process of this server makes, read over a socket between the processes.

Several processes serve one address, and a client that comes back to an answer reaches any of them.
Each process has a socket of its own in a folder that only this user may enter. There it is asked
for a run by a line of JSON with the run and its owner, and sends the frames that it has, and then
each as it is made: their number, and each behind its length. Who asks was let in by its own
process; that the run is the owner's is checked here once more.
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
"""In the place of a number of frames: there is no such run; of a length: nothing follows."""
_REACH_SECONDS = 2.0
"""Within which a process says whether it has a run: one that is being started again does not."""
_MOST_ASKED_BYTES = 1 << 20
_GONE = (OSError, asyncio.IncompleteReadError, TimeoutError)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAsked:
    """What a process asks another one for."""

    owner: Owner
    run_id: UUID


_ASKED = TypeAdapter(RunAsked)


async def _runs_of(siblings: Sequence[Path], owner: Owner, run_id: UUID) -> FramesElsewhere | None:
    """The frames of a run from the first process that has it; None where none has."""
    for place in siblings:
        with suppress(*_GONE):
            async with asyncio.timeout(_REACH_SECONDS):
                reading, writing = await asyncio.open_unix_connection(place)
                try:
                    asked = _ASKED.dump_json(RunAsked(owner=owner, run_id=run_id))
                    writing.write(asked + b"\n")
                    count = await _number(reading)
                    if count != _NONE:
                        made = [
                            await reading.readexactly(await _number(reading)) for _ in range(count)
                        ]
                        return FramesElsewhere(
                            made=made, coming=_coming(reading), close=writing.close
                        )
                except BaseException:
                    writing.close()
                    raise
                writing.close()
    return None


def share_runs(runs: AnswerRuns, siblings: Sequence[Path], inbox: socket) -> None:
    """Let the other processes read the runs of this one, and this one theirs, until it closes."""
    runs.elsewhere = partial(_runs_of, siblings)
    runs.sharing = asyncio.ensure_future(_answer_siblings(runs, inbox))
    runs.sharing.add_done_callback(lambda _: inbox.close())


async def _answer_siblings(runs: AnswerRuns, inbox: socket) -> None:
    answering = await asyncio.start_unix_server(
        partial(_hand_over, runs), sock=inbox, limit=_MOST_ASKED_BYTES
    )
    try:
        await answering.serve_forever()
    finally:
        answering.close()


async def _hand_over(
    runs: AnswerRuns, reading: asyncio.StreamReader, writing: asyncio.StreamWriter
) -> None:
    with suppress(*_GONE, ValidationError, ValueError):
        asked = _ASKED.validate_json(await reading.readline())
        run = runs.kept_run(asked.owner, asked.run_id)
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
    """Send every frame, until nothing follows or nobody reads it any more."""
    writing.write(_NUMBER.pack(len(reader.run.frames)))
    gone = asyncio.ensure_future(reading.read(1))
    try:
        while not gone.done():
            for _, frame in reader.unread():
                writing.write(_NUMBER.pack(len(frame)) + frame)
            await writing.drain()
            if not reader.waits:
                writing.write(_NUMBER.pack(_NONE))
                return
            changed = asyncio.ensure_future(reader.run.changed.wait())
            await asyncio.wait((changed, gone), return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
    finally:
        gone.cancel()


async def _coming(reading: asyncio.StreamReader) -> AsyncGenerator[bytes]:
    """Each further frame; they end, too, with the process that makes them."""
    with suppress(*_GONE):
        while (size := await _number(reading)) != _NONE:
            yield await reading.readexactly(size)


async def _number(reading: asyncio.StreamReader) -> int:
    (number,) = _NUMBER.unpack(await reading.readexactly(_NUMBER.size))
    return int(number)
