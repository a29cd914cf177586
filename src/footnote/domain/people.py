"""People and their groups as a directory of the customer pushes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the directory says of somebody who asks."""

    user_name: str
    """As the directory spells it."""
    active: bool
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person."""

    user_id: UUID
    user_name: str
    """The principal."""
    external_id: str | None = None
    """What the directory calls the person."""
    active: bool = True
    """Whether any credential of theirs is good for anything."""
    attributes: Mapping[str, object] = field(default_factory=dict)
    """What else the directory says, as it came."""
    group_ids: tuple[UUID, ...] = ()
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UserGroup:
    """A group of people."""

    group_id: UUID
    display_name: str
    """The name under which roles and access lists know it."""
    external_id: str | None = None
    member_ids: tuple[UUID, ...] = ()
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleQuery:
    """Which people or groups, and which page of them."""

    name: str | None = None
    external_id: str | None = None
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedUser:
    """What a person is to be."""

    user_name: str
    external_id: str | None = None
    active: bool = True
    attributes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedGroup:
    """What a group is to be."""

    display_name: str
    external_id: str | None = None
    member_ids: tuple[UUID, ...] = ()
