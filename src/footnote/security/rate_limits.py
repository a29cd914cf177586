"""The arithmetic of rate limits: GCRA, the generic cell rate algorithm.

ATM Forum, Traffic Management 4.0 (af-tm-0056.000, 1996), as its virtual scheduling. Of each caller
one moment is kept: when it would have made up for all its requests had they come evenly, one a
step. A request moves it on by a step, from now if it has passed; one that would move it further
than `burst` steps ahead of now is refused, and moves nothing.
"""

from __future__ import annotations

import math

from footnote.domain.limits import RateLimit, RateLimitStatus

_ROUNDING = 1e-6
"""Steps; moments are kept in microseconds."""


def status_of(limit: RateLimit, *, allowed: bool, ahead_seconds: float) -> RateLimitStatus:
    """Where a caller stands whose moment is so far ahead of now, after a request."""
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
