"""Links to collections and conversations of a workspace on a remote server."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.sharing import NewShareLink, SharedByLink, ShareLink
from footnote.interfaces.sdk.transport import Repeat
from footnote.interfaces.sdk.verbs import Remote, verb

_WEEK = 168.0


@verb("POST", "/v1/share-links", repeat=Repeat.REFUSED, names={"name": "collection"})
async def share_collection(
    client: Remote, name: str, *, expires_in_hours: float = _WEEK
) -> NewShareLink:
    """Make a link whose holders may search, ask and read what a reader of a collection sees."""


@verb("POST", "/v1/share-links", repeat=Repeat.REFUSED)
async def share_conversation(
    client: Remote, conversation_id: UUID, *, expires_in_hours: float = _WEEK
) -> NewShareLink:
    """Make a link that shows one's own conversation as it stands whenever it is opened."""


@verb("GET", "/v1/share-links", "share_links")
async def share_links(client: Remote) -> tuple[ShareLink, ...]:
    """One's own links and those to places that one administers, oldest first."""


@verb("DELETE", "/v1/share-links/{link_id}", repeat=Repeat.REFUSED)
async def revoke_share_link(client: Remote, link_id: str) -> None:
    """Make a link useless at once. Raises NotFound."""


@verb("GET", "/v1/shared")
async def shared(client: Remote) -> SharedByLink:
    """What a link shows, for a client whose `api_key` is its token. Raises InvalidRequest."""
