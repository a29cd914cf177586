"""A source that waits while the queue is full, or works until it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from footnote.domain import Received
from footnote.domain.sources import KnownEntry, Labels, Offered
from footnote.engine import WorkspaceEngine
from footnote.errors import QueueFull
from footnote.jobs.room import received_when_there_is_room
from footnote.jobs.sources.following import Listing, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class PatientSource:
    """Another source, whose things are handed in once there is room."""

    source: Source
    work: bool
    """Whether this process indexes meanwhile."""
    tell: Callable[[QueueFull], None]
    """Hears that it waits."""

    async def listing(self) -> Listing:
        """What the source has now."""
        return await self.source.listing()

    async def take_in(
        self,
        workspace: WorkspaceEngine,
        offered: Offered,
        labels: Labels,
        before: KnownEntry | None,
    ) -> tuple[Received, Offered] | None:
        """Hand one thing in, reading it again for each try."""
        return await received_when_there_is_room(
            workspace,
            lambda: self.source.take_in(workspace, offered, labels, before),
            work=self.work,
            tell=self.tell,
        )

    async def close(self) -> None:
        """Let go of what the source opened."""
        await self.source.close()
