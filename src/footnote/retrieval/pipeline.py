"""A question becomes evidence: recall (dense ‖ lexical) → fuse → explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from footnote.domain import SearchRequest, SearchResponse
from footnote.errors import FootnoteError, InvalidRequest
from footnote.ports import Analyzer, Embedder, Index, RecallRequest, Vector
from footnote.retrieval.explain import evidence_from
from footnote.retrieval.fusion import Fusion
from footnote.text import is_storable

BALANCED = "balanced"
"""The only plan so far: both recalls, fused."""

MAX_QUERY_CHARACTERS = 10_000
CANDIDATES_PER_RESULT = 5  # Recall brings five times what is returned, so that fusion can choose.


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """The stages of a search, wired once."""

    embedder: Embedder
    analyzer: Analyzer
    fusion: Fusion
    recall_limit: int

    async def __call__(self, request: SearchRequest, index: Index) -> SearchResponse:
        """Search the index. Raises InvalidRequest for a question that asks nothing.

        Without its embedder it searches by words alone, and says so in `degraded`.
        """
        query = checked_query(request)
        started = perf_counter()
        vector, degraded = await self._embedded(query)
        embedded = perf_counter()
        recalled = await index.recall(
            RecallRequest(
                terms_of=lambda languages: self._terms(query, languages),
                vector=vector,
                limit=max(self.recall_limit, CANDIDATES_PER_RESULT * request.top_k),
                filters=request.filters,
            )
        )
        found = perf_counter()
        fused = self.fusion({"dense": recalled.dense, "lexical": recalled.lexical})
        passages = await index.passages([hit.chunk_no for hit in fused[: request.top_k]])
        evidence = evidence_from(fused, self.fusion.name, recalled, passages, request.top_k)
        finished = perf_counter()
        return SearchResponse(
            query=query,
            evidence=evidence,
            degraded=degraded,
            timings_ms={
                "embed": (embedded - started) * 1e3,
                "recall": (found - embedded) * 1e3,
                "fuse": (finished - found) * 1e3,
                "total": (finished - started) * 1e3,
            },
        )

    async def _embedded(self, query: str) -> tuple[Vector | None, tuple[str, ...]]:
        if self.fusion.name == "lexical_only":
            return None, ()
        try:
            return await self.embedder.embed_query(query), ()
        except FootnoteError as error:
            return None, (f"dense: {error}",)

    def _terms(self, query: str, languages: Sequence[str]) -> Sequence[str]:
        if self.fusion.name == "dense_only":
            return ()
        return self.analyzer.query_terms(query, languages)


def checked_query(request: SearchRequest) -> str:
    """The query without the space around it. Raises InvalidRequest."""
    query = "".join(
        character if is_storable(character) else " " for character in request.query
    ).strip()
    if not query:
        raise InvalidRequest("the query is empty", hint="ask for something")
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InvalidRequest(
            f"the query has {len(query)} characters, and {MAX_QUERY_CHARACTERS} are allowed",
            hint="shorten it",
        )
    if not 1 <= request.top_k <= 200:
        raise InvalidRequest(f"top_k is {request.top_k}", hint="ask for 1 to 200 results")
    if not all(map(is_storable, request.filters.collections)):
        raise InvalidRequest("a collection in the filters cannot exist", hint="check its name")
    if request.plan not in (None, BALANCED):
        raise InvalidRequest(
            f"there is no plan {request.plan!r}", hint=f"leave it out, or say {BALANCED}"
        )
    return query
