"""Finds the chunks nearest a query, by vector and by BM25, in one round trip where it can."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.domain import Lane, Passage, Principal, Ranking, Workspace
from footnote.errors import NotFound
from footnote.index.bm25 import LexicalResult, score
from footnote.index.ranges import ChunkRanges
from footnote.index.terms import term_ids
from footnote.ports import Recalled, RecallRequest
from footnote.store.database import Database, WorkspaceScope
from footnote.store.dense import DenseBreadth, ask_nearest, read_nearest
from footnote.store.index_cache import IndexCache, IndexState, Posting, ScopeKey
from footnote.store.index_state import load_scope, load_state
from footnote.store.passages import load_passages
from footnote.store.postings import ask_postings, read_postings
from footnote.store.statements import load_statements

_SQL = load_statements("recall")

_POSTINGS_WORTH_A_THREAD = 200_000
"""Below about a millisecond of scoring, handing over to a thread costs more than it frees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What the database answered at one generation."""

    generation: int
    dense: Ranking
    terms: Mapping[int, str]
    postings: Mapping[int, Posting]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresIndex:
    """The index of one workspace as one principal sees it; implements `ports.Index`."""

    database: Database
    workspace: Workspace
    principal: Principal
    lane: Lane
    cache: IndexCache
    breadth: DenseBreadth

    async def recall(self, request: RecallRequest) -> Recalled:
        """Both recalls, of one moment, over what the principal may see.

        What is cached of the workspace is tried first, and replaced when the index has moved
        on. Raises LaneMismatch when the workspace was embedded by another model.
        """
        key = ScopeKey(access=self.principal.access_names, filters=request.filters)
        state = self.cache.state(self.workspace.workspace_id)
        if state is not None and key in state.scopes:
            async with self.database.snapshot(self.workspace.workspace_id, self.principal) as scope:
                found = await self._ask(scope, state, state.scopes[key], request)
            if found.generation == state.generation:
                return await self._rank(state, state.scopes[key], found, request)
        async with self.database.snapshot(self.workspace.workspace_id, self.principal) as scope:
            state = await load_state(scope, self.lane)
            visible = await load_scope(scope, request.filters)
            state.remember_scope(key, visible)
            found = await self._ask(scope, state, visible, request)
        self.cache.keep_state(self.workspace.workspace_id, state)
        return await self._rank(state, visible, found, request)

    async def passages(self, chunk_numbers: Sequence[int]) -> Mapping[int, Passage]:
        """The passages of these chunk numbers that are published and visible."""
        async with self.database.snapshot(self.workspace.workspace_id, self.principal) as scope:
            return await load_passages(scope, chunk_numbers)

    async def _ask(
        self,
        scope: WorkspaceScope,
        state: IndexState,
        visible: ChunkRanges,
        request: RecallRequest,
    ) -> _Found:
        """Send every question before waiting for the first answer."""
        terms: dict[int, str] = {}
        if request.terms_of is not None:
            wanted = list(request.terms_of(state.languages))
            terms = dict(zip(term_ids(state.lexical_key, wanted), wanted, strict=True))
        generation = await scope.connection.execute(
            _SQL["generation"], {"workspace_id": scope.workspace_id}
        )
        nearest = await ask_nearest(scope, state, visible, request, self.breadth)
        postings = await ask_postings(scope, state, self.cache, terms)
        row = await generation.fetchone()
        if row is None:
            raise NotFound("the workspace is gone")
        return _Found(
            generation=row["generation"],
            dense=await read_nearest(nearest),
            terms=terms,
            postings=await read_postings(scope, state, self.cache, postings),
        )

    async def _rank(
        self, state: IndexState, visible: ChunkRanges, found: _Found, request: RecallRequest
    ) -> Recalled:
        lexical = await _scored(state, visible, found.postings, request.limit)
        return Recalled(
            dense=found.dense,
            lexical=lexical.ranking,
            matched_terms={
                number: {found.terms[term]: share for term, share in shares.items()}
                for number, shares in lexical.contributions.items()
            },
        )


async def _scored(
    state: IndexState, visible: ChunkRanges, postings: Mapping[int, Posting], limit: int
) -> LexicalResult:
    def work() -> LexicalResult:
        return score(postings, state.corpus, state.dead, visible, limit)

    if sum(numbers.size for numbers, _ in postings.values()) < _POSTINGS_WORTH_A_THREAD:
        return work()
    return await asyncio.to_thread(work)
