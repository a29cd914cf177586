"""Answers a search from an earlier one that asked the same of the same index."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from sys import getsizeof
from time import perf_counter
from typing import Literal
from uuid import UUID

from footnote.domain import CacheStats, Evidence, Plan, SearchRequest, SearchResponse
from footnote.ports import Embedder, Vector
from footnote.retrieval.cache_guards import bare_wording

DEFAULT_SIMILARITY = 0.9
"""Measured in docs/semantic-cache.md: below it wrong pairs begin, above it rewordings are lost."""

Kind = Literal["exact", "near"]
Search = Callable[[], Awaitable[SearchResponse]]
QueryVector = Callable[[str], Awaitable[Vector | None]]
"""From a query to its vector; None when there is none to be had."""

_VARIANTS = 8  # Of one wording that are compared; a ninth differs in nothing but its commas.


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheKey:
    """Everything an answer depends on but the words of the query."""

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

        `access` are the principal's access names, in any order; `lane` is a fingerprint.
        """
        # Written out rather than compared: to Python `True` equals `1`, to a filter it does not.
        asked = (request.filters, request.top_k, request.facets, request.conversation)
        parts = repr((sorted(set(access)), lane, plan, *asked))
        digest = blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return cls(workspace_id=workspace_id, generation=generation, digest=digest)


@dataclass(slots=True, kw_only=True)
class SemanticCache:
    """Answers of earlier searches, bounded in memory and in time, for one event loop.

    Of each workspace it holds answers of one generation of the index alone. When memory runs
    out, a workspace that takes more than an equal share loses its least recently used answer;
    otherwise the workspace that has asked nothing for longest loses one.
    """

    capacity_bytes: int
    """0 keeps nothing."""
    lifetime_seconds: float = 300.0
    similarity: float | None = DEFAULT_SIMILARITY
    """Cosine from which queries of equal wording share an answer; None and 1 switch that off."""
    clock: Callable[[], float] = perf_counter
    """Seconds; they never run backwards."""
    _shelves: OrderedDict[UUID, _Shelf] = field(default_factory=OrderedDict, init=False)
    _counts: dict[UUID, _Counts] = field(default_factory=dict, init=False)
    _flights: dict[_Question, _Flight] = field(default_factory=dict, init=False)
    _bytes: int = field(default=0, init=False)

    async def answer(
        self, key: CacheKey, query: str, vector: QueryVector, search: Search
    ) -> SearchResponse:
        """The answer of an earlier search, or of this one.

        The same query is looked up before anything is embedded. If it is being searched at this
        moment it is waited for; whoever gives up waiting stops nobody else. A search that fails
        fails for all who wait and is not kept; neither is one that was degraded.
        """
        started = self.clock()
        counts = self._counts.setdefault(key.workspace_id, _Counts())
        question = _Question(key=key, text=one_spelling(query))
        entry = self._lookup(question)
        if entry is not None:
            counts.exact += 1
            return self._handed_out(entry.response, query, "exact", started)
        underway = self._flights.get(question)
        landed = await self._wait(question, underway or self._launch(question, vector, search))
        if underway is not None:
            counts.exact += 1
            return self._handed_out(landed.response, query, landed.cached or "exact", started)
        if landed.cached is not None:
            return self._handed_out(landed.response, query, landed.cached, started)
        return replace(landed.response, query=query)

    def may_hold(self, key: CacheKey, query: str) -> bool:
        """Whether an answer is kept, or under way, that could serve this query."""
        question = _Question(key=key, text=one_spelling(query))
        shelf = self._shelves.get(key.workspace_id)
        if question in self._flights:
            return True
        if shelf is None or shelf.generation != key.generation:
            return False
        return question in shelf.entries or bool(shelf.of_wording(key, bare_wording(question.text)))

    def stats(self, workspace_id: UUID | None = None) -> CacheStats:
        """How it fared for one workspace, or for all of them together: an operator's view."""
        wanted = list(self._counts) if workspace_id is None else [workspace_id]
        counts = [self._counts[each] for each in wanted if each in self._counts]
        shelves = [self._shelves[each] for each in wanted if each in self._shelves]
        return CacheStats(
            exact_hits=sum(each.exact for each in counts),
            near_hits=sum(each.near for each in counts),
            misses=sum(each.misses for each in counts),
            evictions=sum(each.evictions for each in counts),
            entries=sum(len(each.entries) for each in shelves),
            bytes=sum(each.bytes for each in shelves),
        )

    def forget(self, workspace_id: UUID) -> bool:
        """Drop every answer kept of a workspace; whether there was any."""
        kept = workspace_id in self._shelves
        if kept:
            self._discard(workspace_id)
        return kept

    def _launch(self, question: _Question, vector: QueryVector, search: Search) -> _Flight:
        task = asyncio.create_task(self._fly(question, vector, search))
        flight = self._flights[question] = _Flight(task=task)
        task.add_done_callback(lambda _: self._forget(question, flight))
        return flight

    async def _wait(self, question: _Question, flight: _Flight) -> _Landed:
        """What the flight brings; it is given up once nobody waits for it."""
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                flight.task.cancel()
                # Whoever asks from now on must not wait for what is being cancelled.
                self._forget(question, flight)

    def _forget(self, question: _Question, flight: _Flight) -> None:
        if self._flights.get(question) is flight:
            del self._flights[question]

    async def _fly(self, question: _Question, vector: QueryVector, search: Search) -> _Landed:
        started = self.clock()
        counts = self._counts[question.key.workspace_id]
        wording = bare_wording(question.text)
        similar = await self._similar(question, wording, vector)
        if similar is not None:
            counts.near += 1
            searched = similar.searched or (similar.query,)
            return _Landed(response=replace(similar, searched=searched), cached="near")
        counts.misses += 1
        looked_up = (self.clock() - started) * 1e3
        response = await search()
        if not response.degraded:
            self._keep(question, wording, response)
        timings = {**response.timings_ms, "cache": looked_up}
        return _Landed(response=replace(response, timings_ms=timings))

    async def _similar(
        self, question: _Question, wording: tuple[str, ...], vector: QueryVector
    ) -> SearchResponse | None:
        """The answer to the nearest query of equal wording, if it is near enough."""
        shelf = self._shelf(question.key)
        if shelf is None or not wording or self.similarity is None or self.similarity >= 1:
            return None
        others = shelf.of_wording(question.key, wording)[-_VARIANTS:]
        if not others or (asked := await vector(question.text)) is None:
            return None
        nearest: tuple[float, _Question] | None = None
        for other in others:
            theirs = await vector(other.text)
            similarity = -1.0 if theirs is None else float(theirs @ asked)
            if similarity >= self.similarity and (nearest is None or similarity > nearest[0]):
                nearest = similarity, other
        # Looked up only now: the index may have moved on while the queries were embedded.
        entry = None if nearest is None else self._lookup(nearest[1])
        if entry is None or entry.response.corrected_query is not None:
            # What was mended are the other's words.
            return None
        return entry.response

    def _shelf(self, key: CacheKey) -> _Shelf | None:
        """What is kept of this generation; what is kept of another one goes."""
        shelf = self._shelves.get(key.workspace_id)
        if shelf is None:
            return None
        self._shelves.move_to_end(key.workspace_id)
        # Not only older ones go: a database that was restored counts anew from a lower number.
        if shelf.generation != key.generation:
            self._discard(key.workspace_id)
            return None
        return shelf

    def _lookup(self, question: _Question) -> _Entry | None:
        shelf = self._shelf(question.key)
        entry = None if shelf is None else shelf.entries.get(question)
        if shelf is None or entry is None:
            return None
        if entry.expires <= self.clock():
            self._drop(entry)
            return None
        shelf.entries.move_to_end(question)
        return entry

    def _keep(
        self, question: _Question, wording: tuple[str, ...], response: SearchResponse
    ) -> None:
        size = response_bytes(response)
        workspace_id, generation = question.key.workspace_id, question.key.generation
        shelf = self._shelves.get(workspace_id)
        if size > self.capacity_bytes or (shelf is not None and shelf.generation > generation):
            return
        if shelf is not None and shelf.generation < generation:
            self._discard(workspace_id)
        elif shelf is not None and question in shelf.entries:
            self._drop(shelf.entries[question])
        entry = _Entry(
            question=question,
            wording=wording,
            response=response,
            bytes=size,
            expires=self.clock() + self.lifetime_seconds,
        )
        shelf = self._shelves.setdefault(workspace_id, _Shelf(generation=generation))
        shelf.add(entry)
        self._bytes += size
        self._make_room(shelf)

    def _make_room(self, asking: _Shelf) -> None:
        while asking.entries and asking.oldest.expires <= self.clock():
            self._drop(asking.oldest)
        while self._bytes > self.capacity_bytes:
            greedy = asking.bytes * len(self._shelves) > self.capacity_bytes
            oldest = (asking if greedy else next(iter(self._shelves.values()))).oldest
            self._counts[oldest.question.key.workspace_id].evictions += 1
            self._drop(oldest)

    def _drop(self, entry: _Entry) -> None:
        workspace_id = entry.question.key.workspace_id
        shelf = self._shelves[workspace_id]
        shelf.remove(entry)
        self._bytes -= entry.bytes
        if not shelf.entries:
            del self._shelves[workspace_id]

    def _discard(self, workspace_id: UUID) -> None:
        self._bytes -= self._shelves.pop(workspace_id).bytes

    def _handed_out(
        self, response: SearchResponse, query: str, cached: Kind, started: float
    ) -> SearchResponse:
        elapsed = (self.clock() - started) * 1e3
        return replace(
            response,
            query=query,
            cached=cached,
            timings_ms={"cache": elapsed, "total": elapsed},
        )


@dataclass(slots=True, kw_only=True)
class QueryVectors:
    """The vectors of each workspace's latest queries; they outlive every change of the index."""

    capacity: int = 2048
    """Vectors of all workspaces together; 0 remembers none."""
    _known: OrderedDict[tuple[UUID, str, str], Vector] = field(
        default_factory=OrderedDict, init=False
    )

    async def __call__(self, workspace_id: UUID, query: str, embedder: Embedder) -> Vector:
        """The query's vector, read-only, in the embedder's lane. Raises LaneUnavailable."""
        # By workspace, so that its speed does not tell one what another has asked.
        key = (workspace_id, embedder.lane.fingerprint, one_spelling(query))
        known = self._known.get(key)
        if known is None:
            known = (await embedder.embed_query(query)).copy()
            known.flags.writeable = False
            self._known[key] = known
        self._known.move_to_end(key)
        while len(self._known) > self.capacity:
            self._known.popitem(last=False)
        return known


def one_spelling(query: str) -> str:
    """The query in NFC with single spaces: what differs in nothing else is the same query.

    Case counts here, for a model may tell `US` from `us`; `bare_wording` judges that.
    """
    return " ".join(unicodedata.normalize("NFC", query).split())


def response_bytes(response: SearchResponse) -> int:
    """About how much memory a response takes, fitted to what those of the engine refer to."""
    return 1000 + sum(map(_evidence_bytes, response.evidence))


def _evidence_bytes(evidence: Evidence) -> int:
    spans = len(evidence.passage.spans)
    records = len(evidence.explanation)
    beside = len(evidence.neighbours) + len(evidence.near_duplicates)
    details = sum(len(record.detail) for record in evidence.explanation)
    text = getsizeof(evidence.passage.text) + getsizeof(evidence.why)
    return 1200 + text + 130 * spans + 240 * records + 80 * details + 300 * beside


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    key: CacheKey
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    question: _Question
    wording: tuple[str, ...]
    response: SearchResponse
    bytes: int
    expires: float


@dataclass(slots=True, kw_only=True)
class _Shelf:
    """What is kept of one workspace, least recently used first."""

    generation: int
    entries: OrderedDict[_Question, _Entry] = field(default_factory=OrderedDict)
    wordings: dict[tuple[CacheKey, tuple[str, ...]], list[_Question]] = field(default_factory=dict)
    bytes: int = 0

    @property
    def oldest(self) -> _Entry:
        return next(iter(self.entries.values()))

    def of_wording(self, key: CacheKey, wording: tuple[str, ...]) -> list[_Question]:
        return self.wordings.get((key, wording), [])

    def add(self, entry: _Entry) -> None:
        self.entries[entry.question] = entry
        self.wordings.setdefault((entry.question.key, entry.wording), []).append(entry.question)
        self.bytes += entry.bytes

    def remove(self, entry: _Entry) -> None:
        del self.entries[entry.question]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Landed:
    response: SearchResponse
    cached: Literal["near"] | None = None


@dataclass(slots=True, kw_only=True)
class _Flight:
    """A search under way, and how many wait for it."""

    task: asyncio.Task[_Landed]
    waiting: int = 0
