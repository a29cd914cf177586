"""The public keys of an identity provider (JWKS), fetched when needed and kept for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import structlog
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey
from pydantic import TypeAdapter

from footnote.errors import NotReady

PublicKey = RSAKey | ECKey | OKPKey

_OBJECT = TypeAdapter(dict[str, object])
FETCH_SECONDS = 10.0
MAX_BYTES = 1024 * 1024
_UNREACHABLE = "Try again; the server's settings name its address."
FLOOR_SECONDS = 30.0
"""Least time between two fetches: a token with an unknown key id must not cause one each time."""


async def fetch_object(http: httpx.AsyncClient, url: str) -> dict[str, object]:
    """The JSON object at an address of the provider. Raises NotReady.

    The address is the operator's, so it may be private; redirects are not followed.
    """
    try:
        async with asyncio.timeout(FETCH_SECONDS), http.stream("GET", url) as answer:
            answer.raise_for_status()
            return _OBJECT.validate_json(await _content(answer))
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError) as error:
        reason = str(error).strip() or type(error).__name__
        raise NotReady(
            f"The identity provider cannot be asked: {url}: {reason}.",
            hint=_UNREACHABLE,
        ) from error


async def _content(answer: httpx.Response) -> bytes:
    content = b""
    async for piece in answer.aiter_bytes():
        content += piece
        if len(content) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES:,} bytes")
    return content


@dataclass(slots=True, kw_only=True)
class PublishedKeys:
    """The key set at a URL, where keys may be rotated at any time."""

    url: str
    http: httpx.AsyncClient
    lifetime_seconds: float
    clock: Callable[[], float] = time.monotonic
    _keys: KeySet | None = None
    _fetched_at: float = 0.0
    _requested_at: float | None = None
    _refresh_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def key(self, key_id: str | None, algorithm: str) -> PublicKey | None:
        """Return the public key with this id for an algorithm; None if there is none.

        The key set is fetched again when it has expired or lacks a key, as providers rotate their
        keys, but at most every FLOOR_SECONDS. Expired keys stay valid while the fetch fails. Raises
        NotReady if no key set could be fetched yet.
        """
        if self._keys is None or self.clock() - self._fetched_at > self.lifetime_seconds:
            await self._refresh()
        public_key = self._key_of(key_id, algorithm)
        if public_key is None:
            await self._refresh()
            public_key = self._key_of(key_id, algorithm)
        return public_key

    async def _refresh(self) -> None:
        last_asked_at = self._requested_at
        async with self._refresh_lock:
            if self._requested_at != last_asked_at:
                return  # Another task has just fetched them.
            now = self.clock()
            if last_asked_at is not None and now - last_asked_at < FLOOR_SECONDS:
                if self._keys is None:
                    raise NotReady(
                        "The identity provider's keys could not be fetched just now.",
                        hint=_UNREACHABLE,
                    )
                return
            self._requested_at = now
            try:
                published = await fetch_object(self.http, self.url)
                self._keys = KeySet.import_key_set(published)  # type: ignore[arg-type]  # checked there
                self._fetched_at = now
            except (NotReady, JoseError, KeyError, TypeError, ValueError) as error:
                structlog.get_logger(__name__).warning("no keys fetched", reason=str(error))
                if self._keys is None:
                    raise NotReady(
                        "The identity provider's keys cannot be fetched.", hint=_UNREACHABLE
                    ) from error

    def _key_of(self, key_id: str | None, algorithm: str) -> PublicKey | None:
        fitting = [
            key
            for key in self._keys or ()
            # A symmetric key must not be used, as it is published: anybody could sign with it.
            if isinstance(key, RSAKey | ECKey | OKPKey)
            and (key_id is None or key.kid == key_id)
            and key.get("use") in (None, "sig")
            and key.get("alg") in (None, algorithm)
            and key.key_type == _KEY_TYPES[algorithm[:2]]
        ]
        # Without a key id, exactly one key must fit.
        return fitting[0] if len(fitting) == 1 or (fitting and key_id is not None) else None


_KEY_TYPES = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
"""The type of key of each family of algorithms (RFC 7518, section 3.1; RFC 9864)."""
