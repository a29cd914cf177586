"""How often somebody may ask, and how far that was used: GCRA, the generic cell rate algorithm.

ATM Forum, Traffic Management 4.0 (af-tm-0056.000, 1996), as its virtual scheduling. Of each caller
one moment is kept: when it would have made up for all its requests had they come evenly, one a
step. A request moves it on by a step, from now if it has passed; one that would move it further
than `burst` steps ahead of now is refused, and moves nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_ROUNDING = 1e-6
"""Steps; moments are kept in microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """So many requests evenly over a time, and so many of them at once."""

    requests: int
    """In each window, on average."""
    window_seconds: float
    burst: int
    """At once, after a pause; at least 1."""

    @property
    def step_seconds(self) -> float:
        """How long one request takes to be made up for."""
        return self.window_seconds / self.requests


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitStatus:
    """Where somebody stands with their rate limit after a request."""

    allowed: bool
    limit: RateLimit
    remaining: int
    """Requests that would be taken now."""
    reset_seconds: float
    """Until as many are taken at once as ever."""
    retry_after_seconds: float
    """Until one is taken; 0 if one is now."""


def status_of(limit: RateLimit, *, allowed: bool, ahead_seconds: float) -> RateLimitStatus:
    """The status of a caller after a request whose theoretical arrival time is this far ahead."""
    ahead = max(0.0, ahead_seconds)
    room = limit.burst - ahead / limit.step_seconds
    remaining = max(0, math.floor(room + _ROUNDING))
    return RateLimitStatus(
        allowed=allowed,
        limit=limit,
        remaining=remaining,
        reset_seconds=ahead,
        retry_after_seconds=0.0 if remaining else (1 - room) * limit.step_seconds,
    )
