"""Requests of a caller are counted in one row, whoever counts them."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote.domain.limits import RateLimit
from footnote.store.database import Database
from footnote.store.rate_limits import take_request
from footnote.store.statements import load_statements
from tests.conftest import TestDatabase
from tests.processes import start_python
from tests.store.shelves import Shelf, new_shelf

HOURLY = RateLimit(requests=1, window_seconds=3600, burst=3)
"""No test lasts as long as it takes to make up for one."""


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    return await new_shelf(database)


async def taken(shelf: Shelf, times: int, caller: str = "key:1") -> list[bool]:
    workspace_id = shelf.workspace.workspace_id
    return [
        (await take_request(shelf.database, workspace_id, caller, HOURLY))[0] for _ in range(times)
    ]


def let_pass(database: TestDatabase, workspace_id: UUID, seconds: float) -> None:
    """As if so much time had gone by."""
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "UPDATE footnote.rate_limits SET due = due - make_interval(secs => %s) "
            "WHERE workspace_id = %s",
            [seconds, workspace_id],
        )


async def test_as_many_at_once_as_the_burst_and_then_one_a_step(
    shelf: Shelf, test_database: TestDatabase
) -> None:
    workspace_id = shelf.workspace.workspace_id
    assert await taken(shelf, 5) == [True, True, True, False, False]
    allowed, ahead = await take_request(shelf.database, workspace_id, "key:1", HOURLY)
    assert not allowed
    assert 3 * 3600 - 600 < ahead <= 3 * 3600
    let_pass(test_database, workspace_id, 3600)
    assert await taken(shelf, 2) == [True, False]
    let_pass(test_database, workspace_id, 100 * 3600)
    assert await taken(shelf, 4) == [True, True, True, False]


async def test_callers_and_workspaces_have_counts_of_their_own(
    shelf: Shelf, database: Database
) -> None:
    other = await new_shelf(database, "other")
    assert await taken(shelf, 4) == [True, True, True, False]
    assert await taken(shelf, 1, "key:2") == [True]
    assert await taken(other, 1) == [True]


async def test_a_burst_of_one_takes_one(shelf: Shelf) -> None:
    one = replace(HOURLY, burst=1)
    results = [
        await take_request(shelf.database, shelf.workspace.workspace_id, "key:1", one)
        for _ in range(2)
    ]
    assert [allowed for allowed, _ in results] == [True, False]


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None
)
@given(pauses=st.lists(st.integers(0, 9), min_size=1, max_size=8), burst=st.integers(1, 4))
def test_requests_are_taken_as_by_a_bucket_that_drains(
    pauses: list[int], burst: int, test_database: TestDatabase
) -> None:
    """A leaky bucket over whole and half steps, by a clock that is turned."""
    limit = RateLimit(requests=1, window_seconds=36_000, burst=burst)
    level, expected, found = 0.0, [], []
    with psycopg.connect(test_database.application_url, autocommit=False) as connection:
        statement = load_statements("rate_limits")["take"]
        connection.execute("SET search_path = footnote, public")
        made = connection.execute(
            "SELECT workspace_id FROM create_workspace(%s, gen_random_uuid(), %s)",
            [f"bucket-{id(pauses)}-{burst}", bytes(32)],
        ).fetchone()
        assert made is not None
        connection.execute("SELECT set_config('footnote.workspace_id', %s, true)", [str(made[0])])
        for pause in pauses:
            # Thirds, so that no decision is near its border.
            passed = pause / 3 + 0.1
            connection.execute(
                "UPDATE rate_limits SET due = due - make_interval(secs => %s)", [passed * 36_000]
            )
            level = max(0.0, level - passed)
            expected.append(level + 1 <= burst)
            level += expected[-1]
            row = connection.execute(
                statement,
                {
                    "workspace_id": made[0],
                    "caller": "key:1",
                    "step": limit.step_seconds,
                    "burst": burst,
                },
            ).fetchone()
            assert row is not None
            found.append(row[0])
        connection.rollback()
    assert found == expected


TAKES = """
import asyncio, sys
from uuid import UUID
from footnote.domain.limits import RateLimit
from footnote.store.pools import open_database
from footnote.store.rate_limits import take_request

async def main() -> None:
    database = await open_database(sys.argv[1], 4, 30)
    limit = RateLimit(requests=1, window_seconds=36_000, burst=50)
    print("ready", flush=True)
    sys.stdin.readline()
    taken = await asyncio.gather(
        *(take_request(database, UUID(sys.argv[2]), "key:1", limit) for _ in range(40))
    )
    print(sum(allowed for allowed, _ in taken), flush=True)
    await database.pool.close()

asyncio.run(main())
"""


async def test_several_processes_take_no_more_than_one_would(
    shelf: Shelf, test_database: TestDatabase
) -> None:
    children = [
        await start_python(
            *("-c", TAKES, test_database.application_url, str(shelf.workspace.workspace_id)),
            env={"PYTHONPATH": ":".join(sys.path)},
            stdin=PIPE,
            stdout=PIPE,
        )
        for _ in range(3)
    ]
    try:
        for child in children:
            assert child.stdout is not None
            assert await child.stdout.readline() == b"ready\n"
        told = await asyncio.gather(*(child.communicate(b"go\n") for child in children))
    finally:
        for child in children:
            if child.returncode is None:
                child.kill()
    assert sum(int(out) for out, _ in told) == 50
