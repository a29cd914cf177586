"""One thing at a time, and workspaces take turns at it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID


class Turns:
    """Gives turns one at a time: who has had one waits for each other workspace that waits.

    Belongs to the event loop it is first used in.
    """

    def __init__(self) -> None:
        self._having: UUID | None = None
        self._order: deque[UUID] = deque()
        """Workspaces that wait, without the one whose turn it is: it comes after them."""
        self._lines: dict[UUID, deque[asyncio.Future[None]]] = {}
        """Who waits in each workspace, the first first."""

    @asynccontextmanager
    async def of(self, workspace_id: UUID) -> AsyncIterator[None]:
        """Wait for a turn of this workspace, and have it."""
        if self._having is None:
            self._having = workspace_id
        else:
            await self._wait(workspace_id)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, workspace_id: UUID) -> None:
        turn = asyncio.get_running_loop().create_future()
        if workspace_id not in self._lines:
            self._lines[workspace_id] = deque()
            if workspace_id != self._having:
                self._order.append(workspace_id)
        self._lines[workspace_id].append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # It was given the turn, and is no longer there to take it.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next that is still there; nobody else gets in between."""
        if self._having in self._lines:
            self._order.append(self._having)
        self._having = None
        while self._order:
            workspace_id = self._order.popleft()
            line = self._lines[workspace_id]
            while line and line[0].done():  # It left while it waited.
                line.popleft()
            if not line:
                del self._lines[workspace_id]
                continue
            turn = line.popleft()
            if not line:
                del self._lines[workspace_id]
            self._having = workspace_id
            turn.set_result(None)
            return
