"""Migrations apply once, whoever comes together, and refuse what they do not know."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from footnote.errors import StoreUnavailable
from footnote.store import migrate as migrating
from footnote.store.addresses import DatabaseUrls
from footnote.store.diagnostics import examine_database
from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    SUPERUSER,
    EmbeddedPostgres,
    create_database,
)
from footnote.store.migrate import Patience, migrate
from footnote.store.migration_files import Migration, known_migrations
from footnote.store.pools import open_database
from tests.conftest import TestDatabase

_IMPATIENT = Patience(lock_timeout_seconds=0.05, pause_seconds=0.01, tries=5)


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


def _came_from_later(
    database: TestDatabase, name: str, kind: str | None, needs: int | None
) -> None:
    with psycopg.connect(database.owner_url) as connection:
        connection.execute(
            "INSERT INTO footnote.migrations (name, checksum, kind, needs, version)"
            " VALUES (%s, 'x', %s, %s, '9.9.9')",
            [name, kind, needs],
        )


@pytest.mark.parametrize("needs", [None, len(known_migrations())], ids=["expand", "old enough"])
def test_a_newer_step_that_this_version_survives_is_accepted(
    own_database: TestDatabase, needs: int | None
) -> None:
    _came_from_later(own_database, "9999_later", "contract" if needs else "expand", needs)
    assert migrate(own_database.owner_url) == ()


@pytest.mark.parametrize(
    ("kind", "needs"), [("contract", 9998), (None, None)], ids=["contract", "nobody knows"]
)
def test_a_newer_step_that_leaves_this_version_out_is_refused(
    own_database: TestDatabase, kind: str | None, needs: int | None
) -> None:
    _came_from_later(own_database, "9998_between", "expand", None)
    _came_from_later(own_database, "9999_later", kind, needs)
    with pytest.raises(
        StoreUnavailable, match=r"Footnote 9\.9\.9, whose step 9999_later"
    ) as caught:
        migrate(own_database.owner_url)
    assert caught.value.hint == "upgrade this installation"


def test_a_database_of_before_there_were_kinds_learns_them(own_database: TestDatabase) -> None:
    with psycopg.connect(own_database.owner_url) as connection:
        connection.execute(
            "ALTER TABLE footnote.migrations DROP COLUMN kind, DROP COLUMN needs,"
            " DROP COLUMN version"
        )
    assert migrate(own_database.owner_url) == ()
    with psycopg.connect(own_database.owner_url) as connection:
        kinds = connection.execute(
            "SELECT DISTINCT kind FROM footnote.migrations WHERE name <> 'procrastinate'"
        ).fetchall()
    assert {kind for (kind,) in kinds} <= {"expand", "contract"}


def test_the_queue_that_a_newer_version_brought_stays(own_database: TestDatabase) -> None:
    with psycopg.connect(own_database.owner_url) as connection:
        connection.execute(
            "UPDATE footnote.migrations SET checksum = '999.0.0' WHERE name = 'procrastinate'"
        )
    assert migrate(own_database.owner_url) == ()
    with psycopg.connect(own_database.owner_url) as connection:
        kept = connection.execute(
            "SELECT checksum FROM footnote.migrations WHERE name = 'procrastinate'"
        ).fetchone()
    assert kept == ("999.0.0",)


def _with_step(monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    """Let the version have one step more; its name."""
    step = Migration(name="9000_more", statements=text)
    monkeypatch.setattr(migrating, "known_migrations", lambda: (*known_migrations(), step))
    return step.name


async def test_what_leaves_out_a_program_that_runs_waits_until_it_has_ended(
    own_database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    _with_step(monkeypatch, "-- migration: contract 8999\nDROP TABLE footnote.spans CASCADE;")
    running = await open_database(own_database.application_url, 1, 30)
    try:
        with pytest.raises(StoreUnavailable, match="do not know step 8999, and there are 1 conn"):
            migrate(own_database.owner_url)
    finally:
        await running.pool.close()
    assert _until_it_is_gone(own_database) == ("9000_more",)


def _until_it_is_gone(database: TestDatabase) -> tuple[str, ...]:
    """Migrate; a connection that was closed is listed a moment longer."""
    while True:
        with suppress(StoreUnavailable):
            return migrate(database.owner_url)


def test_a_step_does_not_make_others_wait_behind_it(
    own_database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = _with_step(
        monkeypatch, "-- migration: expand\nALTER TABLE footnote.spans ADD COLUMN more text;"
    )
    heard: list[str] = []
    with psycopg.connect(own_database.owner_url) as reader:
        reader.execute("SELECT FROM footnote.spans")

        def tell(line: str) -> None:
            heard.append(line)
            if heard.count(line) == 2:
                reader.rollback()  # The transaction ends while the step waits for its next try.

        applied = migrate(own_database.owner_url, tell, _IMPATIENT)
    assert applied == (name,)
    assert heard[-1] == f"{name} waits for a lock, and tries again"


def test_a_lock_that_is_never_free_is_named_and_nothing_is_half_done(
    own_database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = _with_step(
        monkeypatch,
        "-- migration: expand\nCREATE TABLE footnote.more (a integer);"
        " ALTER TABLE footnote.spans ADD COLUMN more text;",
    )
    with psycopg.connect(own_database.owner_url) as reader:
        reader.execute("SELECT FROM footnote.spans")
        with pytest.raises(StoreUnavailable, match=f"{name} found no moment to lock"):
            migrate(own_database.owner_url, patience=_IMPATIENT)
    with psycopg.connect(own_database.owner_url) as connection:
        made = connection.execute("SELECT to_regclass('footnote.more')").fetchone()
    assert made == (None,)


def test_an_index_is_built_beside_writers_and_again_after_it_was_broken_off(
    own_database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = _with_step(
        monkeypatch,
        "-- migration: expand\nCREATE UNIQUE INDEX CONCURRENTLY once ON footnote.spans (name);"
        " CREATE INDEX CONCURRENTLY twice ON footnote.spans (name, trace_id);",
    )
    span = (
        "INSERT INTO footnote.spans (trace_id, span_id, name, service, started_at, duration_ms,"
        " attributes)"
        " VALUES (repeat('a', 32), repeat(%s, 16), 'same', 'test', now(), 1, '{}')"
    )
    with psycopg.connect(own_database.superuser_url) as connection:
        for digit in "ab":
            connection.execute(span, [digit])
    with pytest.raises(psycopg.errors.UniqueViolation):
        migrate(own_database.owner_url, patience=_IMPATIENT)  # It leaves an invalid index behind.
    with psycopg.connect(own_database.superuser_url) as connection:
        connection.execute("DELETE FROM footnote.spans WHERE span_id = repeat('b', 16)")
    with ThreadPoolExecutor(2) as threads:  # Whoever waits for the other does not stop its build.
        applied = sorted(threads.map(migrate, [own_database.owner_url] * 2))
    assert applied == [(), (name,)]
    with psycopg.connect(own_database.owner_url) as connection:
        valid = connection.execute(
            "SELECT count(*) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
            " WHERE relname IN ('once', 'twice') AND indisvalid"
        ).fetchone()
    assert valid == (2,)


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
