"""Who acts, where, and with which vectors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from footnote.domain.json_form import json_form

DEFAULT_WORKSPACE = "default"
DEFAULT_COLLECTION = "default"
"""What is meant where none is named."""


WHOLE_WORKSPACE = ""
"""Stands where a collection is named; no collection is called so."""
SYSTEM_NAME = "*"
"""The access name of the system itself, which no document is hidden from."""
MEMBERS = "workspace:members"
"""The access name of everyone who has a role in the whole workspace."""
ADMINISTRATORS = "workspace:administrators"
"""The access name of its administrators."""
SERVICE = "service:"
"""How principals begin that are no person: those of keys and links."""
RESERVED_PREFIXES = ("group:", "collection:", "workspace:", "link:")
"""What begins like this in an access list names no single person."""


class Right(StrEnum):
    """What a verb needs, and what a credential may be limited to."""

    READ = "read"
    """Search, ask, read documents, hold conversations."""
    WRITE = "write"
    """Add, replace, share and delete documents."""
    ADMINISTER = "administer"
    """Grant roles, choose models, erase, see what others did."""


class Role(StrEnum):
    """What somebody may do in a workspace or in a collection; each may do what those before may."""

    READER = "reader"
    WRITER = "writer"
    ADMIN = "admin"

    @property
    def rights(self) -> frozenset[Right]:
        """What the role may do."""
        return frozenset(tuple(Right)[: tuple(Role).index(self) + 1])


def highest_role(roles: Iterable[Role | None]) -> Role | None:
    """The role that may do most; None without one."""
    return max((role for role in roles if role is not None), key=tuple(Role).index, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who acts inside a workspace, with the roles that hold there."""

    principal_id: str
    groups: tuple[str, ...] = ()
    role: Role | None = Role.ADMIN
    """In the whole workspace; None where there are roles in single collections alone."""
    collections: tuple[tuple[str, Role], ...] = ()
    """Collections in which there is a role of their own."""

    @property
    def access_names(self) -> tuple[str, ...]:
        """The names under which an access list may admit this principal."""
        return (
            self.principal_id,
            *(f"group:{name}" for name in self.groups),
            *(f"collection:{name}" for name, _ in self.collections),
            *((MEMBERS,) if self.role is not None else ()),
            *((ADMINISTRATORS,) if self.role is Role.ADMIN else ()),
        )

    def may(self, right: Right, collection: str | None = None) -> bool:
        """Whether its roles give a right in a collection, or in any if none is named.

        `WHOLE_WORKSPACE` asks for the role in the workspace itself.
        """
        roles = [role for name, role in self.collections if collection in (None, name)]
        role_held = highest_role((self.role, *roles))
        return role_held is not None and right in role_held.rights


LOCAL_PRINCIPAL = Principal(principal_id="local")
"""The one user of an installation without identities, and its operator where there are some."""


def is_no_person(principal_id: str) -> bool:
    """Whether a principal is a service, a link or the operator: no provider may name such a one.

    In letters of any case, since a directory compares names so.
    """
    folded = principal_id.casefold()
    return folded == LOCAL_PRINCIPAL.principal_id or folded.startswith(SERVICE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who asks, as a credential proved it."""

    principal: Principal
    """Its id and groups; its roles are worked out when it enters a workspace."""
    role: Role | None = None
    """In the workspace, as the credential says; the workspace's own grants may give more."""
    collections: tuple[tuple[str, Role], ...] = ()
    """Roles in collections, as the credential says."""
    rights: frozenset[Right] = frozenset(Right)
    """What the credential may be used for: a key can be narrower than its owner."""
    credential: str = "local"
    """How it was proved, without any secret: `key:ID`, `link:ID`, `token:ISSUER`,
    `session:ID`, `gateway`."""


LOCAL_IDENTITY = Identity(principal=LOCAL_PRINCIPAL, role=Role.ADMIN)
"""Who asks where there are no identities: whoever can reach the server may do everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The tenancy boundary; nothing crosses it."""

    workspace_id: UUID
    name: str
    created_at: datetime


@json_form(computed=("fingerprint",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """An embedding cohort: vectors of one lane are comparable, vectors of two are not."""

    name: str
    provider: str
    model: str
    dimensions: int
    revision: str
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes the model was trained for; empty when it claims all."""

    @property
    def fingerprint(self) -> str:
        """What two lanes must share for their vectors to be comparable."""
        return f"{self.name}/{self.provider}/{self.model}/{self.dimensions}/{self.revision}"
