"""Limit and schedule long work: quotas per workspace, and turns between workspaces."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from uuid import UUID

_LONGEST_WAIT_SECONDS = 900.0


class Postponed(Exception):
    """A job postpones itself for some seconds, so that others can run."""

    def __init__(self, wait_seconds: float) -> None:
        super().__init__(f"to come back in {wait_seconds:g} s")
        self.wait_seconds = wait_seconds


class WorkspaceSlots:
    """Slots for long work, limited per workspace and in total.

    A job that gets no slot is postponed, so that it does not occupy a worker. The jobs of one
    workspace are postponed by growing times, so that thousands do not return at once.
    """

    def __init__(self, *, each: int, all_together: int, pause_seconds: float) -> None:
        self._per_workspace = each
        self._in_total = all_together
        self._pause_seconds = pause_seconds
        self._taken: Counter[UUID] = Counter()
        self._postponed: Counter[UUID] = Counter()
        """Postponed jobs by workspace since one of its jobs released a slot."""

    @contextmanager
    def of(self, workspace_id: UUID) -> Iterator[None]:
        """Hold a slot for the length of the block. Raises Postponed if none is free."""
        if (
            self._taken[workspace_id] >= self._per_workspace
            or self._taken.total() >= self._in_total
        ):
            self._postponed[workspace_id] += 1
            wait = self._pause_seconds * self._postponed[workspace_id]
            raise Postponed(min(wait, _LONGEST_WAIT_SECONDS))
        self._taken[workspace_id] += 1
        try:
            yield
        finally:
            self._taken[workspace_id] -= 1
            self._taken += Counter()  # Drops workspaces that have none.
            del self._postponed[workspace_id]


class RoundRobinLock:
    """A lock that workspaces hold in turn (round robin).

    Bound to the event loop in which it is first used.
    """

    def __init__(self) -> None:
        self._holder: UUID | None = None
        self._order: deque[UUID] = deque()
        """Waiting workspaces in order; the one that holds the lock is added on release."""
        self._lines: dict[UUID, deque[asyncio.Future[None]]] = {}
        """Waiting tasks by workspace, in order of arrival."""

    @asynccontextmanager
    async def of(self, workspace_id: UUID) -> AsyncIterator[None]:
        """Wait for a turn of this workspace, and have it."""
        if self._holder is None:
            self._holder = workspace_id
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
            if workspace_id != self._holder:
                self._order.append(workspace_id)
        self._lines[workspace_id].append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # The turn was given to this task just as it was cancelled.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next task that still waits, in the same step of the event loop."""
        if self._holder in self._lines:
            self._order.append(self._holder)
        self._holder = None
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
            self._holder = workspace_id
            turn.set_result(None)
            return
