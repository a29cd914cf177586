"""Connections whose statements and transactions end cleanly when the waiting task is cancelled.

A cancelled task may be cancelled again at each step, as tasks of a stream are after the reader has
disconnected. The code that then ends a statement or a transaction must not be interrupted, or the
connection would return to the pool in the middle of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from types import TracebackType
from typing import TypeVar

import psycopg
from psycopg import waiting
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow

Done = TypeVar("Done")
Entered = TypeVar("Entered")

_WAIT_INTERVAL = 0.1
"""Poll interval for signals, as in psycopg, in seconds."""
_END_SECONDS = 5.0
"""Seconds for the server to end a cancelled statement; after that the connection is closed."""


async def uninterrupted(work: Coroutine[object, object, Done]) -> Done:
    """Await work to its end, however often the caller is cancelled; return its result.

    Raises CancelledError afterwards if the caller was cancelled.
    """
    task = asyncio.ensure_future(work)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        task.exception()  # Mark it as retrieved; the cancellation takes precedence.
        raise cancellation
    return task.result()


class _Pipeline(psycopg.AsyncPipeline):
    """A pipeline whose last message is the Sync that ends it.

    psycopg sends a Flush after it, unless all results have arrived. If the Sync has been answered,
    PgBouncer takes the Flush as the start of another transaction: it assigns a server connection,
    which has nothing to answer and so is never released.
    """

    def _fetch_gen(self, *, flush: bool) -> PQGen[None]:
        synced = bool(self.result_queue) and self.result_queue[-1] is None
        return super()._fetch_gen(flush=flush and not synced)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the pipeline, without psycopg's warning after an integrity error.

        psycopg warns that later statements are aborted, also where the error is expected.
        """
        if not isinstance(error, psycopg.IntegrityError):
            await super().__aexit__(kind, error, trace)
            return
        with suppress(psycopg.errors.PipelineAborted):
            await super().__aexit__(None, None, None)


class PooledConnection(psycopg.AsyncConnection[DictRow]):
    """A connection that ends a cancelled statement on the server before the caller continues."""

    @asynccontextmanager
    async def pipeline(self) -> AsyncIterator[psycopg.AsyncPipeline]:
        """Enter pipeline mode as psycopg does, but for the messages at its end."""
        if self._pipeline is None:
            self._pipeline = _Pipeline(self)
        async with super().pipeline() as pipeline:
            yield pipeline

    async def wait(
        self,
        gen: PQGen[Done],
        interval: float = _WAIT_INTERVAL,
        timeout: float | None = None,  # noqa: ASYNC109  # psycopg gives it
    ) -> Done:
        """Wait for a statement as psycopg does, but end it on the server after a cancellation."""
        try:
            return await waiting.wait_async(
                gen, self.pgconn.socket, interval=interval, timeout=timeout
            )
        except asyncio.CancelledError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                await uninterrupted(self._end_statement(gen))
            raise

    async def _end_statement(self, gen: PQGen[Done]) -> None:
        """Cancel the statement on the server, and read its remaining results."""
        try:
            await self.cancel_safe(timeout=_END_SECONDS)
            await waiting.wait_async(
                gen, self.pgconn.socket, interval=_WAIT_INTERVAL, timeout=_END_SECONDS
            )
        except psycopg.errors.QueryCanceled:
            pass  # As requested.
        except psycopg.Error:
            # A late result would be taken for that of the next statement.
            self.pgconn.finish()


class ended_cleanly(AbstractAsyncContextManager[Entered]):  # noqa: N801  # it is used as a function
    """A context manager whose exit runs to its end even if the task is cancelled again."""

    def __init__(self, context: AbstractAsyncContextManager[Entered]) -> None:
        self._context = context

    async def __aenter__(self) -> Entered:
        """Enter it."""
        return await self._context.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        """Exit the context; after a cancellation, without further interruption."""
        if error is None or isinstance(error, Exception):
            return await self._context.__aexit__(kind, error, traceback)
        return await uninterrupted(self._exit(kind, error, traceback))

    async def _exit(
        self,
        kind: type[BaseException] | None,
        error: BaseException,
        traceback: TracebackType | None,
    ) -> bool | None:
        return await self._context.__aexit__(kind, error, traceback)
