"""Export and import the wrapped data keys of workspaces, as the owner of the tables."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg
from psycopg.rows import dict_row

from footnote.domain import Workspace
from footnote.domain.encryption import BackedUpKey, BackedUpKeys
from footnote.store.database import SYSTEM, Database, bind_as_system
from footnote.store.key_rotation import RESEAL, enqueue_rotation
from footnote.store.statements import load_statements, record_of
from footnote.store.workspaces import list_workspaces

_SQL = load_statements("destruction")


async def stored_keys(owner_url: str, workspace: Workspace) -> BackedUpKeys:
    """Read the wrapped data keys of a workspace, by version."""
    connection = await psycopg.AsyncConnection.connect(owner_url, row_factory=dict_row)
    async with connection:
        await bind_as_system(connection, workspace.workspace_id)
        cursor = await connection.execute(_SQL["keys"], {"workspace_id": workspace.workspace_id})
        rows = await cursor.fetchall()
    return BackedUpKeys(
        workspace_id=workspace.workspace_id,
        workspace=workspace.name,
        keys=tuple(record_of(BackedUpKey, row) for row in rows),
    )


async def all_stored_keys(owner_url: str) -> tuple[BackedUpKeys, ...]:
    """Read the wrapped data keys of all workspaces; none in an unused database."""
    try:
        workspaces = await list_workspaces(owner_url)
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return ()
    return tuple([await stored_keys(owner_url, workspace) for workspace in workspaces])


async def restore_keys(
    database: Database,
    owner_url: str,
    workspace: Workspace,
    keys: Sequence[BackedUpKey],
    *,
    lost: bool,
) -> None:
    """Replace stored keys of the same version, and add those that are missing.

    If all keys were lost, added keys get their former states. Otherwise an added key is only for
    decryption, until a worker has re-encrypted what is under it and removes it.
    """
    added = False
    connection = await psycopg.AsyncConnection.connect(owner_url, row_factory=dict_row)
    async with connection:
        await bind_as_system(connection, workspace.workspace_id)
        for key in keys:
            parameters = {
                "workspace_id": workspace.workspace_id,
                "version": key.version,
                "wrapped": key.wrapped,
                "master_key": key.master_key,
                "created_at": key.created_at,
                "wrapped_at": key.wrapped_at,
            }
            if not (await connection.execute(_SQL["put_back"], parameters)).rowcount:
                state = key.state if lost else "old"
                await connection.execute(_SQL["add_back"], {**parameters, "state": state})
                added = added or state == "old"
    database.keys.forget(workspace.workspace_id)
    if added:
        # The workspace can be opened only with its keys stored.
        async with database.workspace(workspace.workspace_id, SYSTEM) as scope:
            await enqueue_rotation(scope, RESEAL)
