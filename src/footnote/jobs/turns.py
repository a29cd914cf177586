"""One thing at a time, and workspaces take turns at it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID


class Turns:
    """Gives turns one at a time: whoever has had one waits for each other workspace that waits.

    Belongs to the event loop it is first used in.
    """

    def __init__(self) -> None:
        self._taken = False
        self._waiting: dict[UUID, deque[asyncio.Future[None]]] = {}
        """By workspace, the one whose turn is next first."""

    @asynccontextmanager
    async def of(self, workspace_id: UUID) -> AsyncIterator[None]:
        """Wait for a turn of this workspace, and have it."""
        if self._taken:
            await self._wait(workspace_id)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, workspace_id: UUID) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(workspace_id, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # It was given the turn, and is no longer there to take it.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next that is still there; nobody else gets in between."""
        self._taken = False
        while self._waiting:
            workspace_id = next(iter(self._waiting))
            line = self._waiting.pop(workspace_id)
            turn = line.popleft()
            if line:
                self._waiting[workspace_id] = line
            if not turn.done():
                self._taken = True
                turn.set_result(None)
                return
