"""`footnote upgrade` brings a database up to date, and says what that takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from footnote.settings import Settings
from footnote.store import migrate, upgrade_check
from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    SUPERUSER,
    EmbeddedPostgres,
    create_database,
)
from footnote.store.migration_files import Migration, known_migrations
from footnote.store.pools import open_database
from tests.interfaces.serving import environment, footnote


@pytest.fixture
def env(postgres: EmbeddedPostgres, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of commands that work with a database without a schema."""
    name = f"empty_{uuid4().hex}"
    create_database(postgres, name)
    yield environment(
        Settings(
            home=tmp_path / "home",
            database_url=postgres.url(APPLICATION_ROLE, name),
            owner_database_url=postgres.url(OWNER_ROLE, name),
        )
    )
    with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


async def test_it_names_what_is_missing_applies_it_and_then_has_nothing_to_do(
    env: dict[str, str],
) -> None:
    checked = await footnote(env, "upgrade", "--check", "--json")
    assert checked.code == 1
    missing = json.loads(checked.out)
    assert missing["applied"] is False
    assert missing["steps"][0].startswith("procrastinate ")
    assert missing["steps"][1:] == [step.name for step in known_migrations()]
    done = await footnote(env, "upgrade", "--json")
    assert done.code == 0
    applied = json.loads(done.out)
    assert applied["steps"] == missing["steps"]
    assert applied["applied"] is True
    assert applied["newest_applied"] == applied["newest_known"] == missing["steps"][-1]
    assert missing["steps"][-1] in done.err  # One line for each step as it is applied.
    again = await footnote(env, "upgrade")
    assert "up to date" in again.out
    assert f"Programs that know {applied['oldest_program']} may use the database." in again.out
    assert (await footnote(env, "upgrade", "--check")).code == 0


async def test_a_check_says_of_each_step_what_it_locks_and_whom_it_leaves_out(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await footnote(env, "upgrade")
    text = """-- migration: contract 8999
        ALTER TABLE footnote.documents DROP COLUMN language CASCADE;
        CREATE INDEX more ON footnote.chunks (document_id);
        CREATE TABLE footnote.further (a integer);
        CREATE INDEX further_a ON footnote.further (a);
    """
    steps = (*known_migrations(), Migration(name="9000_more", statements=text))
    for module in (migrate, upgrade_check):
        monkeypatch.setattr(module, "known_migrations", lambda: steps)
    running = await open_database(env["FOOTNOTE_DATABASE_URL"], 1, 30)
    try:
        checked = await footnote(env, "upgrade", "--check", "--json")
        shown = await footnote(env, "upgrade", "--check")
    finally:
        await running.pool.close()
    assert (checked.code, shown.code) == (1, 1)
    found = json.loads(checked.out)
    assert [(each["name"], each["kind"], each["needs"]) for each in found["pending"]] == [
        ("9000_more", "contract", "8999")
    ]
    assert {each["table"]: each["mode"] for each in found["pending"][0]["locks"]} == {
        "documents": "readers and writers wait",
        "chunks": "writers wait",
    }
    assert all(each["bytes"] > 0 for each in found["pending"][0]["locks"])
    assert (found["oldest_program"], found["older_programs"]) == ("8999", 1)
    assert "9000_more: leaves out what lacks 8999" in shown.out
    assert "1 connection of older programs" in shown.out


async def test_what_a_newer_version_has_migrated_and_what_is_away_is_said(
    env: dict[str, str],
) -> None:
    await footnote(env, "upgrade")
    with psycopg.connect(env["FOOTNOTE_OWNER_DATABASE_URL"]) as connection:
        connection.execute("INSERT INTO footnote.migrations VALUES ('9999_later', '')")
    for options in ((), ("--check",)):
        newer = await footnote(env, "upgrade", *options)
        assert newer.code > 1
        assert "9999_later" in newer.err
        away = env | {"FOOTNOTE_OWNER_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
        ended = await footnote(away, "upgrade", *options)
        assert ended.code > 1
        assert "cannot be reached" in ended.err
