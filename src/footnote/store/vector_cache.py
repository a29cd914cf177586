"""Cache the vectors of searched workspaces, so that a nearest-neighbour search needs no scan.

A vector never changes while its chunk exists, and a chunk number is never reused, so cached vectors
need no invalidation: of the chunks that a search may see, cached ones are compared here, the few
others by Postgres. Visibility is always given by the search.
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

_GATHERING_COSTS = 4  # Cost of a row read by position, relative to one read in sequence.
_GROUPS_PER_RESULT = 16  # Groups per result; their best bounds give a lower bound for the results.
_PACKED_TOGETHER = 4096  # Vectors read per statement: 3 MB at 384 dimensions.
_HEADER = 2  # int16s before each vector in halfvec's wire format: dimensions, and an unused one.
_WORTH_CATCHING_UP = 512
_SHARE_WORTH_CATCHING_UP = 32
"""Catching up copies all cached vectors, so it waits until a 32nd of them has changed."""
_PATIENCE = 1000
"""Searches of others after which a workspace may be evicted; under LRU, cyclic use would never hit.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CachedVectors:
    """Vectors of one workspace and lane."""

    numbers: Numbers
    """Chunk numbers, ascending."""
    rows: VectorRows
    """One vector for each number, as the database stores it."""
    quantised: QuantisedVectors
    """The same vectors in one byte per value, which a search scans first."""
    covered: ChunkRanges
    """The numbers as ranges."""

    @classmethod
    def of(cls, numbers: Numbers, rows: VectorRows, quantised: QuantisedVectors) -> CachedVectors:
        """These vectors, by rising number."""
        return cls(
            numbers=numbers,
            rows=rows,
            quantised=quantised,
            covered=ChunkRanges.from_rising(numbers),
        )

    @property
    def byte_size(self) -> int:
        """Memory used, in bytes."""
        return self.numbers.nbytes + self.rows.nbytes + self.quantised.byte_size

    def nearest(self, vector: Vector, visible: ChunkRanges, limit: int) -> Ranking:
        """Return the `limit` visible cached chunks of highest cosine, ties by chunk number.

        Exact: every chunk is compared whose upper bound reaches the least result.
        """
        query = _halved(vector)
        positions = self._positions(visible)
        count = self.numbers.size if positions is None else positions.size
        if count > 2 * limit:
            positions = self._reachable(positions, query, limit)
        numbers = self.numbers if positions is None else self.numbers[positions]
        similarities = self._products(positions, query)
        if similarities.size > limit:
            # Keep all that tie with the last one, so that the chunk number decides.
            lowest = np.partition(similarities, similarities.size - limit)[-limit]
            selected = similarities >= lowest
            numbers, similarities = numbers[selected], similarities[selected]
        order = np.lexsort((numbers, -similarities))[:limit]
        return tuple(
            Hit(chunk_no=number, score=similarity)
            for number, similarity in zip(
                numbers[order].tolist(), similarities[order].tolist(), strict=True
            )
        )

    def similarities(self, vector: Vector, chunk_numbers: Sequence[int]) -> Mapping[int, float]:
        """Return the cosines of those of the chunks that are cached, visible or not."""
        numbers = np.array(chunk_numbers, dtype=np.int32)
        numbers = numbers[self.covered.contains(numbers)]
        positions = np.searchsorted(self.numbers, numbers)
        similarities = self._products(positions, _halved(vector))
        return dict(zip(numbers.tolist(), similarities.tolist(), strict=True))

    def _positions(self, visible: ChunkRanges) -> Places | None:
        """Return the positions of the visible chunks; None if all are visible."""
        if visible.count_of_rising(self.numbers) == self.numbers.size:
            return None
        return np.flatnonzero(visible.mask_of_rising(self.numbers))

    def _reachable(self, positions: Places | None, query: Vector, limit: int) -> Places:
        """Return the positions of the chunks that could be among the best."""
        if positions is not None and positions.size * _GATHERING_COSTS > self.numbers.size:
            bounds = self.quantised.bounds(query)[positions]
        else:
            bounds = self.quantised.bounds(query, positions)
        # At least `limit` chunks reach the `limit`-th highest of the groups' best bounds.
        groups = min(bounds.size, limit * _GROUPS_PER_RESULT)
        group_bounds = bounds[: bounds.size // groups * groups].reshape(-1, groups).max(axis=0)
        likely = np.flatnonzero(
            bounds >= np.partition(group_bounds, groups - limit)[groups - limit]
        )
        candidates = likely if positions is None else positions[likely]
        similarities = self._products(candidates, query)
        lowest = np.partition(similarities, similarities.size - limit)[-limit]
        reachable = np.flatnonzero(bounds >= lowest)
        return reachable if positions is None else positions[reachable]

    def _products(self, positions: Places | None, query: Vector) -> Vector:
        """Return the inner products of the query and the rows at these positions; None means all
        rows.
        """
        rows = self.rows[np.arange(self.numbers.size) if positions is None else positions]
        # The only product of numpy that never starts threads, which are costly on a busy machine.
        products: Vector = np.vecdot(rows.astype(np.float32), query)
        return products


@dataclass(slots=True)
class VectorCache:
    """Cached vectors by workspace and lane, up to a number of bytes."""

    capacity_bytes: int
    folder: Path | None = None
    """Folder for unnamed files with the exact vectors, of which a search reads few."""
    shared: SharedVectors | None = None
    """Vectors that the processes of one server share."""
    _cached: OrderedDict[tuple[UUID, int], CachedVectors] = field(default_factory=OrderedDict)
    _last_use: dict[tuple[UUID, int], int] = field(default_factory=dict)
    _seen: dict[tuple[UUID, int], int] = field(default_factory=dict)
    """The index generation at which each key was last checked."""
    _tasks: dict[tuple[UUID, int], asyncio.Task[None]] = field(default_factory=dict)
    _searches: int = 0

    def held(
        self, database: Database, workspace_id: UUID, state: IndexState, dimensions: int
    ) -> CachedVectors | None:
        """Return the cached vectors of the workspace's lane, possibly not all; None without any.

        If the index has changed, the missing ones are loaded in the background, if there is room.
        """
        if state.lane_id is None or not self.capacity_bytes:
            return None
        key = workspace_id, state.lane_id
        self._searches += 1
        cached = self._cached.get(key)
        if cached is not None:
            self._cached.move_to_end(key)
            self._last_use[key] = self._searches
        if self._seen.get(key) != state.generation and key not in self._tasks:
            self._seen[key] = state.generation
            self._refresh(database, key, state, dimensions)
        return cached

    def forget(self, workspace_id: UUID) -> bool:
        """Drop the cached vectors of a workspace; return whether there were any."""
        loading = [key for key in self._tasks if key[0] == workspace_id]
        for key in loading:
            # What it has read may be deleted by now.
            self._tasks.pop(key).cancel()
            self._seen.pop(key, None)
        keys = [key for key in self._cached if key[0] == workspace_id]
        for key in keys:
            self._drop(key)
        if self.shared is not None:
            self.shared.forget(workspace_id)
        return bool(keys or loading)

    async def settled(self) -> None:
        """Wait until nothing is being loaded."""
        await asyncio.gather(*self._tasks.values())

    async def close(self) -> None:
        """Cancel all loading, before the database is closed."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _refresh(
        self, database: Database, key: tuple[UUID, int], state: IndexState, dimensions: int
    ) -> None:
        live = state.corpus.chunk_numbers
        cached = self._cached.get(key)
        if cached is not None and not _outdated(cached, live):
            return
        number, scale, error = 4, 4, 4
        if not self._make_room(key, live.size * (number + scale + error + dimensions * (2 + 1))):
            return
        task = asyncio.create_task(self._load(database, key, cached, live, dimensions))
        self._tasks[key] = task

        def done(_: asyncio.Task[None]) -> None:
            # After `forget`, another task may be loading the same key.
            if self._tasks.get(key) is task:
                del self._tasks[key]

        task.add_done_callback(done)

    def _make_room(self, key: tuple[UUID, int], wanted_bytes: int) -> bool:
        """Return whether so many bytes fit, after evicting what was not used for long."""
        other_bytes = sum(
            cached.byte_size for other, cached in self._cached.items() if other != key
        )
        for other in [other for other in self._cached if other != key]:
            if other_bytes + wanted_bytes <= self.capacity_bytes:
                break
            if self._searches - self._last_use[other] < _PATIENCE:
                return False
            other_bytes -= self._drop(other)
        return other_bytes + wanted_bytes <= self.capacity_bytes

    def _drop(self, key: tuple[UUID, int]) -> int:
        self._last_use.pop(key)
        self._seen.pop(key, None)
        if self.shared is not None:
            self.shared.forget(*key)
        return self._cached.pop(key).byte_size

    async def _load(
        self,
        database: Database,
        key: tuple[UUID, int],
        cached: CachedVectors | None,
        live: Numbers,
        dimensions: int,
    ) -> None:
        try:
            shared, forgotten = None, 0
            if self.shared is not None:
                forgotten = self.shared.forgotten(key[0])
                shared = await asyncio.to_thread(self.shared.find, key, live, dimensions)
            if shared is not None:
                loaded = CachedVectors.of(live, *shared)
            else:
                # Read the vectors of live chunks that are not cached.
                missing = live if cached is None else live[~cached.covered.mask_of_rising(live)]
                pieces: list[tuple[Numbers, HalfVectors]] = []
                for start in range(0, missing.size, _PACKED_TOGETHER):
                    ranges = ChunkRanges.from_rising(missing[start : start + _PACKED_TOGETHER])
                    pieces += await _read_packed(database, key, ranges)
                joined = partial(self._joined, dimensions=dimensions, forgotten=forgotten)
                loaded = await asyncio.to_thread(joined, key, cached, live, pieces)
        except (FootnoteError, ReplicaLost):
            # Postgres compares them instead; the next change of the index retries this.
            return
        self._cached[key] = loaded
        self._last_use[key] = self._searches

    def _joined(
        self,
        key: tuple[UUID, int],
        cached: CachedVectors | None,
        live: Numbers,
        pieces: Sequence[tuple[Numbers, HalfVectors]],
        *,
        dimensions: int,
        forgotten: int,
    ) -> CachedVectors:
        """Join the cached vectors of live chunks with the loaded ones."""
        numbers = [np.zeros(0, np.int32), *(chunk_numbers for chunk_numbers, _ in pieces)]
        rows = [np.zeros((0, dimensions), np.float16), *(vectors for _, vectors in pieces)]
        quantised = [QuantisedVectors.of(vectors) for vectors in rows]
        if cached is not None:
            live_mask = ChunkRanges.from_rising(live).mask_of_rising(cached.numbers)
            numbers.append(cached.numbers[live_mask])
            rows.append(cached.rows[np.flatnonzero(live_mask)])
            quantised.append(cached.quantised.those(live_mask))
        all_numbers = np.concatenate(numbers)
        order = np.argsort(all_numbers, kind="stable")
        ordered, exact = all_numbers[order], np.concatenate(rows)[order]
        coded = QuantisedVectors.joined(quantised, order)
        stored = None
        if self.shared is not None and np.array_equal(ordered, live):
            stored = self.shared.keep(key, ordered, exact, coded, forgotten=forgotten)
        return CachedVectors.of(ordered, *(stored or (set_aside(exact, self.folder), coded)))


def _outdated(cached: CachedVectors, live: Numbers) -> bool:
    """Return whether enough vectors are missing or dead to be worth a copy."""
    current = cached.covered.count_of_rising(live)
    missing, dead = live.size - current, cached.numbers.size - current
    return max(missing, dead) > max(_WORTH_CATCHING_UP, live.size // _SHARE_WORTH_CATCHING_UP)


async def _read_packed(
    database: Database, key: tuple[UUID, int], ranges: ChunkRanges
) -> list[tuple[Numbers, HalfVectors]]:
    # One transaction each, so that a large workspace does not hold a snapshot for a second.
    async with database.snapshot(key[0], SYSTEM) as scope:
        row = await scope.one(
            _SQL["packed"],
            {"workspace_id": key[0], "lane_id": key[1], "wanted": multirange_of(ranges)},
            binary=True,
        )
    if row is None or row["numbers"] is None:
        return []
    numbers = np.frombuffer(row["numbers"], dtype=">i4").astype(np.int32)
    return [(numbers, await asyncio.to_thread(_unpacked, row["vectors"]))]


def unpack_vectors(packed: bytes) -> Vectors:
    """Decode vectors, at least one, that are concatenated in halfvec's wire format."""
    return _unpacked(packed).astype(np.float32)


def _unpacked(packed: bytes) -> HalfVectors:
    dimensions = int.from_bytes(packed[:2], "big")
    wire = np.frombuffer(packed, dtype=">u2").reshape(-1, _HEADER + dimensions)
    return wire[:, _HEADER:].astype(np.uint16).view(np.float16)


def _halved(vector: Vector) -> Vector:
    """Round the vector to half precision, as the database does."""
    return vector.astype(np.float16).astype(np.float32)
