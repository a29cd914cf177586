"""Events come in order and none is missed, and no workspace waits for what another writes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import psycopg
import pytest

from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.events import BEGINNING, current_cursor, events_after
from tests.store.shelves import Shelf, new_shelf

WRITERS = 6
CHANGES = 25


@asynccontextmanager
async def scope_of(shelf: Shelf) -> AsyncIterator[WorkspaceScope]:
    async with shelf.database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        yield scope


async def change(scope: WorkspaceScope, document_id: UUID, stage: str) -> None:
    """Change a document in a way that is told of."""
    parameters = {"document_id": document_id, "stage": stage}
    await scope.execute(
        "UPDATE documents SET stage = %(stage)s WHERE workspace_id = %(workspace_id)s"
        " AND document_id = %(document_id)s",
        parameters,
    )


async def told(shelf: Shelf) -> list[UUID]:
    """The documents of all events that are shown, in order."""
    async with scope_of(shelf) as scope:
        return [each.document_id for each in await events_after(scope, BEGINNING, None, 1000)]


async def test_what_another_workspace_tells_in_a_long_transaction_delays_nothing(
    database: Database,
) -> None:
    busy, quiet = await new_shelf(database, "busy"), await new_shelf(database, "quiet")
    long = await busy.put("a ledger")
    async with scope_of(busy) as scope:
        await change(scope, long, "parse")
        short = await quiet.put("a buoy")
        assert await told(quiet) == [short, short]
    assert (await told(busy)).count(long) == 3


async def test_a_transaction_of_the_workspace_delays_events_only_once_it_tells_one(
    database: Database,
) -> None:
    shelf = await new_shelf(database)
    long = await shelf.put("a ledger")
    async with scope_of(shelf) as scope:
        await scope.execute("UPDATE documents SET tags = '{long}'")
        first = await shelf.put("a buoy")
        assert await told(shelf) == [long, long, first, first]
        await change(scope, long, "parse")
        second = await shelf.put("an anchor")
        assert await told(shelf) == [long, long, first, first]
        async with scope_of(shelf) as other:
            now = await current_cursor(other)
    assert await told(shelf) == [long, long, first, first, long, second, second]
    async with scope_of(shelf) as scope:
        after = await events_after(scope, now, None, 10)
    assert [each.document_id for each in after] == [long, second, second]


@pytest.mark.parametrize("seed", range(2))
async def test_whoever_reads_on_misses_nothing_and_hears_nothing_twice(
    database: Database, seed: int
) -> None:
    drawn = random.Random(seed)
    shelf = await new_shelf(database)
    documents = [await shelf.put(f"buoy {number}") for number in range(WRITERS)]
    async with scope_of(shelf) as scope:
        cursor = await current_cursor(scope)
    done = asyncio.Event()
    heard: list[int] = []

    async def write(document_id: UUID) -> None:
        for number in range(CHANGES):
            async with scope_of(shelf) as scope:
                for part in range(drawn.randrange(1, 3)):
                    await change(scope, document_id, f"stage {number} {part}")
                    await asyncio.sleep(drawn.choice([0, 0, 0.002, 0.01]))  # amid a transaction
                if drawn.random() < 0.2:
                    await scope.execute("SAVEPOINT unwanted")
                    await change(scope, document_id, "unwanted")
                    await scope.execute("ROLLBACK TO unwanted")
                if drawn.random() < 0.2:
                    raise psycopg.Rollback

    async def read() -> None:
        nonlocal cursor
        last = False
        while not last:
            last = done.is_set()
            async with scope_of(shelf) as scope:
                for event in await events_after(scope, cursor, None, 500):
                    heard.append(event.cursor.event_no)
                    cursor = event.cursor

    async with asyncio.timeout(600):
        reading = asyncio.create_task(read())
        try:
            await asyncio.gather(*map(write, documents))
        finally:
            done.set()
            await reading
    async with scope_of(shelf) as scope:
        rows = await scope.all(
            "SELECT event_no FROM events WHERE body ->> 'stage' LIKE 'stage %%' ORDER BY event_no",
            {},
        )
    assert heard == [row["event_no"] for row in rows]
