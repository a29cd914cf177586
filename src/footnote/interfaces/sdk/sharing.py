"""Links to collections and conversations of a workspace on a remote server."""

from __future__ import annotations

from urllib.parse import quote
from uuid import UUID

from footnote.domain.sharing import NewShareLink, SharedByLink, ShareLink
from footnote.interfaces.encoding import JsonObject
from footnote.interfaces.schemas import ShareLinkList, decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content, Repeat

_LINKS = "/v1/share-links"
_WEEK = 168.0


async def share_collection(
    client: Remote, name: str, *, expires_in_hours: float = _WEEK
) -> NewShareLink:
    """Make a link whose holders may search, ask and read what a reader of a collection sees."""
    return await _made(client, {"collection": name, "expires_in_hours": expires_in_hours})


async def share_conversation(
    client: Remote, conversation_id: UUID, *, expires_in_hours: float = _WEEK
) -> NewShareLink:
    """Make a link that shows one's own conversation as it stands whenever it is opened."""
    about = {"conversation_id": str(conversation_id), "expires_in_hours": expires_in_hours}
    return await _made(client, about)


async def share_links(client: Remote) -> tuple[ShareLink, ...]:
    """One's own links and those to places that one administers, oldest first."""
    return decoded(ShareLinkList, await client.transport.json("GET", _LINKS)).share_links


async def revoke_share_link(client: Remote, link_id: str) -> None:
    """Make a link useless at once. Raises NotFound."""
    path = f"{_LINKS}/{quote(link_id, safe='')}"
    await client.transport.call("DELETE", path, repeat=Repeat.REFUSED)


async def shared(client: Remote) -> SharedByLink:
    """What a link shows, for a client whose `api_key` is its token. Raises InvalidRequest."""
    return decoded(SharedByLink, await client.transport.json("GET", "/v1/shared"))


async def _made(client: Remote, about: JsonObject) -> NewShareLink:
    found = await client.transport.json("POST", _LINKS, Content(json=about), Repeat.REFUSED)
    return decoded(NewShareLink, found)
