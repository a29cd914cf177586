"""How often somebody may ask, and how far that was used."""

from __future__ import annotations

from dataclasses import dataclass


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
