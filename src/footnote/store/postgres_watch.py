"""Watch an embedded Postgres, and restart it when it dies."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

import psycopg
import structlog

from footnote.errors import StoreUnavailable
from footnote.store.embedded import APPLICATION_ROLE, EmbeddedPostgres

STARTER = "footnote-postgres"
"""Name prefix of the threads that start the server, which inherits the thread's priority."""
_RESTART_PAUSE_SECONDS = 1.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WatchedPostgres:
    """A server in use, and the task that watches it."""

    server: EmbeddedPostgres
    starter: ThreadPoolExecutor
    watch: asyncio.Task[None]

    def leave_to_others(self) -> None:
        """Stop watching: the process that started this one watches, with its own priority."""
        self.watch.cancel()

    async def release(self) -> None:
        """Stop watching, stop using the server, and stop it if we were its last user."""
        self.watch.cancel()
        await asyncio.wait([self.watch])
        self.starter.shutdown(wait=False)
        await asyncio.to_thread(self.server.release)


def watch_server(server: EmbeddedPostgres) -> WatchedPostgres:
    """Watch a server from the running event loop.

    It is restarted with the priority that this process has now, whatever it is later, since a
    process that has lowered its priority may not raise it again.
    """
    starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix=STARTER)
    starter.submit(int)  # A first task starts the thread, which keeps the current priority.
    return WatchedPostgres(server, starter, asyncio.create_task(_watch(server, starter)))


async def _watch(server: EmbeddedPostgres, starter: ThreadPoolExecutor) -> None:
    while True:
        await _wait_for_exit(server)
        try:
            if await asyncio.get_running_loop().run_in_executor(starter, server.revive):
                _log.warning("the embedded Postgres died and was started again")
                continue
        except (StoreUnavailable, psycopg.Error, OSError) as error:
            reason = str(error).strip()
            _log.error("the embedded Postgres died and does not start", reason=reason)
        await asyncio.sleep(_RESTART_PAUSE_SECONDS)


async def _wait_for_exit(server: EmbeddedPostgres) -> None:
    """Hold a connection until it breaks, which is noticed at once and costs nothing."""
    with suppress(psycopg.OperationalError):
        url = server.url(APPLICATION_ROLE)
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            async for _ in connection.notifies():
                continue
