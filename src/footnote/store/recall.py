"""Finds the chunks nearest a query, by vector and by BM25, in one round trip where it can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from psycopg import AsyncCursor
from psycopg.rows import DictRow

from footnote.domain import FacetCount, Lane, Passage, Principal, Ranking, SearchFilters, Workspace
from footnote.errors import NotFound
from footnote.index.bm25 import LexicalResult
from footnote.index.naming import NamedDocuments
from footnote.index.ranges import ChunkRanges
from footnote.index.terms import fresh_term_ids, term_ids
from footnote.ports import ComingVector, Holders, Recalled, RecallRequest, Vector, Widened
from footnote.store.completion import complete_bm25, complete_similarities, scores_of
from footnote.store.database import Database, WorkspaceScope
from footnote.store.dense import DenseBreadth, ask_nearest, begin_nearest, read_nearest
from footnote.store.facets import load_facets
from footnote.store.index_cache import IndexCache, IndexState, Posting, ScopeKey, View
from footnote.store.index_state import load_state, load_view
from footnote.store.naming import ask_names, joined, lacks_of
from footnote.store.narrowing import narrow
from footnote.store.neighbourhood import load_widened
from footnote.store.passages import ask_passages, read_passages
from footnote.store.postings import ask_postings, find_holders, read_postings
from footnote.store.routing import AskedRoutes, ask_routes, routes_of
from footnote.store.scoring import rarity, scored
from footnote.store.statements import load_statements
from footnote.store.vector_cache import HeldVectors, VectorCache
from footnote.store.vectors import load_vectors

_SQL = load_statements("recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What the database answered at one generation."""

    generation: int
    terms: Mapping[int, str]
    postings: Mapping[int, Posting]
    routes: AskedRoutes
    document_postings: Mapping[int, Posting]
    named: NamedDocuments | None = None
    held: HeldVectors | None = None
    dense: Ranking = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Worded:
    """What words found at one generation, and the vectors that are in memory."""

    state: IndexState
    looked: _Scope
    found: _Found
    lexical: LexicalResult

    @property
    def within(self) -> ChunkRanges:
        """What is searched of the documents that the query names best; nothing without any."""
        named = self.found.named
        if named is None:
            return ChunkRanges.empty()
        return named.best.intersection(self.looked.searched)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """What a search looks at."""

    view: View
    """What the principal may see and the filters admit."""
    searched: ChunkRanges
    """What phrases and exclusions leave of it."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresIndex:
    """The index of one workspace as one principal sees it; implements `ports.Index`."""

    database: Database
    workspace: Workspace
    principal: Principal
    lane: Lane
    cache: IndexCache
    breadth: DenseBreadth
    vector_cache: VectorCache = field(default_factory=lambda: VectorCache(0))

    async def recall(self, request: RecallRequest, coming: ComingVector | None = None) -> Recalled:
        """Both recalls, of one moment, over what the principal may see.

        What is cached of the workspace is tried first, and replaced when the index has moved
        on. Phrases and exclusions narrow the search before either recall. While a vector is
        coming, words are looked up; no connection is held meanwhile. Raises LaneMismatch when
        the workspace was embedded by another model.
        """
        if coming is None:
            return await self._recalled(request)
        ahead = await self._ahead(request)
        request = replace(request, vector=await coming)
        if ahead is None or request.vector is None:
            return await self._recalled(request)
        return await _joined(ahead, request, request.vector)

    async def _ahead(self, request: RecallRequest) -> _Worded | None:
        """The lexical recall alone, if all vectors it could be joined with are in memory."""
        state = self._state()
        view = None if state is None else state.views.get(self._key(request.filters))
        if state is None or view is None or request.terms_of is None or _narrows(request):
            return None
        held = self._held(state)
        if held is None or not view.ranges.difference(held.covered).is_empty:
            return None
        looked = _Scope(view=view, searched=view.ranges)
        async with self._snapshot() as scope:
            found = await self._ask(scope, state, looked, replace(request, vector=None))
        if found.generation != state.generation:
            return None
        return await _worded(state, looked, found, request)

    async def _recalled(self, request: RecallRequest) -> Recalled:
        state = self._state()
        key = self._key(request.filters)
        if state is not None and key in state.views and not _narrows(request):
            looked = _Scope(view=state.views[key], searched=state.views[key].ranges)
            async with self._snapshot() as scope:
                found = await self._ask(scope, state, looked, request)
                if found.generation == state.generation:
                    return await self._ranked(scope, state, looked, found, request)
        async with self._snapshot() as scope:
            state, view = await self._current(scope, request.filters)
            looked = await self._narrowed(scope, state, view, request)
            found = await self._ask(scope, state, looked, request)
            return await self._ranked(scope, state, looked, found, request)

    async def passages(self, chunk_numbers: Sequence[int]) -> Mapping[int, Passage]:
        """The passages of these chunk numbers that are published and visible."""
        async with self._snapshot() as scope:
            asked = await ask_passages(scope, chunk_numbers)
        # The end of the transaction travels with the question: one trip fewer.
        return await read_passages(asked)

    async def generation(self) -> int:
        """A number that rises with every change a search could notice."""
        async with self._snapshot() as scope:
            asked = await _ask_generation(scope)
        return await _read_generation(asked)

    @property
    def last_generation(self) -> int | None:
        """The number when this process last looked; None before it has."""
        state = self.cache.state(self.workspace.workspace_id)
        return None if state is None else state.generation

    async def holders(
        self, terms: Sequence[str], filters: SearchFilters, shown: int
    ) -> Mapping[str, Holders]:
        """The visible chunks that hold each term; terms of none are left out."""
        wanted = list(dict.fromkeys(terms))
        async with self._snapshot() as scope:
            state, view = await self._current(scope, filters)
            ids = fresh_term_ids(state.lexical_key, wanted)
            found = await find_holders(
                scope, state, self.cache, ids, allowed=view.ranges, shown=shown
            )
        return {
            term: found[number] for term, number in zip(wanted, ids, strict=True) if number in found
        }

    async def vectors(self, chunk_numbers: Sequence[int]) -> Mapping[int, Vector]:
        """The vectors of these chunks, in the lane that is searched."""
        async with self._snapshot() as scope:
            state, _ = await self._current(scope, SearchFilters())
            if state.lane_id is None:
                return {}
            return await load_vectors(scope, state.lane_id, chunk_numbers)

    async def widened(
        self, passages: Sequence[Passage], window: int, across_headings: bool
    ) -> Mapping[int, Widened]:
        """For each chunk number, its passage merged with up to `window` neighbours a side."""
        async with self._snapshot() as scope:
            return await load_widened(scope, passages, window, across_headings)

    async def facets(
        self, fields: Sequence[str], filters: SearchFilters
    ) -> Mapping[str, tuple[FacetCount, ...]]:
        """For each field, its commonest values among the visible documents."""
        async with self._snapshot() as scope:
            return await load_facets(scope, fields, filters)

    def _snapshot(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        return self.database.snapshot(self.workspace.workspace_id, self.principal)

    def _key(self, filters: SearchFilters) -> ScopeKey:
        # How near evidence must be is no matter of what may be seen.
        seen = replace(filters, min_similarity=None)
        return ScopeKey(access=self.principal.access_names, filters=repr(seen))

    async def _current(
        self, scope: WorkspaceScope, filters: SearchFilters
    ) -> tuple[IndexState, View]:
        """The index as of this transaction, and what of it may be seen; remembers both."""
        state = self._state()
        key = self._key(filters)
        if state is not None:
            asked = await _ask_generation(scope)
            known = state.views.get(key)
            view = await load_view(scope, filters) if known is None else known
            if await _read_generation(asked) == state.generation:
                if known is None:
                    state.remember(key, view)
                return state, view
        state = await load_state(scope, self.lane)
        view = await load_view(scope, filters)
        state.remember(key, view)
        self.cache.keep_state(self.workspace.workspace_id, state)
        return state, view

    async def _narrowed(
        self,
        scope: WorkspaceScope,
        state: IndexState,
        view: View,
        request: RecallRequest,
    ) -> _Scope:
        if not _narrows(request):
            return _Scope(view=view, searched=view.ranges)
        left = await narrow(
            scope,
            state,
            self.cache,
            view.ranges,
            phrases=request.phrases,
            exact_phrases=request.exact_phrases,
            excluded=request.excluded,
        )
        return _Scope(view=view, searched=left.visible, notes=left.notes)

    async def _ask(
        self,
        scope: WorkspaceScope,
        state: IndexState,
        looked: _Scope,
        request: RecallRequest,
    ) -> _Found:
        """Send every question before waiting for the first answer."""
        terms: dict[int, str] = {}
        if request.terms_of is not None:
            wanted = list(request.terms_of(looked.view.languages))
            terms = dict(zip(term_ids(state.lexical_key, wanted), wanted, strict=True))
        generation = await _ask_generation(scope)
        held = self._held(state)
        nearest = await ask_nearest(scope, state, looked.searched, request, self.breadth, held=held)
        routes = await ask_routes(scope, state, self.cache, request, list(terms.values()))
        names = ask_names(state, request, looked.view.languages)
        asked = [*terms, *routes.terms, *names.terms]
        postings = await ask_postings(scope, state, self.cache, asked)
        moment = await _read_generation(generation)
        dense = await read_nearest(nearest)
        read = await read_postings(scope, state, self.cache, postings)
        return _Found(
            generation=moment,
            held=held,
            dense=dense,
            terms=terms,
            postings={term: read[term] for term in terms},
            routes=routes,
            document_postings={term: read[term] for term in routes.terms},
            named=names.named(read, looked.view.ranges),
        )

    async def _ranked(
        self,
        scope: WorkspaceScope,
        state: IndexState,
        looked: _Scope,
        found: _Found,
        request: RecallRequest,
    ) -> Recalled:
        worded = await _worded(state, looked, found, request)
        if not worded.within.is_empty:
            nearest = await ask_nearest(
                scope, state, worded.within, request, self.breadth, held=found.held
            )
            found = replace(found, dense=joined(found.dense, await read_nearest(nearest)))
            worded = replace(worded, found=found)
        similarities: Mapping[int, float] = scores_of(found.dense)
        if request.complete and request.vector is not None:
            similarities = await complete_similarities(
                scope, state, request.vector, found.dense, worded.lexical.ranking, held=found.held
            )
        return _recalled(worded, similarities, request)

    def _state(self) -> IndexState | None:
        """What is cached, unless it was read with the model of another lane at hand."""
        state = self.cache.state(self.workspace.workspace_id)
        return state if state is not None and state.lane == self.lane.fingerprint else None

    def _held(self, state: IndexState) -> HeldVectors | None:
        return self.vector_cache.held(
            self.database, self.workspace.workspace_id, state, self.lane.dimensions
        )


async def _ask_generation(scope: WorkspaceScope) -> AsyncCursor[DictRow]:
    return await scope.connection.execute(_SQL["generation"], {"workspace_id": scope.workspace_id})


async def _read_generation(asked: AsyncCursor[DictRow]) -> int:
    row = await asked.fetchone()
    if row is None:
        raise NotFound("the workspace is gone")
    generation: int = row["generation"]
    return generation


def _narrows(request: RecallRequest) -> bool:
    return bool(request.phrases or request.excluded)


async def _joined(worded: _Worded, request: RecallRequest, vector: Vector) -> Recalled:
    """What words found, and the nearest of the vectors in memory, which are all there are."""
    held = worded.found.held
    assert held is not None, "nothing is joined to what is not in memory"
    dense = await begin_nearest(held, vector, worded.looked.searched, request.limit)
    if not worded.within.is_empty:
        dense = joined(dense, await begin_nearest(held, vector, worded.within, request.limit))
    similarities = scores_of(dense)
    if request.complete:
        others = [hit.chunk_no for hit in worded.lexical.ranking]
        similarities |= held.similarities(vector, others)
    found = replace(worded.found, dense=dense)
    return _recalled(replace(worded, found=found), similarities, request)


def _recalled(
    worded: _Worded, similarities: Mapping[int, float], request: RecallRequest
) -> Recalled:
    state, looked, found, lexical = worded.state, worded.looked, worded.found, worded.lexical
    bm25: Mapping[int, float] = scores_of(lexical.ranking)
    if request.complete:
        bm25 = complete_bm25(state, found.postings, found.dense, lexical.ranking)
    matched = {
        number: {found.terms[term]: share for term, share in shares.items()}
        for number, shares in lexical.contributions.items()
    }
    return Recalled(
        dense=found.dense,
        lexical=lexical.ranking,
        matched_terms=matched,
        similarities=similarities,
        bm25=bm25,
        rarities={
            found.terms[term]: rarity(state, posting) for term, posting in found.postings.items()
        },
        absent_terms=_absent(looked.view.ranges, found, matched),
        languages=looked.view.languages,
        notes=looked.notes,
        routes=routes_of(
            found.routes,
            found.document_postings,
            looked.searched,
            request,
            (*found.dense, *lexical.ranking),
        ),
        lacks=lacks_of(found.named, found.dense, lexical.ranking),
    )


def _absent(
    visible: ChunkRanges,
    found: _Found,
    matched: Mapping[int, Mapping[str, float]],
) -> tuple[str, ...]:
    """The terms that no visible chunk holds; those that were seen to match need no counting."""
    present = {term for terms in matched.values() for term in terms}
    doubtful = [term for term in found.postings if found.terms[term] not in present]
    # What is visible is not dead, so postings of the dead count for nothing.
    absent = {term for term in doubtful if not visible.count_of_rising(found.postings[term][0])}
    return tuple(name for term, name in found.terms.items() if term in absent)


async def _worded(
    state: IndexState, looked: _Scope, found: _Found, request: RecallRequest
) -> _Worded:
    """What words found, over all and once more within the documents that are named."""
    lexical = await scored(state, looked.searched, found.postings, request.limit)
    worded = _Worded(state=state, looked=looked, found=found, lexical=lexical)
    if worded.within.is_empty:
        return worded
    inside = await scored(state, worded.within, found.postings, request.limit)
    both = LexicalResult(
        ranking=joined(lexical.ranking, inside.ranking),
        contributions={**lexical.contributions, **inside.contributions},
    )
    return replace(worded, lexical=both)
