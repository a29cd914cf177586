"""Streaming replicas of the database, and what was seen of it at some moment."""

from __future__ import annotations

import re
from dataclasses import dataclass

_POSITION = re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})")
LATEST = "latest"
"""What a request sends for all that was written before it."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Position:
    """A place in the write-ahead log: whoever has come so far has all that was written before."""

    byte: int

    @classmethod
    def of(cls, text: str) -> Position:
        """Parse a position as Postgres and `str` write it. Raises ValueError."""
        match = _POSITION.fullmatch(text)
        if match is None:
            raise ValueError(f"{text[:40]!r} is no position")
        high, low = match.groups()
        return cls(byte=(int(high, 16) << 32) + int(low, 16))

    def __str__(self) -> str:
        """Like 16/B374D848."""
        return f"{self.byte >> 32:X}/{self.byte & 0xFFFFFFFF:X}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaStatus:
    """A replica as a process last saw it."""

    name: str
    """Its host and port, without a login."""
    fit: bool
    """Whether reads go there now."""
    detail: str
    """How far behind it is, or why nothing is read from it."""
    lag_seconds: float | None = None
    """At most so long ago was written what it lacks; None where nobody knows."""
    lag_bytes: int | None = None
    """Of the write-ahead log that it has not replayed yet."""
    reads: int = 0
    """Searches, answers and lists that this process had it serve."""
