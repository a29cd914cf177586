"""Open the engine while the server already answers, and close it at the end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field

import structlog

from footnote.domain import Check, Health
from footnote.engine import Engine, open_engine
from footnote.errors import FootnoteError, NotReady
from footnote.settings import Settings

OpenEngine = Callable[[Settings], Awaitable[Engine]]


def stop_this_process(_: FootnoteError) -> None:
    """Ask whatever serves the app to end, as an operator would."""
    signal.raise_signal(signal.SIGTERM)


@dataclass(slots=True)
class Lifecycle:
    """The engine of one app: opening, open, or unable to open."""

    settings: Settings
    on_failure: Callable[[FootnoteError], None] = stop_this_process
    on_ready: Callable[[], None] = lambda: None
    beside: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    """A context in which the server runs; it ends before the engine is closed."""
    opens_first: bool = False
    """Whether the server takes no connection before the engine is open: another one does."""
    open_engine: OpenEngine = open_engine
    failure: FootnoteError | None = None
    ending: bool = False
    """Whether the server was told to end."""
    _engine: Engine | None = field(default=None)

    @property
    def engine(self) -> Engine:
        """The open engine. Raises NotReady until there is one."""
        if self._engine is not None:
            return self._engine
        if self.failure is not None:
            raise NotReady(f"Footnote could not start: {self.failure}", hint=self.failure.hint)
        raise NotReady(
            "Footnote is starting: its database and models are not ready yet.",
            hint="Ask GET /health until it answers 200.",
        )

    def begin_to_end(self) -> None:
        """End the streams of events, which would stay open as long as their readers."""
        self.ending = True
        if self._engine is not None:
            self._engine.listener.end()

    async def health(self) -> Health:
        """The health of the engine, or why there is none; never raises."""
        try:
            return await self.engine.health()
        except FootnoteError as error:
            check = Check(name="engine", ok=False, detail=str(error), hint=error.hint)
            return Health(ready=False, checks=(check,))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open the engine in the background; close it at the end."""
        opening = asyncio.create_task(self._open())
        try:
            async with self.beside():
                if self.opens_first:
                    await opening
                yield
        finally:
            opening.cancel()
            with suppress(asyncio.CancelledError):
                await opening
            if self._engine is not None:
                await self._engine.close()

    async def _open(self) -> None:
        log = structlog.get_logger(__name__)
        try:
            self._engine = await self.open_engine(self.settings)
        except FootnoteError as error:
            self.failure = error
        except Exception as error:
            log.exception("opening the engine failed")
            self.failure = FootnoteError(
                f"an unexpected {type(error).__name__}: {error}",
                hint="This is a defect of Footnote; the log has the details.",
            )
        if self.failure is None:
            self.on_ready()
        else:
            log.error("Footnote could not start", reason=str(self.failure), hint=self.failure.hint)
            self.on_failure(self.failure)
