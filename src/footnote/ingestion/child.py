"""The other end of `ChildPool`: frames in on standard input, frames out on standard output.

The first frame holds the settings and limits, each further one is a request; the process ends
when its input does.
"""

from __future__ import annotations

import math
import os
import resource
from collections.abc import Callable, Iterable
from typing import BinaryIO

from footnote.errors import DocumentUnreadable
from footnote.ingestion.failures import plain_cause
from footnote.ingestion.parsing.wire import (
    HEADER,
    Json,
    MalformedFrame,
    decode_json,
    decode_lengths,
    encode_frame,
)

Answer = Callable[[Json, bytes], Iterable[bytes]]
"""From the header and body of a request to the frame that answers it, in parts."""
Tell = Callable[[int, int], None]
"""Says how many of how many parts of the request in hand are done."""


def serve(configure: Callable[[Json, Tell], Answer]) -> None:
    """Answer until the parent closes the pipe; what cannot be read is answered with the reason."""
    source, sink = _take_pipes()
    settings = _receive(source)
    if settings is None:
        return
    _limit(int(str(settings[0]["memory_bytes"])))

    def tell(done: int, total: int) -> None:
        sink.write(encode_frame({"done": done, "total": total}))
        sink.flush()

    answer = configure(settings[0], tell)
    cpu_seconds = int(str(settings[0]["cpu_seconds"]))
    while (request := _receive(source)) is not None:
        _allow(cpu_seconds)
        _reply(sink, answer, *request)
        del request  # While the next one comes, this one is not kept.


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, out of reach of libraries that print or read."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return source, sink


def _limit(memory_bytes: int) -> None:
    given = resource.getrlimit(resource.RLIMIT_AS)[1]
    if given != resource.RLIM_INFINITY:
        memory_bytes = min(memory_bytes, given)  # More than whoever started us has is refused.
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _allow(cpu_seconds: int) -> None:
    """Let the kernel end this process once it has computed for so much longer."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    spent = math.ceil(used.ru_utime + used.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (spent + cpu_seconds, hard))


def _receive(source: BinaryIO) -> tuple[Json, bytes] | None:
    prefix = source.read(HEADER.size)
    if len(prefix) < HEADER.size:
        return None
    json_bytes, body_bytes = decode_lengths(prefix)
    return decode_json(source.read(json_bytes)), source.read(body_bytes)


def _reply(sink: BinaryIO, answer: Answer, header: Json, content: bytes) -> None:
    try:
        parts = iter(answer(header, content))
        beginning = next(parts)
    except DocumentUnreadable as failure:
        parts, beginning = iter(()), _refusal(plain_cause(failure), failure.advice)
    except MalformedFrame as failure:
        cause = f"it is in too many pieces ({failure})"
        parts, beginning = iter(()), _refusal(cause, "split it into smaller files")
    except MemoryError:
        cause = "reading it takes more memory than is allowed"
        advice = "split it, or raise FOOTNOTE_PARSE_MEMORY_BYTES"
        parts, beginning = iter(()), _refusal(cause, advice)
    sink.write(beginning)
    for part in parts:
        sink.write(part)
    sink.flush()


def _refusal(cause: str, advice: str) -> bytes:
    return encode_frame({"cause": cause, "advice": advice})
