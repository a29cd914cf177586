"""People and groups of a workspace, kept up to date by the customer's directory (SCIM)."""

from __future__ import annotations

from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from footnote.domain.identity import is_no_person
from footnote.domain.people import PeopleQuery, User, UserGroup, WantedGroup, WantedUser
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.store import people as stored
from footnote.validation.constrained_types import GroupName, PrincipalId
from footnote.validation.messages import wrong_value

_USER_NAME = TypeAdapter(PrincipalId)
_GROUP_NAME = TypeAdapter(GroupName)


async def users(workspace: WorkspaceAccess, sought: PeopleQuery) -> tuple[int, tuple[User, ...]]:
    """Return the number of people that match, and a page of them."""
    async with workspace.scope() as scope:
        return await stored.users(scope, sought)


async def user(workspace: WorkspaceAccess, user_id: UUID) -> User:
    """One person. Raises NotFound."""
    async with workspace.scope() as scope:
        return await stored.user(scope, user_id)


async def add_user(workspace: WorkspaceAccess, wanted: WantedUser) -> User:
    """Add a person. Raises Conflict for a name that is taken, and InvalidRequest."""
    _check_user_name(wanted.user_name)
    async with workspace.scope() as scope:
        return await stored.add_user(scope, wanted)


async def change_user(workspace: WorkspaceAccess, user_id: UUID, wanted: WantedUser) -> User:
    """Replace a person's attributes; a deactivated person is logged out and denied access.

    Raises NotFound, Conflict and InvalidRequest.
    """
    _check_user_name(wanted.user_name)
    async with workspace.scope() as scope:
        return await stored.change_user(scope, user_id, wanted)


async def remove_user(workspace: WorkspaceAccess, user_id: UUID) -> None:
    """Delete a person, end their sessions and revoke their keys. Raises NotFound."""
    async with workspace.scope() as scope:
        await stored.remove_user(scope, user_id)


async def user_groups(
    workspace: WorkspaceAccess, sought: PeopleQuery
) -> tuple[int, tuple[UserGroup, ...]]:
    """How many groups there are of what is sought, and a page of them."""
    async with workspace.scope() as scope:
        return await stored.groups(scope, sought)


async def user_group(workspace: WorkspaceAccess, group_id: UUID) -> UserGroup:
    """One group. Raises NotFound."""
    async with workspace.scope() as scope:
        return await stored.group(scope, group_id)


async def add_user_group(workspace: WorkspaceAccess, wanted: WantedGroup) -> UserGroup:
    """Add a group. Raises Conflict for a name that is taken, and InvalidRequest."""
    _check(_GROUP_NAME, "displayName", wanted.display_name)
    async with workspace.scope() as scope:
        return await stored.add_group(scope, wanted)


async def change_user_group(
    workspace: WorkspaceAccess, group_id: UUID, wanted: WantedGroup
) -> UserGroup:
    """Replace a group and its members. Raises NotFound, Conflict and InvalidRequest."""
    _check(_GROUP_NAME, "displayName", wanted.display_name)
    async with workspace.scope() as scope:
        return await stored.change_group(scope, group_id, wanted)


async def remove_user_group(workspace: WorkspaceAccess, group_id: UUID) -> None:
    """Forget a group. Raises NotFound."""
    async with workspace.scope() as scope:
        await stored.remove_group(scope, group_id)


def _check_user_name(name: str) -> None:
    """Raise InvalidRequest for what cannot be a person's name."""
    _check(_USER_NAME, "userName", name)
    if is_no_person(name):
        raise InvalidRequest(
            f"userName: {name!r} is no name of a person here", hint="give the person another one"
        )


def _check(kind: TypeAdapter[str], name: str, value: str) -> None:
    """Raise InvalidRequest for a name that nobody can have."""
    try:
        kind.validate_python(value)
    except ValidationError as error:
        message = wrong_value(error.errors(include_url=False)[0])
        raise InvalidRequest(f"{name}: {message}", hint="give another name") from error
