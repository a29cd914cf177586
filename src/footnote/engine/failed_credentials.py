"""Failed authentication: log it, and limit its rate by address and by credential id."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

import structlog

from footnote.domain.audit import Act, AuditDraft, Outcome
from footnote.domain.credentials import Presented
from footnote.domain.limits import RateLimit, RateLimitStatus, status_of
from footnote.engine.audit_log import AuditLog
from footnote.engine.rate_limits import too_often
from footnote.errors import NotAuthenticated
from footnote.security.gateway import Network, network_of
from footnote.security.secrets import credential_id_of
from footnote.store.database import Database
from footnote.store.rate_limits import count_failure, failures_ahead

OF_ADDRESS = RateLimit(requests=30, window_seconds=60.0, burst=60)
"""Many people may share an address, and each may have a program whose key has expired."""
OF_CREDENTIAL = RateLimit(requests=10, window_seconds=60.0, burst=20)
"""Limit per credential id, with which a key, a session or a link begins."""
NOBODY = "workspace:nobody"
"""Principal of failures in the audit log; no real principal has this prefix."""
_RECENTLY_VALID_SECONDS = 3600.0
_MAX_CACHED = 10_000


class CredentialRefused(NotAuthenticated):
    """A known credential of a workspace that is wrong, expired or revoked."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        workspace_id: UUID,
        credential: str,
        reason: str,
    ) -> None:
        super().__init__(message, hint=hint)
        self.workspace_id = workspace_id
        self.credential = credential
        """As the audit log has it: `key:ID`, `session:ID`, `link:ID`."""
        self.reason = reason
        """For the audit log; never sent to the caller."""


@dataclass(slots=True, kw_only=True)
class FailedCredentials:
    """Limits the rate of failed authentication by client address and by credential id.

    An address with too many failures is refused before any lookup, except for a credential that was
    valid in this process within the last hour, since many may share the address. For a credential
    id, only failures are refused, so that nobody can lock a key out by trying its id.
    """

    database: Database
    audit: AuditLog
    proxies: tuple[Network, ...]
    """Proxies that are trusted to report the client's address."""
    secret: Callable[[], bytes]
    """Returns the key of the hashes of addresses and credential ids."""
    clock: Callable[[], float] = time.monotonic
    _recently_valid: OrderedDict[bytes, float] = field(default_factory=OrderedDict)
    """Time until which each recently valid credential is exempt, by its digest."""
    _refused: OrderedDict[bytes, float] = field(default_factory=OrderedDict)
    """Time until which each source is refused without a database lookup, by its hash."""

    @asynccontextmanager
    async def watching(self, presented: Presented) -> AsyncIterator[None]:
        """Count and log a failure where the block raises NotAuthenticated.

        Raises RateLimited before the block for an address with too many failures, and after it, in
        place of NotAuthenticated, where this failure exceeds a limit.
        """
        await self._require_allowed(presented)
        try:
            yield
        except NotAuthenticated as error:
            await self._count_failure(presented, error)
            raise
        if presented.bearer or presented.session:
            until = self.clock() + _RECENTLY_VALID_SECONDS
            _cache_until(self._recently_valid, self._digest(presented), until)

    async def _require_allowed(self, presented: Presented) -> None:
        network = network_of(presented, self.proxies)
        now = self.clock()
        if network is None or self._recently_valid.get(self._digest(presented), 0.0) > now:
            return
        source = self._source(f"address {network}")
        ahead = self._refused.get(source, 0.0) - now
        if ahead <= 0:
            ahead = await failures_ahead(self.database, source)
        status = status_of(OF_ADDRESS, allowed=False, ahead_seconds=ahead)
        if not status.remaining:
            raise self._too_many(source, status)

    async def _count_failure(self, presented: Presented, error: NotAuthenticated) -> None:
        credential_id = credential_id_of(presented.bearer or presented.session or "")
        network = network_of(presented, self.proxies)
        limits: list[tuple[str, RateLimit]] = []
        # Open pages of a logged-out user keep sending requests for a while.
        of_session = presented.bearer is None and presented.session is not None
        if network is not None and not of_session:
            limits.append((f"address {network}", OF_ADDRESS))
        if credential_id is not None:
            limits.append((f"credential {credential_id}", OF_CREDENTIAL))
        for name, limit in limits:
            source = self._source(name)
            allowed, ahead = await count_failure(self.database, source, limit)
            if not allowed:
                status = status_of(limit, allowed=False, ahead_seconds=ahead)
                raise self._too_many(source, status) from error
        if presented.peer is not None or isinstance(error, CredentialRefused):
            self._log_failure(error, credential_id, None if network is None else str(network))
        # Else it is a command on this machine, whose user sees the error.

    def _log_failure(
        self, error: NotAuthenticated, credential_id: str | None, address: str | None
    ) -> None:
        subject = {} if address is None else {"address": address}
        if not isinstance(error, CredentialRefused):
            structlog.get_logger(__name__).warning(
                "a credential was refused", reason=str(error), credential=credential_id, **subject
            )
            return
        draft = AuditDraft(
            act_id=uuid4(),
            recorded_at=datetime.now(UTC),
            principal=NOBODY,
            credential=error.credential,
            act=Act.OBSERVED,
            verb="authenticate",
            outcome=Outcome.REFUSED,
            error=NotAuthenticated.__name__,
            subject={"reason": error.reason, **subject},
            documents=(),
            passages=(),
        )
        self.audit.append_soon(error.workspace_id, draft)

    def _too_many(self, source: bytes, status: RateLimitStatus) -> Exception:
        _cache_until(self._refused, source, self.clock() + status.reset_seconds)
        return too_often("too many credentials were refused that came from here", status)

    def _source(self, name: str) -> bytes:
        return hmac.digest(self.secret(), name.encode(), "sha256")

    @staticmethod
    def _digest(presented: Presented) -> bytes:
        return hashlib.sha256(repr((presented.bearer, presented.session)).encode()).digest()


def _cache_until(cache: OrderedDict[bytes, float], key: bytes, until: float) -> None:
    cache[key] = until
    cache.move_to_end(key)
    while len(cache) > _MAX_CACHED:
        cache.popitem(last=False)
