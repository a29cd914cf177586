"""Layouts of maps: computed one at a time in a thread, and cached by the set of documents.

A layout depends only on the documents that a principal may see, neither on hidden ones nor on
earlier layouts. So its key is a digest of these, and principals who see the same documents share
it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from uuid import UUID

from footnote.domain import Progress
from footnote.index.bm25 import Numbers
from footnote.knowledge.areas import Areas, areas_of
from footnote.knowledge.layout import STEPS, Plane, lay_out
from footnote.ports import Vectors

_CAPACITY_BYTES = 16 * 1024**2
"""About 130 maps of 10,000 documents, which take 120 kB each."""
_MAX_UNDER_WAY = 4
"""Most layouts being computed or queued, each of which holds 15 MB of vectors."""
_ENTRY_OVERHEAD_BYTES = 256  # Bytes that an entry costs beside its arrays.


@dataclass(frozen=True, slots=True)
class LayoutKey:
    """Which documents, in which versions, by the vectors of which lane."""

    workspace_id: UUID
    lane_id: int
    digest: bytes

    @classmethod
    def of(cls, workspace_id: UUID, lane_id: int, numbers: Numbers) -> LayoutKey:
        """Return the key of the documents with these numbers, in ascending order."""
        return cls(workspace_id, lane_id, sha256(numbers.tobytes()).digest())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """Positions and areas of documents, in ascending order of their numbers."""

    places: Plane
    areas: Areas

    @property
    def byte_size(self) -> int:
        """What it takes of the memory."""
        return _ENTRY_OVERHEAD_BYTES + self.places.nbytes + self.areas.nbytes


class _Stopped(Exception):
    """Raised in the thread to cancel the layout."""


@dataclass(slots=True, eq=False)
class RunningLayout:
    """A layout that is being computed or queued."""

    task: asyncio.Task[Layout] | None = None
    done: int = 0
    stopped: bool = False

    @property
    def progress(self) -> Progress:
        """How far it has come."""
        return Progress(done=self.done, total=STEPS)

    def tell(self, done: int, _: int) -> None:
        """Record a step, called by the computing thread; stops it once cancelled."""
        if self.stopped:
            raise _Stopped
        self.done = done


@dataclass(slots=True)
class MapLayouts:
    """The layouts of a process, in a least-recently-used cache."""

    capacity_bytes: int = _CAPACITY_BYTES
    _cached: OrderedDict[LayoutKey, Layout] = field(default_factory=OrderedDict)
    _under_way: dict[LayoutKey, RunningLayout] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def wants_vectors(self, key: LayoutKey) -> bool:
        """Return whether a layout is neither cached nor under way, and may be started."""
        return (
            key not in self._cached
            and key not in self._under_way
            and len(self._under_way) < _MAX_UNDER_WAY
        )

    def begin(self, key: LayoutKey, vectors: Vectors) -> None:
        """Start computing a layout; the vectors are in ascending order of document numbers."""
        under_way = RunningLayout()
        task = asyncio.create_task(self._compute(key, vectors, under_way))
        under_way.task = task
        self._under_way[key] = under_way

        def done(ended: asyncio.Task[Layout]) -> None:
            if not ended.cancelled():
                ended.exception()  # Perhaps nobody waits for it any more.
            if self._under_way.get(key) is under_way:
                del self._under_way[key]

        task.add_done_callback(done)

    async def wait(self, key: LayoutKey, seconds: float) -> Layout | Progress:
        """Return the layout if it is ready in time, or else its progress.

        A timeout does not stop the computation, whose result is cached for the next call.
        """
        under_way = self._under_way.get(key)
        if under_way is not None and under_way.task is not None:
            await asyncio.wait({under_way.task}, timeout=seconds)
            if under_way.task.done() and not under_way.task.cancelled():
                return under_way.task.result()
            return under_way.progress
        layout = self._cached.get(key)
        if layout is None:
            # Not started, as too many others are under way.
            return Progress(done=0, total=STEPS)
        self._cached.move_to_end(key)
        return layout

    def forget(self, workspace_id: UUID) -> int:
        """Drop and stop the layouts of a workspace; return how many there were."""
        computing = [key for key in self._under_way if key.workspace_id == workspace_id]
        for key in computing:
            self._stop(self._under_way.pop(key))
        cached = [key for key in self._cached if key.workspace_id == workspace_id]
        for key in cached:
            del self._cached[key]
        return len(computing) + len(cached)

    async def close(self) -> None:
        """Stop what is being made."""
        tasks = [self._stop(under_way) for under_way in self._under_way.values()]
        await asyncio.gather(*(task for task in tasks if task), return_exceptions=True)

    async def _compute(self, key: LayoutKey, vectors: Vectors, under_way: RunningLayout) -> Layout:
        async with self._turn:
            layout = await asyncio.to_thread(_layout_of, vectors, under_way.tell)
        if not under_way.stopped:
            self._store(key, layout)
        return layout

    def _store(self, key: LayoutKey, layout: Layout) -> None:
        self._cached[key] = layout
        used = sum(entry.byte_size for entry in self._cached.values())
        while used > self.capacity_bytes and len(self._cached) > 1:
            used -= self._cached.popitem(last=False)[1].byte_size

    @staticmethod
    def _stop(under_way: RunningLayout) -> asyncio.Task[Layout] | None:
        # The thread notices at its next step.
        under_way.stopped = True
        if under_way.task is not None:
            under_way.task.cancel()
        return under_way.task


def _layout_of(vectors: Vectors, report: Callable[[int, int], None]) -> Layout:
    places = lay_out(vectors, report)
    return Layout(places=places, areas=areas_of(places))
