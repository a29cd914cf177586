"""Create, list, revoke and open share links to a collection or a conversation."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Annotated
from uuid import UUID

from pydantic import Field

from footnote.domain import Right, Usage
from footnote.domain.audit import Act
from footnote.domain.conversations import ConversationExport, Message
from footnote.domain.credentials import Caller
from footnote.domain.identity import WHOLE_WORKSPACE
from footnote.domain.sharing import NewShareLink, SharedByLink, ShareLink
from footnote.engine.access import current_principal
from footnote.engine.acts import RunningAct, entered
from footnote.engine.authentication import NEW_LINK, NO_LINK
from footnote.engine.conversations import all_messages, conversation
from footnote.engine.documents import unknown_collections
from footnote.engine.services import Services, WorkspaceAccess
from footnote.errors import InvalidRequest, NotAuthenticated, NotFound
from footnote.security.secrets import LINK, new_secret
from footnote.store import share_links as stored
from footnote.store.conversations import get_conversation
from footnote.store.database import WorkspaceScope
from footnote.validation.constrained_types import Name

MAX_HOURS = 24 * 365
LINK_HOURS = 24.0 * 7
LinkHours = Annotated[float, Field(gt=0, le=MAX_HOURS)]
_ID = re.compile(r"[0-9a-f]{16}", re.ASCII)


async def share_collection(
    workspace: WorkspaceAccess, name: Name, *, expires_in_hours: LinkHours = LINK_HOURS
) -> NewShareLink:
    """Create a link whose holders may search, ask and read as a reader of a collection.

    Its token is returned only once. Raises Forbidden without the right to administer the
    collection, NotFound for one without documents, and InvalidRequest where the server has no
    authentication.
    """
    _require_identities(workspace)
    workspace.require(Right.ADMINISTER, name)
    unknown = await unknown_collections(workspace, [name])
    if unknown:
        closest = unknown[0][1]
        raise NotFound(
            f"there is no collection {name!r}",
            hint=f"did you mean {closest!r}?" if closest else "it is there once it has a document",
        )
    async with workspace.scope() as scope:
        return await _create_link(workspace, scope, name, expires_in_hours)


async def share_conversation(
    workspace: WorkspaceAccess, conversation_id: UUID, *, expires_in_hours: LinkHours = LINK_HOURS
) -> NewShareLink:
    """Create a link that shows one's own conversation as it is when the link is opened.

    Its token is returned only once; the link ends with the conversation. Raises NotFound, and
    InvalidRequest where the server has no authentication.
    """
    _require_identities(workspace)
    async with workspace.scope() as scope:
        await get_conversation(scope, conversation_id)
        return await _create_link(workspace, scope, conversation_id, expires_in_hours)


async def share_links(workspace: WorkspaceAccess) -> tuple[ShareLink, ...]:
    """List one's own links, and those to anything that one administers, oldest first."""
    async with workspace.scope() as scope:
        links = await stored.list_links(scope)
    return tuple(link for link in links if _manages(workspace, link))


async def revoke_share_link(workspace: WorkspaceAccess, link_id: str) -> None:
    """Revoke a link at once. Raises NotFound for one that `share_links` does not list."""
    if _ID.fullmatch(link_id) is None:  # A whole token is never accepted as an id, nor echoed.
        raise NotFound(
            "that is no id of a link",
            hint="`footnote share list` or `GET /v1/share-links` shows the ids",
        )
    async with workspace.scope() as scope:
        link = await stored.get_link(scope, link_id)
        if link is None or not _manages(workspace, link):
            raise NotFound(
                f"there is no link {link_id}",
                hint="`footnote share list` or `GET /v1/share-links` shows the ids",
            )
        await stored.revoke_link(scope, link_id)


async def shared(engine: Services, caller: Caller | None) -> SharedByLink:
    """Return what a link shows to its holder. Raises NotFound once the target is gone.

    Raises InvalidRequest for a caller without a link, and NotAuthenticated where the user who
    shared a conversation is disabled.
    """
    if caller is None or caller.link_id is None:
        raise InvalidRequest(
            "the credential of the request is no link",
            hint="send the token of one: Authorization: Bearer fl_…",
        )
    stored_link = await stored.find_link(engine.database, caller.link_id)
    if stored_link is None:
        raise NotFound("what the link showed is gone", hint=NEW_LINK)
    link, guest = stored_link.link, stored_link.link.identity
    access = WorkspaceAccess(
        engine=engine,
        workspace=stored_link.workspace,
        principal=replace(guest.principal, collections=guest.collections),
        rights=guest.rights,
        credential=guest.credential,
    )
    arguments = {"collection": link.collection, "conversation_id": link.conversation_id}
    act = RunningAct(access=access, act=Act.READ, verb=shared.__name__, arguments=arguments)
    return await entered(act, partial(_shared_content, access, stored_link))


async def _shared_content(guest: WorkspaceAccess, stored_link: stored.StoredLink) -> SharedByLink:
    """Return the target of a link; only a conversation is read with its owner's rights."""
    exported, link = None, stored_link.link
    if link.conversation_id is not None:
        async with guest.system_scope() as scope:
            try:
                owner = await current_principal(guest.engine, scope, stored_link.sharer)
            except NotAuthenticated as error:  # the user who shared it is disabled
                raise NotAuthenticated(NO_LINK, hint=NEW_LINK) from error
        as_owner = replace(guest, principal=owner)
        details = await conversation(as_owner, link.conversation_id)
        shared_messages = await all_messages(as_owner, link.conversation_id, all_branches=False)
        exported = ConversationExport(
            conversation=replace(details, document_ids=()),
            messages=tuple(map(_for_guests, shared_messages)),
        )
    return SharedByLink(
        link_id=link.link_id,
        collection=link.collection,
        conversation=exported,
        expires_at=link.expires_at,
    )


def _for_guests(message: Message) -> Message:
    """Return a message with text and citations, without evidence, usage, timings or feedback."""
    answer = message.answer
    if answer is not None:
        answer = replace(answer, evidence=(), searched=(), usage=Usage(), timings_ms={})
    return replace(message, answer=answer, feedback=None)


def _require_identities(workspace: WorkspaceAccess) -> None:
    if not workspace.engine.settings.identity_ways:
        raise InvalidRequest(
            "a link needs identities: without them nobody but this computer reaches the server",
            hint="set FOOTNOTE_IDENTITY, for instance to keys; docs/identity.md says more",
        )


async def _create_link(
    workspace: WorkspaceAccess, scope: WorkspaceScope, target: str | UUID, hours: float
) -> NewShareLink:
    secret = new_secret(LINK)
    link = await stored.add_link(
        scope,
        secret.credential_id,
        workspace.engine.credentials.pepper.hash_of(secret),
        target,
        sharer=workspace.claimed or workspace.principal,
        lifetime=timedelta(hours=hours),
    )
    public = workspace.engine.settings.public_url
    url = None if public is None else f"{public.rstrip('/')}/shared#{secret.text}"
    return NewShareLink(link=link, token=secret.text, url=url)


def _manages(workspace: WorkspaceAccess, link: ShareLink) -> bool:
    """Whether the principal may list and revoke a link: as its owner or an administrator."""
    return link.owner == workspace.principal.principal_id or (
        Right.ADMINISTER in workspace.rights
        and workspace.principal.may(Right.ADMINISTER, link.collection or WHOLE_WORKSPACE)
    )
