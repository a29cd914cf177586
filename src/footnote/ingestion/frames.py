"""The frames that a process and its child exchange.

A frame is a kind, two big-endian lengths, a JSON record, and a body for long data, which is passed
on in parts. The child is not trusted: its messages are validated against the expected record, and
nothing is unpickled.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import TypeAdapter

from footnote.domain import Progress

Bytes = bytes | bytearray | memoryview

LENGTHS = struct.Struct(">cIQ")
REQUEST, ANSWER, PROGRESS, REFUSAL = b"q", b"a", b"p", b"r"
MAX_JSON_BYTES = 64 << 20
"""Room for a quarter of a million blocks; a child refuses a document that needs more."""
_MAX_BODY_BYTES = 1 << 31


@dataclass(frozen=True, slots=True)
class Message:
    """A JSON record, and a body of data that is too long for it."""

    record: bytes
    body: Iterable[Bytes] = ()
    body_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first record that a child gets; its body is the child's settings."""

    memory_bytes: int
    cpu_seconds: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a child does not read a file."""

    cause: str
    advice: str


BEGINNING = TypeAdapter(Beginning)
REFUSED = TypeAdapter(Refusal)
_PROGRESSED = TypeAdapter(Progress)


def frame_of(kind: bytes, message: Message) -> bytes:
    """A frame without its body."""
    return LENGTHS.pack(kind, len(message.record), message.body_bytes) + message.record


def lengths_of(prefix: bytes) -> tuple[bytes, int, int]:
    """Return the kind of a frame and the lengths of its parts. Raises ValueError if too long."""
    kind, json_bytes, body_bytes = LENGTHS.unpack(prefix)
    if json_bytes > MAX_JSON_BYTES or body_bytes > _MAX_BODY_BYTES:
        raise ValueError(f"a frame of {json_bytes} and {body_bytes} bytes")
    return kind, json_bytes, body_bytes


def progress_of(record: bytes) -> tuple[int, int]:
    """Return how many parts are done, and the total. Raises ValueError."""
    notice = _PROGRESSED.validate_json(record, strict=True)
    if not 0 <= notice.done <= notice.total < 2**31:
        raise ValueError("no progress")
    return notice.done, notice.total
