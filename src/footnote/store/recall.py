"""Retrieve chunks by vector and by BM25, in one round trip where possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from footnote.domain import (
    FacetCount,
    Lane,
    Passage,
    Principal,
    Ranking,
    SearchFilters,
    Workspace,
)
from footnote.index.stemming import analysis_language
from footnote.index.terms import fresh_term_ids, term_ids
from footnote.ports import (
    DatedDocument,
    EntityGraph,
    ExpandedPassage,
    PendingVector,
    QuestionName,
    Recalled,
    RecallRequest,
    TableText,
    TermPostings,
    Vector,
)
from footnote.store.database import Database, WorkspaceScope
from footnote.store.dense import (
    DenseBreadth,
    ask_nearest,
    complete_similarities,
    load_vectors,
    read_nearest,
)
from footnote.store.entity_graph import load_entity_graph
from footnote.store.facets import load_facets
from footnote.store.index_cache import IndexCache, IndexState, ScopeKey, View
from footnote.store.index_state import (
    ask_generation,
    load_in_languages,
    load_state,
    load_view,
    read_generation,
)
from footnote.store.lexical import (
    ask_postings,
    find_holders,
    merge_rankings,
    read_postings,
    scores_of,
)
from footnote.store.passages import (
    ask_passages,
    documents_of,
    load_widened,
    read_passages,
    tables_among,
)
from footnote.store.phrase_filter import narrow
from footnote.store.recall_results import (
    Fetched,
    LexicalRecall,
    SearchScope,
    recall_by_words,
    recalled,
    with_held_vectors,
)
from footnote.store.routing import ask_names, ask_routes
from footnote.store.vector_cache import CachedVectors, VectorCache


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
    configuration: int | None = None
    """Number of the settings change a search was prepared with; None skips the check."""

    async def recall(self, request: RecallRequest, coming: PendingVector | None = None) -> Recalled:
        """Recall by vector and by BM25 in one snapshot, over what the principal may see.

        The cached index state is tried first, and replaced if the index has changed. Phrases and
        exclusions restrict both recalls. While the query's vector is pending, the lexical recall
        runs; no connection is held while waiting. Raises LaneMismatch when the workspace was
        embedded by another model, and ConfigurationChanged.
        """
        # Apply the secret transform once, here: the stored vectors have it, too.
        transform = (await self.database.sealing(self.workspace.workspace_id)).vector
        if coming is None:
            return await self._recall(replace(request, vector=transform(request.vector)))
        lexical = await self._recall_words_ahead(request)
        request = replace(request, vector=transform(await coming))
        if lexical is None:
            return await self._recall(request)
        if request.vector is None:
            return recalled(lexical, (), {}, request)
        return await with_held_vectors(lexical, request, request.vector)

    async def in_other_languages(
        self, vector: Vector, language: str, filters: SearchFilters, limit: int
    ) -> Ranking:
        transformed = (await self.database.sealing(self.workspace.workspace_id)).vector(vector)
        request = RecallRequest(vector=transformed, limit=limit)
        key = (self._key(filters), language)
        async with self._snapshot() as scope:
            state, view = await self._current(scope, filters)
            ranges = state.across.get(key)
            if ranges is None:
                others = [other for other in view.languages if analysis_language(other) != language]
                ranges = view.ranges.intersection(await load_in_languages(scope, others))
                state.remember_across(key, ranges)
            nearest = await ask_nearest(
                scope, state, ranges, request, self.breadth, cached=self._cached_vectors(state)
            )
            return await read_nearest(nearest)

    async def passages(self, chunk_numbers: Sequence[int]) -> Mapping[int, Passage]:
        async with self._snapshot() as scope:
            cursor = await ask_passages(scope, chunk_numbers)
        # The commit is sent together with the query, which saves a round trip.
        return await read_passages(scope, cursor)

    async def documents_of(self, chunk_numbers: Sequence[int]) -> Mapping[int, DatedDocument]:
        async with self._snapshot() as scope:
            return await documents_of(scope, chunk_numbers)

    async def tables(self, chunk_numbers: Sequence[int]) -> Mapping[int, TableText]:
        async with self._snapshot() as scope:
            return await tables_among(scope, chunk_numbers)

    async def generation(self) -> int:
        async with self._snapshot() as scope:
            cursor = await ask_generation(scope)
        return await read_generation(cursor, self.configuration)

    @property
    def last_generation(self) -> int | None:
        state = self.cache.state(self.workspace.workspace_id)
        return None if state is None else state.generation

    async def holders(
        self, terms: Sequence[str], filters: SearchFilters, shown: int
    ) -> Mapping[str, TermPostings]:
        unique_terms = list(dict.fromkeys(terms))
        async with self._snapshot() as scope:
            state, view = await self._current(scope, filters)
            ids = fresh_term_ids(state.lexical_key, unique_terms)
            postings = await find_holders(
                scope, state, self.cache, ids, allowed=view.ranges, limit=shown
            )
        return {
            term: postings[number]
            for term, number in zip(unique_terms, ids, strict=True)
            if number in postings
        }

    async def entity_graph(
        self, names: Sequence[QuestionName], filters: SearchFilters
    ) -> EntityGraph:
        async with self._snapshot() as scope:
            _, view = await self._current(scope, filters)
            return await load_entity_graph(scope, names, view.ranges)

    async def vectors(self, chunk_numbers: Sequence[int]) -> Mapping[int, Vector]:
        async with self._snapshot() as scope:
            state, _ = await self._current(scope, SearchFilters())
            if state.lane_id is None:
                return {}
            return await load_vectors(scope, state.lane_id, chunk_numbers)

    async def widened(
        self, passages: Sequence[Passage], window: int, across_headings: bool
    ) -> Mapping[int, ExpandedPassage]:
        async with self._snapshot() as scope:
            return await load_widened(scope, passages, window, across_headings)

    async def facets(
        self, fields: Sequence[str], filters: SearchFilters
    ) -> Mapping[str, tuple[FacetCount, ...]]:
        async with self._snapshot() as scope:
            return await load_facets(scope, fields, filters)

    async def _recall_words_ahead(self, request: RecallRequest) -> LexicalRecall | None:
        """Run the lexical recall before the query's vector is known.

        Returns None unless all vectors to compare are in memory and the cached state is current.
        """
        state = self._cached_state()
        view = None if state is None else state.views.get(self._key(request.filters))
        if state is None or view is None or request.terms_of is None or request.narrows:
            return None
        cached = self._cached_vectors(state)
        if cached is None or not view.ranges.difference(cached.covered).is_empty:
            return None
        chunks = SearchScope(view=view, searched=view.ranges)
        async with self._snapshot() as scope:
            fetched = await self._fetch(scope, state, chunks, replace(request, vector=None))
        if fetched.generation != state.generation:
            return None
        return await recall_by_words(state, chunks, fetched, request)

    async def _recall(self, request: RecallRequest) -> Recalled:
        state = self._cached_state()
        key = self._key(request.filters)
        if state is not None and key in state.views and not request.narrows:
            chunks = SearchScope(view=state.views[key], searched=state.views[key].ranges)
            async with self._snapshot() as scope:
                fetched = await self._fetch(scope, state, chunks, request)
                if fetched.generation == state.generation:
                    return await self._rank(scope, state, chunks, fetched, request)
        async with self._snapshot() as scope:
            state, view = await self._current(scope, request.filters)
            chunks = SearchScope(view=view, searched=view.ranges)
            if request.narrows:
                narrowed = await narrow(
                    scope,
                    state,
                    self.cache,
                    view.ranges,
                    phrases=request.phrases,
                    exact_phrases=request.exact_phrases,
                    excluded=request.excluded,
                )
                chunks = SearchScope(view=view, searched=narrowed.visible, notes=narrowed.notes)
            fetched = await self._fetch(scope, state, chunks, request)
            return await self._rank(scope, state, chunks, fetched, request)

    async def _current(
        self, scope: WorkspaceScope, filters: SearchFilters
    ) -> tuple[IndexState, View]:
        """Return the index state in this transaction and the visible part of it; cache both."""
        state = self._cached_state()
        key = self._key(filters)
        if state is not None:
            cursor = await ask_generation(scope)
            cached_view = state.views.get(key)
            view = await load_view(scope, filters) if cached_view is None else cached_view
            if await read_generation(cursor) == state.generation:
                if cached_view is None:
                    state.remember(key, view)
                return state, view
        state = await load_state(scope, self.lane)
        view = await load_view(scope, filters)
        state.remember(key, view)
        self.cache.keep_state(self.workspace.workspace_id, state)
        return state, view

    async def _fetch(
        self,
        scope: WorkspaceScope,
        state: IndexState,
        chunks: SearchScope,
        request: RecallRequest,
    ) -> Fetched:
        """Send every query before waiting for the first result."""
        terms: dict[int, str] = {}
        if request.terms_of is not None:
            words = list(request.terms_of(chunks.view.languages))
            terms = dict(zip(term_ids(state.lexical_key, words), words, strict=True))
        generation_cursor = await ask_generation(scope)
        cached = self._cached_vectors(state)
        nearest = await ask_nearest(
            scope, state, chunks.searched, request, self.breadth, cached=cached
        )
        routes = await ask_routes(scope, state, self.cache, request, list(terms.values()))
        names = ask_names(state, request, chunks.view.languages)
        pending = await ask_postings(
            scope, state, self.cache, [*terms, *routes.terms, *names.terms]
        )
        generation = await read_generation(generation_cursor, self.configuration)
        dense = await read_nearest(nearest)
        postings = await read_postings(scope, state, self.cache, pending)
        return Fetched(
            generation=generation,
            held=cached,
            dense=dense,
            terms=terms,
            postings={term: postings[term] for term in terms},
            routes=routes,
            document_postings={term: postings[term] for term in routes.terms},
            named=names.named(postings, chunks.view.ranges),
        )

    async def _rank(
        self,
        scope: WorkspaceScope,
        state: IndexState,
        chunks: SearchScope,
        fetched: Fetched,
        request: RecallRequest,
    ) -> Recalled:
        words = await recall_by_words(state, chunks, fetched, request)
        dense = fetched.dense
        if not words.of_named.is_empty:
            nearest = await ask_nearest(
                scope, state, words.of_named, request, self.breadth, cached=fetched.held
            )
            dense = merge_rankings(dense, await read_nearest(nearest))
        similarities: Mapping[int, float] = scores_of(dense)
        if request.complete and request.vector is not None:
            similarities = await complete_similarities(
                scope, state, request.vector, dense, words.lexical.ranking, cached=fetched.held
            )
        return recalled(words, dense, similarities, request)

    def _snapshot(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        return self.database.snapshot(self.workspace.workspace_id, self.principal)

    def _key(self, filters: SearchFilters) -> ScopeKey:
        # The minimum similarity does not change what is visible.
        visible_filters = replace(filters, min_similarity=None)
        return ScopeKey(access=self.principal.access_names, filters=repr(visible_filters))

    def _cached_state(self) -> IndexState | None:
        """Return the cached index state, unless it was read for another lane."""
        state = self.cache.state(self.workspace.workspace_id)
        return state if state is not None and state.lane == self.lane.fingerprint else None

    def _cached_vectors(self, state: IndexState) -> CachedVectors | None:
        return self.vector_cache.held(
            self.database, self.workspace.workspace_id, state, self.lane.dimensions
        )
