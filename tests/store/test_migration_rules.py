"""Every step of migration says what kind it is, and an expand step does nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from footnote.domain.upgrading import LockMode, StepKind
from footnote.store import migrate as migrating
from footnote.store.embedded import OWNER_ROLE, SUPERUSER, EmbeddedPostgres, create_database
from footnote.store.migrate import migrate
from footnote.store.migration_files import Migration, known_migrations, split_statements
from footnote.store.migration_locks import locks_of
from tests.conftest import fresh_database
from tests.store.schema_rules import (
    RULES_SINCE,
    Schema,
    broken_rules,
    locks_held,
    long_locks,
    schema_of,
    tables_of,
)

_ORDER = list(LockMode)


@pytest.fixture
def without_steps(
    postgres: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> Iterator[psycopg.Connection]:
    """A connection of the owner to a database with the queue's schema alone."""
    name = f"empty_{uuid4().hex}"
    create_database(postgres, name)
    url = postgres.url(OWNER_ROLE, name)
    with monkeypatch.context() as only_queue:
        only_queue.setattr(migrating, "known_migrations", lambda: ())
        migrate(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public, extensions")
        yield connection
    with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="module")
def schema(postgres: EmbeddedPostgres) -> Iterator[psycopg.Connection]:
    """A connection of the owner to a database with all steps."""
    with fresh_database(postgres) as made, psycopg.connect(made.owner_url) as connection:
        yield connection
        connection.close()


def step_of(text: str, number: int = 9000) -> Migration:
    return Migration(name=f"{number:04}_step", statements=text)


@pytest.mark.parametrize("step", known_migrations(), ids=lambda step: step.name)
def test_a_step_says_what_kind_it_is(step: Migration) -> None:
    assert step.kind in StepKind


def test_the_line_of_the_kind_does_not_count_as_a_change() -> None:
    assert step_of("-- migration: expand\nSELECT 1;").checksum == step_of("SELECT 1;").checksum
    assert step_of("SELECT 2;").checksum != step_of("SELECT 1;").checksum


@pytest.mark.parametrize("line", ["", "-- migration: both\n", "-- safe\n-- migration: expand\n"])
def test_a_step_without_its_kind_is_no_step(line: str) -> None:
    with pytest.raises(ValueError, match="does not begin with"):
        _ = step_of(f"{line}SELECT 1;").kind


def test_what_is_quoted_divides_no_statement() -> None:
    text = """
        -- a ; b
        CREATE FUNCTION f() RETURNS text LANGUAGE sql
        BEGIN ATOMIC SELECT CASE WHEN true THEN ';' END; END;
        CREATE FUNCTION g() RETURNS void LANGUAGE plpgsql AS $b$ BEGIN PERFORM 1; END; $b$;
        COMMENT ON TABLE t IS 'it''s; so'; /* ; */ SELECT ";" FROM t
    """
    starts = [statement.split("(")[0].strip() for statement in split_statements(text)]
    assert starts == [
        "CREATE FUNCTION f",
        "CREATE FUNCTION g",
        "COMMENT ON TABLE t IS 'it''s; so'",
        'SELECT ";" FROM t',
    ]


def test_steps_keep_to_the_rules_and_to_the_locks_that_are_announced(
    without_steps: psycopg.Connection,
) -> None:
    """Postgres itself says what each did, and which locks it held at its end."""
    for step in known_migrations():
        index_tables: dict[str, str] = dict(
            without_steps.execute(migrating._SQL["index_tables"]).fetchall()  # what the check reads
        )
        held, before = {}, None
        if step.number >= RULES_SINCE:
            with without_steps.transaction():
                before = schema_of(without_steps)
        if step.is_concurrent:
            for part in step.parts:
                without_steps.execute(part.encode())
        else:
            with without_steps.transaction():
                tables = tables_of(without_steps)
                for part in step.parts:
                    without_steps.execute(part.encode())
                held = locks_held(without_steps, tables)
        if before is not None:
            with without_steps.transaction():
                assert broken_rules(step, before, schema_of(without_steps)) == [], step.name
        announced = locks_of(step, index_tables)
        for table, mode in held.items():
            said = announced.get(table, LockMode.NOTHING_WAITS)
            assert _ORDER.index(said) >= _ORDER.index(mode), (step.name, table, mode)


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        ("ALTER TABLE documents DROP COLUMN language", "removes documents.language"),
        ("DROP TABLE segments CASCADE", "removes segments of tables"),
        ("ALTER TABLE documents ALTER COLUMN filename TYPE varchar(9)", "writes documents anew"),
        ("ALTER TABLE documents ALTER COLUMN language SET NOT NULL", "changes the column"),
        ("ALTER TABLE documents RENAME COLUMN language TO tongue", "removes documents.language"),
        ("ALTER TABLE documents ADD COLUMN must text NOT NULL", "without a default"),
        ("ALTER TABLE documents ADD CHECK (page_count > 0) NOT VALID", "binds what older"),
        ("CREATE UNIQUE INDEX one ON documents (workspace_id, filename)", "binds what older"),
        ("CREATE INDEX slow ON documents (filename)", "without CONCURRENTLY"),
        ("UPDATE documents SET tags = '{}'", "rewrites rows"),
        ("DO $$ BEGIN PERFORM 1; END $$", "rewrites rows"),
        ("DROP INDEX chunks_by_kind", "removes chunks.chunks_by_kind of indexes"),
        ("REVOKE DELETE ON documents FROM footnote_app", "removes documents DELETE of grants"),
        ("DROP POLICY within_workspace ON segments", "removes segments.within_workspace"),
        (
            "CREATE OR REPLACE FUNCTION current_workspace() RETURNS uuid LANGUAGE sql STABLE "
            "PARALLEL SAFE RETURN NULL::uuid",
            "replaces current_workspace() of functions",
        ),
        (
            "CREATE POLICY further ON segments AS RESTRICTIVE USING (true)",
            "adds segments.further of policies",
        ),
    ],
)
def test_what_older_versions_would_not_survive_is_no_expansion(
    schema: psycopg.Connection, statements: str, told: str
) -> None:
    broken = _broken(schema, f"-- migration: expand\n{statements};")
    assert any(told in each for each in broken), broken


@pytest.mark.parametrize(
    "statements",
    [
        "ALTER TABLE documents ADD COLUMN may text",
        "ALTER TABLE documents ADD COLUMN does text NOT NULL DEFAULT 'so'",
        "ALTER TABLE documents ADD COLUMN few integer CHECK (few < 5)",
        "ALTER TABLE documents ALTER COLUMN filename DROP NOT NULL",
        "CREATE TABLE further (a integer PRIMARY KEY); CREATE INDEX on_further ON further (a)",
        "CREATE FUNCTION further() RETURNS integer LANGUAGE sql RETURN 1",
    ],
)
def test_what_only_adds_is_an_expansion(schema: psycopg.Connection, statements: str) -> None:
    assert _broken(schema, f"-- migration: expand\n{statements};") == []


def test_what_is_replaced_on_purpose_is_named(schema: psycopg.Connection) -> None:
    replaced = (
        "-- migration: expand, replaces current_workspace\n"
        "CREATE OR REPLACE FUNCTION current_workspace() RETURNS uuid LANGUAGE sql STABLE "
        "PARALLEL SAFE RETURN NULL::uuid;"
    )
    assert _broken(schema, replaced) == []


def test_a_contraction_may_take_away_and_says_what_it_needs(
    schema: psycopg.Connection,
) -> None:
    taken = "-- migration: contract 0047\nALTER TABLE documents DROP COLUMN language;"
    assert _broken(schema, taken) == []
    assert _broken(schema, taken.replace("0047", "9000")) == ["needs itself"]


def test_a_contraction_makes_nobody_wait_long_either(schema: psycopg.Connection) -> None:
    bound = "-- migration: contract 0047\nALTER TABLE documents ADD CHECK (byte_size > 0)"
    assert _broken(schema, f"{bound} NOT VALID;") == []
    assert any("looks at every row" in each for each in _broken(schema, f"{bound};"))
    beside = step_of("-- migration: expand\nCREATE INDEX CONCURRENTLY a ON b (c); SELECT 1;")
    empty = Schema({"tables": {}, "indexes": {}, "constraints": {}, "columns": {}})
    assert long_locks(beside, empty, empty) == [
        "does more than to build indexes concurrently: SELECT 1"
    ]


def _broken(connection: psycopg.Connection, text: str) -> list[str]:
    step = step_of(text)
    with connection.transaction(force_rollback=True):
        before = schema_of(connection)
        for part in step.parts:
            connection.execute(part.encode())
        return broken_rules(step, before, schema_of(connection))
