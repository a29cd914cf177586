"""The queue gives a worker its next job by its indexes, however much waits."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from footnote.domain import LOCAL_PRINCIPAL
from footnote.store.database import Database
from footnote.store.embedded import EmbeddedPostgres
from footnote.store.queue import (
    INGEST_QUEUE,
    QUEUE_STATE,
    SET_ASIDE_QUEUE,
    TAKE_TURN,
    queue_state,
)
from tests.conftest import TestDatabase, fresh_database
from tests.store.plans import plan_of, whole_reads
from tests.store.shelves import new_shelf

JOBS = 20_000
WORKSPACES = 20


@pytest.fixture(scope="module")
def filled(postgres: EmbeddedPostgres) -> Iterator[TestDatabase]:
    """What each test has a copy of."""
    with fresh_database(postgres) as made:
        fill_queue(made)
        yield made


@pytest.fixture
def own_database(postgres: EmbeddedPostgres, filled: TestDatabase) -> Iterator[TestDatabase]:
    with fresh_database(postgres, template=filled.name) as made:
        yield made


def fill_queue(test_database: TestDatabase) -> None:
    """Jobs of many workspaces that wait, and as many that are done."""
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        for status in ("todo", "succeeded"):
            connection.execute(
                """
                INSERT INTO procrastinate_jobs (queue_name, task_name, lock, args, status)
                SELECT %(queue)s, 'ingest_document', %(status)s || number,
                    jsonb_build_object('workspace_id', 'workspace-' || number %% %(workspaces)s),
                    %(status)s::procrastinate_job_status
                FROM generate_series(1, %(jobs)s) AS number
                """,
                {
                    "queue": INGEST_QUEUE,
                    "status": status,
                    "workspaces": WORKSPACES,
                    "jobs": JOBS,
                },
            )
        connection.execute("VACUUM ANALYZE")


@pytest.mark.parametrize("room", ["any", "newcomers"])
@pytest.mark.parametrize("queues", [None, [INGEST_QUEUE]], ids=["every queue", "one queue"])
@pytest.mark.usefixtures("own_database")
async def test_the_next_job_is_taken_by_the_indexes_of_the_queue(
    database: Database, room: str, queues: list[str] | None
) -> None:
    shelf = await new_shelf(database)
    parameters: dict[str, object] = {
        "queues": queues,
        "worker_id": 1,
        "workspaces": ["workspace-1"],
        "documents": [2],
        "room": room,
        "ingest": INGEST_QUEUE,
        "set_aside": SET_ASIDE_QUEUE,
    }
    async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        plan = await plan_of(scope, sql.SQL(TAKE_TURN), parameters)
    assert '"procrastinate_jobs_turns"' in plan
    assert '"procrastinate_jobs_waiting"' in plan, "what waits under a lock is found by it"
    assert '"procrastinate_jobs_lock_idx_v1"' in plan, "and so is what is worked on"
    assert whole_reads(plan) == set()


@pytest.mark.usefixtures("own_database")
async def test_the_queues_are_counted_without_what_is_done(
    database: Database, test_database: TestDatabase
) -> None:
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        # Done jobs stay for a while; there are far more of them than of those that wait.
        connection.execute(
            "UPDATE footnote.procrastinate_jobs SET status = 'succeeded' WHERE id % 100 > 0"
        )
        connection.execute("VACUUM ANALYZE footnote.procrastinate_jobs")
    states = {each.queue: each for each in queue_state(test_database.application_url)}
    assert set(states) == {INGEST_QUEUE, SET_ASIDE_QUEUE, "maintenance", "webhooks"}
    assert states[INGEST_QUEUE].waiting == JOBS // 100
    assert states[INGEST_QUEUE].oldest_seconds > 0
    assert (states["webhooks"].waiting, states["webhooks"].oldest_seconds) == (0, 0)
    shelf = await new_shelf(database)
    async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        plan = await plan_of(scope, sql.SQL(QUEUE_STATE), {"queues": [INGEST_QUEUE]})
    assert "procrastinate_jobs" not in whole_reads(plan)
