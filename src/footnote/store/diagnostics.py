"""Check a database without changing it."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from footnote.domain import Check
from footnote.domain.replicas import Position
from footnote.store.addresses import DatabaseUrls, is_pooled, name_of
from footnote.store.migrate import APPLICATION_ROLE, pending_migrations
from footnote.store.statements import load_statements

ADVISED = frozenset({"temporary tables"})
"""Checks that may fail on a database that works."""

_SQL = load_statements("diagnostics")
_REPLICAS = load_statements("replicas")


def examine_database(urls: DatabaseUrls) -> tuple[Check, ...]:
    """Check the server, pgvector, both logins and the migrations. Blocks; never raises."""
    try:
        with psycopg.connect(urls.application, connect_timeout=10) as connection:
            return (
                _server(connection),
                _pooler(connection, urls),
                _pgvector(connection),
                _application_role(connection),
                _migrations(connection),
                _temporary_tables(connection),
                _owner(urls.owner),
            )
    except psycopg.Error as error:
        return (
            Check(
                name="database",
                ok=False,
                detail=f"cannot be reached: {str(error).strip()}",
                hint="check FOOTNOTE_DATABASE_URL and that the server runs",
            ),
        )


def serves(checks: Sequence[Check]) -> bool:
    """Whether all required checks passed."""
    return all(check.ok for check in checks if check.name not in ADVISED)


def examine_replicas(primary_url: str, replica_urls: Sequence[str]) -> tuple[Check, ...]:
    """Check that each replica answers and streams, and its lag. Blocks; never raises."""
    return tuple(_replica(primary_url, url) for url in replica_urls)


def _replica(primary_url: str, url: str) -> Check:
    name = f"replica {name_of(url)}"
    try:
        with (
            psycopg.connect(url, connect_timeout=10) as replica,
            psycopg.connect(primary_url, connect_timeout=10) as primary,
        ):
            replica_row = replica.execute(_REPLICAS["replayed"]).fetchone()
            primary_row = primary.execute(_REPLICAS["written"]).fetchone()
            assert replica_row is not None, "one row"
            assert primary_row is not None, "one row"
            standby, replayed, streaming, replica_cluster = replica_row
            written, primary_cluster = primary_row
    except psycopg.Error as error:
        return Check(
            name=name,
            ok=False,
            detail=f"cannot be reached: {str(error).strip()}",
            hint="check FOOTNOTE_REPLICA_DATABASE_URLS; the primary is read meanwhile",
        )
    if not standby or replayed is None or replica_cluster != primary_cluster:
        return Check(
            name=name,
            ok=False,
            detail="it is no standby"
            if replica_cluster == primary_cluster
            else "it belongs to another cluster",
            hint="name a streaming standby in FOOTNOTE_REPLICA_DATABASE_URLS",
        )
    lag_bytes = Position.of(written).byte - Position.of(replayed).byte
    return Check(
        name=name,
        ok=bool(streaming),
        detail=f"{max(lag_bytes, 0):,} bytes behind"
        + ("" if streaming else "; it receives nothing"),
        hint="check primary_conninfo of the standby and its log",
    )


def _server(connection: psycopg.Connection) -> Check:
    version = connection.info.server_version
    return Check(
        name="database",
        ok=version >= 150_000,
        detail=f"PostgreSQL {version // 10_000}.{version % 10_000}",
        hint="use PostgreSQL 15 or newer",
    )


def _pooler(connection: psycopg.Connection, urls: DatabaseUrls) -> Check:
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    pooled = row is not None and is_pooled(connection, row[0])
    return Check(
        name="connection pooler",
        ok=not pooled or urls.direct != urls.application,
        detail="in between; statements are not prepared" if pooled else "none in between",
        hint="set FOOTNOTE_DIRECT_DATABASE_URL to the address of Postgres itself",
    )


def _pgvector(connection: psycopg.Connection) -> Check:
    row = connection.execute(_SQL["pgvector"]).fetchone()
    installed, available = row if row is not None else (None, None)
    if installed is not None:
        return Check(name="pgvector", ok=True, detail=str(installed))
    return Check(
        name="pgvector",
        ok=available is not None,
        detail="not created yet" if available else "not installed on the server",
        hint="install pgvector 0.8 or newer on the server, then: CREATE EXTENSION vector",
    )


def _application_role(connection: psycopg.Connection) -> Check:
    row = connection.execute(_SQL["login"], {"role": APPLICATION_ROLE}).fetchone()
    login, powerful, member = row if row is not None else ("?", True, None)
    if member is None:
        return Check(
            name="application role",
            ok=True,
            detail=f"{login}; {APPLICATION_ROLE} is made by the migrations",
        )
    return Check(
        name="application role",
        ok=bool(member),
        detail=f"{login} acts as {APPLICATION_ROLE}"
        + (", though the login itself could do more" if powerful else ""),
        hint=f"GRANT {APPLICATION_ROLE} TO {login}",
    )


def _migrations(connection: psycopg.Connection) -> Check:
    try:
        pending = tuple(step.name for step in pending_migrations(connection))
    except psycopg.errors.InsufficientPrivilege:
        connection.rollback()
        pending = ("unknown",)
    return Check(
        name="migrations",
        ok=True,
        detail="all applied" if not pending else f"applied at the next start: {', '.join(pending)}",
    )


def _temporary_tables(connection: psycopg.Connection) -> Check:
    """Check that the application cannot create temporary tables, which could shadow others.

    Migrations revoke the privilege; they cannot where another role owns the database.
    """
    row = connection.execute(_SQL["temporary_tables"], {"role": APPLICATION_ROLE}).fetchone()
    allowed, database = row if row is not None else (False, "")
    return Check(
        name="temporary tables",
        ok=not allowed,
        detail=f"{APPLICATION_ROLE} may {'make some, though it needs' if allowed else 'make'} none",
        hint="let the owner of the database run: REVOKE TEMPORARY ON DATABASE "
        f"{database} FROM PUBLIC, {APPLICATION_ROLE}",
    )


def _owner(owner_url: str) -> Check:
    try:
        with psycopg.connect(owner_url, connect_timeout=10) as connection:
            row = connection.execute(_SQL["may_create"]).fetchone()
    except psycopg.Error as error:
        return Check(
            name="owner login",
            ok=False,
            detail=f"cannot be reached: {str(error).strip()}",
            hint="check FOOTNOTE_OWNER_DATABASE_URL",
        )
    login, may_create = row if row is not None else ("?", False)
    return Check(
        name="owner login",
        ok=bool(may_create),
        detail=f"{login} {'may' if may_create else 'may not'} create what migrations need",
        hint="set FOOTNOTE_OWNER_DATABASE_URL to a login that owns the database",
    )
