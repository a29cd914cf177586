"""Migrate a database to the schema that this version needs, under an advisory lock.

During a rolling upgrade, programs of several versions use the database. Each step declares whether
older programs can run after it, the database records this, and a program refuses a database from
which a step has removed something it needs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version as package_version
from importlib.resources import files

import psycopg
from psycopg import sql

from footnote.domain.upgrading import StepKind
from footnote.errors import StoreUnavailable
from footnote.store.addresses import is_pooled
from footnote.store.migration_files import VERSION, Migration, known_migrations, newest_migration
from footnote.store.statements import load_statements

SCHEMA = "footnote"
APPLICATION_ROLE = "footnote_app"
OLDEST_LENIENT = 47
"""Newest step of the first release that accepts databases with steps unknown to it."""
_LOCK = 0x666F6F74  # "foot": any number no other program of the operator uses
_QUEUE = "procrastinate"
_MIN_PGVECTOR = (0, 8)
_SQL = load_statements("rights") | load_statements("migrating")
_VERSION_OF_QUEUE_MIGRATION = re.compile(r"^(\d+)\.(\d+)\.(\d+)_")
_LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a step waits for a lock, and how often it is retried.

    A statement that waits for a lock blocks all later ones on the table. So it times out soon, and
    the step is retried after a pause.
    """

    lock_timeout_seconds: float = 2.0
    pause_seconds: float = 3.0
    tries: int = 60


def program_name() -> str:
    """Return the `application_name` of connections: the version, and the newest step it knows."""
    return f"footnote/{VERSION} schema/{newest_migration().number:04}"


def migrate(
    owner_url: str,
    report: Callable[[str], None] = lambda _: None,
    patience: Patience | None = None,
) -> tuple[str, ...]:
    """Apply the missing steps as the owner; return the names of the applied ones.

    Blocks. Of processes that start together, one migrates and the others wait. `report` receives
    progress messages. Raises StoreUnavailable when the server cannot be reached, is behind a
    connection pooler, or lacks pgvector or a privilege; when a newer version has made the schema
    incompatible with this one; when a table lock is not obtained in all tries; and when a running
    older program would become incompatible.
    """
    patience = patience or Patience()
    try:
        with psycopg.connect(owner_url, autocommit=True) as connection:
            _refuse_pooler(connection)
            _wait_for_turn(connection, report)
            _prepare(connection)
            refuse_newer(connection)
            # The queue first: one of our indexes is on its table.
            applied = (
                *_apply_queue(connection, report, patience),
                *_apply_ours(connection, report, patience),
            )
            # On each start: the queue's library adds functions, and a database restored under
            # another name has the default privileges of a new one.
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
        raise unreachable(error) from error


def _refuse_pooler(connection: psycopg.Connection) -> None:
    """Raise StoreUnavailable behind a connection pooler.

    The advisory lock and the settings of the queue library's scripts need one server session.
    """
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    if row is not None and is_pooled(connection, row[0]):
        raise StoreUnavailable(
            "a connection pooler stands between Footnote and the database, and migrations must go "
            "past it",
            hint="set FOOTNOTE_DIRECT_DATABASE_URL, or FOOTNOTE_OWNER_DATABASE_URL where another "
            "login owns the tables, to the address of Postgres itself",
        )


def unreachable(error: psycopg.OperationalError) -> StoreUnavailable:
    """The error for a server that does not answer."""
    return StoreUnavailable(
        f"the database cannot be reached: {str(error).strip()}",
        hint="check FOOTNOTE_DATABASE_URL and that the server runs",
    )


def pending_migrations(connection: psycopg.Connection) -> tuple[Migration, ...]:
    """Return the steps the database lacks; any login may ask."""
    applied = _applied(connection)
    return tuple(step for step in known_migrations() if step.name not in applied)


def pending_queue(connection: psycopg.Connection) -> tuple[str, ...]:
    """The version of the job queue's schema if the database lacks it."""
    installed = package_version(_QUEUE)
    recorded = _applied(connection).get(_QUEUE)
    if recorded is not None and _version(recorded) >= _version(installed):
        return ()  # A newer program installed a later schema, which is kept.
    return (f"{_QUEUE} {installed}",)


def applied_migrations(connection: psycopg.Connection) -> tuple[str, ...]:
    """Return the names of the applied steps, also of newer versions, in order."""
    return tuple(sorted(set(_applied(connection)) - {_QUEUE}))


def oldest_program(connection: psycopg.Connection) -> int:
    """Return the number of the newest step that a program must know to use the database."""
    if not _keeps_kinds(connection):
        return OLDEST_LENIENT
    row = connection.execute(_SQL["oldest_program"]).fetchone()
    return max(OLDEST_LENIENT, 0 if row is None or row[0] is None else int(row[0]))


def older_programs(connection: psycopg.Connection, needs: int) -> int:
    """Count the connections of programs that do not know step `needs`."""
    row = connection.execute(_SQL["older_programs"], {"needs": needs}).fetchone()
    return 0 if row is None else int(row[0])


def refuse_newer(connection: psycopg.Connection) -> None:
    """Raise StoreUnavailable if a step unknown to this version requires a newer program."""
    if not _keeps_kinds(connection):
        unknown = set(applied_migrations(connection)) - {step.name for step in known_migrations()}
        if unknown:
            raise _too_new(sorted(unknown)[-1], None)
        return
    rows = connection.execute(_SQL["of_newer_versions"]).fetchall()
    known_names = {step.name for step in known_migrations()}
    newest = newest_migration().number
    for name, kind, needs, version in rows:
        if name in known_names or name == _QUEUE:
            continue
        if kind is None or (needs is not None and needs > newest):
            raise _too_new(name, version)


def _too_new(step: str, version: str | None) -> StoreUnavailable:
    program = "a newer Footnote" if version is None else f"Footnote {version}"
    return StoreUnavailable(
        f"the database was migrated by {program}, whose step {step} leaves out this version, "
        f"{VERSION}, which knows the steps up to {newest_migration().name}",
        hint="upgrade this installation",
    )


def _wait_for_turn(connection: psycopg.Connection, report: Callable[[str], None]) -> None:
    """Take the advisory lock of migrations by polling.

    A statement that waited for the lock would hold a snapshot, and another process that builds an
    index concurrently would wait for that snapshot to end.
    """
    reported = False
    while connection.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK]).fetchone() != (True,):
        if not reported:
            report("waiting for another process that migrates the database")
            reported = True
        time.sleep(_LOOK_SECONDS)


def _prepare(connection: psycopg.Connection) -> None:
    """Create the schema, the application role, pgvector and the table of applied steps."""
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    row = connection.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    ).fetchone()
    installed = str(row[0]) if row else "none"
    if row is None or tuple(int(part) for part in installed.split(".")[:2]) < _MIN_PGVECTOR:
        raise StoreUnavailable(
            f"pgvector is {installed}, and Footnote needs 0.8 or newer",
            hint="upgrade the extension: ALTER EXTENSION vector UPDATE",
        )
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
        connection.execute(_SQL["create_table"])
        if not _keeps_kinds(connection):
            connection.execute(_SQL["keep_kinds"])
            for step in known_migrations():
                connection.execute(_SQL["note_kind"], _kind_parameters(step))
        connection.execute("GRANT SELECT ON migrations TO footnote_app")
    connection.execute("SET search_path = footnote, public, extensions")


def _apply_ours(
    connection: psycopg.Connection, report: Callable[[str], None], patience: Patience
) -> list[str]:
    applied = _applied(connection)
    new_names = []
    for step in known_migrations():
        if step.name in applied:
            if applied[step.name] != step.checksum:
                raise StoreUnavailable(
                    f"migration {step.name} differs from the one that was applied",
                    hint="install the released package again; migrations never change",
                )
            continue
        _refuse_older_programs(connection, step)
        report(f"applying {step.name}")
        _run_with_retries(
            connection, step.name, partial(_apply, connection, step), report, patience
        )
        new_names.append(step.name)
    return new_names


def _apply(connection: psycopg.Connection, step: Migration) -> None:
    """Run the statements of a step, and record it.

    A concurrent step runs one statement at a time outside a transaction. When it is repeated after
    a failure, valid indexes are skipped and invalid ones are rebuilt.
    """
    if not step.is_concurrent:
        connection.execute(step.statements)
    else:
        for part in step.parts:
            index = re.match(r"CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+)", part, re.IGNORECASE)
            if index is not None:
                state = connection.execute(_SQL["index_state"], {"name": index[1]}).fetchone()
                if state == (True,):
                    continue
                if state is not None:  # An interrupted build leaves an invalid index.
                    connection.execute(
                        sql.SQL("DROP INDEX CONCURRENTLY {}").format(sql.Identifier(index[1]))
                    )
            connection.execute(part.encode())
    connection.execute(_SQL["record"], _kind_parameters(step))


def _kind_parameters(step: Migration) -> dict[str, object]:
    """Return the row of a step in the table of applied steps."""
    return {
        "name": step.name,
        "checksum": step.checksum,
        "kind": step.kind.value,
        "needs": step.needs,
        "version": VERSION,
    }


def _refuse_older_programs(connection: psycopg.Connection, step: Migration) -> None:
    if step.needs is None:
        return
    count = older_programs(connection, step.needs)
    if count:
        raise StoreUnavailable(
            f"migration {step.name} leaves out programs that do not know step {step.needs:04}, and "
            f"there are {count} connections of such",
            hint="end those servers and workers, or upgrade them to a version between; then run "
            "footnote upgrade again",
        )


def _run_with_retries(
    connection: psycopg.Connection,
    name: str,
    work: Callable[[], None],
    report: Callable[[str], None],
    patience: Patience,
) -> None:
    """Run the work of a step, and retry while other sessions hold a lock that it needs."""
    timeout = f"{round(patience.lock_timeout_seconds * 1000)}ms"
    concurrent = any(step.name == name and step.is_concurrent for step in known_migrations())
    for attempt in range(1, patience.tries + 1):
        try:
            if concurrent:
                connection.execute(_SQL["lock_timeout"], {"timeout": timeout, "local": False})
                work()
            else:
                with connection.transaction():
                    connection.execute(_SQL["lock_timeout"], {"timeout": timeout, "local": True})
                    work()
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
            if attempt == patience.tries:
                raise StoreUnavailable(
                    f"migration {name} found no moment to lock what it changes, in {attempt} "
                    f"tries: {error.diag.message_primary}",
                    hint="end long transactions (pg_stat_activity shows them), then run footnote "
                    "upgrade again",
                ) from error
            report(f"{name} waits for a lock, and tries again")
            time.sleep(patience.pause_seconds)
        else:
            return
        finally:
            if concurrent:
                connection.execute(_SQL["lock_timeout"], {"timeout": "0", "local": False})


def _apply_queue(
    connection: psycopg.Connection, report: Callable[[str], None], patience: Patience
) -> list[str]:
    """Install or upgrade the job queue's schema from its library, whose version is the checksum."""
    pending = pending_queue(connection)
    if not pending:
        return []
    recorded = _applied(connection).get(_QUEUE)
    folder = files("procrastinate.sql")
    if recorded is None:
        scripts = [(folder / "schema.sql").read_text(encoding="utf-8")]
    else:
        scripts = [
            path.read_text(encoding="utf-8")
            for path in sorted((folder / "migrations").iterdir(), key=lambda path: path.name)
            if _is_newer(path.name, recorded)
        ]

    def work() -> None:
        for script in scripts:
            connection.execute(script)
        connection.execute(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON procrastinate_jobs, procrastinate_events,"
            " procrastinate_periodic_defers, procrastinate_workers TO footnote_app"
        )
        connection.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA footnote TO footnote_app")
        checksum = package_version(_QUEUE)
        connection.execute(
            _SQL["record"],
            {
                "name": _QUEUE,
                "checksum": checksum,
                "kind": StepKind.EXPAND.value,
                "needs": None,
                "version": VERSION,
            },
        )

    report(f"applying {pending[0]}")
    _run_with_retries(connection, _QUEUE, work, report, patience)
    return list(pending)


def _is_newer(script: str, recorded: str) -> bool:
    match = _VERSION_OF_QUEUE_MIGRATION.match(script)
    if match is None:
        return False
    return tuple(int(part) for part in match.groups()) > _version(recorded)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def _keeps_kinds(connection: psycopg.Connection) -> bool:
    """Return whether the table of applied steps has all columns that this version uses."""
    row = connection.execute(_SQL["keeps_kinds"]).fetchone()
    return row is not None and bool(row[0])


def _applied(connection: psycopg.Connection) -> dict[str, str]:
    exists = connection.execute("SELECT to_regclass('footnote.migrations')").fetchone()
    if exists == (None,):
        return {}
    rows = connection.execute("SELECT name, checksum FROM footnote.migrations")
    return {str(name): str(checksum) for name, checksum in rows}
