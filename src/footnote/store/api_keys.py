"""Create, find, replace and revoke the API keys of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from psycopg.rows import DictRow

from footnote.domain import Right, Workspace
from footnote.domain.credentials import ApiKey
from footnote.errors import NotFound
from footnote.store.coordinator import enter_credential
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("api_keys")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """A stored API key with its workspace."""

    key: ApiKey
    workspace: Workspace
    secret_hash: bytes
    valid: bool
    """Whether the key is neither expired nor revoked."""
    touch: bool
    """Whether the last recorded use is over a minute ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """The properties of a new key."""

    name: str
    owner: str
    groups: Sequence[str]
    rights: Sequence[Right]
    collections: Sequence[str]
    lifetime: timedelta | None


async def find_key(database: Database, credential_id: str) -> StoredKey | None:
    """Find a key by its id in any workspace; None if there is none."""
    parameters = {"credential_id": credential_id}
    async with database.outside() as connection:
        workspace_row = await (await connection.execute(_SQL["find"], parameters)).fetchone()
    if workspace_row is None:
        return None
    workspace = record_of(Workspace, workspace_row)
    async with database.workspace(workspace.workspace_id, SYSTEM) as scope:
        row = await scope.one(_SQL["get"], parameters)
    if row is None:
        return None
    return StoredKey(
        key=_key(row),
        workspace=workspace,
        secret_hash=bytes(row["secret_hash"]),
        valid=row["valid"],
        touch=row["touch"],
    )


async def touch_key(database: Database, stored: StoredKey) -> None:
    """Record the use of a key."""
    async with database.workspace(stored.workspace.workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["touch"], {"credential_id": stored.key.key_id})


async def add_key(
    scope: WorkspaceScope, credential_id: str, secret_hash: bytes, requested: NewKey
) -> ApiKey:
    """Store a new key."""
    await enter_credential(scope, "key", credential_id)
    row = await scope.single(
        _SQL["add"],
        {
            "credential_id": credential_id,
            "secret_hash": secret_hash,
            "name": requested.name,
            "owner": requested.owner,
            "groups": list(requested.groups),
            "rights": [right.value for right in requested.rights],
            "collections": list(requested.collections),
            "lifetime": requested.lifetime,
        },
    )
    return _key(row)


async def list_keys(scope: WorkspaceScope) -> tuple[ApiKey, ...]:
    """List every key of the workspace, oldest first."""
    return tuple(_key(row) for row in await scope.all(_SQL["list"]))


async def lock_for_replacement(scope: WorkspaceScope, credential_id: str) -> NewKey:
    """Lock a key that is to be replaced and return its properties.

    Raises NotFound for one that is absent, invalid or replaced already.
    """
    row = await scope.one(_SQL["lock"], {"credential_id": credential_id})
    if row is None:
        raise NotFound(
            f"there is no key {credential_id} that is valid and not replaced",
            hint="`footnote keys list` or `GET /v1/keys` shows the ids",
        )
    key = _key(row)
    return NewKey(
        name=key.name,
        owner=key.principal,
        groups=key.groups,
        rights=key.rights,
        collections=key.collections,
        lifetime=row["lifetime"],
    )


async def replace_key(
    scope: WorkspaceScope, credential_id: str, replacement: str, overlap: timedelta
) -> None:
    """Record a key's replacement, and let it expire after the overlap."""
    parameters = {"credential_id": credential_id, "replacement": replacement, "overlap": overlap}
    await scope.execute(_SQL["replace"], parameters)


async def revoke_key(scope: WorkspaceScope, credential_id: str) -> None:
    """Revoke a key at once. Raises NotFound."""
    if not await scope.change(_SQL["revoke"], {"credential_id": credential_id}):
        raise NotFound(
            f"there is no key {credential_id}",
            hint="`footnote keys list` or `GET /v1/keys` shows the ids",
        )


async def revoke_keys_of(scope: WorkspaceScope, principal: str) -> None:
    """Revoke every key of a principal at once."""
    await scope.execute(_SQL["revoke_of_principal"], {"who": principal})


def _key(row: DictRow) -> ApiKey:
    return record_of(ApiKey, row, rights=tuple(Right(right) for right in row["rights"]))
