"""Refuses addresses that this installation could never speak to, before they are kept."""

from __future__ import annotations

import asyncio

from footnote.errors import SourceUnreachable
from footnote.ingestion.sources.reach import addresses_of, checked_url, require_reachable

_RESOLVING_SECONDS = 5.0
"""Nobody waits longer than this for the name of an address that is only to be kept."""


async def require_reachable_url(url: str, *, allow_private: bool, example: str) -> None:
    """Raise InvalidRequest, whose hint may be like the example, for an address of no use.

    A name that cannot be resolved may be one day. Whoever speaks to it later asks anew, since a
    name can lead elsewhere by then.
    """
    parts = checked_url(url, example=example)
    assert parts.hostname is not None, "checked"
    try:
        async with asyncio.timeout(_RESOLVING_SECONDS):
            addresses = await addresses_of(parts.hostname, parts.port or 443)
    except (SourceUnreachable, TimeoutError):
        return
    require_reachable(parts.hostname, addresses, allow_private=allow_private)
