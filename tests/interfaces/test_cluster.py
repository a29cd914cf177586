"""`footnote cluster` shows the plan, what stands in the way, and what a cluster lacks."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg

from footnote.settings import Settings
from tests.conftest import TestDatabase
from tests.interfaces.serving import environment, footnote


async def test_the_plan_is_shown_and_refused_while_something_stands_in_the_way(
    own_database: TestDatabase, tmp_path: Path
) -> None:
    env = environment(
        Settings(
            home=tmp_path / "home",
            database_url=own_database.application_url,
            owner_database_url=own_database.owner_url,
        )
    )
    planned = await footnote(env, "cluster", "plan", "--json")
    assert planned.code == 0
    plan = json.loads(planned.out)
    assert plan["citus"] is None
    assert not plan["ran"]
    assert {table["kind"] for table in plan["tables"]} == {"distributed", "reference", "local"}
    assert plan["obstacles"] == []
    assert any("colocate_with" in statement for statement in plan["statements"])
    with psycopg.connect(own_database.owner_url) as connection:
        connection.execute("CREATE TABLE footnote.notes (workspace_id uuid NOT NULL)")
    shown = await footnote(env, "cluster", "apply")
    assert shown.code == 1
    assert "stand in the way; see docs/cluster.md" in shown.out
    assert "The database has no Citus." in shown.out
    for command in (
        ("apply", "--run"),
        ("status",),
        ("isolate", "acme"),
        ("move", "acme", "--to", "one:5432"),
        ("rebalance",),
    ):
        refused = await footnote(env, "cluster", *command)
        assert refused.code > 1
        assert "has no Citus" in refused.err
