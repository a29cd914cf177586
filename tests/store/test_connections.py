"""Scopes leave nothing behind on a pooled connection, and a closed one is replaced unnoticed."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from typing import LiteralString
from uuid import UUID

import psycopg
import psycopg.sql
import pytest

from footnote.domain import LOCAL_PRINCIPAL
from footnote.store.database import Database, WorkspaceScope
from footnote.store.workspaces import create_workspace
from tests.conftest import TestDatabase

pytestmark = pytest.mark.usefixtures("own_database")


async def test_a_connection_that_the_server_ended_is_replaced(
    database: Database, test_database: TestDatabase
) -> None:
    first = await _server_process(database)
    assert await _server_process(database) == first
    with psycopg.connect(test_database.superuser_url, autocommit=True) as operator:
        ended = operator.execute("SELECT pg_terminate_backend(%s, 10000)", [first]).fetchone()
    assert ended == (True,)
    assert await _server_process(database) != first


def _give_up() -> None:
    raise psycopg.Rollback


async def _server_process(database: Database) -> int:
    async with database.outside() as connection:
        row = await (await connection.execute("SELECT pg_backend_pid() AS number")).fetchone()
    assert row is not None
    return int(row["number"])


async def test_what_is_given_up_within_a_transaction_is_undone_and_no_error(
    database: Database,
) -> None:
    workspace = await create_workspace(database, "given-up")
    async with database.workspace(workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        await scope.execute("UPDATE index_states SET generation = generation + 1000")
        _give_up()
    async with database.workspace(workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        assert await _generation(scope) < 1000


async def test_a_snapshot_sees_one_moment_and_writes_nothing(database: Database) -> None:
    workspace = await create_workspace(database, "acme")
    identity = workspace.workspace_id
    async with database.snapshot(identity, LOCAL_PRINCIPAL) as scope:
        before = await _generation(scope)
        async with database.workspace(identity, LOCAL_PRINCIPAL) as other:
            await other.connection.execute("UPDATE index_states SET generation = generation + 1")
        assert await _generation(scope) == before
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        async with database.snapshot(identity, LOCAL_PRINCIPAL) as scope:
            await scope.connection.execute("UPDATE index_states SET generation = 0")
    async with database.snapshot(identity, LOCAL_PRINCIPAL) as scope:
        assert await _generation(scope) == before + 1


async def test_a_connection_comes_back_unbound_however_a_snapshot_ends(database: Database) -> None:
    workspace = await create_workspace(database, "acme")
    with pytest.raises(LookupError):
        await _fail_within_a_snapshot(database, workspace.workspace_id)
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with database.snapshot(workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
            await scope.connection.execute("SELECT 1 / 0")
    async with database.snapshot(workspace.workspace_id, LOCAL_PRINCIPAL):
        pass
    for _ in range(4):
        async with database.outside() as connection:
            cursor = await connection.execute("SELECT FROM index_states")
            assert cursor.rowcount == 0


async def test_what_was_asked_within_a_snapshot_can_be_read_after_it(database: Database) -> None:
    workspace = await create_workspace(database, "acme")
    async with database.snapshot(workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        cursor = await scope.connection.execute("SELECT count(*) AS number FROM index_states")
    row = await cursor.fetchone()
    assert row is not None
    assert row["number"] == 1


async def test_a_batch_is_kept_as_a_whole_or_not_at_all(database: Database) -> None:
    workspace = await create_workspace(database, "acme")
    identity = workspace.workspace_id
    async with database.batch(identity, LOCAL_PRINCIPAL) as scope:
        await scope.connection.execute(_RAISED)
        kept = await _generation(scope)
    with pytest.raises(psycopg.errors.DivisionByZero):
        await _batch_with(database, identity, "SELECT 1 / 0")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await _batch_with(database, identity, "INSERT INTO index_states SELECT * FROM index_states")
    with pytest.raises(LookupError):
        await _batch_with(database, identity, "SELECT", LookupError)
    async with database.snapshot(identity, LOCAL_PRINCIPAL) as scope:
        assert await _generation(scope) == kept


async def test_a_batch_sees_and_changes_its_workspace_alone(database: Database) -> None:
    one, other = [await create_workspace(database, name) for name in ("one", "other")]
    async with database.batch(one.workspace_id, LOCAL_PRINCIPAL) as scope:
        await scope.connection.execute("UPDATE index_states SET generation = generation + 7")
        raised = await _generation(scope)
    async with database.snapshot(other.workspace_id, LOCAL_PRINCIPAL) as scope:
        assert await _generation(scope) == raised - 7
    async with database.outside() as connection:
        assert (await connection.execute("SELECT FROM index_states")).rowcount == 0


_RAISED = "UPDATE index_states SET generation = generation + 1"


async def _batch_with(
    database: Database,
    workspace_id: UUID,
    statement: LiteralString,
    error: type[Exception] | None = None,
) -> None:
    async with database.batch(workspace_id, LOCAL_PRINCIPAL) as scope:
        await scope.connection.execute(_RAISED)
        await scope.connection.execute(statement)
        await scope.connection.execute(_RAISED)
        if error is not None:
            raise error


async def _fail_within_a_snapshot(database: Database, workspace_id: UUID) -> None:
    async with database.snapshot(workspace_id, LOCAL_PRINCIPAL) as scope:
        await _generation(scope)
        raise LookupError


async def _generation(scope: WorkspaceScope) -> int:
    cursor = await scope.connection.execute("SELECT generation FROM index_states")
    row = await cursor.fetchone()
    assert row is not None
    return int(row["generation"])


@pytest.mark.skipif(sys.platform != "linux", reason="libpq traces into a file on Linux only")
@pytest.mark.parametrize("ends_well", [True, False])
async def test_nothing_is_sent_after_what_ends_a_pipelined_transaction(
    database: Database, tmp_path: Path, ends_well: bool
) -> None:
    workspace = await create_workspace(database, "acme")
    with (tmp_path / "sent").open("w+") as trace:
        async with database.pool.connection() as connection:
            connection.pgconn.trace(trace.fileno())
        with contextlib.suppress(psycopg.errors.DivisionByZero):
            async with database.snapshot(workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
                assert scope.connection is connection
                await _generation(scope)
                await scope.execute("SELECT 1 / %(divisor)s", {"divisor": int(ends_well)})
        connection.pgconn.untrace()
        trace.seek(0)
        # When, by whom (F, the frontend), how long and what.
        sent = re.findall(r"^[\d-]+ [\d:.]+\tF\t\d+\t(\w+)", trace.read(), re.MULTILINE)
    assert "Flush" in sent, "so are answers fetched within it"
    assert sent[-2:] == (["Execute", "Sync"] if ends_well else ["Sync", "Query"])


async def test_a_pool_says_once_why_it_gets_no_connection(
    database: Database, own_database: TestDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    """It tries again and again meanwhile, and says it once more when it is lost once more."""
    name = database.pool.name
    with psycopg.connect(
        own_database.superuser_url, autocommit=True, dbname="postgres"
    ) as operator:
        for lost in (1, 2):
            await _server_process(database)
            _refuse(operator, own_database.name, refuse=True)
            before = database.pool.get_stats().get("connections_errors", 0)
            while database.pool.get_stats().get("connections_errors", 0) < before + 3:
                with contextlib.suppress(psycopg.OperationalError):
                    async with database.pool.connection(timeout=0.1):
                        pass
            _refuse(operator, own_database.name, refuse=False)
            said = [each.getMessage() for each in caplog.records if each.name == "psycopg.pool"]
            # One that was under way when it was refused is closed, for a reason of its own.
            refused = [each for each in said if "not currently accepting" in each]
            assert (
                len([each for each in refused if f"error connecting in {name!r}" in each]) == lost
            )


def _refuse(operator: psycopg.Connection, database: str, *, refuse: bool) -> None:
    """Have the server take no more connections to a database, or take them again."""
    allow = psycopg.sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
    operator.execute(
        allow.format(psycopg.sql.Identifier(database), psycopg.sql.Literal(not refuse))
    )
    if refuse:
        operator.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s",
            [database],
        )
