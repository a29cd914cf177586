"""Who sees a document, by which role, list or visibility."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from footnote.domain.identity import ADMINISTRATORS, Principal, Role, highest_role


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A role that somebody has been given."""

    subject: str
    """A principal's id, or `group:` and a group's name."""
    role: Role
    collection: str | None = None
    """Where; None for the whole workspace."""
    granted_by: str
    granted_at: datetime


class Visibility(StrEnum):
    """Who sees a document beside those it is shared with."""

    WORKSPACE = "workspace"
    """Everyone with a role in the workspace or in its collection."""
    COLLECTION = "collection"
    """Everyone with a role in its collection, and the workspace's administrators."""
    PRIVATE = "private"
    """Whoever handed it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentAccess:
    """Who sees a document."""

    document_id: UUID
    collection: str
    visibility: Visibility
    owner: str
    """Whoever handed it in."""
    shared_with: tuple[str, ...]
    """Principals and, with `group:`, groups that see it besides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessExplanation:
    """Why somebody sees a document, or does not."""

    document_id: UUID
    principal_id: str
    visible: bool
    visibility: Visibility
    role: Role | None
    """In the workspace."""
    collection_role: Role | None
    """In the document's collection."""
    reasons: tuple[str, ...]
    """Each way in which it is seen, or what would have to be otherwise."""


def access_names(
    visibility: Visibility, collection: str, owner: str, shared_with: Sequence[str]
) -> tuple[str, ...] | None:
    """The names that admit to a document; None where every role in its place does.

    >>> access_names(Visibility.COLLECTION, "hr", "ann", ["group:board"])
    ('ann', 'group:board', 'collection:hr', 'workspace:administrators')
    """
    if visibility is Visibility.WORKSPACE:
        return None
    names = [owner, *shared_with]
    if visibility is Visibility.COLLECTION:
        names += [f"collection:{collection}", ADMINISTRATORS]
    return tuple(dict.fromkeys(names))


def with_grants(principal: Principal, grants: Iterable[Grant]) -> Principal:
    """The principal with these grants in addition to its roles."""
    role, collections = principal.role, dict(principal.collections)
    for grant in grants:
        if grant.collection is None:
            role = highest_role((role, grant.role))
        else:
            existing = collections.get(grant.collection, grant.role)
            collections[grant.collection] = highest_role((existing, grant.role)) or existing
    return replace(principal, role=role, collections=tuple(sorted(collections.items())))
