"""A worker's own connection, whose advisory lock shows the server that its process is alive."""

from __future__ import annotations

import asyncio

import psycopg
from psycopg.rows import dict_row

from footnote.store.database import Connection
from footnote.store.pools import configure_for_queue
from footnote.store.statements import load_statements

PRESENCE = 1_869_901_171
"""First key of the workers' advisory locks; the worker's id is the second."""
_SQL = load_statements("queue")

_ANSWER_SECONDS = 30.0
"""After so long without an answer, the connection is replaced."""


class Presence:
    """Holds an advisory lock while the process lives, and sends its heartbeats.

    A process that gets no processor time sends its heartbeat late, but keeps the lock.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None

    async def beat(self, worker_id: int) -> None:
        """Record a heartbeat, over a new connection if the last was lost.

        Raises psycopg.Error, and TimeoutError when the server does not answer.
        """
        parameters = {"presence": PRESENCE, "worker_id": worker_id}
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                if self._connection is None:
                    self._connection = await psycopg.AsyncConnection.connect(
                        self._url, row_factory=dict_row
                    )
                    await configure_for_queue(self._connection)
                    await self._connection.execute(_SQL["hold_presence"], parameters)
                await self._connection.execute(_SQL["beat"], parameters)
        except psycopg.errors.DiskFull:
            raise  # The lock is held nevertheless.
        except BaseException:
            await self.end()
            raise

    async def end(self) -> None:
        """Release the lock by closing the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
