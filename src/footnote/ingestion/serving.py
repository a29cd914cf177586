"""The request loop of a sandboxed child process that reads untrusted files, one at a time.

The sandbox was set up before `serve` begins, and before anything was imported
(`footnote.ingestion.sandbox`).
"""

from __future__ import annotations

import math
import os
import resource
from collections.abc import Callable
from typing import BinaryIO, TypeVar

from pydantic import TypeAdapter
from pydantic_core import to_json

from footnote.domain import Progress
from footnote.errors import DocumentUnreadable, how_to_raise
from footnote.ingestion.failures import plain_cause
from footnote.ingestion.frames import (
    ANSWER,
    BEGINNING,
    LENGTHS,
    MAX_JSON_BYTES,
    PROGRESS,
    REFUSAL,
    Message,
    Refusal,
    frame_of,
    lengths_of,
)

Settings = TypeVar("Settings")
Request = TypeVar("Request")
Tell = Callable[[int, int], None]
"""Reports progress on the current request: the parts done, and all parts."""


def serve(
    settings: TypeAdapter[Settings],
    request: TypeAdapter[Request],
    configure: Callable[[Settings, Tell], Callable[[Request, bytes], Message]],
) -> None:
    """Answer requests until the parent closes the pipe; an unreadable file is refused with a
    reason."""
    # Keep the parent's pipes from libraries that print to stdout or read stdin.
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    received = _receive(source)
    if received is None:
        return
    limits = BEGINNING.validate_json(received[0])
    memory_bytes, inherited_limit = limits.memory_bytes, resource.getrlimit(resource.RLIMIT_AS)[1]
    if inherited_limit != resource.RLIM_INFINITY:
        # The kernel refuses more than the inherited limit.
        memory_bytes = min(memory_bytes, inherited_limit)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def report_progress(done: int, total: int) -> None:
        _send(sink, PROGRESS, Message(to_json(Progress(done=done, total=total))))

    answer = configure(settings.validate_json(received[1]), report_progress)
    while (received := _receive(source)) is not None:
        # The kernel ends this process after so much more CPU time.
        used = resource.getrusage(resource.RUSAGE_SELF)
        cpu_limit = math.ceil(used.ru_utime + used.ru_stime) + limits.cpu_seconds
        resource.setrlimit(
            resource.RLIMIT_CPU, (cpu_limit, resource.getrlimit(resource.RLIMIT_CPU)[1])
        )
        try:
            kind, message = ANSWER, answer(request.validate_json(received[0]), received[1])
        except DocumentUnreadable as failure:
            kind, message = REFUSAL, _refusal(plain_cause(failure), failure.advice)
        except MemoryError:
            cause = "reading it takes more memory than is allowed"
            advice = "split it, or " + how_to_raise(
                "memory_bytes", "FOOTNOTE_DOCUMENT_LIMITS", limits.memory_bytes
            )
            kind, message = REFUSAL, _refusal(cause, advice)
        if len(message.record) > MAX_JSON_BYTES:
            cause = f"it is in too many pieces (they take {len(message.record):,} bytes)"
            kind, message = REFUSAL, _refusal(cause, "split it into smaller files")
        _send(sink, kind, message)
        del received, message  # Frees this request while waiting for the next.


def _receive(source: BinaryIO) -> tuple[bytes, bytes] | None:
    prefix = source.read(LENGTHS.size)
    if len(prefix) < LENGTHS.size:
        return None
    _, json_bytes, body_bytes = lengths_of(prefix)
    return source.read(json_bytes), source.read(body_bytes)


def _refusal(cause: str, advice: str) -> Message:
    return Message(to_json(Refusal(cause, advice)))


def _send(sink: BinaryIO, kind: bytes, message: Message) -> None:
    sink.write(frame_of(kind, message))
    for part in message.body:
        sink.write(part)
    sink.flush()
