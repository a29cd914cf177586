"""What a server shows to every role says nothing of what a workspace holds."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from footnote.domain import SearchRequest
from footnote.engine import open_engine
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from footnote.store.database import Database
from footnote.store.embedded import DATABASE, SUPERUSER, EmbeddedPostgres, start_embedded
from footnote.store.events import Listener
from tests.conftest import TestDatabase
from tests.store.shelves import new_shelf
from tests.store.test_tenancy import CUSTOMER_TABLES

pytestmark = pytest.mark.usefixtures("own_database")


@pytest.fixture
def onlooker(test_database: TestDatabase) -> Iterator[psycopg.Connection]:
    """A session of the application role that names no workspace."""
    with psycopg.connect(test_database.application_url, autocommit=True) as connection:
        yield connection


async def test_what_is_notified_names_no_workspace_and_no_document(
    database: Database, onlooker: psycopg.Connection
) -> None:
    onlooker.execute("LISTEN footnote_events")
    onlooker.execute("LISTEN procrastinate_any_queue_v1")
    shelf = await new_shelf(database, "secret-client")
    document_id = await shelf.put("A takeover is planned.", external_id="takeover")
    heard = [notice.payload for notice in onlooker.notifies(timeout=5, stop_after=2)]
    assert heard
    for name in (document_id, shelf.workspace.workspace_id):
        for text in (str(name), name.hex):
            assert not [payload for payload in heard if text in payload]


async def test_who_waits_for_a_workspace_hears_of_it_alone(
    database: Database, test_database: TestDatabase
) -> None:
    acme, bolt = await new_shelf(database, "acme"), await new_shelf(database, "bolt")
    listener = Listener(test_database.application_url)
    try:
        with (
            listener.subscribed(acme.workspace.workspace_id) as of_acme,
            listener.subscribed(bolt.workspace.workspace_id) as of_bolt,
        ):
            # Once it listens, it wakes everybody, for something may have happened before.
            await of_acme.wait()
            await of_bolt.wait()
            of_acme.clear()
            of_bolt.clear()
            await acme.put("The premium is due in March.")
            await of_acme.wait()
            assert not of_bolt.is_set()
    finally:
        await listener.close()


async def test_statements_hold_nothing_of_what_they_are_about(
    postgres: EmbeddedPostgres, test_database: TestDatabase, settings: Settings
) -> None:
    """The server shows one session's statement to another, so every value travels beside it."""
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        for statement in (
            "ALTER DATABASE {} SET log_min_duration_statement = 0",
            "ALTER DATABASE {} SET log_parameter_max_length = 0",
        ):
            connection.execute(sql.SQL(statement).format(name))
    begin = postgres.log.stat().st_size
    async with await open_engine(settings) as engine:
        workspace = await engine.create_workspace("zanzibar-ltd")
        opened = await engine.workspace(workspace.name)
        received = await opened.receive(
            b"# Xylophone\n\nThe quagmire costs EUR 500.",
            "rutabaga.md",
            external_id="ocelot",
            metadata={"kumquat": "marzipan"},
            tags=["jabberwock"],
            idempotency_key="obelisk",
        )
        document_id = received.document.document_id
        await work_until_resting(engine, opened, [document_id], lambda _: None)
        found = await opened.search(SearchRequest(query="What does the quagmire cost?"))
        assert found.evidence
        await opened.ask("What does the quagmire cost?")
        await opened.documents(limit=5)
        await opened.delete_document(document_id)
    with postgres.log.open("rb") as log:
        log.seek(begin)
        logged = log.read().decode()
    assert logged.count("execute ") > 30
    words = (
        "zanzibar xylophone quagmire rutabaga ocelot kumquat marzipan jabberwock obelisk"
    ).split()
    assert [word for word in words if word in logged.lower()] == []
    assert str(document_id) not in logged


async def test_the_statistics_of_tables_show_no_values(
    database: Database, test_database: TestDatabase, onlooker: psycopg.Connection
) -> None:
    await (await new_shelf(database, "secret-client")).put("A takeover is planned.")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("ANALYZE")
        gathered = connection.execute(
            "SELECT FROM pg_stats WHERE schemaname = 'footnote' AND tablename = ANY (%s)",
            [CUSTOMER_TABLES],
        ).fetchall()
    assert gathered
    shown = onlooker.execute(
        "SELECT tablename FROM pg_stats WHERE schemaname = 'footnote' AND tablename = ANY (%s)",
        [[*CUSTOMER_TABLES, "workspace_directory"]],
    ).fetchall()
    assert shown == []


def test_sequences_can_be_neither_read_nor_set(onlooker: psycopg.Connection) -> None:
    for statement in (
        "SELECT last_value FROM footnote.event_numbers",
        "SELECT setval('footnote.event_numbers', 1)",
        "SELECT setval('footnote.procrastinate_jobs_id_seq', 1)",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            onlooker.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT lo_create(0)",
        "SELECT lo_creat(-1)",
        "SELECT lo_from_bytea(0, 'kept outside every policy')",
        "SELECT lo_get(1)",
        "SELECT lo_open(1, 262144)",
    ],
)
def test_large_objects_which_no_policy_binds_are_out_of_reach(
    onlooker: psycopg.Connection, statement: str
) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for func"):
        onlooker.execute(statement.encode())


def test_a_database_of_before_loses_the_rights_that_nothing_needs(
    postgres: EmbeddedPostgres,
) -> None:
    with psycopg.connect(postgres.url(SUPERUSER, DATABASE), autocommit=True) as connection:
        connection.execute("GRANT TEMPORARY ON DATABASE footnote TO PUBLIC")
        connection.execute(
            "GRANT EXECUTE ON FUNCTION lo_create(oid), lo_put(oid, int8, bytea) TO PUBLIC"
        )
        start_embedded(postgres.home).release()
        left = connection.execute(
            """
            SELECT has_database_privilege('footnote_app', current_database(), 'TEMPORARY'),
                has_function_privilege('footnote_app', 'lo_create(oid)', 'EXECUTE'),
                has_function_privilege('footnote_app', 'lo_put(oid, int8, bytea)', 'EXECUTE')
            """
        ).fetchone()
    assert left == (False, False, False)
