"""Cache results per index generation, with a fair share of memory for each workspace."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from time import perf_counter
from typing import Generic, Literal, TypeVar
from uuid import UUID

from footnote.domain import CacheStats, Plan, SearchRequest

Kind = Literal["exact", "near"]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheKey:
    """Everything a result depends on except the text of the query."""

    workspace_id: UUID
    generation: int
    """Generation of the searched index; see `ports.Index.generation`."""
    digest: bytes
    """Hash of access names, filters, number of results, plan, facets, conversation and lane."""

    @classmethod
    def of(
        cls,
        request: SearchRequest,
        plan: Plan,
        *,
        workspace_id: UUID,
        access: Sequence[str],
        lane: str,
        generation: int,
    ) -> CacheKey:
        """Compute the key of a request with its resolved plan.

        `access` are the principal's access names, in any order; `lane` is a fingerprint, with
        whatever else the result depends on.
        """
        # Hashed by repr, since Python's `True == 1` does not hold for filters.
        request_parts = (request.filters, request.top_k, request.facets, request.conversation)
        parts = repr((sorted(set(access)), lane, plan, *request_parts))
        digest = blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return cls(workspace_id=workspace_id, generation=generation, digest=digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query with everything its result depends on: the cache's full key."""

    key: CacheKey
    text: str
    """Normalised by `normalised_query`."""

    @property
    def workspace_id(self) -> UUID:
        """The workspace that is searched."""
        return self.key.workspace_id


@dataclass(slots=True, kw_only=True)
class GenerationCache(Generic[Value]):
    """A cache of results, bounded in memory and time, for one event loop.

    Per workspace it holds results of one index generation only. When memory is full, a workspace
    that uses more than an equal share loses its least recently used result; otherwise the least
    recently active workspace loses one.
    """

    capacity_bytes: int
    """Memory limit; 0 disables the cache."""
    measure: Callable[[Value], int]
    """Estimates the memory of a result in bytes."""
    lifetime_seconds: float = 300.0
    clock: Callable[[], float] = perf_counter
    """A monotonic clock, in seconds."""
    _partitions: OrderedDict[UUID, _Partition[Value]] = field(
        default_factory=OrderedDict, init=False
    )
    _counts: dict[UUID, _Counts] = field(default_factory=dict, init=False)
    _bytes: int = field(default=0, init=False)

    def may_hold(self, question: Question) -> bool:
        """Whether a result for the question, at its generation, is cached."""
        partition = self._partitions.get(question.workspace_id)
        return partition is not None and question in partition.entries

    def find(self, question: Question) -> Value | None:
        """Return the cached result for this question; counts a hit or miss unless disabled."""
        if not self.capacity_bytes:
            return None
        entry = self._lookup(question)
        counts = self._counts_of(question)
        if entry is None:
            counts.misses += 1
            return None
        counts.exact += 1
        return entry.value

    def keep(self, question: Question, value: Value, wording: tuple[str, ...] = ()) -> None:
        """Cache a result, unless a newer generation is cached or it is larger than the cache.

        `wording` groups the questions that may share a result.
        """
        size = self.measure(value)
        workspace_id, generation = question.workspace_id, question.key.generation
        partition = self._partitions.get(workspace_id)
        if size > self.capacity_bytes or (
            partition is not None and partition.generation > generation
        ):
            return
        if partition is not None and partition.generation < generation:
            self.forget(workspace_id)
        elif partition is not None and question in partition.entries:
            self._drop(partition.entries[question])
        entry = _Entry(
            question=question,
            wording=wording,
            value=value,
            bytes=size,
            expires=self.clock() + self.lifetime_seconds,
        )
        partition = self._partitions.setdefault(workspace_id, _Partition(generation=generation))
        partition.add(entry)
        self._bytes += size
        while partition.entries and partition.oldest.expires <= self.clock():
            self._drop(partition.oldest)
        while self._bytes > self.capacity_bytes:
            greedy = partition.bytes * len(self._partitions) > self.capacity_bytes
            oldest = (partition if greedy else next(iter(self._partitions.values()))).oldest
            self._counts_of(oldest.question).evictions += 1
            self._drop(oldest)

    def forget(self, workspace_id: UUID) -> bool:
        """Drop all results of a workspace; return whether there were any."""
        partition = self._partitions.pop(workspace_id, None)
        if partition is not None:
            self._bytes -= partition.bytes
        return partition is not None

    def stats(self, workspace_id: UUID | None = None) -> CacheStats:
        """Return hits, misses and size for one workspace, or for all of them (for operators)."""
        workspace_ids = list(self._counts) if workspace_id is None else [workspace_id]
        counts = [self._counts[key] for key in workspace_ids if key in self._counts]
        partitions = [self._partitions[key] for key in workspace_ids if key in self._partitions]
        return CacheStats(
            exact_hits=sum(counter.exact for counter in counts),
            near_hits=sum(counter.near for counter in counts),
            misses=sum(counter.misses for counter in counts),
            evictions=sum(counter.evictions for counter in counts),
            entries=sum(len(partition.entries) for partition in partitions),
            bytes=sum(partition.bytes for partition in partitions),
        )

    def _counts_of(self, question: Question) -> _Counts:
        return self._counts.setdefault(question.workspace_id, _Counts())

    def _partition(self, key: CacheKey) -> _Partition[Value] | None:
        """Return the workspace's results if they are of this generation; otherwise drop them."""
        partition = self._partitions.get(key.workspace_id)
        if partition is None:
            return None
        self._partitions.move_to_end(key.workspace_id)
        # Newer generations are dropped too: a restored database counts from a lower number.
        if partition.generation != key.generation:
            self.forget(key.workspace_id)
            return None
        return partition

    def _lookup(self, question: Question) -> _Entry[Value] | None:
        partition = self._partition(question.key)
        entry = None if partition is None else partition.entries.get(question)
        if partition is None or entry is None:
            return None
        if entry.expires <= self.clock():
            self._drop(entry)
            return None
        partition.entries.move_to_end(question)
        return entry

    def _drop(self, entry: _Entry[Value]) -> None:
        workspace_id = entry.question.workspace_id
        partition = self._partitions[workspace_id]
        partition.remove(entry)
        self._bytes -= entry.bytes
        if not partition.entries:
            del self._partitions[workspace_id]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry(Generic[Value]):
    question: Question
    wording: tuple[str, ...]
    value: Value
    bytes: int
    expires: float


@dataclass(slots=True, kw_only=True)
class _Partition(Generic[Value]):
    """The results of one workspace, least recently used first."""

    generation: int
    entries: OrderedDict[Question, _Entry[Value]] = field(default_factory=OrderedDict)
    wordings: dict[tuple[CacheKey, tuple[str, ...]], list[Question]] = field(default_factory=dict)
    bytes: int = 0

    @property
    def oldest(self) -> _Entry[Value]:
        return next(iter(self.entries.values()))

    def of_wording(self, key: CacheKey, wording: tuple[str, ...]) -> list[Question]:
        return self.wordings.get((key, wording), [])

    def add(self, entry: _Entry[Value]) -> None:
        self.entries[entry.question] = entry
        if entry.wording:
            key = (entry.question.key, entry.wording)
            self.wordings.setdefault(key, []).append(entry.question)
        self.bytes += entry.bytes

    def remove(self, entry: _Entry[Value]) -> None:
        del self.entries[entry.question]
        if entry.wording:
            key = (entry.question.key, entry.wording)
            self.wordings[key].remove(entry.question)
            if not self.wordings[key]:
                del self.wordings[key]
        self.bytes -= entry.bytes


@dataclass(slots=True, kw_only=True)
class _Counts:
    exact: int = 0
    near: int = 0
    misses: int = 0
    evictions: int = 0
