"""Long work: so much of each workspace at a time, for which workspaces take turns."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from uuid import UUID

_LONGEST_WAIT_SECONDS = 900.0


class NotYet(Exception):
    """A job gives its place up to others, and is to come back in so many seconds."""

    def __init__(self, wait_seconds: float) -> None:
        super().__init__(f"to come back in {wait_seconds:g} s")
        self.wait_seconds = wait_seconds


class Places:
    """Places for long work: so many for each workspace, so many in all.

    What finds none does not wait where others could work, and comes back later; those of one
    workspace come one by one, so that thousands do not come at once.
    """

    def __init__(self, *, each: int, all_together: int, pause_seconds: float) -> None:
        self._each = each
        self._all = all_together
        self._pause_seconds = pause_seconds
        self._taken: Counter[UUID] = Counter()
        self._sent_away: Counter[UUID] = Counter()
        """By workspace, how many since one of its own left."""

    @contextmanager
    def of(self, workspace_id: UUID) -> Iterator[None]:
        """Have a place. Raises NotYet when there is none."""
        if self._taken[workspace_id] >= self._each or self._taken.total() >= self._all:
            self._sent_away[workspace_id] += 1
            wait = self._pause_seconds * self._sent_away[workspace_id]
            raise NotYet(min(wait, _LONGEST_WAIT_SECONDS))
        self._taken[workspace_id] += 1
        try:
            yield
        finally:
            self._taken[workspace_id] -= 1
            self._taken += Counter()  # Drops workspaces that have none.
            del self._sent_away[workspace_id]


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
