"""Whether the database can be reached is told soon, and with the true reason."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from footnote.errors import StoreUnavailable
from footnote.store.database import Database
from footnote.store.embedded import APPLICATION_ROLE, OWNER_ROLE, EmbeddedPostgres, start_embedded
from footnote.store.migrate import migrate
from footnote.store.pools import open_database
from tests.folders import server_home


@pytest.fixture
def server() -> Iterator[EmbeddedPostgres]:
    """A server of the test's own."""
    with server_home() as home:
        server = start_embedded(home)
        try:
            yield server
        finally:
            server.release()


async def test_a_server_that_is_gone_is_named_and_not_the_pool(server: EmbeddedPostgres) -> None:
    migrate(server.url(OWNER_ROLE))
    database = await open_database(server.url(APPLICATION_ROLE), 1, 30)
    try:
        await database.reach()
        server.release()
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            await database.reach()
    finally:
        await database.pool.close()


@pytest.mark.usefixtures("own_database")
async def test_a_server_that_says_nothing_is_not_waited_for(database: Database) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        database.pool.conninfo = f"postgresql://x@127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(StoreUnavailable, match="no answer within 2 seconds"):
            await database.reach()


async def test_a_busy_pool_is_not_a_server_that_is_gone(database: Database) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(database.pool.max_size):
            await stack.enter_async_context(database.outside())
        await database.reach()
