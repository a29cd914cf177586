"""Requests that are left half-way leave the pool as it was, and nothing in the log."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from uuid import uuid4

import anyio
import pytest

from footnote.domain import Principal
from footnote.store.database import Database

ANN = Principal(principal_id="ann")


async def asks(database: Database, begun: asyncio.Event, *, snapshot: bool, last: str) -> None:
    """Wait in a transaction for what takes far longer than anybody stays."""
    workspace = database.snapshot if snapshot else database.workspace
    async with workspace(uuid4(), ANN) as scope:
        begun.set()
        cursor = await scope.execute("SELECT pg_sleep(60), %(last)s::text", {"last": last})
        await cursor.fetchone()


async def under_way(database: Database) -> int:
    """How many sessions are at that statement."""
    async with database.outside() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS found FROM pg_stat_activity WHERE state = 'active' "
            "AND pid <> pg_backend_pid() AND query LIKE %(like)s",
            {"like": "SELECT pg_sleep(60)%"},
        )
        row = await cursor.fetchone()
    assert row is not None
    return int(row["found"])


@pytest.mark.parametrize("snapshot", [False, True])
@pytest.mark.parametrize("again_and_again", [False, True])
async def test_a_connection_comes_back_clean_when_its_reader_leaves(
    own_pool: Database,
    caplog: pytest.LogCaptureFixture,
    snapshot: bool,
    again_and_again: bool,
) -> None:
    caplog.set_level(logging.WARNING)
    before = own_pool.pool.get_stats().get("connections_num", 0)
    for number in range(6):
        begun = asyncio.Event()
        asking = partial(asks, own_pool, begun, snapshot=snapshot, last=str(number))
        if again_and_again:
            # The scopes of streams cancel their tasks at each step until they are gone.
            async with anyio.create_task_group() as group:
                group.start_soon(asking)
                await begun.wait()
                await sleeping(own_pool)
                group.cancel_scope.cancel()
        else:
            task = asyncio.create_task(asking())
            await begun.wait()
            await sleeping(own_pool)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        async with own_pool.outside() as connection:
            cursor = await connection.execute("SELECT 1 AS one")
            assert (await cursor.fetchone()) == {"one": 1}
    assert await under_way(own_pool) == 0
    stats = own_pool.pool.get_stats()
    assert stats.get("returns_bad", 0) == 0
    assert stats.get("connections_lost", 0) == 0
    assert stats.get("connections_num", 0) - before <= 1  # a second one for those who look
    assert [each.getMessage() for each in caplog.records] == []


async def sleeping(database: Database) -> None:
    """Return once the server is at the statement."""
    while not await under_way(database):
        pass  # It was asked over another connection, which takes its time.


async def test_a_connection_whose_pipeline_was_not_left_is_not_used_again(
    own_pool: Database,
) -> None:
    for _ in range(own_pool.pool.max_size):
        async with own_pool.snapshot(uuid4(), ANN) as scope:
            pipeline = scope.connection.pipeline()
            await pipeline.__aenter__()
    for _ in range(own_pool.pool.max_size):
        async with own_pool.outside() as connection:
            cursor = await connection.execute("SELECT 3 AS three")
            assert await cursor.fetchone() == {"three": 3}
