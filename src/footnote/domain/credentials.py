"""What callers prove who they are with, and what was proved."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from footnote.domain.identity import DEFAULT_WORKSPACE, Identity, Principal, Right, Role
from footnote.domain.json_form import json_form

SYMMETRIC = ("HS256", "HS384", "HS512")
ASYMMETRIC = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519", "EdDSA"),
)
"""What a token may be signed with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presented:
    """What a request carries to say who asks; nothing of it is believed yet."""

    bearer: str | None = field(default=None, repr=False)
    """Behind `Bearer` in the header Authorization."""
    session: str | None = field(default=None, repr=False)
    """The cookie of a person who logged in."""
    peer: str | None = None
    """The address that the connection comes from."""
    forwarded: str | None = None
    """In X-Forwarded-For: where proxies say that it comes from."""
    user_id: str | None = None
    """As a gateway says."""
    user_role: str | None = None
    """As a gateway says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, as a credential proved it, and which workspaces it is for."""

    identity: Identity
    workspaces: tuple[str, ...]
    """Their names; the first is meant where a request names none."""
    presented: Presented | None = field(default=None, repr=False)
    """What proved it, for a backend that is asked on the caller's behalf."""
    link_id: str | None = None
    """The share link that proved it; one to a conversation opens no workspace."""

    @property
    def own_workspace(self) -> str:
        """The workspace that is meant where a request names none."""
        return next(iter(self.workspaces), DEFAULT_WORKSPACE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key of a program or a person, without its secret."""

    key_id: str
    """What stands between `fn_` and the secret."""
    name: str
    principal: str
    """Whom the key acts as."""
    groups: tuple[str, ...] = ()
    """The groups it acts with."""
    rights: tuple[Right, ...]
    """What the key may be used for."""
    collections: tuple[str, ...] = ()
    """Where; empty for the whole workspace."""
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    last_used_at: datetime | None
    """Within a minute or so."""
    revoked_at: datetime | None
    replaced_by: str | None
    """The id of the key that takes its place; until it expires both are valid."""

    @property
    def role(self) -> Role:
        """The role that has these rights, and no more."""
        return next(role for role in Role if frozenset(self.rights) <= role.rights)

    @property
    def identity(self) -> Identity:
        """Who asks with this key."""
        everywhere = not self.collections
        return Identity(
            principal=Principal(principal_id=self.principal, groups=self.groups),
            role=self.role if everywhere else None,
            collections=tuple((name, self.role) for name in self.collections),
            rights=frozenset(self.rights),
            credential=f"key:{self.key_id}",
        )


@json_form(flat="key")
@dataclass(frozen=True, slots=True, kw_only=True)
class NewApiKey:
    """A key that was just made, with its secret."""

    key: ApiKey
    secret: str
    """The whole key, `fn_ID_SECRET`; shown this once."""
