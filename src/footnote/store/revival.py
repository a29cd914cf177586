"""Starts the embedded Postgres again when it dies while this process uses it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

import psycopg
import structlog

from footnote.errors import StoreUnavailable
from footnote.store.embedded import APPLICATION_ROLE, EmbeddedPostgres

_log = structlog.get_logger(__name__)

_PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class KeptPostgres:
    """A server in use, and the task that watches over it."""

    server: EmbeddedPostgres
    watch: asyncio.Task[None]

    async def release(self) -> None:
        """Stop watching, stop using the server, and stop it if we were its last user."""
        self.watch.cancel()
        await asyncio.wait([self.watch])
        await asyncio.to_thread(self.server.release)


def keep(server: EmbeddedPostgres) -> KeptPostgres:
    """Watch over a server from the running event loop."""
    return KeptPostgres(server, asyncio.create_task(_watch(server)))


async def _watch(server: EmbeddedPostgres) -> None:
    while True:
        await _until_it_is_gone(server)
        try:
            if await asyncio.to_thread(server.revive):
                _log.warning("the embedded Postgres died and was started again")
                continue
        except (StoreUnavailable, psycopg.Error, OSError) as error:
            reason = str(error).strip()
            _log.error("the embedded Postgres died and does not start", reason=reason)
        await asyncio.sleep(_PAUSE_SECONDS)


async def _until_it_is_gone(server: EmbeddedPostgres) -> None:
    """Hold a connection and wait for its end, which is told at once and costs nothing."""
    with suppress(psycopg.OperationalError):
        url = server.url(APPLICATION_ROLE)
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            async for _ in connection.notifies():
                continue
