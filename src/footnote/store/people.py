"""Users and groups that a directory provisioned (SCIM), and what they say about a principal."""

from __future__ import annotations

from uuid import UUID, uuid4

import psycopg
from psycopg.types.json import Jsonb

from footnote.domain.people import PeopleQuery, Standing, User, UserGroup, WantedGroup, WantedUser
from footnote.errors import Conflict, InvalidRequest, NotFound
from footnote.store.api_keys import revoke_keys_of
from footnote.store.database import WorkspaceScope
from footnote.store.sessions import end_sessions_of
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("people")


async def standing(scope: WorkspaceScope, principal: str) -> Standing | None:
    """Return the directory's record of a principal; None if the directory does not know it."""
    row = await scope.one(_SQL["standing"], {"who": principal})
    return None if row is None else record_of(Standing, row)


async def users(scope: WorkspaceScope, query: PeopleQuery) -> tuple[int, tuple[User, ...]]:
    """Return how many users match, and one page of them."""
    parameters = {
        "user_id": None,
        "user_name": query.name,
        "external_id": query.external_id,
        "limit": query.limit,
        "offset": query.offset,
    }
    total = await scope.single(_SQL["count_users"], parameters)
    rows = await scope.all(_SQL["users"], parameters)
    return total["total"], tuple(record_of(User, row) for row in rows)


async def user(scope: WorkspaceScope, user_id: UUID) -> User:
    """One person. Raises NotFound."""
    parameters = {"user_name": None, "external_id": None, "limit": 1, "offset": 0}
    row = await scope.one(_SQL["users"], {**parameters, "user_id": user_id})
    if row is None:
        raise NotFound(f"there is no user {user_id}", hint="`GET /scim/v2/Users` lists all")
    return record_of(User, row)


async def add_user(scope: WorkspaceScope, requested: WantedUser) -> User:
    """Add a person. Raises Conflict for a name that is taken."""
    user_id = uuid4()
    await _write_user(scope, "add_user", user_id, requested)
    return await user(scope, user_id)


async def change_user(scope: WorkspaceScope, user_id: UUID, requested: WantedUser) -> User:
    """Replace a user; a deactivated or renamed one is logged out.

    A renamed user also loses the API keys of the old name, which no directory entry would control
    any more. Raises NotFound and Conflict.
    """
    existing = await user(scope, user_id)
    await _write_user(scope, "change_user", user_id, requested)
    renamed = requested.user_name.lower() != existing.user_name.lower()
    if renamed:
        await revoke_keys_of(scope, existing.user_name)
    if renamed or not requested.active:
        await end_sessions_of(scope, existing.user_name)
    return await user(scope, user_id)


async def remove_user(scope: WorkspaceScope, user_id: UUID) -> None:
    """Delete a user, end their sessions and revoke their API keys. Raises NotFound."""
    existing = await user(scope, user_id)
    await scope.execute(_SQL["remove_user"], {"user_id": user_id})
    await revoke_keys_of(scope, existing.user_name)
    await end_sessions_of(scope, existing.user_name)


async def _write_user(
    scope: WorkspaceScope, statement: str, user_id: UUID, requested: WantedUser
) -> None:
    try:
        await scope.execute(
            _SQL[statement],
            {
                "user_id": user_id,
                "user_name": requested.user_name,
                "external_id": requested.external_id,
                "active": requested.active,
                "attributes": Jsonb(dict(requested.attributes)),
            },
        )
    except psycopg.errors.UniqueViolation as error:
        raise Conflict(
            f"there is a user {requested.user_name!r} already",
            hint="change it, or give another name",
        ) from error


async def groups(scope: WorkspaceScope, query: PeopleQuery) -> tuple[int, tuple[UserGroup, ...]]:
    """Return how many groups match, and one page of them."""
    parameters = {
        "group_id": None,
        "display_name": query.name,
        "external_id": query.external_id,
        "limit": query.limit,
        "offset": query.offset,
    }
    total = await scope.single(_SQL["count_groups"], parameters)
    rows = await scope.all(_SQL["groups"], parameters)
    return total["total"], tuple(record_of(UserGroup, row) for row in rows)


async def group(scope: WorkspaceScope, group_id: UUID) -> UserGroup:
    """One group. Raises NotFound."""
    parameters = {"display_name": None, "external_id": None, "limit": 1, "offset": 0}
    row = await scope.one(_SQL["groups"], {**parameters, "group_id": group_id})
    if row is None:
        raise NotFound(f"there is no group {group_id}", hint="`GET /scim/v2/Groups` lists all")
    return record_of(UserGroup, row)


async def add_group(scope: WorkspaceScope, requested: WantedGroup) -> UserGroup:
    """Add a group. Raises Conflict if the name is taken, InvalidRequest for an unknown member."""
    group_id = uuid4()
    await _write_group(scope, "add_group", group_id, requested)
    return await group(scope, group_id)


async def change_group(scope: WorkspaceScope, group_id: UUID, requested: WantedGroup) -> UserGroup:
    """Replace a group and its members. Raises NotFound, Conflict and InvalidRequest."""
    await group(scope, group_id)
    await _write_group(scope, "change_group", group_id, requested)
    return await group(scope, group_id)


async def remove_group(scope: WorkspaceScope, group_id: UUID) -> None:
    """Delete a group. Raises NotFound."""
    if not await scope.change(_SQL["remove_group"], {"group_id": group_id}):
        raise NotFound(f"there is no group {group_id}", hint="`GET /scim/v2/Groups` lists all")


async def _write_group(
    scope: WorkspaceScope, statement: str, group_id: UUID, requested: WantedGroup
) -> None:
    parameters = {
        "group_id": group_id,
        "display_name": requested.display_name,
        "external_id": requested.external_id,
        "members": list(requested.member_ids),
    }
    try:
        await scope.execute(_SQL[statement], parameters)
        await scope.execute(_SQL["clear_members"], parameters)
        await scope.execute(_SQL["add_members"], parameters)
    except psycopg.errors.UniqueViolation as error:
        raise Conflict(
            f"there is a group {requested.display_name!r} already",
            hint="change it, or give another name",
        ) from error
    except psycopg.errors.ForeignKeyViolation as error:
        raise InvalidRequest(
            "members: somebody of them is no user here", hint="add the users before their groups"
        ) from error
