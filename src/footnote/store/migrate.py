"""Brings a database to the schema this version of Footnote needs, once, under a lock."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.metadata import version as package_version
from importlib.resources import files
from typing import LiteralString

import psycopg
from psycopg import sql

from footnote.errors import StoreUnavailable
from footnote.store.addresses import is_pooled
from footnote.store.statements import load_statements

SCHEMA = "footnote"
APPLICATION_ROLE = "footnote_app"
_LOCK = 0x666F6F74  # "foot": any number no other program of the operator uses
_QUEUE = "procrastinate"
_LEAST_PGVECTOR = (0, 8)
_SQL = load_statements("rights")
_VERSION_OF_QUEUE_MIGRATION = re.compile(r"^(\d+)\.(\d+)\.(\d+)_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered step."""

    name: str
    statements: LiteralString

    @property
    def checksum(self) -> str:
        """Hex SHA-256 of the statements."""
        return hashlib.sha256(self.statements.encode()).hexdigest()


def known_migrations() -> tuple[Migration, ...]:
    """The steps this version knows, in order."""
    folder = files("footnote.store") / "migrations"
    paths = [path for path in folder.iterdir() if path.name.endswith(".sql")]
    paths.sort(key=lambda path: path.name)
    return tuple(
        Migration(
            name=path.name.removesuffix(".sql"),
            statements=path.read_text(encoding="utf-8"),
        )
        for path in paths
    )


def migrate(owner_url: str) -> tuple[str, ...]:
    """Apply what is missing as the owner; return the names of the steps that were applied.

    Blocks. Processes that start together wait for the first of them. Raises
    StoreUnavailable when the server cannot be reached, lacks pgvector or a right, or was
    migrated by a newer version.
    """
    try:
        with psycopg.connect(owner_url, autocommit=True) as connection:
            _refuse_pooler(connection)
            connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            _prepare(connection)
            _refuse_newer(connection)
            # The queue first: an index of ours is on its table.
            applied = (*_apply_queue(connection), *_apply_ours(connection))
            # Each time: the queue brings functions of its own, and a copy of a database that is
            # restored under another name has the rights that every new database has.
            for name in ("settle_functions", "refuse_temporary_tables"):
                connection.execute(_SQL[name])
            return applied
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreUnavailable(
            f"the database login may not prepare the schema: {error.diag.message_primary}",
            hint="set FOOTNOTE_OWNER_DATABASE_URL to a login that may create schemas and roles, or "
            f"let an administrator run: CREATE EXTENSION vector; CREATE ROLE {APPLICATION_ROLE};",
        ) from error
    except psycopg.OperationalError as error:
        raise _unreachable(error) from error


def _refuse_pooler(connection: psycopg.Connection) -> None:
    """The lock is a connection's own, and so is what the steps of the queue's library set."""
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    if row is not None and is_pooled(connection, row[0]):
        raise StoreUnavailable(
            "a connection pooler stands between Footnote and the database, and migrations must go "
            "past it",
            hint="set FOOTNOTE_DIRECT_DATABASE_URL, or FOOTNOTE_OWNER_DATABASE_URL where another "
            "login owns the tables, to the address of Postgres itself",
        )


def missing_steps(owner_url: str) -> tuple[str, ...]:
    """What `migrate` would apply, the queue's steps among it. Blocks, and changes nothing.

    Raises StoreUnavailable when the server cannot be reached or was migrated by a newer version.
    """
    try:
        with psycopg.connect(owner_url) as connection:
            _refuse_newer(connection)
            installed = package_version(_QUEUE)
            queue = () if _applied(connection).get(_QUEUE) == installed else (installed,)
            return (*(f"{_QUEUE} {each}" for each in queue), *pending_migrations(connection))
    except psycopg.OperationalError as error:
        raise _unreachable(error) from error


def _unreachable(error: psycopg.OperationalError) -> StoreUnavailable:
    return StoreUnavailable(
        f"the database cannot be reached: {str(error).strip()}",
        hint="check FOOTNOTE_DATABASE_URL and that the server runs",
    )


def pending_migrations(connection: psycopg.Connection) -> tuple[str, ...]:
    """The steps the database lacks, seen by any login."""
    applied = _applied(connection)
    return tuple(step.name for step in known_migrations() if step.name not in applied)


def _prepare(connection: psycopg.Connection) -> None:
    """The schema, the application role, pgvector, and the table of what was applied."""
    _require_pgvector(connection)
    with connection.transaction():
        role_exists = connection.execute(
            "SELECT FROM pg_roles WHERE rolname = %s", [APPLICATION_ROLE]
        ).fetchone()
        if role_exists is None:
            connection.execute(
                sql.SQL("CREATE ROLE {} NOSUPERUSER NOBYPASSRLS").format(
                    sql.Identifier(APPLICATION_ROLE)
                )
            )
        connection.execute("CREATE SCHEMA IF NOT EXISTS footnote")
        connection.execute("GRANT USAGE ON SCHEMA footnote TO footnote_app")
        connection.execute("SET search_path = footnote, public, extensions")
        connection.execute(
            """
            CREATE TABLE IF NOT EXISTS migrations (
                name text PRIMARY KEY,
                checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now()
            )
            """
        )
        connection.execute("GRANT SELECT ON migrations TO footnote_app")
    connection.execute("SET search_path = footnote, public, extensions")


def _require_pgvector(connection: psycopg.Connection) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    row = connection.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    ).fetchone()
    found = str(row[0]) if row else "none"
    if row is None or tuple(int(part) for part in found.split(".")[:2]) < _LEAST_PGVECTOR:
        raise StoreUnavailable(
            f"pgvector is {found}, and Footnote needs 0.8 or newer",
            hint="upgrade the extension: ALTER EXTENSION vector UPDATE",
        )


def _refuse_newer(connection: psycopg.Connection) -> None:
    newer = set(_applied(connection)) - {step.name for step in known_migrations()} - {_QUEUE}
    if newer:
        raise StoreUnavailable(
            f"the database was migrated by a newer Footnote ({', '.join(sorted(newer))})",
            hint="upgrade this installation",
        )


def _apply_ours(connection: psycopg.Connection) -> list[str]:
    applied = _applied(connection)
    fresh = []
    for step in known_migrations():
        if step.name in applied:
            if applied[step.name] != step.checksum:
                raise StoreUnavailable(
                    f"migration {step.name} differs from the one that was applied",
                    hint="install the released package again; migrations never change",
                )
            continue
        with connection.transaction():
            connection.execute(step.statements)
            _record(connection, step.name, step.checksum)
        fresh.append(step.name)
    return fresh


def _apply_queue(connection: psycopg.Connection) -> list[str]:
    """The job queue's own schema, from the installed library; its version is its checksum."""
    installed = package_version(_QUEUE)
    recorded = _applied(connection).get(_QUEUE)
    if recorded == installed:
        return []
    folder = files("procrastinate.sql")
    if recorded is None:
        scripts = [(folder / "schema.sql").read_text(encoding="utf-8")]
    else:
        scripts = [
            path.read_text(encoding="utf-8")
            for path in sorted((folder / "migrations").iterdir(), key=lambda path: path.name)
            if _is_newer(path.name, recorded)
        ]
    with connection.transaction():
        for script in scripts:
            connection.execute(script)
        connection.execute(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON procrastinate_jobs, procrastinate_events,"
            " procrastinate_periodic_defers, procrastinate_workers TO footnote_app"
        )
        connection.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA footnote TO footnote_app")
        _record(connection, _QUEUE, installed)
    return [f"{_QUEUE} {installed}"]


def _is_newer(script: str, recorded: str) -> bool:
    match = _VERSION_OF_QUEUE_MIGRATION.match(script)
    if match is None:
        return False
    known = tuple(int(part) for part in re.findall(r"\d+", recorded)[:3])
    return tuple(int(part) for part in match.groups()) > known


def _applied(connection: psycopg.Connection) -> dict[str, str]:
    exists = connection.execute("SELECT to_regclass('footnote.migrations')").fetchone()
    if exists == (None,):
        return {}
    rows = connection.execute("SELECT name, checksum FROM footnote.migrations")
    return {str(name): str(checksum) for name, checksum in rows}


def _record(connection: psycopg.Connection, name: str, checksum: str) -> None:
    connection.execute(
        """
        INSERT INTO migrations (name, checksum) VALUES (%s, %s)
        ON CONFLICT (name) DO UPDATE SET checksum = EXCLUDED.checksum, applied_at = now()
        """,
        [name, checksum],
    )
