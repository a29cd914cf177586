"""Routes of links that show a collection or a conversation to whoever has them."""

from __future__ import annotations

from typing import Annotated, Self
from uuid import UUID

from fastapi import Path
from pydantic import Field, model_validator

from footnote.domain.sharing import NewShareLink, SharedByLink
from footnote.engine.sharing import LINK_HOURS, LinkHours
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheRequester, TheWorkspace
from footnote.interfaces.schemas import ShareLinkList
from footnote.validation.constrained_types import Name

SHARED_PATH = "/v1/shared"

router = workspace_router("sharing")

LinkId = Annotated[str, Path(min_length=1, max_length=63, examples=["3f29a1c07be4d512"])]


class WantedLink(Request):
    """What a new link is to show, and how long."""

    collection: Name | None = Field(None, description="One that you administer.")
    conversation_id: UUID | None = Field(None, description="One of yours.")
    expires_in_hours: LinkHours = Field(LINK_HOURS, description="At most 365 days.")

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if (self.collection is None) == (self.conversation_id is None):
            raise ValueError("name a collection or a conversation_id, and not both")
        return self


@router.get("/v1/share-links")
async def list_share_links(workspace: TheWorkspace) -> ShareLinkList:
    """List your links and those to places that you administer, without their tokens."""
    return ShareLinkList(share_links=await workspace.share_links())


@router.post("/v1/share-links", status_code=201)
async def create_share_link(workspace: TheWorkspace, link: WantedLink) -> NewShareLink:
    """Make a link to a collection or to a conversation; this answer alone has its token."""
    if link.conversation_id is not None:
        return await workspace.share_conversation(
            link.conversation_id, expires_in_hours=link.expires_in_hours
        )
    return await workspace.share_collection(
        link.collection or "", expires_in_hours=link.expires_in_hours
    )


@router.delete("/v1/share-links/{link_id}", status_code=204)
async def revoke_share_link(workspace: TheWorkspace, link_id: LinkId) -> None:
    """Revoke a link: it shows nothing from the next request on."""
    await workspace.revoke_share_link(link_id)


@router.get(SHARED_PATH)
async def show_shared(requester: TheRequester) -> SharedByLink:
    """Show what a link shares; the bearer token of the request is the link's."""
    return await requester.shared()
