"""On a cluster triggers run on shards, and the application does the rest on the coordinator.

Citus is not here. Here the function that triggers ask says of every table that it is a shard.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import psycopg
import pytest
from psycopg import sql

from footnote.domain import LOCAL_PRINCIPAL, Right
from footnote.domain.events import WEBHOOK_KINDS
from footnote.store.api_keys import NewKey, add_key, find_key
from footnote.store.coordinator import is_distributed, leave_directories
from footnote.store.database import SYSTEM, Database
from footnote.store.sessions import (
    NewSession,
    add_session,
    end_logins,
    end_sessions_of,
    find_session,
)
from footnote.store.share_links import add_link, find_link
from tests.conftest import TestDatabase
from tests.store.shelves import Shelf, new_shelf
from tests.store.test_distribution import STAND_IN

ON_SHARDS = """
    CREATE OR REPLACE FUNCTION is_shard(relation name) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN true
"""
DIRECTORIES = "SELECT (SELECT count(*) FROM credential_directory), count(*) FROM login_directory"


@pytest.fixture
def owner(own_database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(own_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        yield connection


@pytest.fixture
async def shelf(owner: psycopg.Connection, database: Database) -> Shelf:
    """On a database whose triggers run as on shards."""
    owner.execute(ON_SHARDS)
    return await new_shelf(replace(database, distributed=True))


async def test_credentials_are_found_and_forgotten(owner: psycopg.Connection, shelf: Shelf) -> None:
    database, workspace_id = shelf.database, shelf.workspace.workspace_id
    wanted = NewKey(
        name="k", owner="ann", groups=(), rights=[Right.READ], collections=(), lifetime=None
    )
    async with database.workspace(workspace_id, LOCAL_PRINCIPAL) as scope:
        await add_key(scope, "one", bytes(32), wanted)
        await add_link(
            scope, "two", bytes(32), "hr", sharer=LOCAL_PRINCIPAL, lifetime=timedelta(days=1)
        )
        await add_session(scope, a_session("three"))
        await add_session(scope, a_session("four"))
    assert await find_key(database, "one") is not None
    assert await find_link(database, "two") is not None
    assert await find_session(database, "three", timedelta(days=1)) is not None
    assert owner.execute(DIRECTORIES).fetchone() == (4, 2)
    assert await end_logins(database, "issuer", None, "of three") == 1
    assert owner.execute(DIRECTORIES).fetchone() == (3, 1)
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await end_sessions_of(scope, "ann")
    assert owner.execute(DIRECTORIES).fetchone() == (2, 0)
    other = await new_shelf(database, "other")
    with pytest.raises(psycopg.errors.UniqueViolation):
        async with database.workspace(other.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
            await add_key(scope, "one", bytes(32), wanted)
    async with database.workspace(other.workspace.workspace_id, SYSTEM) as scope:
        await leave_directories(scope, "key", ["one"])
    assert await find_key(database, "one") is not None


def a_session(credential_id: str) -> NewSession:
    return NewSession(
        credential_id=credential_id,
        secret_hash=bytes(32),
        principal="ann",
        groups=(),
        role=None,
        issuer="issuer",
        subject="ann",
        provider_session=f"of {credential_id}",
        lifetime=timedelta(days=1),
    )


async def test_who_follows_events_is_woken_and_endpoints_are_told(
    own_database: TestDatabase, owner: psycopg.Connection, shelf: Shelf
) -> None:
    workspace_id = shelf.workspace.workspace_id
    add_endpoint(owner, shelf)
    async with await psycopg.AsyncConnection.connect(
        own_database.application_url, autocommit=True
    ) as listening:
        await listening.execute("LISTEN footnote_events")
        document_id = await shelf.put("Rock.")
        assert deliveries(owner) == events(owner, "document.indexed")
        heard = {notice.payload async for notice in listening.notifies(timeout=600, stop_after=1)}
        assert heard == {sha256(str(workspace_id).encode()).hexdigest()}
        await shelf.remove(document_id)
        assert deliveries(owner) == [
            *events(owner, "document.indexed"),
            *events(owner, "document.deleted"),
        ]


def add_endpoint(owner: psycopg.Connection, shelf: Shelf) -> None:
    owner.execute(
        "INSERT INTO webhook_endpoints (workspace_id, endpoint_id, url, kinds, secret)"
        " VALUES (%s, gen_random_uuid(), 'https://example.com', %s, 's')",
        [shelf.workspace.workspace_id, list(WEBHOOK_KINDS)],
    )


def deliveries(owner: psycopg.Connection) -> list[int]:
    rows = owner.execute(
        "SELECT (args ->> 'event_no')::bigint FROM procrastinate_jobs"
        " WHERE task_name = 'deliver_webhook' ORDER BY id"
    ).fetchall()
    return [number for (number,) in rows]


def events(owner: psycopg.Connection, kind: str) -> list[int]:
    rows = owner.execute(
        "SELECT event_no FROM events WHERE kind = %s ORDER BY event_no", [kind]
    ).fetchall()
    return [number for (number,) in rows]


async def test_one_server_is_no_cluster_and_the_stand_in_is_one_once_tables_are_distributed(
    owner: psycopg.Connection, database: Database
) -> None:
    async def distributed() -> bool:
        async with database.outside() as connection:
            return await is_distributed(connection)

    assert not await distributed()
    owner.execute(STAND_IN.encode())
    assert not await distributed()
    owner.execute("SELECT public.create_distributed_table('workspaces', 'workspace_id')")
    assert await distributed()


async def test_triggers_run_on_a_table_that_is_called_as_a_shard_is(
    owner: psycopg.Connection, database: Database
) -> None:
    """Each row is of a type of its own there, and what is the coordinator's is left to it."""
    shelf = await new_shelf(database)
    add_endpoint(owner, shelf)
    async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        await add_session(scope, a_session("one"))
    document_id = await shelf.put("Rock.")
    before = (deliveries(owner), owner.execute(DIRECTORIES).fetchone())
    for table in ("documents", "sessions"):
        make_shard(owner, table)
    told = len(events(owner, "document.indexed"))
    owner.execute(
        "UPDATE documents_102008 SET status = 'queued' WHERE document_id = %s", [document_id]
    )
    owner.execute("UPDATE documents_102008 SET status = 'indexed'")
    owner.execute("UPDATE documents_102008 SET progress_done = 1")
    owner.execute("UPDATE documents_102008 SET access = '{ann}'")
    owner.execute("DELETE FROM sessions_102008")
    assert len(events(owner, "document.indexed")) == told + 1
    assert len(events(owner, "document.progress")) == 1
    assert (deliveries(owner), owner.execute(DIRECTORIES).fetchone()) == before
    assert owner.execute("SELECT DISTINCT readers FROM chunks").fetchall() == [(["ann"],)]
    owner.execute("DELETE FROM documents_102008")
    assert len(events(owner, "document.deleted")) == 1


def make_shard(owner: psycopg.Connection, table: str) -> None:
    shard = f"{table}_102008"
    owner.execute(
        sql.SQL("CREATE TABLE {0} (LIKE {1} INCLUDING ALL)").format(
            sql.Identifier(shard), sql.Identifier(table)
        )
    )
    triggers = owner.execute(
        "SELECT pg_get_triggerdef(oid) FROM pg_trigger"
        " WHERE tgrelid = %s::regclass AND NOT tgisinternal",
        [table],
    ).fetchall()
    columns = owner.execute(
        "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attnum > 0 AND attgenerated = '' AND NOT attisdropped",
        [table],
    ).fetchone()
    assert columns is not None
    owner.execute(f"INSERT INTO {shard} ({columns[0]}) SELECT {columns[0]} FROM {table}".encode())
    for (definition,) in triggers:
        assert f" ON footnote.{table} " in definition or f" ON {table} " in definition
        owner.execute(
            definition.replace(f" ON {table} ", f" ON {shard} ")
            .replace(f" ON footnote.{table} ", f" ON footnote.{shard} ")
            .encode()
        )
