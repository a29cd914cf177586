"""Databases of earlier versions, restored beside the others of the tests."""

from __future__ import annotations

import json
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from psycopg import sql

from footnote.settings import Settings
from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    SUPERUSER,
    EmbeddedPostgres,
    create_database,
)

FIXTURES = sorted((Path(__file__).resolve().parent / "databases").glob("*.tar.xz"))
"""One for each state of the schema, the oldest first, by the number of its newest step."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A database as its version left it, and what that version said."""

    settings: Settings
    workspaces: dict[str, Any]
    """Of each, its `answers` and its `conversation`."""


@contextmanager
def restored(
    fixture: Path, postgres: EmbeddedPostgres, folder: Path, models: Path
) -> Iterator[Restored]:
    """Restore a fixture into a database of its own, for the length of a block."""
    home = folder / "home"
    home.mkdir()
    with tarfile.open(fixture) as archive:
        archive.extractall(home, filter="data")
    models.mkdir(parents=True, exist_ok=True)
    (home / "models").symlink_to(models)
    name = f"restored_{uuid4().hex}"
    create_database(postgres, name)
    try:
        superuser = postgres.url(SUPERUSER, name)
        with psycopg.connect(superuser, autocommit=True) as connection:
            connection.execute("DROP SCHEMA IF EXISTS footnote CASCADE")
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        subprocess.run(
            [
                postgres.binaries / "psql",
                "--no-psqlrc",
                "--quiet",
                "--set=ON_ERROR_STOP=1",
                f"--file={home / 'database.sql'}",
                f"--output={home / 'psql.out'}",
                superuser,
            ],
            check=True,
        )
        yield Restored(
            settings=Settings(
                home=home,
                database_url=postgres.url(APPLICATION_ROLE, name),
                owner_database_url=postgres.url(OWNER_ROLE, name),
                timeouts='{"worker": 2}',
            ),
            workspaces=json.loads((home / "about.json").read_text())["workspaces"],
        )
    finally:
        with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            connection.execute(
                sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            )
