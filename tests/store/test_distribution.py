"""The schema lies on a Citus cluster by what its catalogue says, and every obstacle is known.

Citus itself is not here. The statements run against functions and views of its names and
signatures that write down what they are asked, in the database of the test.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files

import psycopg
import pytest
from psycopg import sql

from footnote.domain.distribution import ClusterPlan, TableKind
from footnote.errors import Conflict, InvalidRequest, NoSuchWorkspace, StoreUnavailable
from footnote.store.addresses import DatabaseUrls
from footnote.store.database import Database
from footnote.store.distribution import (
    distribute,
    distribution_status,
    isolate_workspace,
    move_workspace,
    plan_distribution,
    rebalance,
)
from footnote.store.distribution_plan import COLUMN, LOCAL, REFERENCE
from footnote.store.workspaces import create_workspace
from tests.conftest import TestDatabase
from tests.store.shelves import Shelf, new_shelf

SHARDS = 8

WITHIN_A_PART = {"index_state.visible", "facets.commonest"}
"""Statements whose workspace stands in the part that they are completed with (conditions.sql)."""

TRIGGER = (
    "CREATE FUNCTION footnote.further() RETURNS trigger LANGUAGE plpgsql AS"
    " $body$ BEGIN {} RETURN NEW; END; $body$;"
    " CREATE TRIGGER further AFTER INSERT ON footnote.started_evaluations"
    " FOR EACH ROW EXECUTE FUNCTION footnote.further()"
)
"""With what its function does."""

CHANGES = (
    (
        "CREATE TABLE footnote.notes (workspace_id uuid NOT NULL, note_id int PRIMARY KEY)",
        "begin with workspace_id",
    ),
    (
        "CREATE TABLE footnote.notes (workspace_id text, note_id int,"
        " PRIMARY KEY (workspace_id, note_id))",
        "must be a uuid",
    ),
    ("CREATE TABLE footnote.notes (workspace_id uuid NOT NULL)", "without a key"),
    ("CREATE TABLE footnote.notes (note_id int PRIMARY KEY)", "has no workspace"),
    (
        "CREATE UNIQUE INDEX by_title ON footnote.documents (title)",
        "begin with workspace_id",
    ),
    (
        "CREATE TABLE footnote.notes (workspace_id uuid, note_id int, other uuid,"
        " document_id uuid, PRIMARY KEY (workspace_id, note_id),"
        " FOREIGN KEY (other, document_id) REFERENCES footnote.documents)",
        "another workspace's row",
    ),
    (
        "CREATE TABLE footnote.notes (workspace_id uuid, note_id int, document_id uuid,"
        " PRIMARY KEY (workspace_id, note_id), FOREIGN KEY (workspace_id, document_id)"
        " REFERENCES footnote.documents ON DELETE SET NULL)",
        "which Citus refuses",
    ),
    (
        "CREATE TABLE footnote.notes (workspace_id uuid, trace text, span text,"
        " PRIMARY KEY (workspace_id, trace),"
        " FOREIGN KEY (trace, span) REFERENCES footnote.spans)",
        "not on the nodes",
    ),
    (
        "CREATE POLICY further ON footnote.lanes AS RESTRICTIVE USING (lane_id IN"
        " (SELECT lane_id FROM footnote.reembeddings))",
        "no policy with a subquery",
    ),
    (TRIGGER.format("PERFORM footnote.current_workspace();"), "takes for no value"),
    (TRIGGER.format("PERFORM to_jsonb(NEW);"), "of another type there"),
    (TRIGGER.format("DELETE FROM footnote.login_directory;"), "writes a reference table"),
    (TRIGGER.format("PERFORM pg_notify('a', 'b');"), "reaches nobody"),
    (TRIGGER.format("PERFORM footnote.procrastinate_fetch_job_v2('{}');"), "on the coordinator"),
    (TRIGGER.format("PERFORM footnote.under_legal_hold(NEW.run_id);"), "takes for no value"),
)
"""Changes to the schema that do not fit, and what is said of each."""

STAND_IN = """
    CREATE TABLE public.calls (no int GENERATED ALWAYS AS IDENTITY, call text);
    CREATE TABLE public.placed_tables (table_name regclass PRIMARY KEY, citus_table_type text);
    CREATE TABLE public.pg_dist_node (
        nodename text, nodeport int, noderole text, isactive bool, shouldhaveshards bool
    );
    CREATE TABLE public.pg_dist_shard (shardid bigint, shardminvalue text, shardmaxvalue text);
    CREATE TABLE public.citus_shards (
        table_name regclass, shardid bigint, nodename text, nodeport int, shard_size bigint
    );
    CREATE VIEW public.citus_tables AS SELECT * FROM public.placed_tables;
    INSERT INTO public.pg_dist_node VALUES
        ('coordinator', 5432, 'primary', true, false),
        ('one', 5432, 'primary', true, true), ('two', 5433, 'primary', true, true);
    INSERT INTO public.pg_dist_shard VALUES (102008, '-10', '10');
    INSERT INTO public.citus_shards VALUES ('footnote.workspaces', 102008, 'one', 5432, 8192);
    CREATE FUNCTION public.citus_version() RETURNS text RETURN 'Citus, stood in for';
    CREATE FUNCTION public.create_reference_table(table_name regclass) RETURNS void
    LANGUAGE sql BEGIN ATOMIC
        INSERT INTO public.calls (call) VALUES (format('reference %s', table_name));
        INSERT INTO public.placed_tables VALUES (table_name, 'reference');
    END;
    CREATE FUNCTION public.create_distributed_table(
        table_name regclass, distribution_column text, distribution_type text DEFAULT 'hash',
        colocate_with text DEFAULT 'default', shard_count int DEFAULT NULL
    ) RETURNS void LANGUAGE sql BEGIN ATOMIC
        INSERT INTO public.calls (call) VALUES (format(
            'distribute %s by %s with %s %s', table_name, distribution_column, colocate_with,
            shard_count
        ));
        INSERT INTO public.placed_tables VALUES (table_name, 'distributed');
    END;
    CREATE FUNCTION public.get_shard_id_for_distribution_column(
        table_name regclass, distribution_value uuid
    ) RETURNS bigint RETURN 102008;
    CREATE FUNCTION public.isolate_tenant_to_new_shard(
        table_name regclass, tenant_id uuid, cascade_option text DEFAULT ''
    ) RETURNS bigint LANGUAGE sql BEGIN ATOMIC
        INSERT INTO public.calls (call) VALUES (format('isolate %s', cascade_option));
        UPDATE public.pg_dist_shard SET shardminvalue = '4', shardmaxvalue = '4'
        RETURNING shardid;
    END;
    CREATE FUNCTION public.citus_move_shard_placement(
        shard_id bigint, source_node_name text, source_node_port int, target_node_name text,
        target_node_port int
    ) RETURNS void LANGUAGE sql BEGIN ATOMIC
        INSERT INTO public.calls (call) VALUES (format(
            'move %s from %s:%s', shard_id, source_node_name, source_node_port
        ));
        UPDATE public.citus_shards SET nodename = target_node_name, nodeport = target_node_port
        WHERE shardid = shard_id;
    END;
    CREATE FUNCTION public.citus_rebalance_start() RETURNS bigint LANGUAGE sql BEGIN ATOMIC
        INSERT INTO public.calls (call) VALUES ('rebalance') RETURNING no::bigint;
    END;
    CREATE FUNCTION public.citus_rebalance_status() RETURNS TABLE (job_id bigint, state text)
    LANGUAGE sql BEGIN ATOMIC
        SELECT no::bigint, 'finished' FROM public.calls WHERE call = 'rebalance';
    END;
    GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC;
"""


@pytest.fixture
def urls(own_database: TestDatabase) -> DatabaseUrls:
    url = own_database.application_url
    return DatabaseUrls(application=url, direct=url, owner=own_database.superuser_url)


@dataclass(frozen=True)
class Cluster:
    """A database with the functions of Citus by name."""

    urls: DatabaseUrls

    def calls(self) -> list[str]:
        with psycopg.connect(self.urls.owner) as connection:
            rows = connection.execute("SELECT call FROM public.calls ORDER BY no").fetchall()
        return [call for (call,) in rows]

    def run(self, statement: str) -> None:
        with psycopg.connect(self.urls.owner, autocommit=True) as connection:
            connection.execute(sql.SQL(statement))


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    found = await new_shelf(database)
    await found.put("Rock.")
    return found


@pytest.fixture
def cluster(urls: DatabaseUrls) -> Cluster:
    found = Cluster(urls)
    with psycopg.connect(urls.owner, autocommit=True) as connection:
        connection.execute(STAND_IN)
    return found


def test_nothing_of_the_schema_stands_in_the_way(urls: DatabaseUrls) -> None:
    assert plan_distribution(urls, SHARDS).obstacles == ()


def test_rows_that_do_not_say_who_may_see_them_stand_in_the_way(
    cluster: Cluster, shelf: Shelf
) -> None:
    cluster.run("UPDATE footnote.documents SET readers_passed_on = false")
    (obstacle,) = plan_distribution(cluster.urls, SHARDS).obstacles
    assert "1 documents have rows" in obstacle.why
    assert str(shelf.workspace.workspace_id) in obstacle.why


def test_every_table_is_distributed_or_says_why_not(urls: DatabaseUrls) -> None:
    plan = plan_distribution(urls, SHARDS)
    kinds = {table.name: table.kind for table in plan.tables}
    apart = {name for name, kind in kinds.items() if kind is not TableKind.DISTRIBUTED}
    assert {name for name in apart if not name.startswith("procrastinate_")} == {
        *REFERENCE,
        *LOCAL,
    }
    assert all(table.reason for table in plan.tables if table.name in apart)
    assert all(table.size_bytes >= 0 for table in plan.tables)
    assert plan.citus is None


def test_a_change_that_does_not_fit_is_told(urls: DatabaseUrls) -> None:
    before = Counter(plan_distribution(urls, SHARDS).obstacles)
    for change, why in CHANGES:
        with psycopg.connect(urls.owner) as connection:
            connection.execute(sql.SQL(change))
        (added,) = Counter(plan_distribution(urls, SHARDS).obstacles) - before
        assert why in added.why
        with psycopg.connect(urls.owner) as connection:
            connection.execute("DROP TABLE IF EXISTS footnote.notes")
            connection.execute("DROP INDEX IF EXISTS footnote.by_title")
            connection.execute("DROP POLICY IF EXISTS further ON footnote.lanes")
            connection.execute("DROP FUNCTION IF EXISTS footnote.further CASCADE")


def test_what_stands_in_the_way_is_refused_before_anything_runs(urls: DatabaseUrls) -> None:
    with pytest.raises(StoreUnavailable, match="no Citus"):
        distribute(urls, SHARDS, lambda _: None)
    found = Cluster(urls)
    found.run(STAND_IN)
    found.run("CREATE TABLE footnote.notes (workspace_id uuid NOT NULL)")
    with pytest.raises(Conflict, match="stand in the way"):
        distribute(urls, SHARDS, lambda _: None)
    assert found.calls() == []


def test_tables_are_distributed_after_those_they_refer_to_and_once(cluster: Cluster) -> None:
    told: list[str] = []
    planned = plan_distribution(cluster.urls, SHARDS)
    done = distribute(cluster.urls, SHARDS, told.append)
    assert tuple(told) == planned.statements == done.statements
    roles = [each.partition(" IN DATABASE ")[0] for each in told[:4]]
    assert roles == [*['ALTER ROLE "footnote_app"'] * 2, *['ALTER ROLE "footnote_owner"'] * 2]
    assert [each.partition(" SET ")[2] for each in told[:4]] == [
        "citus.propagate_set_commands = 'local'",
        "citus.enable_unsafe_triggers = 'on'",
    ] * 2
    calls = cluster.calls()
    assert f"distribute workspaces by {COLUMN} with none {SHARDS}" in calls
    assert f"distribute chunks by {COLUMN} with footnote.workspaces " in calls
    order = [call.split()[1] for call in calls]
    assert order[0] == "workspace_directory"
    referring = {"documents": "workspaces", "chunks": "documents", "fact_embeddings": "facts"}
    for later, first in referring.items():
        assert order.index(first) < order.index(later)
    assert set(order) == names_of(done, TableKind.DISTRIBUTED) | names_of(done, TableKind.REFERENCE)
    assert len(order) == len(set(order))
    again = distribute(cluster.urls, SHARDS, told.append)
    assert again.statements == ()
    assert cluster.calls() == calls


def test_what_failed_half_way_goes_on_where_it_stopped(cluster: Cluster) -> None:
    cluster.run(
        "ALTER TABLE public.placed_tables ADD CHECK (table_name <> 'footnote.chunks'::regclass)"
    )
    with pytest.raises(StoreUnavailable, match=r"footnote\.chunks.* failed"):
        distribute(cluster.urls, SHARDS, lambda _: None)
    half = cluster.calls()
    assert len(half) > 0
    assert "chunks" in distribution_status(cluster.urls, None).left
    cluster.run("ALTER TABLE public.placed_tables DROP CONSTRAINT placed_tables_table_name_check")
    distribute(cluster.urls, SHARDS, lambda _: None)
    calls = cluster.calls()
    assert calls[: len(half)] == half
    assert len(calls) == len(set(calls))
    assert distribution_status(cluster.urls, None).left == ()


def test_without_a_node_for_shards_nothing_runs(cluster: Cluster) -> None:
    cluster.run("UPDATE public.pg_dist_node SET shouldhaveshards = false")
    with pytest.raises(StoreUnavailable, match="no node of the cluster takes shards"):
        distribute(cluster.urls, SHARDS, lambda _: None)
    assert cluster.calls() == []


async def test_a_workspace_is_isolated_and_moved_once(
    cluster: Cluster, own_database: TestDatabase, database: Database
) -> None:
    acme = await create_workspace(database, "acme")
    with pytest.raises(Conflict, match="not distributed"):
        isolate_workspace(cluster.urls, "acme", run=True)
    distribute(cluster.urls, SHARDS, lambda _: None)
    before = cluster.calls()
    planned = isolate_workspace(cluster.urls, "acme", run=False)
    assert not planned.ran
    assert str(acme.workspace_id) in planned.statements[0]
    assert cluster.calls() == before
    for _ in range(2):
        isolate_workspace(cluster.urls, "acme", run=True)
        move_workspace(cluster.urls, "acme", "two:5433", run=True)
    rebalance(cluster.urls, run=True)
    assert cluster.calls()[len(before) :] == [
        "isolate CASCADE",
        "move 102008 from one:5432",
        "rebalance",
    ]
    status = distribution_status(cluster.urls, "acme")
    assert status.placement is not None
    assert status.placement.address == "two:5433"
    assert status.placement.isolated
    assert status.rebalancing == "finished"
    assert [node.address for node in status.nodes] == ["coordinator:5432", "one:5432", "two:5433"]
    with pytest.raises(InvalidRequest, match="no node"):
        move_workspace(cluster.urls, "acme", "coordinator:5432", run=True)
    with pytest.raises(NoSuchWorkspace):
        move_workspace(cluster.urls, "nobody", "two:5433", run=True)


def names_of(plan: ClusterPlan, kind: TableKind) -> set[str]:
    return {table.name for table in plan.tables if table.kind is kind}


def test_every_statement_over_tables_of_workspaces_says_which_workspace(
    urls: DatabaseUrls,
) -> None:
    distributed = names_of(plan_distribution(urls, SHARDS), TableKind.DISTRIBUTED)
    named = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO|USING)\s+(?:footnote\.)?(\w+)")
    across = set()
    for path in (files("footnote.store") / "sql").iterdir():
        pieces = re.split(r"^-- name: (\w+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
            text = re.sub(r"--.*", "", body)
            if distributed & set(named.findall(text)) and COLUMN not in text:
                across.add(f"{path.name.removesuffix('.sql')}.{name}")
    assert across == WITHIN_A_PART
