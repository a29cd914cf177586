"""Holds the vectors of searched workspaces in the process, so that neighbours cost no scan.

A vector never changes while its chunk lives, and a chunk number is never given again. So what
is held needs no invalidation: of the chunks that a search may see, those that are held are
compared here, the few others by Postgres. What may be seen always comes with the search.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from uuid import UUID

import numpy as np

from footnote.domain import Hit, Ranking
from footnote.errors import FootnoteError
from footnote.index.bm25 import Numbers
from footnote.index.quantised import HalfVectors, Places, QuantisedVectors
from footnote.index.ranges import ChunkRanges
from footnote.ports import Vector, Vectors
from footnote.ports.index import ReplicaLost
from footnote.store.database import SYSTEM, Database
from footnote.store.index_cache import IndexState
from footnote.store.index_state import multirange_of
from footnote.store.shared_vectors import SharedVectors
from footnote.store.statements import load_statements
from footnote.store.vector_file import VectorRows, set_aside

_SQL = load_statements("vector_cache")

_GATHERING_COSTS = 4  # How much dearer a row is that is picked out than one in passing.
_GROUPS_PER_RESULT = 16  # Groups whose best bounds tell how good the best must at least be.
_PACKED_TOGETHER = 4096  # Vectors a statement brings: 3 MB at 384 dimensions.
_HEADER = 2  # int16s before each vector in halfvec's wire form: dimensions, and nothing.
_WORTH_CATCHING_UP = 512
_SHARE_WORTH_CATCHING_UP = 32
"""Held vectors are copied for a catch-up, so it waits for a 32nd of them; Postgres has the rest."""
_PATIENCE = 1000
"""Searches that others get before a workspace's vectors make room: what goes round never stays."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldVectors:
    """Vectors of one workspace and lane."""

    numbers: Numbers
    """Chunk numbers, rising."""
    rows: VectorRows
    """One for each number, as the database keeps them."""
    quantised: QuantisedVectors
    """The same in a byte for each value, which a search looks through."""
    covered: ChunkRanges
    """The numbers as ranges."""

    @classmethod
    def of(cls, numbers: Numbers, rows: VectorRows, quantised: QuantisedVectors) -> HeldVectors:
        """These vectors, by rising number."""
        return cls(
            numbers=numbers,
            rows=rows,
            quantised=quantised,
            covered=ChunkRanges.from_rising(numbers),
        )

    @property
    def byte_size(self) -> int:
        """What it takes of the memory."""
        return self.numbers.nbytes + self.rows.nbytes + self.quantised.byte_size

    def nearest(self, vector: Vector, visible: ChunkRanges, limit: int) -> Ranking:
        """The `limit` visible held chunks of highest cosine, ties by chunk number.

        Exact: all are compared whose bound reaches the least of the best.
        """
        query = _halved(vector)
        places = self._places(visible)
        count = self.numbers.size if places is None else places.size
        if count > 2 * limit:
            places = self._within_reach(places, query, limit)
        numbers = self.numbers if places is None else self.numbers[places]
        similarities = self._products(places, query)
        if similarities.size > limit:
            # All that equal the last one stay, so that the number decides among them.
            last = np.partition(similarities, similarities.size - limit)[-limit]
            kept = similarities >= last
            numbers, similarities = numbers[kept], similarities[kept]
        order = np.lexsort((numbers, -similarities))[:limit]
        return tuple(
            Hit(chunk_no=number, score=similarity)
            for number, similarity in zip(
                numbers[order].tolist(), similarities[order].tolist(), strict=True
            )
        )

    def similarities(self, vector: Vector, chunk_numbers: Sequence[int]) -> Mapping[int, float]:
        """Cosines of those of the chunks that are held, whoever may see them."""
        wanted = np.array(chunk_numbers, dtype=np.int32)
        wanted = wanted[self.covered.contains(wanted)]
        places = np.searchsorted(self.numbers, wanted)
        similarities = self._products(places, _halved(vector))
        return dict(zip(wanted.tolist(), similarities.tolist(), strict=True))

    def _places(self, visible: ChunkRanges) -> Places | None:
        """Where the visible ones stand; None for all."""
        if visible.count_of_rising(self.numbers) == self.numbers.size:
            return None
        return np.flatnonzero(visible.mask_of_rising(self.numbers))

    def _within_reach(self, places: Places | None, query: Vector, limit: int) -> Places:
        """Where those stand that could be among the best."""
        if places is not None and places.size * _GATHERING_COSTS > self.numbers.size:
            bounds = self.quantised.bounds(query)[places]
        else:
            bounds = self.quantised.bounds(query, places)
        # At least `limit` reach the bound that the best of so many groups reach.
        groups = min(bounds.size, limit * _GROUPS_PER_RESULT)
        tops = bounds[: bounds.size // groups * groups].reshape(-1, groups).max(axis=0)
        likely = np.flatnonzero(bounds >= np.partition(tops, groups - limit)[groups - limit])
        found = likely if places is None else places[likely]
        similarities = self._products(found, query)
        least = np.partition(similarities, similarities.size - limit)[-limit]
        within = np.flatnonzero(bounds >= least)
        return within if places is None else places[within]

    def _products(self, places: Places | None, query: Vector) -> Vector:
        """The inner products of the rows at these places, None for all, with the query."""
        rows = self.rows[np.arange(self.numbers.size) if places is None else places]
        # Of numpy's products this one alone never starts threads, which cost a busy machine dearly.
        products: Vector = np.vecdot(rows.astype(np.float32), query)
        return products


@dataclass(slots=True)
class VectorCache:
    """Held vectors by workspace and lane, within a number of bytes."""

    capacity_bytes: int
    folder: Path | None = None
    """Where files without a name may lie for what a search seldom looks at."""
    shared: SharedVectors | None = None
    """What the processes of one server hold together."""
    _held: OrderedDict[tuple[UUID, int], HeldVectors] = field(default_factory=OrderedDict)
    _last_use: dict[tuple[UUID, int], int] = field(default_factory=dict)
    _seen: dict[tuple[UUID, int], int] = field(default_factory=dict)
    """The generation for which each was last looked after."""
    _tasks: dict[tuple[UUID, int], asyncio.Task[None]] = field(default_factory=dict)
    _searches: int = 0

    def held(
        self, database: Database, workspace_id: UUID, state: IndexState, dimensions: int
    ) -> HeldVectors | None:
        """What is held of the workspace's lane, maybe not all of it.

        Where the index has moved on, the rest is loaded meanwhile, if there is room for it.
        """
        if state.lane_id is None or not self.capacity_bytes:
            return None
        key = workspace_id, state.lane_id
        self._searches += 1
        held = self._held.get(key)
        if held is not None:
            self._held.move_to_end(key)
            self._last_use[key] = self._searches
        if self._seen.get(key) != state.generation and key not in self._tasks:
            self._seen[key] = state.generation
            self._look_after(database, key, state, dimensions)
        return held

    def forget(self, workspace_id: UUID) -> bool:
        """Drop what is held of a workspace; whether there was anything."""
        loading = [key for key in self._tasks if key[0] == workspace_id]
        for key in loading:
            # What it has read may be gone by now.
            self._tasks.pop(key).cancel()
            self._seen.pop(key, None)
        keys = [key for key in self._held if key[0] == workspace_id]
        for key in keys:
            self._drop(key)
        if self.shared is not None:
            self.shared.forget(workspace_id)
        return bool(keys or loading)

    async def settled(self) -> None:
        """Wait until nothing is being loaded."""
        await asyncio.gather(*self._tasks.values())

    async def close(self) -> None:
        """Stop what is being loaded, before the database is closed."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _look_after(
        self, database: Database, key: tuple[UUID, int], state: IndexState, dimensions: int
    ) -> None:
        live = state.corpus.chunk_numbers
        held = self._held.get(key)
        if held is not None and not _outdated(held, live):
            return
        number, scale, error = 4, 4, 4
        if not self._make_room(key, live.size * (number + scale + error + dimensions * (2 + 1))):
            return
        task = asyncio.create_task(self._load(database, key, held, live, dimensions))
        self._tasks[key] = task

        def done(_: asyncio.Task[None]) -> None:
            # After it was forgotten, another one may be loading the same by now.
            if self._tasks.get(key) is task:
                del self._tasks[key]

        task.add_done_callback(done)

    def _make_room(self, key: tuple[UUID, int], wanted_bytes: int) -> bool:
        """Whether so much fits, once what was not asked for in a long time is dropped."""
        others = sum(held.byte_size for each, held in self._held.items() if each != key)
        for each in [each for each in self._held if each != key]:
            if others + wanted_bytes <= self.capacity_bytes:
                break
            if self._searches - self._last_use[each] < _PATIENCE:
                return False
            others -= self._drop(each)
        return others + wanted_bytes <= self.capacity_bytes

    def _drop(self, key: tuple[UUID, int]) -> int:
        self._last_use.pop(key)
        self._seen.pop(key, None)
        if self.shared is not None:
            self.shared.forget(*key)
        return self._held.pop(key).byte_size

    async def _load(
        self,
        database: Database,
        key: tuple[UUID, int],
        held: HeldVectors | None,
        live: Numbers,
        dimensions: int,
    ) -> None:
        try:
            found, forgotten = None, 0
            if self.shared is not None:
                forgotten = self.shared.forgotten(key[0])
                found = await asyncio.to_thread(self.shared.find, key, live, dimensions)
            if found is not None:
                loaded = HeldVectors.of(live, *found)
            else:
                # The vectors of all live chunks, what is held of them not read again.
                missing = live if held is None else live[~held.covered.mask_of_rising(live)]
                pieces: list[tuple[Numbers, HalfVectors]] = []
                for first in range(0, missing.size, _PACKED_TOGETHER):
                    wanted = ChunkRanges.from_rising(missing[first : first + _PACKED_TOGETHER])
                    pieces += await _read_packed(database, key, wanted)
                joined = partial(self._joined, dimensions=dimensions, forgotten=forgotten)
                loaded = await asyncio.to_thread(joined, key, held, live, pieces)
        except (FootnoteError, ReplicaLost):
            # Postgres compares them all the same; the next change of the index is a new chance.
            return
        self._held[key] = loaded
        self._last_use[key] = self._searches

    def _joined(
        self,
        key: tuple[UUID, int],
        held: HeldVectors | None,
        live: Numbers,
        pieces: Sequence[tuple[Numbers, HalfVectors]],
        *,
        dimensions: int,
        forgotten: int,
    ) -> HeldVectors:
        """What is held and still lives, with the pieces."""
        numbers = [np.zeros(0, np.int32), *(each for each, _ in pieces)]
        rows = [np.zeros((0, dimensions), np.float16), *(each for _, each in pieces)]
        quantised = [QuantisedVectors.of(each) for each in rows]
        if held is not None:
            lives = ChunkRanges.from_rising(live).mask_of_rising(held.numbers)
            numbers.append(held.numbers[lives])
            rows.append(held.rows[np.flatnonzero(lives)])
            quantised.append(held.quantised.those(lives))
        all_numbers = np.concatenate(numbers)
        order = np.argsort(all_numbers, kind="stable")
        found, exact = all_numbers[order], np.concatenate(rows)[order]
        coded = QuantisedVectors.joined(quantised, order)
        kept = None
        if self.shared is not None and np.array_equal(found, live):
            kept = self.shared.keep(key, found, exact, coded, forgotten=forgotten)
        return HeldVectors.of(found, *(kept or (set_aside(exact, self.folder), coded)))


def _outdated(held: HeldVectors, live: Numbers) -> bool:
    """Whether enough is missing or dead to be worth a copy."""
    current = held.covered.count_of_rising(live)
    missing, dead = live.size - current, held.numbers.size - current
    return max(missing, dead) > max(_WORTH_CATCHING_UP, live.size // _SHARE_WORTH_CATCHING_UP)


async def _read_packed(
    database: Database, key: tuple[UUID, int], wanted: ChunkRanges
) -> list[tuple[Numbers, HalfVectors]]:
    # One transaction each, so that a large workspace does not hold a snapshot for a second.
    async with database.snapshot(key[0], SYSTEM) as scope:
        row = await scope.one(
            _SQL["packed"],
            {"workspace_id": key[0], "lane_id": key[1], "wanted": multirange_of(wanted)},
            binary=True,
        )
    if row is None or row["numbers"] is None:
        return []
    numbers = np.frombuffer(row["numbers"], dtype=">i4").astype(np.int32)
    return [(numbers, await asyncio.to_thread(_unpacked, row["vectors"]))]


def unpack_vectors(packed: bytes) -> Vectors:
    """Read vectors in the wire form of halfvec, one behind the other, at least one."""
    return _unpacked(packed).astype(np.float32)


def _unpacked(packed: bytes) -> HalfVectors:
    dimensions = int.from_bytes(packed[:2], "big")
    wire = np.frombuffer(packed, dtype=">u2").reshape(-1, _HEADER + dimensions)
    return wire[:, _HEADER:].astype(np.uint16).view(np.float16)


def _halved(vector: Vector) -> Vector:
    """The vector as the database would take it."""
    return vector.astype(np.float16).astype(np.float32)
