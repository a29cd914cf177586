"""Migrations apply once, whoever comes together, and refuse what they do not know."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from footnote.errors import StoreUnavailable
from footnote.store.addresses import DatabaseUrls
from footnote.store.database import open_database
from footnote.store.diagnostics import examine_database
from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    SUPERUSER,
    EmbeddedPostgres,
    create_database,
)
from footnote.store.migrate import known_migrations, migrate
from tests.conftest import TestDatabase


@pytest.fixture
def empty(postgres: EmbeddedPostgres) -> Iterator[str]:
    """The name of a database without a schema."""
    name = f"empty_{uuid4().hex}"
    create_database(postgres, name)
    yield name
    with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def test_processes_that_start_together_migrate_once(postgres: EmbeddedPostgres, empty: str) -> None:
    url = postgres.url(OWNER_ROLE, empty)
    with ThreadPoolExecutor(4) as threads:
        applied = list(threads.map(migrate, [url] * 4))
    assert sorted(map(len, applied)) == [0, 0, 0, len(known_migrations()) + 1]


def test_the_numbers_have_no_gap() -> None:
    numbers = [int(step.name.split("_")[0]) for step in known_migrations()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_database_of_a_newer_version_is_left_alone(own_database: TestDatabase) -> None:
    with psycopg.connect(own_database.owner_url) as connection:
        connection.execute(
            "INSERT INTO footnote.migrations (name, checksum) VALUES ('9999_future', 'x')"
        )
    with pytest.raises(StoreUnavailable, match="newer"):
        migrate(own_database.owner_url)


def test_a_migration_that_changed_is_refused(own_database: TestDatabase) -> None:
    with psycopg.connect(own_database.owner_url) as connection:
        connection.execute("UPDATE footnote.migrations SET checksum = 'x' WHERE name LIKE '0001%'")
    with pytest.raises(StoreUnavailable, match="differs"):
        migrate(own_database.owner_url)


def test_a_login_without_rights_is_told_what_to_grant(
    postgres: EmbeddedPostgres, empty: str
) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        migrate(postgres.url(APPLICATION_ROLE, empty))
    assert caught.value.hint is not None
    assert "FOOTNOTE_OWNER_DATABASE_URL" in caught.value.hint


def test_an_absent_server_is_reported_as_such() -> None:
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        migrate("postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=2")


async def test_a_single_powerful_login_still_acts_as_the_application(
    own_database: TestDatabase,
) -> None:
    database = await open_database(own_database.superuser_url, 1, 30)
    try:
        async with database.outside() as connection:
            row = await (await connection.execute("SELECT current_user AS name")).fetchone()
        assert row == {"name": APPLICATION_ROLE}
    finally:
        await database.pool.close()


def test_the_examination_of_a_good_database_finds_nothing(own_database: TestDatabase) -> None:
    checks = examine_database(own_database.urls)
    assert [check.name for check in checks if not check.ok] == []


def test_the_examination_of_an_absent_database_says_so() -> None:
    url = "postgresql://nobody@127.0.0.1:1/nothing"
    checks = examine_database(DatabaseUrls(application=url, direct=url, owner=url))
    assert [(check.name, check.ok) for check in checks] == [("database", False)]
    assert checks[0].hint
