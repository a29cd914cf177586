"""Links that show a collection or a conversation to whoever has them, until they expire."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from footnote.domain.conversations import ConversationExport
from footnote.domain.identity import Identity, Principal, Right, Role
from footnote.domain.json_form import json_form

LINK_CREDENTIAL = "link:"
"""How the credential of whoever has a link begins; the link's id follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLink:
    """A link to a collection or to a conversation, without its secret."""

    link_id: str
    """What stands between `fl_` and the secret."""
    collection: str | None
    """What is shared; None for a conversation."""
    conversation_id: UUID | None
    """What is shared; None for a collection."""
    owner: str
    """Whoever shared it."""
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    opened_at: datetime | None
    """When it was last used, within a minute or so."""

    @property
    def identity(self) -> Identity:
        """Who asks with this link: a reader of the collection; of a conversation, nobody."""
        shared = () if self.collection is None else ((self.collection, Role.READER),)
        return Identity(
            principal=Principal(principal_id=f"service:link {self.link_id}", role=None),
            collections=shared,
            rights=frozenset({Right.READ}),
            credential=f"{LINK_CREDENTIAL}{self.link_id}",
        )


@json_form(flat="link")
@dataclass(frozen=True, slots=True, kw_only=True)
class NewShareLink:
    """A link that was just made, with its token."""

    link: ShareLink
    token: str = field(repr=False)
    """What proves that somebody has the link, `fl_ID_SECRET`; shown this once."""
    url: str | None = field(repr=False)
    """An address to hand on, with the token behind its `#`; None without `FOOTNOTE_PUBLIC_URL`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedByLink:
    """What a link shows to whoever has it."""

    link_id: str
    collection: str | None
    """What may be searched, asked and read; None for a conversation."""
    conversation: ConversationExport | None
    """Its messages on the branch that goes on, with what they quote; None for a collection."""
    expires_at: datetime
