"""The rate limit of each credential, shared by all processes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from uuid import UUID

from footnote.domain.identity import LOCAL_IDENTITY
from footnote.domain.limits import RateLimit, RateLimitStatus, status_of
from footnote.errors import RateLimited
from footnote.settings import Settings
from footnote.store.database import Database
from footnote.store.rate_limits import take_request

_WINDOW_SECONDS = 60.0
_BURSTS, _MIN_BURST = 10, 10
"""A tenth of the requests of a minute may come at once, and at least as many as a page needs."""


@dataclass(slots=True)
class LastRateLimit:
    """The rate limit status of a workspace's caller at its last request."""

    rate_limit: RateLimitStatus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimits:
    """The rate limit of an installation, counted per key, and per principal of tokens."""

    database: Database
    limit: RateLimit | None
    """None sets no limit."""

    def counts(self, credential: str) -> bool:
        """Return whether requests with this credential are counted.

        In-process calls, local commands and jobs are not: they have no credential.
        """
        return self.limit is not None and credential != LOCAL_IDENTITY.credential

    async def take(
        self, workspace_id: UUID, credential: str, principal_id: str, last: LastRateLimit
    ) -> None:
        """Count a request, and note where the caller stands. Raises RateLimited."""
        assert self.limit is not None, "requests are counted by a limit"
        # The credential of a token names its issuer alone, so the principal is added.
        caller = credential if credential.startswith("key:") else f"{credential} {principal_id}"
        allowed, ahead = await take_request(self.database, workspace_id, caller, self.limit)
        rate_limit = status_of(self.limit, allowed=allowed, ahead_seconds=ahead)
        last.rate_limit = rate_limit
        if not allowed:
            raise too_often(
                f"this credential asks more often than {self.limit.requests} times a minute",
                rate_limit,
            )


def too_often(message: str, standing: RateLimitStatus) -> RateLimited:
    """Return the error for a caller over its limit, with the seconds to wait."""
    seconds = max(1, math.ceil(standing.retry_after_seconds))
    return RateLimited(
        message, retry_after_seconds=seconds, hint=f"come again in {seconds} seconds"
    )


def rate_limits_from(settings: Settings, database: Database) -> RateLimits:
    """The rate limit as the settings have it."""
    limit = None
    if settings.requests_per_minute is not None:
        limit = RateLimit(
            requests=settings.requests_per_minute,
            window_seconds=_WINDOW_SECONDS,
            burst=max(_MIN_BURST, settings.requests_per_minute // _BURSTS),
        )
    return RateLimits(database=database, limit=limit)
