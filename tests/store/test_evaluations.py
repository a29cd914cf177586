"""Evaluation runs are found by an index, and all but the newest go."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest

from footnote.store.database import SYSTEM, Database
from footnote.store.evaluations import get_run, list_runs, remove_run, store_run
from tests.conftest import TestDatabase
from tests.evaluation.factories import a_new_run, an_outcome
from tests.store.plans import faults_of
from tests.store.shelves import new_shelf

pytestmark = pytest.mark.usefixtures("own_database")


async def test_runs_are_read_from_their_index(
    database: Database, test_database: TestDatabase
) -> None:
    shelf = await new_shelf(database, "much-measured")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO workspaces (workspace_id, name, lexical_key)
            SELECT md5(number::text)::uuid, 'other-' || number, sha256(number::text::bytea)
            FROM generate_series(1, 50) AS number
            """
        )
        connection.execute(
            """
            INSERT INTO evaluation_runs (
                workspace_id, run_id, golden_name, golden, setup, k, questions, figures, outcomes,
                kept_by, kept_at
            )
            SELECT workspace_id, gen_random_uuid(), '', '', '', 10, 1, '{}', '[]', 'ann',
                now() - interval '1 day' * number
            FROM workspaces, generate_series(1, 200) AS number
            """
        )
        connection.execute("VACUUM ANALYZE")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        faults = []
        for name, index in (
            ("runs", "evaluation_runs_recent"),
            # All of the workspace's few hundred, by either index.
            ("trim", "evaluation_runs_"),
            ("run", "evaluation_runs_pkey"),
            ("remove", "evaluation_runs_pkey"),
        ):
            given = {"limit": 9, "kept": 9, "run_id": uuid4()}
            faults += await faults_of(scope, ("evaluations", name, index), given)
    assert faults == []


async def test_what_was_started_is_read_from_its_index(
    database: Database, test_database: TestDatabase
) -> None:
    shelf = await new_shelf(database, "much-started")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO workspaces (workspace_id, name, lexical_key)
            SELECT md5(number::text)::uuid, 'other-' || number, sha256(number::text::bytea)
            FROM generate_series(1, 500) AS number
            """
        )
        connection.execute(
            """
            INSERT INTO started_evaluations (
                workspace_id, run_id, golden_name, golden, lines, k, questions, state, started_by,
                starter_groups, starter_collections, started_at
            )
            SELECT workspace_id, gen_random_uuid(), '', '', '', 10, 1, 'done', 'ann', '{}', '{}',
                now() - interval '1 day' * number
            FROM workspaces, generate_series(1, 20) AS number
            """
        )
        connection.execute(
            """
            INSERT INTO started_outcomes (workspace_id, run_id, question_no, outcome)
            SELECT workspace_id, run_id, number, '{}'
            FROM started_evaluations, generate_series(1, 5) AS number
            """
        )
        connection.execute("VACUUM ANALYZE")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        faults = []
        for name, index in (
            ("list", "started_evaluations_recent"),
            # All of the workspace's few, by any index that begins with it.
            ("lines_of", "started_evaluations_"),
            ("trim", "started_evaluations_"),
            *((each, "started_evaluations_") for each in ("get", "take_up", "go_on", "end")),
            *((each, "started_outcomes_pkey") for each in ("outcomes", "forget_outcomes")),
        ):
            given = {
                **{"limit": 9, "kept": 9, "run_id": uuid4(), "golden": "", "cost_usd": 0.0},
                **{"state": "done", "failure": None},
            }
            faults += await faults_of(scope, ("started_evaluations", name, index), given)
    assert faults == []


async def test_the_newest_are_kept_in_their_order(database: Database) -> None:
    shelf = await new_shelf(database, "measured")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        made = [await store_run(scope, a_new_run(f"{number}.jsonl"), 3) for number in range(5)]
        assert await list_runs(scope, 10) == tuple(reversed(made[2:]))
        assert await list_runs(scope, 1) == (made[4],)
        assert await get_run(scope, made[0].run_id) is None
        assert await remove_run(scope, made[4].run_id)
        assert not await remove_run(scope, made[4].run_id)
        assert await list_runs(scope, 10) == (made[3], made[2])


async def test_a_run_comes_back_as_it_was_kept(database: Database) -> None:
    shelf = await new_shelf(database, "measured-once")
    outcomes = (an_outcome("q1", ndcg=0.5, right=1.0), an_outcome("q2", "refused"))
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        run = a_new_run("golden.jsonl", *outcomes)
        kept = await store_run(scope, run, 3)
        found = await get_run(scope, kept.run_id)
    assert found is not None
    assert (found.run, found.outcomes) == (kept, outcomes)
    assert (kept.questions, kept.figures) == (2, run.figures)
