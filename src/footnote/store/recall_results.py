"""Join the results of the vector and the lexical recall of one snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from footnote.domain import Ranking
from footnote.index.bm25 import LexicalResult
from footnote.index.naming import NamedDocuments
from footnote.index.ranges import ChunkRanges
from footnote.ports import Recalled, RecallRequest, Vector
from footnote.ports.telemetry import ROUTING, timed
from footnote.store.dense import begin_nearest
from footnote.store.index_cache import IndexState, Posting, View
from footnote.store.lexical import (
    complete_bm25,
    live_idf,
    merge_rankings,
    rank_by_bm25,
    scores_of,
)
from footnote.store.routing import PendingRoutes, lacks_of, routes_of
from footnote.store.vector_cache import CachedVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchScope:
    """The chunks that a search covers."""

    view: View
    """The chunks that the principal may see and the filters admit."""
    searched: ChunkRanges
    """The chunks of the view that phrases and exclusions leave."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The results of the database at one generation."""

    generation: int
    terms: Mapping[int, str]
    postings: Mapping[int, Posting]
    routes: PendingRoutes
    document_postings: Mapping[int, Posting]
    named: NamedDocuments | None = None
    held: CachedVectors | None = None
    dense: Ranking = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalRecall:
    """The lexical recall at one generation, and the vectors that are in memory."""

    state: IndexState
    chunks: SearchScope
    fetched: Fetched
    lexical: LexicalResult

    @property
    def of_named(self) -> ChunkRanges:
        """The searched chunks of the documents that the query names best; empty without any."""
        documents = self.fetched.named
        if documents is None:
            return ChunkRanges.empty()
        return documents.best.intersection(self.chunks.searched)


async def recall_by_words(
    state: IndexState, chunks: SearchScope, fetched: Fetched, request: RecallRequest
) -> LexicalRecall:
    """Rank by BM25, over all chunks and again within the documents that the query names."""
    lexical = await rank_by_bm25(state, chunks.searched, fetched.postings, request.limit)
    words = LexicalRecall(state=state, chunks=chunks, fetched=fetched, lexical=lexical)
    if words.of_named.is_empty:
        return words
    within_named = await rank_by_bm25(state, words.of_named, fetched.postings, request.limit)
    combined = LexicalResult(
        ranking=merge_rankings(lexical.ranking, within_named.ranking),
        contributions={**lexical.contributions, **within_named.contributions},
    )
    return replace(words, lexical=combined)


async def with_held_vectors(
    words: LexicalRecall, request: RecallRequest, vector: Vector
) -> Recalled:
    """Join the lexical recall with the nearest vectors in memory, which must be complete."""
    cached = words.fetched.held
    assert cached is not None, "nothing is joined to what is not in memory"
    dense = await begin_nearest(cached, vector, words.chunks.searched, request.limit)
    if not words.of_named.is_empty:
        within_named = await begin_nearest(cached, vector, words.of_named, request.limit)
        dense = merge_rankings(dense, within_named)
    similarities = scores_of(dense)
    if request.complete:
        numbers = [hit.chunk_no for hit in words.lexical.ranking]
        similarities |= cached.similarities(vector, numbers)
    return recalled(words, dense, similarities, request)


def recalled(
    words: LexicalRecall,
    dense: Ranking,
    similarities: Mapping[int, float],
    request: RecallRequest,
) -> Recalled:
    """Combine both recalls, with match details, document routes and name matches."""
    state, chunks, fetched, lexical = words.state, words.chunks, words.fetched, words.lexical
    bm25: Mapping[int, float] = scores_of(lexical.ranking)
    if request.complete:
        bm25 = complete_bm25(state, fetched.postings, dense, lexical.ranking)
    matched = {
        number: {fetched.terms[term]: share for term, share in shares.items()}
        for number, shares in lexical.contributions.items()
    }
    with timed(ROUTING):
        routes = routes_of(
            fetched.routes,
            fetched.document_postings,
            chunks.searched,
            request,
            (*dense, *lexical.ranking),
        )
    present = {term for terms in matched.values() for term in terms}
    visible = chunks.view.ranges
    return Recalled(
        dense=dense,
        lexical=lexical.ranking,
        matched_terms=matched,
        similarities=similarities,
        bm25=bm25,
        idf={
            fetched.terms[term]: live_idf(state, posting)
            for term, posting in fetched.postings.items()
        },
        absent_terms=tuple(
            term
            for number, term in fetched.terms.items()
            # Matched terms need no count, and visible chunks are never dead.
            if term not in present and not visible.count_of_rising(fetched.postings[number][0])
        ),
        languages=chunks.view.languages,
        notes=chunks.notes,
        routes=routes,
        name_score_gaps=lacks_of(fetched.named, dense, lexical.ranking),
    )
