"""What documents of a remote workspace lack, and having it made up for."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.domain.backfill import Backfill, BackgroundWork
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content, Repeat

_BACKFILL = "/v1/backfill"


async def backfill(client: Remote) -> Backfill:
    """What documents have and lack of what is derived from them, by kind."""
    return decoded(Backfill, await client.transport.json("GET", _BACKFILL))


async def start_backfill(client: Remote, kinds: Sequence[BackgroundWork] = ()) -> Backfill:
    """Have workers make up for what documents lack. Raises Conflict."""
    return await _post(client, _BACKFILL, kinds)


async def pause_backfill(client: Remote, kinds: Sequence[BackgroundWork] = ()) -> Backfill:
    """Have workers leave these kinds alone, or all; what was made stays."""
    return await _post(client, f"{_BACKFILL}/pause", kinds)


async def resume_backfill(client: Remote, kinds: Sequence[BackgroundWork] = ()) -> Backfill:
    """Have workers go on with these kinds, or all, where they were paused."""
    return await _post(client, f"{_BACKFILL}/resume", kinds)


async def _post(client: Remote, path: str, kinds: Sequence[BackgroundWork]) -> Backfill:
    body = Content(json={"kinds": [each.value for each in kinds]} if kinds else {})
    return decoded(Backfill, await client.transport.json("POST", path, body, repeat=Repeat.LOST))
