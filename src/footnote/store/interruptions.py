"""Connections whose statements and transactions end cleanly, also when whoever waits is cancelled.

A cancelled task may be cancelled again at each of its steps, as the tasks of a stream are whose
reader has left. What then ends a statement or a transaction must not be interrupted itself: the
connection would go back to the pool in the middle of it.
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
"""As psycopg has it: seconds between looks for other interruptions."""
_END_SECONDS = 5.0
"""That the server has to end a statement; then its connection is closed instead."""


async def uninterrupted(work: Coroutine[object, object, Done]) -> Done:
    """The result of the work, which goes on to its end however often its caller is cancelled.

    Raises CancelledError after it if the caller was.
    """
    working = asyncio.ensure_future(work)
    interrupted: asyncio.CancelledError | None = None
    while not working.done():
        try:
            await asyncio.wait({working})
        except asyncio.CancelledError as error:
            interrupted = error
    if interrupted is not None:
        working.exception()  # It is seen, and gives way to the cancellation.
        raise interrupted
    return working.result()


class _Pipeline(psycopg.AsyncPipeline):
    """A pipeline whose last message is the Sync that ends it.

    psycopg has a Flush follow it, unless all answers are there by then. To PgBouncer, where the
    Sync has been answered, that is the beginning of another transaction: it gives the idle
    connection one to the server, which has nothing to answer, and so never gets it back.
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
        """End it, and after a row that was refused say no more than that.

        psycopg warns that what was sent behind it is aborted, also where the refusal is expected.
        """
        if not isinstance(error, psycopg.IntegrityError):
            await super().__aexit__(kind, error, trace)
            return
        with suppress(psycopg.errors.PipelineAborted):
            await super().__aexit__(None, None, None)


class PooledConnection(psycopg.AsyncConnection[DictRow]):
    """A connection whose statement is ended at the server before a cancelled caller goes on."""

    @asynccontextmanager
    async def pipeline(self) -> AsyncIterator[psycopg.AsyncPipeline]:
        """Enter pipeline mode, as psycopg does but for what is sent at its end."""
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
        """Wait for a statement, as psycopg does but for what happens to it after a cancellation."""
        try:
            return await waiting.wait_async(
                gen, self.pgconn.socket, interval=interval, timeout=timeout
            )
        except asyncio.CancelledError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                await uninterrupted(self._end_statement(gen))
            raise

    async def _end_statement(self, gen: PQGen[Done]) -> None:
        """Have the server end the statement, and read what it says of that."""
        try:
            await self.cancel_safe(timeout=_END_SECONDS)
            await waiting.wait_async(
                gen, self.pgconn.socket, interval=_WAIT_INTERVAL, timeout=_END_SECONDS
            )
        except psycopg.errors.QueryCanceled:
            pass  # As was wanted.
        except psycopg.Error:
            # What it still has to say would be taken for the answer to the next statement.
            self.pgconn.finish()


class ended_cleanly(AbstractAsyncContextManager[Entered]):  # noqa: N801  # it is used as a function
    """A context that is left to its end even when its block was cancelled and still is."""

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
        """Leave it, uninterrupted unless the block ended by itself."""
        if error is None or isinstance(error, Exception):
            return await self._context.__aexit__(kind, error, traceback)
        return await uninterrupted(self._left(kind, error, traceback))

    async def _left(
        self,
        kind: type[BaseException] | None,
        error: BaseException,
        traceback: TracebackType | None,
    ) -> bool | None:
        return await self._context.__aexit__(kind, error, traceback)
