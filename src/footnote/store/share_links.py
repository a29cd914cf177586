"""Share links of a workspace: find by id, create, list and revoke."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from footnote.domain import Principal, Role, Workspace
from footnote.domain.sharing import ShareLink
from footnote.store.coordinator import enter_credential
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("share_links")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLink:
    """A stored link and its workspace."""

    link: ShareLink
    workspace: Workspace
    sharer: Principal
    """The principal who shared, with the roles that their credential gave at that time."""
    secret_hash: bytes
    valid: bool
    """Neither expired nor revoked."""
    touch: bool
    """Whether its last use was recorded more than a minute ago."""


async def find_link(database: Database, credential_id: str) -> StoredLink | None:
    """Return the link with that id, from any workspace; None if there is none."""
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
    role = row["owner_role"]
    return StoredLink(
        link=record_of(ShareLink, row),
        workspace=workspace,
        sharer=Principal(
            principal_id=row["owner"],
            groups=tuple(row["owner_groups"]),
            role=None if role is None else Role(role),
            # A conversation is only read, so the reader role in each collection is enough.
            collections=tuple((name, Role.READER) for name in row["owner_collections"]),
        ),
        secret_hash=bytes(row["secret_hash"]),
        valid=row["valid"],
        touch=row["touch"],
    )


async def touch_link(database: Database, stored: StoredLink) -> None:
    """Note that a link is used."""
    async with database.workspace(stored.workspace.workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["touch"], {"credential_id": stored.link.link_id})


async def add_link(
    scope: WorkspaceScope,
    credential_id: str,
    secret_hash: bytes,
    shared: str | UUID,
    *,
    sharer: Principal,
    lifetime: timedelta,
) -> ShareLink:
    """Store a link to a collection (by name) or a conversation of the acting principal (by id)."""
    await enter_credential(scope, "link", credential_id)
    row = await scope.single(
        _SQL["add"],
        {
            "credential_id": credential_id,
            "secret_hash": secret_hash,
            "collection": shared if isinstance(shared, str) else None,
            "conversation_id": None if isinstance(shared, str) else shared,
            "owner_groups": list(sharer.groups),
            "owner_role": sharer.role,
            "owner_collections": [name for name, _ in sharer.collections],
            "lifetime": lifetime,
        },
    )
    return record_of(ShareLink, row)


async def list_links(scope: WorkspaceScope) -> tuple[ShareLink, ...]:
    """Every link of the workspace, oldest first."""
    return tuple(record_of(ShareLink, row) for row in await scope.all(_SQL["list"]))


async def get_link(scope: WorkspaceScope, credential_id: str) -> ShareLink | None:
    """A link of the workspace; None if there is none of that id."""
    row = await scope.one(_SQL["get"], {"credential_id": credential_id})
    return None if row is None else record_of(ShareLink, row)


async def revoke_link(scope: WorkspaceScope, credential_id: str) -> None:
    """Make a link useless from now on."""
    await scope.execute(_SQL["revoke"], {"credential_id": credential_id})
