"""Cache search responses, and serve them for the same request to the same index generation."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from sys import getsizeof
from typing import Literal

from footnote.domain import Answer, Evidence, SearchResponse
from footnote.ports import Vector
from footnote.retrieval.cache_guards import bare_wording
from footnote.retrieval.generation_cache import CacheKey, GenerationCache, Kind, Question

DEFAULT_SIMILARITY = 0.9
"""Minimum cosine; by docs/semantic-cache.md lower values match wrong pairs, higher ones miss
rewordings."""

Search = Callable[[], Awaitable[SearchResponse]]
QueryVector = Callable[[str], Awaitable[Vector | None]]
"""Embeds a query; None if no vector is available."""

_VARIANTS = 8  # Latest queries of one wording that are compared; more would differ in commas alone.


@dataclass(slots=True, kw_only=True)
class SemanticCache(GenerationCache[SearchResponse]):
    """A cache of search responses that also serves nearly identical queries."""

    measure: Callable[[SearchResponse], int] = field(default_factory=lambda: response_bytes)
    similarity: float | None = DEFAULT_SIMILARITY
    """Minimum cosine of two queries of equal wording that share a response; None or 1 disables
    this."""
    _flights: dict[Question, _Flight] = field(default_factory=dict, init=False)

    async def answer(
        self, key: CacheKey, query: str, vector: QueryVector, search: Search
    ) -> SearchResponse:
        """Return the response of an earlier search, or run this one.

        An exact match needs no embedding. A search for the same query in flight is awaited; a
        caller that is cancelled stops no other. A failed search fails for all that await it and is
        not cached; nor is a degraded one.
        """
        started = self.clock()
        question = Question(key=key, text=normalised_query(query))
        counts = self._counts_of(question)
        entry = self._lookup(question)
        if entry is not None:
            counts.exact += 1
            return self._cached_response(entry.value, query, "exact", started)
        flight = self._flights.get(question)
        joined = flight is not None
        if flight is None:
            task = asyncio.create_task(self._reuse_or_search(question, vector, search))
            flight = self._flights[question] = _Flight(task=task)
            task.add_done_callback(partial(self._remove_flight, question, flight))
        flight.waiting += 1
        try:
            response, cached = await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                flight.task.cancel()
                # Later callers must not wait for a cancelled search.
                self._remove_flight(question, flight)
        if joined:
            counts.exact += 1
            return self._cached_response(response, query, cached or "exact", started)
        if cached is not None:
            return self._cached_response(response, query, cached, started)
        return replace(response, query=query)

    def may_serve(self, key: CacheKey, query: str) -> bool:
        """Whether a cached response or a search in flight could serve this query."""
        question = Question(key=key, text=normalised_query(query))
        if question in self._flights or self.may_hold(question):
            return True
        partition = self._partitions.get(key.workspace_id)
        if partition is None or partition.generation != key.generation:
            return False
        return bool(partition.of_wording(key, bare_wording(question.text)))

    def _remove_flight(self, question: Question, flight: _Flight, _: object = None) -> None:
        if self._flights.get(question) is flight:
            del self._flights[question]

    async def _reuse_or_search(
        self, question: Question, vector: QueryVector, search: Search
    ) -> tuple[SearchResponse, Literal["near"] | None]:
        """Return the response to a near enough query of equal wording, or search."""
        started = self.clock()
        counts = self._counts_of(question)
        wording = bare_wording(question.text)
        earlier_queries = self._earlier_queries(question, wording)
        similar = (
            await self._nearest(question, earlier_queries, vector) if earlier_queries else None
        )
        if similar is not None:
            counts.near += 1
            return replace(similar, searched=similar.searched or (similar.query,)), "near"
        counts.misses += 1
        looked_up = (self.clock() - started) * 1e3
        response = await search()
        if not response.degraded:
            self.keep(question, response, wording)
        return replace(response, timings_ms={**response.timings_ms, "cache": looked_up}), None

    def _earlier_queries(self, question: Question, wording: tuple[str, ...]) -> Sequence[Question]:
        """Return the latest earlier queries of equal wording."""
        partition = self._partition(question.key)
        if partition is None or not wording or self.similarity is None or self.similarity >= 1:
            return ()
        return partition.of_wording(question.key, wording)[-_VARIANTS:]

    async def _nearest(
        self, question: Question, earlier_queries: Sequence[Question], vector: QueryVector
    ) -> SearchResponse | None:
        """Return the response to the nearest of them, if it is near enough."""
        query_vector = await vector(question.text)
        if query_vector is None or self.similarity is None:
            return None
        nearest: tuple[float, Question] | None = None
        for other in earlier_queries:
            other_vector = await vector(other.text)
            similarity = -1.0 if other_vector is None else float(other_vector @ query_vector)
            if similarity >= self.similarity and (nearest is None or similarity > nearest[0]):
                nearest = similarity, other
        # Looked up only now: the index generation may have changed while the queries were embedded.
        entry = None if nearest is None else self._lookup(nearest[1])
        if entry is None or entry.value.corrected_query is not None:
            # The corrected words are those of the other query.
            return None
        return entry.value

    def _cached_response(
        self, response: SearchResponse, query: str, cached: Kind, started: float
    ) -> SearchResponse:
        elapsed = (self.clock() - started) * 1e3
        return replace(
            response,
            query=query,
            cached=cached,
            timings_ms={"cache": elapsed, "total": elapsed},
        )


def normalised_query(query: str) -> str:
    """Normalise the query to NFC with single spaces.

    Case is kept, for a model may distinguish `US` from `us`; see `bare_wording`.
    """
    return " ".join(unicodedata.normalize("NFC", query).split())


def response_bytes(response: SearchResponse) -> int:
    """About how much memory a response takes, fitted to what those of the engine refer to."""
    return 1000 + sum(map(_evidence_bytes, response.evidence))


def answer_bytes(answer: Answer) -> int:
    """About how much memory an answer takes, its evidence included."""
    text_bytes = sum(getsizeof(sentence.text) for sentence in answer.sentences)
    closest = () if answer.closest is None else (answer.closest,)
    text_bytes += sum(getsizeof(miss.text) for miss in closest)
    citations = (*answer.citations, *(miss.citation for miss in closest))
    quote_bytes = sum(getsizeof(citation.quote) for citation in citations)
    records = 300 * (len(answer.sentences) + len(closest)) + 900 * len(citations)
    return 1000 + text_bytes + quote_bytes + records + sum(map(_evidence_bytes, answer.evidence))


def _evidence_bytes(evidence: Evidence) -> int:
    spans = len(evidence.passage.spans)
    records = len(evidence.explanation)
    references = len(evidence.neighbours) + len(evidence.near_duplicates)
    details = sum(len(record.detail) for record in evidence.explanation)
    text = getsizeof(evidence.passage.text) + getsizeof(evidence.why)
    return 1200 + text + 130 * spans + 240 * records + 80 * details + 300 * references


@dataclass(slots=True, kw_only=True)
class _Flight:
    """A search in flight, and the number of callers that await it."""

    task: asyncio.Task[tuple[SearchResponse, Literal["near"] | None]]
    waiting: int = 0
