"""Gives results again that were computed before, for the same request to the same index."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from sys import getsizeof
from time import perf_counter
from typing import Generic, Literal, TypeVar
from uuid import UUID

from footnote.domain import Answer, CacheStats, Evidence, Plan, SearchRequest, SearchResponse
from footnote.ports import Vector
from footnote.retrieval.cache_guards import bare_wording

DEFAULT_SIMILARITY = 0.9
"""Measured in docs/semantic-cache.md: below it wrong pairs begin, above it rewordings are lost."""

Kind = Literal["exact", "near"]
Value = TypeVar("Value")
Search = Callable[[], Awaitable[SearchResponse]]
QueryVector = Callable[[str], Awaitable[Vector | None]]
"""From a query to its vector; None when there is none to be had."""

_VARIANTS = 8  # Of one wording that are compared; a ninth differs in nothing but its commas.


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheKey:
    """Everything a result depends on but the words of the query."""

    workspace_id: UUID
    generation: int
    """The index that is asked; see `ports.Index.generation`."""
    digest: bytes
    """Who asks, with which filters, number of results, plan, facets, conversation and lane."""

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
        """The key of a request under the plan it resolves to.

        `access` are the principal's access names, in any order; `lane` is a fingerprint, with
        whatever else the result depends on.
        """
        # Written out rather than compared: to Python `True` equals `1`, to a filter it does not.
        asked = (request.filters, request.top_k, request.facets, request.conversation)
        parts = repr((sorted(set(access)), lane, plan, *asked))
        digest = blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return cls(workspace_id=workspace_id, generation=generation, digest=digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query with everything its result depends on."""

    key: CacheKey
    text: str
    """In one spelling; see `one_spelling`."""

    @property
    def workspace_id(self) -> UUID:
        """The workspace that is asked."""
        return self.key.workspace_id


@dataclass(slots=True, kw_only=True)
class GenerationCache(Generic[Value]):
    """Results of earlier questions, bounded in memory and in time, for one event loop.

    Of each workspace it holds results of one generation of the index alone. When memory runs
    out, a workspace that takes more than an equal share loses its least recently used result;
    otherwise the workspace that has asked nothing for longest loses one.
    """

    capacity_bytes: int
    """0 keeps nothing."""
    measure: Callable[[Value], int]
    """About how many bytes of memory a result takes."""
    lifetime_seconds: float = 300.0
    clock: Callable[[], float] = perf_counter
    """Seconds; they never run backwards."""
    _partitions: OrderedDict[UUID, _Partition[Value]] = field(
        default_factory=OrderedDict, init=False
    )
    _counts: dict[UUID, _Counts] = field(default_factory=dict, init=False)
    _bytes: int = field(default=0, init=False)

    def may_hold(self, question: Question) -> bool:
        """Whether a result is kept of the generation that the question names."""
        partition = self._partitions.get(question.workspace_id)
        return partition is not None and question in partition.entries

    def find(self, question: Question) -> Value | None:
        """The result kept for this question; counts a hit or a miss."""
        entry = self._lookup(question)
        counts = self._counts_of(question)
        if entry is None:
            counts.misses += 1
            return None
        counts.exact += 1
        return entry.value

    def keep(self, question: Question, value: Value, wording: tuple[str, ...] = ()) -> None:
        """Keep a result, unless the index has moved on or it is larger than the cache.

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
        """Drop every result kept of a workspace; whether there was any."""
        partition = self._partitions.pop(workspace_id, None)
        if partition is not None:
            self._bytes -= partition.bytes
        return partition is not None

    def stats(self, workspace_id: UUID | None = None) -> CacheStats:
        """Hits, misses and size for one workspace, or for all of them: an operator's view."""
        wanted = list(self._counts) if workspace_id is None else [workspace_id]
        counts = [self._counts[each] for each in wanted if each in self._counts]
        partitions = [self._partitions[each] for each in wanted if each in self._partitions]
        return CacheStats(
            exact_hits=sum(each.exact for each in counts),
            near_hits=sum(each.near for each in counts),
            misses=sum(each.misses for each in counts),
            evictions=sum(each.evictions for each in counts),
            entries=sum(len(each.entries) for each in partitions),
            bytes=sum(each.bytes for each in partitions),
        )

    def _counts_of(self, question: Question) -> _Counts:
        return self._counts.setdefault(question.workspace_id, _Counts())

    def _partition(self, key: CacheKey) -> _Partition[Value] | None:
        """What is kept of this generation; what is kept of another one is dropped."""
        partition = self._partitions.get(key.workspace_id)
        if partition is None:
            return None
        self._partitions.move_to_end(key.workspace_id)
        # Not only older ones go: a database that was restored counts anew from a lower number.
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


@dataclass(slots=True, kw_only=True)
class SemanticCache(GenerationCache[SearchResponse]):
    """Responses of earlier searches, also to queries that say the same in nearly the same words."""

    measure: Callable[[SearchResponse], int] = field(default_factory=lambda: response_bytes)
    similarity: float | None = DEFAULT_SIMILARITY
    """Cosine from which queries of equal wording share a response; None and 1 switch that off."""
    _flights: dict[Question, _Flight] = field(default_factory=dict, init=False)

    async def answer(
        self, key: CacheKey, query: str, vector: QueryVector, search: Search
    ) -> SearchResponse:
        """The response of an earlier search, or of this one.

        The same query is looked up before anything is embedded. If it is being searched at this
        moment it is waited for; whoever gives up waiting stops nobody else. A search that fails
        fails for all who wait and is not kept; neither is one that was degraded.
        """
        started = self.clock()
        question = Question(key=key, text=one_spelling(query))
        counts = self._counts_of(question)
        entry = self._lookup(question)
        if entry is not None:
            counts.exact += 1
            return self._given_again(entry.value, query, "exact", started)
        flight = self._flights.get(question)
        joined = flight is not None
        if flight is None:
            task = asyncio.create_task(self._searched(question, vector, search))
            flight = self._flights[question] = _Flight(task=task)
            task.add_done_callback(partial(self._end, question, flight))
        flight.waiting += 1
        try:
            response, cached = await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                flight.task.cancel()
                # Whoever asks from now on must not wait for what is being cancelled.
                self._end(question, flight)
        if joined:
            counts.exact += 1
            return self._given_again(response, query, cached or "exact", started)
        if cached is not None:
            return self._given_again(response, query, cached, started)
        return replace(response, query=query)

    def may_serve(self, key: CacheKey, query: str) -> bool:
        """Whether a response is kept, or under way, that could serve this query."""
        question = Question(key=key, text=one_spelling(query))
        if question in self._flights or self.may_hold(question):
            return True
        partition = self._partitions.get(key.workspace_id)
        if partition is None or partition.generation != key.generation:
            return False
        return bool(partition.of_wording(key, bare_wording(question.text)))

    def _end(self, question: Question, flight: _Flight, _: object = None) -> None:
        if self._flights.get(question) is flight:
            del self._flights[question]

    async def _searched(
        self, question: Question, vector: QueryVector, search: Search
    ) -> tuple[SearchResponse, Literal["near"] | None]:
        """The response to the nearest query of equal wording if it is near enough, or a new one."""
        started = self.clock()
        counts = self._counts_of(question)
        wording = bare_wording(question.text)
        others = self._others(question, wording)
        similar = await self._nearest(question, others, vector) if others else None
        if similar is not None:
            counts.near += 1
            return replace(similar, searched=similar.searched or (similar.query,)), "near"
        counts.misses += 1
        looked_up = (self.clock() - started) * 1e3
        response = await search()
        if not response.degraded:
            self.keep(question, response, wording)
        return replace(response, timings_ms={**response.timings_ms, "cache": looked_up}), None

    def _others(self, question: Question, wording: tuple[str, ...]) -> Sequence[Question]:
        """Earlier queries of equal wording, the latest of them."""
        partition = self._partition(question.key)
        if partition is None or not wording or self.similarity is None or self.similarity >= 1:
            return ()
        return partition.of_wording(question.key, wording)[-_VARIANTS:]

    async def _nearest(
        self, question: Question, others: Sequence[Question], vector: QueryVector
    ) -> SearchResponse | None:
        """The response to the nearest of them, if it is near enough."""
        asked = await vector(question.text)
        if asked is None or self.similarity is None:
            return None
        nearest: tuple[float, Question] | None = None
        for other in others:
            theirs = await vector(other.text)
            similarity = -1.0 if theirs is None else float(theirs @ asked)
            if similarity >= self.similarity and (nearest is None or similarity > nearest[0]):
                nearest = similarity, other
        # Looked up only now: the index may have moved on while the queries were embedded.
        entry = None if nearest is None else self._lookup(nearest[1])
        if entry is None or entry.value.corrected_query is not None:
            # The corrected words are those of the other query.
            return None
        return entry.value

    def _given_again(
        self, response: SearchResponse, query: str, cached: Kind, started: float
    ) -> SearchResponse:
        elapsed = (self.clock() - started) * 1e3
        return replace(
            response,
            query=query,
            cached=cached,
            timings_ms={"cache": elapsed, "total": elapsed},
        )


def one_spelling(query: str) -> str:
    """The query in NFC with single spaces: what differs in nothing else is the same query.

    Case counts here, for a model may tell `US` from `us`; `bare_wording` judges that.
    """
    return " ".join(unicodedata.normalize("NFC", query).split())


def response_bytes(response: SearchResponse) -> int:
    """About how much memory a response takes, fitted to what those of the engine refer to."""
    return 1000 + sum(map(_evidence_bytes, response.evidence))


def answer_bytes(answer: Answer) -> int:
    """About how much memory an answer takes, its evidence included."""
    written = sum(getsizeof(each.text) for each in answer.sentences)
    closest = () if answer.closest is None else (answer.closest,)
    written += sum(getsizeof(each.text) for each in closest)
    cited = (*answer.citations, *(each.citation for each in closest))
    quoted = sum(getsizeof(each.quote) for each in cited)
    records = 300 * (len(answer.sentences) + len(closest)) + 900 * len(cited)
    return 1000 + written + quoted + records + sum(map(_evidence_bytes, answer.evidence))


def _evidence_bytes(evidence: Evidence) -> int:
    spans = len(evidence.passage.spans)
    records = len(evidence.explanation)
    beside = len(evidence.neighbours) + len(evidence.near_duplicates)
    details = sum(len(record.detail) for record in evidence.explanation)
    text = getsizeof(evidence.passage.text) + getsizeof(evidence.why)
    return 1200 + text + 130 * spans + 240 * records + 80 * details + 300 * beside


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry(Generic[Value]):
    question: Question
    wording: tuple[str, ...]
    value: Value
    bytes: int
    expires: float


@dataclass(slots=True, kw_only=True)
class _Partition(Generic[Value]):
    """What is kept of one workspace, least recently used first."""

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
            place = (entry.question.key, entry.wording)
            self.wordings.setdefault(place, []).append(entry.question)
        self.bytes += entry.bytes

    def remove(self, entry: _Entry[Value]) -> None:
        del self.entries[entry.question]
        if entry.wording:
            place = (entry.question.key, entry.wording)
            self.wordings[place].remove(entry.question)
            if not self.wordings[place]:
                del self.wordings[place]
        self.bytes -= entry.bytes


@dataclass(slots=True, kw_only=True)
class _Counts:
    exact: int = 0
    near: int = 0
    misses: int = 0
    evictions: int = 0


@dataclass(slots=True, kw_only=True)
class _Flight:
    """A search under way, and how many wait for it."""

    task: asyncio.Task[tuple[SearchResponse, Literal["near"] | None]]
    waiting: int = 0
