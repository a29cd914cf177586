"""Nothing the application role can do runs a statement with the rights of the owner."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql

from footnote.store.database import Database
from footnote.store.diagnostics import ADVISED, examine_database
from footnote.store.migrate import migrate
from tests.conftest import TestDatabase
from tests.store.shelves import new_shelf

pytestmark = pytest.mark.usefixtures("own_database")

# A table of the name that a function means, in the schema that Postgres searches first where the
# search path does not name it, and a trigger that acts as whoever writes to the table.
_LOOT = """
CREATE TEMPORARY TABLE loot (acted_as text, names text);
GRANT ALL ON loot TO PUBLIC;
CREATE FUNCTION pg_temp.steal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    IF current_user <> 'footnote_app' THEN
        SELECT string_agg(name, ' ') INTO found FROM footnote.workspace_directory;
    END IF;
    INSERT INTO pg_temp.loot VALUES (current_user, found);
    RETURN NULL;
END;
$$;
"""
_BAITED = """
CREATE TEMPORARY TABLE {table} (LIKE footnote.{table} INCLUDING ALL);
GRANT ALL ON pg_temp.{table} TO PUBLIC;
CREATE TRIGGER steal AFTER INSERT OR UPDATE OR DELETE ON pg_temp.{table}
    FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.steal();
"""


@pytest.fixture
def attacker(own_database: TestDatabase) -> Iterator[psycopg.Connection]:
    """The application role where temporary tables could not be taken from it."""
    with psycopg.connect(own_database.superuser_url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("GRANT TEMPORARY ON DATABASE {} TO footnote_app").format(
                sql.Identifier(connection.info.dbname)
            )
        )
    with psycopg.connect(own_database.application_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(_LOOT)
        yield connection


def bait(connection: psycopg.Connection, *tables: str) -> None:
    """Put a table of the attacker's before each of these."""
    for table in tables:
        # The directory cannot be read, hence not copied.
        if table == "workspace_directory":
            connection.execute(
                "CREATE TEMPORARY TABLE workspace_directory ("
                " name text, workspace_id uuid, created_at timestamptz DEFAULT now(),"
                " CONSTRAINT workspace_directory_pkey PRIMARY KEY (name))"
            )
            statement = _BAITED.partition(";")[2]
        else:
            statement = _BAITED
        connection.execute(sql.SQL(statement).format(table=sql.Identifier(table)))


def stolen(connection: psycopg.Connection) -> list[tuple[str, str | None]]:
    """Under which foreign roles the attacker's statement ran, and what it read."""
    return connection.execute(
        "SELECT acted_as, names FROM pg_temp.loot WHERE acted_as <> 'footnote_app'"
    ).fetchall()


async def test_making_a_workspace_runs_nothing_of_the_callers(
    database: Database, attacker: psycopg.Connection
) -> None:
    await new_shelf(database, "secret-client")
    bait(attacker, "workspace_directory", "workspaces", "index_states")
    made = attacker.execute(
        "SELECT * FROM footnote.create_workspace('harmless', %s, %s)", [uuid4(), b"k" * 32]
    ).fetchall()
    assert stolen(attacker) == []
    assert [row[1] for row in made] == ["harmless"]
    found = attacker.execute("SELECT name FROM footnote.find_workspace('harmless')").fetchall()
    assert found == [("harmless",)]


async def test_deleting_a_document_runs_nothing_of_the_callers(
    database: Database, attacker: psycopg.Connection
) -> None:
    shelf = await new_shelf(database, "secret-client")
    document_id = await shelf.put("The premium is due in March.")
    bait(attacker, "messages", "message_sources")
    with attacker.transaction():
        name_workspace(attacker, shelf.workspace.workspace_id)
        deleted = attacker.execute(
            "DELETE FROM footnote.documents WHERE document_id = %s", [document_id]
        )
        assert deleted.rowcount == 1
    assert stolen(attacker) == []


async def test_what_is_deleted_with_a_document_runs_nothing_of_the_callers(
    database: Database, attacker: psycopg.Connection
) -> None:
    """Rows that a foreign key deletes are deleted by the owner, and so are its triggers run."""
    shelf = await new_shelf(database, "secret-client")
    parent, part = await shelf.put("A mail."), await shelf.put("Its attachment.")
    bait(attacker, "workspaces", "events", "webhook_endpoints", "procrastinate_jobs")
    with attacker.transaction():
        name_workspace(attacker, shelf.workspace.workspace_id)
        # Found by the trigger in the attacker's table, so that it goes on to write.
        attacker.execute("INSERT INTO pg_temp.workspaces SELECT * FROM footnote.workspaces")
        attacker.execute(
            "UPDATE footnote.documents SET parent_id = %s WHERE document_id = %s", [parent, part]
        )
        attacker.execute("DELETE FROM footnote.documents WHERE document_id = %s", [parent])
        left = attacker.execute("SELECT FROM footnote.documents").fetchall()
        told = attacker.execute(
            "SELECT FROM footnote.events WHERE kind = 'document.deleted'"
        ).fetchall()
    assert stolen(attacker) == []
    assert left == []
    assert len(told) == 2


async def test_a_worker_that_leaves_the_queue_runs_nothing_of_the_callers(
    database: Database, attacker: psycopg.Connection
) -> None:
    """The queue's own triggers run as the owner where a foreign key empties a column."""
    await new_shelf(database, "secret-client")
    bait(attacker, "procrastinate_events")
    worker = attacker.execute(
        "SELECT worker_id FROM footnote.procrastinate_register_worker_v1()"
    ).fetchone()
    assert worker is not None
    attacker.execute(
        "INSERT INTO footnote.procrastinate_jobs (queue_name, task_name, worker_id, scheduled_at)"
        " VALUES ('q', 't', %s, now())",
        worker,
    )
    attacker.execute("DELETE FROM footnote.procrastinate_workers WHERE id = %s", worker)
    assert stolen(attacker) == []


def test_what_acts_as_its_owner_finds_nothing_of_the_callers(own_database: TestDatabase) -> None:
    with psycopg.connect(own_database.superuser_url) as connection:
        found = connection.execute(
            """
            SELECT proname, proconfig,
                has_function_privilege('footnote_app', pg_proc.oid, 'EXECUTE')
            FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
            WHERE prosecdef AND nspname NOT IN ('pg_catalog', 'information_schema')
            ORDER BY proname
            """
        ).fetchall()
    # With no schema of ours in the path, a name that is not qualified would not be found at all.
    path = ["search_path=pg_catalog, pg_temp"]
    assert found == [
        ("copy_readers", path, False),
        ("count_failure", path, True),
        ("create_encrypted_workspace", path, True),
        ("create_workspace", path, True),
        ("document_under_hold", path, False),
        ("enter_credential", path, True),
        ("enter_login", path, True),
        ("failures_ahead", path, True),
        ("find_credential", path, True),
        ("find_logins", path, True),
        ("find_workspace", path, True),
        ("has_wrapped_keys", path, True),
        ("keep_spans", path, True),
        ("leave_directories", path, True),
        ("list_credential", path, False),
        ("list_login", path, False),
        ("pass_readers_on", path, False),
        ("pass_readers_on_to_rows", path, True),
        ("readers_to_pass_on", path, True),
        ("refuse_under_legal_hold", path, False),
        ("remove_from_answers", path, False),
        ("under_legal_hold", path, True),
        ("upkeep_after_upgrade", path, True),
    ]


UNSETTLED = """
SELECT proname FROM pg_proc
WHERE pronamespace = 'footnote'::regnamespace AND prosqlbody IS NULL
    AND NOT EXISTS (
        SELECT FROM unnest(proconfig) AS setting
        WHERE setting IN (
            'search_path=pg_catalog, pg_temp', 'search_path=pg_catalog, footnote, pg_temp'
        )
    )
"""
PUBLIC = """
SELECT proname FROM pg_proc
WHERE pronamespace = 'footnote'::regnamespace
    AND (proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0))
"""


def test_every_name_a_function_looks_up_is_looked_up_in_its_own_path(
    own_database: TestDatabase,
) -> None:
    with psycopg.connect(own_database.superuser_url) as connection:
        assert connection.execute(UNSETTLED).fetchall() == []
        looked_up = connection.execute(
            "SELECT proname FROM pg_proc"
            " WHERE pronamespace = 'footnote'::regnamespace AND prosqlbody IS NULL"
        ).fetchall()
        elsewhere = connection.execute(
            """
            SELECT tgname FROM pg_trigger
            JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
            WHERE relnamespace = 'footnote'::regnamespace AND NOT tgisinternal
                AND pronamespace <> 'footnote'::regnamespace
            """
        ).fetchall()
    names = {name for (name,) in looked_up}
    assert {"tell", "tell_of_documents", "tell_of_progress"} <= names
    assert len([name for name in names if name.startswith("procrastinate")]) > 10
    assert elsewhere == []


def test_nobody_but_the_application_may_call_a_function_of_ours(
    own_database: TestDatabase,
) -> None:
    with psycopg.connect(own_database.superuser_url) as connection:
        assert connection.execute(PUBLIC).fetchall() == []
        triggers = connection.execute(
            """
            SELECT proname FROM pg_proc
            WHERE pronamespace = 'footnote'::regnamespace AND prorettype = 'trigger'::regtype
                AND has_function_privilege('footnote_app', oid, 'EXECUTE')
            """
        ).fetchall()
    assert triggers == []


def test_what_an_upgrade_of_the_queue_brings_is_settled_too(own_database: TestDatabase) -> None:
    with psycopg.connect(own_database.owner_url, autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION footnote.procrastinate_new_v9() RETURNS trigger"
            " LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
        )
        assert connection.execute(UNSETTLED).fetchall() == [("procrastinate_new_v9",)]
        assert connection.execute(PUBLIC).fetchall() == [("procrastinate_new_v9",)]
        migrate(own_database.owner_url)
        assert connection.execute(UNSETTLED).fetchall() == []
        assert connection.execute(PUBLIC).fetchall() == []


def test_the_application_makes_no_temporary_tables(own_database: TestDatabase) -> None:
    with psycopg.connect(own_database.superuser_url, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        # As in a database that was restored, whose rights are those of every new one.
        connection.execute(sql.SQL("GRANT TEMPORARY ON DATABASE {} TO PUBLIC").format(name))
    migrate(own_database.owner_url)
    with (
        psycopg.connect(own_database.application_url) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="temporary tables"),
    ):
        connection.execute("CREATE TEMPORARY TABLE workspace_directory (name text)")


def test_a_database_of_another_owner_is_migrated_and_the_examination_says_what_to_revoke(
    own_database: TestDatabase,
) -> None:
    with psycopg.connect(own_database.superuser_url, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        for statement in (
            "ALTER DATABASE {} OWNER TO postgres",
            "GRANT TEMPORARY ON DATABASE {} TO PUBLIC",
            "GRANT CREATE ON DATABASE {} TO footnote_owner",
        ):
            connection.execute(sql.SQL(statement).format(name))
        migrate(own_database.owner_url)

        def found() -> list[tuple[str, str | None]]:
            checks = examine_database(own_database.urls)
            return [(check.name, check.hint) for check in checks if not check.ok]

        ((check, advice),) = found()
        assert check == "temporary tables"
        assert check in ADVISED
        assert advice is not None
        connection.execute(advice.partition(": ")[2].encode())
        assert found() == []


def name_workspace(connection: psycopg.Connection, workspace_id: UUID) -> None:
    """Bind the transaction as the application does for a principal that sees everything."""
    connection.execute(
        "SELECT set_config('footnote.workspace_id', %s, true),"
        " set_config('footnote.access', '{*}', true)",
        [str(workspace_id)],
    )
