"""Destroy a workspace, its keys first, and verify that samples copied before are unreadable.

Everything acts as the owner of the tables: the application may not delete a workspace.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from footnote.domain import Workspace
from footnote.domain.encryption import Destruction, DestructionCheck
from footnote.errors import (
    CiphertextDamaged,
    KeyUnavailable,
    StoreUnavailable,
    UnderLegalHold,
    UnsupportedSettings,
)
from footnote.ports import Blobs, CiphertextLocation
from footnote.store.data_keys import KeyRing
from footnote.store.database import (
    LIFT_A_HOLD,
    Connection,
    Database,
    bind_as_system,
    refuse_under_legal_hold,
)
from footnote.store.hnsw import drop_index, index_name
from footnote.store.resealing import records_of
from footnote.store.sealing import RESEALED
from footnote.store.statements import load_statements

FILES = "files"
_SAMPLES = 20  # Of each column.
_TRIES = 10
"""Most attempts to delete the rows. A deadlock victim rolls back, and writes nothing more."""
_SQL = load_statements("destruction")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The ciphertext samples and wrapped keys that a backup of a workspace would hold."""

    encrypted: bool
    samples: Sequence[tuple[CiphertextLocation, bytes]]
    keys: Sequence[DictRow]


async def destroy(
    database: Database, owner_url: str, blobs: Blobs, workspace: Workspace
) -> tuple[Destruction, Copied]:
    """Destroy the data keys, then the files and rows of a workspace, and prove it."""
    workspace_id, keys = workspace.workspace_id, database.keys
    async with _owner(owner_url, workspace_id) as connection:
        [holds] = await _rows(connection, "legal_holds", workspace_id)
        if holds["found"]:
            raise UnderLegalHold(
                f"the workspace {workspace.name!r} is not destroyed: {holds['found']} legal holds "
                "are in force in it",
                hint=LIFT_A_HOLD,
            )
        counts_before = await _counts(connection, workspace_id)
        copied = await _copied(connection, workspace_id)
        lanes = await _rows(connection, "lanes", workspace_id)
    files = {key async for key in blobs.list(f"{workspace_id}/")}
    async with _owner(owner_url, workspace_id) as connection:
        # Committed first: even if a later step fails, the content is unreadable.
        await connection.execute(_SQL["delete_keys"], {"workspace_id": workspace_id})
    keys.forget(workspace_id)
    readable = await _readable(database, workspace_id, copied)
    await _delete_rows(owner_url, workspace, counts_before)
    for row in lanes:
        await drop_index(owner_url, index_name(workspace_id, row["lane_id"]))
    # List again: writers in progress continued until the rows were gone; later blobs they delete
    # themselves (`blob_claims.written`).
    files |= {key async for key in blobs.list(f"{workspace_id}/")}
    for key in files:
        await blobs.delete(key)
    async with _owner(owner_url, workspace_id) as connection:
        counts_after = await _counts(connection, workspace_id)
    files_left = [key async for key in blobs.list(f"{workspace_id}/")]
    checks = [
        DestructionCheck(place=table, held=count, left=counts_after[table])
        for table, count in counts_before.items()
        if count or counts_after[table]
    ]
    checks.append(DestructionCheck(place=FILES, held=len(files), left=len(files_left)))
    destruction = Destruction(
        workspace=workspace.name,
        workspace_id=workspace_id,
        encrypted=copied.encrypted,
        checks=tuple(checks),
        samples=len(copied.samples),
        samples_readable=readable,
        backup_keys=len(copied.keys),
        backup_keys_usable=await usable_keys(keys, workspace_id, copied),
    )
    return destruction, copied


async def _delete_rows(owner_url: str, workspace: Workspace, tables: Iterable[str]) -> None:
    """Delete the workspace's rows; retry after a deadlock with a worker.

    Raises StoreUnavailable.
    """
    workspace_id = workspace.workspace_id
    for _ in range(_TRIES):
        with suppress(psycopg.errors.DeadlockDetected):
            async with _owner(owner_url, workspace_id) as connection:
                await connection.execute(_SQL["delete_jobs"], {"workspace_name": str(workspace_id)})
                for table in ("workspaces", *tables):
                    statement = sql.SQL(_SQL["delete"]).format(table=sql.Identifier(table))
                    await connection.execute(statement, {"workspace_id": workspace_id})
                return
    raise StoreUnavailable(
        f"the workspace {workspace.name!r} is still being written to: its keys are destroyed, its "
        "rows and files are not",
        hint="end what writes to it, such as a source or an upload, and destroy it again",
    )


async def usable_keys(keys: KeyRing, workspace_id: UUID, copied: Copied) -> int:
    """Count the copied data keys that the master keys still unwrap."""
    usable = 0
    for row in copied.keys:
        try:
            await keys.unwrap(bytes(row["wrapped"]), row["master_key"], workspace_id)
        except KeyUnavailable:
            continue
        usable += 1
    return usable


async def rewrap_keys(owner_url: str, keys: KeyRing, workspace_id: UUID) -> int:
    """Rewrap the data keys of a workspace by the first master key; return their number."""
    async with _owner(owner_url, workspace_id) as connection:
        rows = await _rows(connection, "keys", workspace_id)
    for row in rows:
        key = await keys.unwrap(bytes(row["wrapped"]), row["master_key"], workspace_id)
        wrapped, master_key = await keys.wrap(key, workspace_id)
        async with _owner(owner_url, workspace_id) as connection:
            await connection.execute(
                _SQL["rewrap"],
                {
                    "workspace_id": workspace_id,
                    "version": row["version"],
                    "before": row["wrapped"],
                    "wrapped": wrapped,
                    "master_key": master_key,
                },
            )
    return len(rows)


async def keys_of(owner_url: str, workspace_id: UUID) -> tuple[bool, Sequence[DictRow], int]:
    """Return whether a workspace is encrypted, its keys, and its number of plain credentials."""
    async with _owner(owner_url, workspace_id) as connection:
        [mode] = await _rows(connection, "mode", workspace_id)
        rows = await _rows(connection, "keys", workspace_id)
        [plain_credentials] = await _rows(connection, "bare_credentials", workspace_id)
    return mode["encryption"] == "on", rows, plain_credentials["found"]


async def _readable(database: Database, workspace_id: UUID, copied: Copied) -> int:
    """Count the samples that the remaining keys decrypt."""
    try:
        cipher = (await database.sealing(workspace_id)).cipher
    except (KeyUnavailable, UnsupportedSettings):
        return 0  # It may be refused as unencrypted, and is still destroyed.
    finally:
        database.keys.forget(workspace_id)
    readable = 0
    for place, sample in copied.samples:
        try:
            readable += cipher is not None and cipher.unseal(sample, place) is not None
        except (KeyUnavailable, CiphertextDamaged):
            continue
    return readable


async def _copied(connection: Connection, workspace_id: UUID) -> Copied:
    [mode] = await _rows(connection, "mode", workspace_id)
    samples: list[tuple[CiphertextLocation, bytes]] = []
    for column in RESEALED:
        statement = sql.SQL(_SQL["samples"]).format(
            key=sql.SQL(", ").join(map(sql.Identifier, column.key)),
            column=sql.Identifier(column.column),
            table=sql.Identifier(column.table),
        )
        if mode["encryption"] == "off" and not column.form.startswith("secret"):
            continue
        parameters = {"workspace_id": workspace_id, "limit": _SAMPLES}
        for row in await (await connection.execute(statement, parameters)).fetchall():
            place = column.of(*(row[name] for name in column.key))
            samples += records_of(column, place, row["sealed"])
    return Copied(
        encrypted=mode["encryption"] == "on",
        samples=samples,
        keys=await _rows(connection, "keys", workspace_id),
    )


async def _counts(connection: Connection, workspace_id: UUID) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for row in await (await connection.execute(_SQL["tables"])).fetchall():
        statement = sql.SQL(_SQL["count"]).format(table=sql.Identifier(row["name"]))
        cursor = await connection.execute(statement, {"workspace_id": workspace_id})
        [count] = await cursor.fetchall()
        counts[row["name"]] = count["found"]
    return counts


async def _rows(connection: Connection, name: str, workspace_id: UUID) -> list[DictRow]:
    cursor = await connection.execute(_SQL[name], {"workspace_id": workspace_id})
    return await cursor.fetchall()


@asynccontextmanager
async def _owner(owner_url: str, workspace_id: UUID) -> AsyncIterator[Connection]:
    """Open a transaction as the owner, to whom row-level security applies as well."""
    connection = await psycopg.AsyncConnection.connect(owner_url, row_factory=dict_row)
    try:
        async with connection:
            await bind_as_system(connection, workspace_id)
            yield connection
    except psycopg.IntegrityError as error:
        refuse_under_legal_hold(error)
        raise
