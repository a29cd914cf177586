"""A worker's connection of its own, by which the server knows that its process lives."""

from __future__ import annotations

import asyncio

import psycopg
from psycopg.rows import dict_row

from footnote.store.database import Connection
from footnote.store.pools import configure_for_queue
from footnote.store.statements import load_statements

PRESENCE = 1_869_901_171
"""The first number of the advisory locks of workers; their own number is the second."""
_SQL = load_statements("queue")

_ANSWER_SECONDS = 30.0
"""A server that says nothing for so long is asked over another connection."""


class Presence:
    """Holds a lock for as long as the process lives, and sends the heartbeats over it.

    A heartbeat comes late from a process that gets no processor time; the lock does not go.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None

    async def beat(self, worker_id: int) -> None:
        """Say that the worker lives, over a new connection where the last was lost.

        Raises psycopg.Error, and TimeoutError when the server says nothing.
        """
        about = {"presence": PRESENCE, "worker_id": worker_id}
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                if self._connection is None:
                    self._connection = await psycopg.AsyncConnection.connect(
                        self._url, row_factory=dict_row
                    )
                    await configure_for_queue(self._connection)
                    await self._connection.execute(_SQL["hold_presence"], about)
                await self._connection.execute(_SQL["beat"], about)
        except psycopg.errors.DiskFull:
            raise  # The lock is held nevertheless.
        except BaseException:
            await self.end()
            raise

    async def end(self) -> None:
        """Hold it no longer."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
