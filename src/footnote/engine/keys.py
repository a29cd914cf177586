"""API keys of a workspace: create, list, rotate and revoke."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from secrets import token_hex
from typing import Annotated

from pydantic import Field

from footnote.domain import Right
from footnote.domain.credentials import ApiKey, NewApiKey
from footnote.domain.identity import LOCAL_IDENTITY, SERVICE, WHOLE_WORKSPACE
from footnote.engine.services import WorkspaceAccess
from footnote.errors import Forbidden, InvalidRequest, NotFound
from footnote.security.secrets import new_secret
from footnote.store import api_keys as stored
from footnote.store.database import WorkspaceScope
from footnote.validation.constrained_types import GroupName, KeyName, Name, PrincipalId

MAX_DAYS = 3660
LINK_NAME = "link "
"""Prefix of the service names of share links; see `engine.authentication`."""
Days = Annotated[float, Field(gt=0, le=MAX_DAYS)]
Hours = Annotated[float, Field(ge=0, le=24 * 365)]
_KEY_ID = re.compile("[0-9a-f]{16}")
OVERLAP_HOURS = 24.0
"""Long enough to hand a new key to every program that has the old one."""


async def create_key(
    workspace: WorkspaceAccess,
    name: KeyName,
    *,
    rights: Sequence[str] = (Right.READ.value,),
    principal: PrincipalId | None = None,
    groups: Sequence[GroupName] = (),
    collections: Sequence[Name] = (),
    expires_in_days: Days | None = None,
) -> NewApiKey:
    """Create an API key; its secret is returned this once.

    It acts as `principal` (`service:` and its name by default), with those of the rights read,
    write and administer that are given, in the whole workspace or in the named collections only.
    Raises Forbidden for rights and groups that the caller lacks and for a principal that is another
    person, and InvalidRequest for a key of collections with a principal or groups, whose access
    goes beyond these.
    """
    if collections and (principal is not None or groups):
        raise InvalidRequest(
            "a key of collections acts as a service of its own, not as a principal or with groups",
            hint="leave the principal and the groups out, or the collections",
        )
    if name.startswith(LINK_NAME):
        raise InvalidRequest(
            f"a key cannot be called {name!r}: links are called so", hint="give it another name"
        )
    owner = f"{SERVICE}{name}" if principal is None else principal
    if collections:
        # A service of the same name may see more.
        owner = f"{owner} {token_hex(4)}"
    key_request = stored.NewKey(
        name=name,
        owner=owner,
        groups=tuple(dict.fromkeys(groups)),
        rights=_rights(rights),
        collections=tuple(dict.fromkeys(collections)),
        lifetime=None if expires_in_days is None else timedelta(days=expires_in_days),
    )
    async with workspace.scope() as scope:
        return await _create_key(workspace, scope, key_request)


async def keys(workspace: WorkspaceAccess) -> tuple[ApiKey, ...]:
    """The keys of the workspace, oldest first, without their secrets."""
    async with workspace.scope() as scope:
        return await stored.list_keys(scope)


async def rotate_key(
    workspace: WorkspaceAccess, key_id: str, *, overlap_hours: Hours = OVERLAP_HOURS
) -> NewApiKey:
    """Replace a key by a new one; the old one stays valid for the overlap.

    The new key has the name, principal, rights, collections and lifetime of the old one. Raises
    NotFound for a key that is absent, no longer valid, or replaced already, and Forbidden as
    `create_key` does.
    """
    async with workspace.scope() as scope:
        key_request = await stored.lock_for_replacement(scope, _checked_id(key_id))
        new_key = await _create_key(workspace, scope, key_request)
        await stored.replace_key(
            scope, _checked_id(key_id), new_key.key.key_id, timedelta(hours=overlap_hours)
        )
        return new_key


async def revoke_key(workspace: WorkspaceAccess, key_id: str) -> None:
    """Revoke a key at once. Raises NotFound."""
    async with workspace.scope() as scope:
        await stored.revoke_key(scope, _checked_id(key_id))


async def _create_key(
    workspace: WorkspaceAccess, scope: WorkspaceScope, key_request: stored.NewKey
) -> NewApiKey:
    for right in (Right.ADMINISTER, *key_request.rights):
        workspace.require(right, WHOLE_WORKSPACE)
    caller_id = workspace.principal.principal_id
    # A key for another principal or group gives access to what only these may see.
    is_operator = workspace.credential == LOCAL_IDENTITY.credential
    if (
        not is_operator
        and key_request.owner != caller_id
        and not key_request.owner.startswith(SERVICE)
    ):
        raise Forbidden(
            f"{caller_id} may make keys for itself and for services, not for {key_request.owner!r}",
            hint="the operator of the server can: `footnote keys create --help`",
        )
    foreign = set(key_request.groups) - set(workspace.principal.groups)
    if not is_operator and foreign:
        raise Forbidden(
            f"{caller_id} may make keys with its own groups, not with {', '.join(sorted(foreign))}",
            hint="the operator of the server can: `footnote keys create --help`",
        )
    secret = new_secret("fn")
    secret_hash = workspace.engine.credentials.pepper.hash_of(secret)
    key = await stored.add_key(scope, secret.credential_id, secret_hash, key_request)
    return NewApiKey(key=key, secret=secret.text)


def _rights(requested: Sequence[str]) -> tuple[Right, ...]:
    """The rights in their order. Raises InvalidRequest."""
    valid_names = {right.value for right in Right}
    unknown = [name for name in requested if name not in valid_names]
    if unknown or not requested:
        raise InvalidRequest(
            f"there is no right {', '.join(unknown)}" if unknown else "a key needs a right",
            hint=f"name some of {', '.join(sorted(valid_names))}",
        )
    return tuple(right for right in Right if right.value in requested)


def _checked_id(key_id: str) -> str:
    """Check the id of a key; anything else may be a secret, and is not repeated in the error."""
    if not _KEY_ID.fullmatch(key_id):
        raise NotFound(
            "that is no id of a key", hint="`footnote keys list` or `GET /v1/keys` shows the ids"
        )
    return key_id
