"""The lanes of a workspace on a remote server, and changing its model."""

from __future__ import annotations

import re

from footnote.domain import LaneStatus, Reembedding
from footnote.errors import NotFound
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import NOTHING, Content, Repeat

_ONCE = Repeat.UNSENT
_LANE_NAME = re.compile(r"[^\s/.?#%]+")  # Of another name there is none, nor a path.


async def lanes(client: Remote) -> tuple[LaneStatus, ...]:
    """The workspace's lanes with their models, and how far each is filled."""
    found = await client.transport.json("GET", "/v1/lanes")
    return decoded(tuple[LaneStatus, ...], found["lanes"])


async def reembed(
    client: Remote, model: str, *, lane: str = "document", texts_per_second: float | None = None
) -> LaneStatus:
    """Begin to embed the workspace with another model."""
    content = Content(json={"model": model, "texts_per_second": texts_per_second})
    return decoded(
        LaneStatus, await client.transport.json("POST", f"{_path_of(lane)}/reembed", content, _ONCE)
    )


async def reembedding(client: Remote, lane: str = "document") -> Reembedding:
    """The latest change of the lane."""
    return decoded(Reembedding, await client.transport.json("GET", f"{_path_of(lane)}/reembed"))


async def cancel_reembedding(client: Remote, lane: str = "document") -> LaneStatus:
    """Stop what is under way; what was embedded is kept."""
    path = f"{_path_of(lane)}/reembed"
    return decoded(LaneStatus, await client.transport.json("DELETE", path, NOTHING, _ONCE))


async def rollback_lane(client: Remote, lane: str = "document") -> LaneStatus:
    """Go back to the lane before the last switch."""
    path = f"{_path_of(lane)}/rollback"
    return decoded(LaneStatus, await client.transport.json("POST", path, NOTHING, _ONCE))


async def purge_lanes(client: Remote, *, at_once: bool = False) -> tuple[LaneStatus, ...]:
    """Remove lanes that are not kept any longer, or all but the current; return the rest."""
    content = Content(json={"at_once": at_once})
    found = await client.transport.json("POST", "/v1/lanes/purge", content)
    return decoded(tuple[LaneStatus, ...], found["lanes"])


def _path_of(lane: str) -> str:
    if not _LANE_NAME.fullmatch(lane):
        raise NotFound(f"there is no lane {lane!r}")
    return f"/v1/lanes/{lane}"
