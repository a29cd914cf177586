"""Files on a disk as a source: what did not change in size and time is not read."""

from __future__ import annotations

import asyncio
import stat
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from footnote.domain import Received
from footnote.domain.sources import KnownEntry, Labels, Offered
from footnote.engine import WorkspaceEngine
from footnote.jobs.sources.following import Listing

_CLOCK_SECONDS = 2.0  # Resolution of FAT's times; a file may change within it unnoticed.

ReceiveFile = Callable[[WorkspaceEngine, Path, Labels], Awaitable[Received]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """Files at and below some paths."""

    list_files: Callable[[], Sequence[Path]]
    """Return every file, and every folder that cannot be read; blocks."""
    identify: Callable[[Path], str]
    """The external id of a path."""
    receive: ReceiveFile
    """Hands a file in under that id."""
    roots: tuple[Path, ...]
    """The paths that the listing covers."""
    leads_out: Callable[[Path], bool] = lambda _: False
    """Whether a path is a link that is not followed: it is offered only to be refused."""
    settle_seconds: float = 0.0
    """Least time since the last write before a file is ingested."""
    _paths: dict[str, Path] = field(default_factory=dict)

    async def listing(self) -> Listing:
        """List the files."""
        return await asyncio.to_thread(self._listing)

    async def take_in(
        self,
        workspace: WorkspaceEngine,
        offered: Offered,
        labels: Labels,
        before: KnownEntry | None,  # noqa: ARG002  # its mark was compared already
    ) -> tuple[Received, Offered] | None:
        """Ingest a file, and return it with a mark if it did not change meanwhile."""
        path = self._paths[offered.external_id]
        received = await self.receive(workspace, path, labels)
        after = await asyncio.to_thread(_mark_and_age, path)
        mark = offered.mark if after is not None and after[0] == offered.mark else ""
        recent = after is not None and after[1] < _CLOCK_SECONDS
        trusted = "" if recent else mark
        return received, Offered(external_id=offered.external_id, mark=trusted)

    async def close(self) -> None:
        """Do nothing: no resource is kept open."""

    def _listing(self) -> Listing:
        offered: list[Offered] = []
        hidden: list[str] = []
        self._paths.clear()
        for path in self.list_files():
            external_id = self.identify(path)
            self._paths[external_id] = path
            marked = None if self.leads_out(path) else _mark_and_age(path)
            if marked is None:
                hidden.append(external_id)
                offered.append(Offered(external_id=external_id, mark=""))
                continue
            mark, age_seconds = marked
            settled = not 0 <= age_seconds < self.settle_seconds
            offered.append(Offered(external_id=external_id, mark=mark, settled=settled))
        places = tuple(self.identify(root) for root in self.roots)
        return Listing(offered=tuple(offered), places=places, out_of_sight=tuple(hidden))


def _mark_and_age(path: Path) -> tuple[str, float] | None:
    """Return a regular file's mark and seconds since its last write; None for anything else."""
    try:
        file_stat = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(file_stat.st_mode):
        return None
    return f"{file_stat.st_size}:{file_stat.st_mtime_ns}", time.time() - file_stat.st_mtime
