"""Rotate the data key of a workspace online: announce a new key, use it, then re-encrypt.

A process may use cached keys for `CACHE_SECONDS`. So a new key is first only stored; once every
process knows it, it encrypts; and once no process uses the old key any more, what is under that is
encrypted again. Then the old key is removed.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from uuid import UUID

from psycopg import sql
from psycopg.rows import DictRow

from footnote.errors import Conflict, NotFound
from footnote.ports import Cipher
from footnote.store.blob_claims import claim_blob, redeem, write_claimed
from footnote.store.data_keys import CACHE_SECONDS, DATA_KEY_BYTES
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.queue import enqueue
from footnote.store.resealing import records_of, resealed
from footnote.store.sealed_blobs import SealedBlobs
from footnote.store.sealing import RESEALED, SealedColumn
from footnote.store.statements import load_statements

ROTATE_TASK = "rotate_data_key"
PROMOTE, RESEAL = "promote", "reseal"
_WAIT = timedelta(seconds=2 * CACHE_SECONDS)
"""Wait until no process uses cached keys of before; twice the cache lifetime, for work in
progress."""
_ROWS_AT_ONCE = 200
_SQL = load_statements("data_keys")


async def begin_rotation(database: Database, workspace_id: UUID) -> None:
    """Store a new data key, and enqueue the steps that put it into use.

    Raises Conflict during another rotation, and for a workspace without a data key.
    """
    sealing = await database.sealing(workspace_id)
    if sealing.cipher is None and sealing.unavailable is None:
        raise _nothing_to_rotate()
    key = secrets.token_bytes(DATA_KEY_BYTES)
    wrapped, master_key = await database.keys.wrap(key, workspace_id)
    async with database.workspace(workspace_id, SYSTEM) as scope:
        added = await scope.change(
            _SQL["add_coming"], {"wrapped": wrapped, "master_key": master_key}
        )
        if not added:
            raise _nothing_to_rotate()
        await enqueue_rotation(scope, PROMOTE)
    database.keys.forget(workspace_id)


def _nothing_to_rotate() -> Conflict:
    return Conflict(
        "the workspace has no data key yet, or its rotation is under way",
        hint="look at footnote encryption status; it ends by itself while a worker runs",
    )


async def promote_key(database: Database, workspace_id: UUID) -> None:
    """Make the announced key the current one; does nothing if none is announced."""
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["age_current"])
        if await scope.change(_SQL["promote_coming"]):
            await enqueue_rotation(scope, RESEAL)
    database.keys.forget(workspace_id)


async def reseal_workspace(database: Database, blobs: SealedBlobs, workspace_id: UUID) -> int:
    """Re-encrypt what is under the old data key, then remove that key.

    Returns the number of values and files.
    """
    database.keys.forget(workspace_id)
    count = 0
    for _, columns in groupby(RESEALED, key=lambda column: column.table):
        count += await _reseal_table(database, workspace_id, tuple(columns))
    if (await database.sealing(workspace_id)).encrypts:
        await _drop_stage_results(database, workspace_id)
        count += await _reseal_files(database, blobs, workspace_id)
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["drop_old"])
    database.keys.forget(workspace_id)
    return count


async def _reseal_table(
    database: Database, workspace_id: UUID, columns: Sequence[SealedColumn]
) -> int:
    count, after = 0, None
    while True:
        async with database.workspace(workspace_id, SYSTEM) as scope:
            if not scope.sealing.encrypts:
                columns = [column for column in columns if column.form.startswith("secret")]
            if not columns:
                return count
            rows = await _page(scope, columns, after)
            for row in rows:
                count += await _reseal_row(scope, columns, row)
        if len(rows) < _ROWS_AT_ONCE:
            return count
        after = rows[-1]


async def _page(
    scope: WorkspaceScope, columns: Sequence[SealedColumn], after: DictRow | None
) -> list[DictRow]:
    names, parameters = columns[0].key, dict[str, object](limit=_ROWS_AT_ONCE)
    condition: sql.Composable = sql.SQL("true")
    if after is not None:
        condition = sql.SQL(_SQL["after"]).format(key=_names(names), values=_values(names))
        parameters |= _key_of(names, after)
    statement = sql.SQL(_SQL["page"]).format(
        key=_names(names),
        columns=_names([column.column for column in columns]),
        table=sql.Identifier(columns[0].table),
        after=condition,
    )
    return await scope.all(statement, parameters)


async def _reseal_row(scope: WorkspaceScope, columns: Sequence[SealedColumn], row: DictRow) -> int:
    """Re-encrypt the values of a row that are not under the current key; return their number."""
    names, cipher = columns[0].key, scope.sealing.cipher
    assert cipher is not None, "a key was rotated"
    changed: dict[str, object] = {}
    for column in columns:
        place, stored = column.of(*(row[name] for name in names)), row[column.column]
        records = [record for _, record in records_of(column, place, stored)]
        is_plain = bool(stored) and not records and column.form.startswith("secret")
        if is_plain or any(
            cipher.version_of(record) != cipher.current_version for record in records
        ):
            changed[column.column] = resealed(scope.sealing, column, place, stored)
    if changed:
        changes = [
            sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(f"new_{name}"))
            for name in changed
        ]
        statement = sql.SQL(_SQL["replace"]).format(
            table=sql.Identifier(columns[0].table),
            changes=sql.SQL(", ").join(changes),
            key=_names(names),
            values=_values(names),
        )
        values = {f"new_{name}": value for name, value in changed.items()}
        await scope.execute(statement, values | _key_of(names, row))
    return len(changed)


async def _drop_stage_results(database: Database, workspace_id: UUID) -> None:
    """Delete stage results under the old key; the stages run again where needed."""
    async with database.workspace(workspace_id, SYSTEM) as scope:
        for row in await scope.all(_SQL["stage_results"], binary=True):
            if _is_old(scope.sealing.cipher, bytes(row["beginning"])):
                await scope.execute(_SQL["drop_stage_result"], row)


async def _reseal_files(database: Database, blobs: SealedBlobs, workspace_id: UUID) -> int:
    count = 0
    async for key in blobs.list(f"{workspace_id}/"):
        cipher = (await database.sealing(workspace_id)).cipher
        try:
            if not _is_old(cipher, await blobs.first_record(key)):
                continue
            async with database.workspace(workspace_id, SYSTEM) as scope:
                # Claimed, so that the blob is not removed meanwhile and then written again.
                claim = await claim_blob(scope, key.rpartition("/")[2])
            with await blobs.open(key) as content:
                async with (
                    write_claimed(
                        database, blobs, workspace_id, replace(claim, blob_key=key), content
                    ),
                    database.workspace(workspace_id, SYSTEM) as scope,
                ):
                    await redeem(scope, claim)
        except NotFound:
            continue  # Its document was deleted meanwhile.
        count += 1
    return count


def _is_old(cipher: Cipher | None, record: bytes) -> bool:
    return (
        bool(record)
        and cipher is not None
        and cipher.version_of(record) != (cipher.current_version)
    )


async def enqueue_rotation(scope: WorkspaceScope, step: str) -> None:
    """Enqueue a step of the rotation, due once no process uses keys cached before."""
    await enqueue(
        scope,
        ROTATE_TASK,
        f"rotate:{scope.workspace_id}",
        {"step": step},
        due=datetime.now(UTC) + _WAIT,
    )


def _names(names: Sequence[str]) -> sql.Composable:
    return sql.SQL(", ").join(map(sql.Identifier, names))


def _values(names: Sequence[str]) -> sql.Composable:
    return sql.SQL(", ").join(sql.Placeholder(f"key_{name}") for name in names)


def _key_of(names: Sequence[str], row: DictRow) -> dict[str, object]:
    return {f"key_{name}": row[name] for name in names}
