"""A question becomes evidence: plan → understand → recall → fuse → rerank → diversify → expand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from footnote.domain import Evidence, FacetCount, Plan, SearchRequest, SearchResponse
from footnote.errors import InvalidRequest
from footnote.filters import checked_condition
from footnote.ports import Index, LanguageModel, Vector, Widened
from footnote.retrieval.cache import CacheKey, SemanticCache
from footnote.retrieval.corrective import Corrected, CorrectiveLoop, Retrieve
from footnote.retrieval.expand import DECAY, expand
from footnote.retrieval.explain import why
from footnote.retrieval.gathering import Gather
from footnote.retrieval.grading import Grade, Rewrite
from footnote.retrieval.journal import Asked, Asker
from footnote.retrieval.phrasing import Phrase
from footnote.retrieval.plans import BALANCED, resolved
from footnote.retrieval.query import MAX_QUERY_CHARACTERS, parse_query
from footnote.retrieval.refinement import Refine
from footnote.retrieval.understanding import Notes
from footnote.text import is_storable

MAX_TOP_K = 200
ENOUGH_RELEVANT = 2  # Relevant passages that make rewriting the question needless.


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """The stages of a search, wired once."""

    phrase: Phrase
    gather: Gather
    refine: Refine
    plans: Mapping[str, Plan]
    default_plan: str = BALANCED
    model: LanguageModel | None = None
    decay: float = DECAY
    min_similarity: float | None = None
    """What evidence must reach when a request does not say."""
    cache: SemanticCache = field(default_factory=lambda: SemanticCache(capacity_bytes=0))

    async def __call__(self, request: SearchRequest, index: Index, asker: Asker) -> SearchResponse:
        """Search the index. Raises InvalidRequest for a question that asks nothing.

        A stage that cannot do its work is named in `degraded`; the search goes on without it.
        """
        checked = self._checked(request)
        plan = resolved(self.plans, checked.plan or self.default_plan, checked.changes)
        alone, notes = self.phrase.without_conversation(checked, plan)
        response = await self._answered(alone, plan, index, asker)
        return _as_asked(response, checked.query, alone.query, notes)

    async def _answered(
        self, request: SearchRequest, plan: Plan, index: Index, asker: Asker
    ) -> SearchResponse:
        asked = Asked(request=request, plan=plan, index=index, asker=asker)
        if not plan.cache or not self.cache.capacity_bytes:
            return await self._searched(asked)
        key = await self._key(asked)

        async def vector_of(query: str) -> Vector | None:
            return await self.phrase.worded(query, asked).vector

        async def search() -> SearchResponse:
            return await self._searched(asked)

        return await self.cache.answer(key, request.query, vector_of, search)

    async def _key(self, asked: Asked) -> CacheKey:
        """What an earlier answer must share with this search.

        An answer is handed out only after asking the database whether the index still stands as
        it did. Without one that could serve, the question is spared: an answer that is kept under
        a generation that has passed is never handed out.
        """
        known = asked.index.last_generation
        key = CacheKey.of(
            asked.request,
            asked.plan,
            workspace_id=asked.asker.workspace_id,
            access=asked.asker.principal.access_names,
            lane=self.phrase.embedder.lane.fingerprint,
            generation=await asked.index.generation() if known is None else known,
        )
        if known is None or not self.cache.may_hold(key, asked.request.query):
            return key
        return replace(key, generation=await asked.index.generation())

    async def _searched(self, asked: Asked) -> SearchResponse:
        wordings = await self.phrase(asked)
        gathered = await self.gather(wordings, asked)
        question = wordings[0].text

        async def retrieve(wording: str) -> tuple[Evidence, ...]:
            found = gathered
            if wording != question:
                found = await self.gather([self.phrase.worded(wording, asked)], asked)
            return await self.refine(question, found.evidence, asked)

        corrected = await self._corrected(question, retrieve, asked)
        evidence = await self._expanded(corrected.evidence[: asked.request.top_k], asked)
        facets = await self._facets(asked)
        tried = dict.fromkeys((*(each.text for each in wordings), *corrected.searched))
        return SearchResponse(
            query=asked.request.query,
            evidence=tuple(replace(each, why=why(each)) for each in evidence),
            degraded=asked.journal.notes,
            plan=asked.plan.name,
            searched=tuple(each for each in tried if each != asked.request.query),
            standalone_question=None if question == asked.request.query else question,
            corrected_query=gathered.corrected_query,
            confidence=gathered.confidence,
            facets=facets,
            timings_ms=asked.journal.timings_ms,
        )

    async def _corrected(self, question: str, retrieve: Retrieve, asked: Asked) -> Corrected:
        """The evidence as retrieved, or as a model graded it in the cycles the plan allows."""
        cycles = asked.plan.corrections
        if cycles and self.model is None:
            asked.journal.note("correct: no language model is configured")
        if not cycles or self.model is None:
            return Corrected(evidence=await retrieve(question), searched=(question,))
        correct = CorrectiveLoop(
            grade=Grade(model=self.model),
            rewrite=Rewrite(model=self.model),
            max_cycles=cycles,
            enough=min(ENOUGH_RELEVANT, asked.request.top_k),
        )
        with asked.journal.timed("correct"):
            corrected = await correct(question, retrieve)
        asked.journal.note(*corrected.degraded)
        return corrected

    async def _expanded(self, evidence: Sequence[Evidence], asked: Asked) -> tuple[Evidence, ...]:
        plan = asked.plan
        if not plan.neighbours or not evidence:
            return tuple(evidence)
        nothing: Mapping[int, Widened] = {}
        passages = [each.passage for each in evidence]
        with asked.journal.timed("expand"):
            widened = await asked.journal.attempt(
                "expand",
                nothing,
                lambda: asked.index.widened(passages, plan.neighbours, plan.across_headings),
            )
            return expand(evidence, widened, self.decay)

    async def _facets(self, asked: Asked) -> Mapping[str, tuple[FacetCount, ...]]:
        facets: Mapping[str, tuple[FacetCount, ...]] = {}
        if not asked.request.facets:
            return facets
        with asked.journal.timed("facets"):
            return await asked.journal.attempt(
                "facets",
                facets,
                lambda: asked.index.facets(asked.request.facets, asked.request.filters),
            )

    def _checked(self, request: SearchRequest) -> SearchRequest:
        query = checked_query(request)
        parse_query(query)
        filters = request.filters
        if filters.where is not None:
            filters = replace(filters, where=checked_condition(filters.where))
        if filters.min_similarity is None and self.min_similarity is not None:
            filters = replace(filters, min_similarity=self.min_similarity)
        return replace(request, query=query, filters=filters)


def _as_asked(response: SearchResponse, query: str, alone: str, notes: Notes) -> SearchResponse:
    """The response to a question that was searched as it stands alone, as to the question."""
    if query == alone and not notes:
        return response
    searched = response.searched if response.cached == "near" else (alone, *response.searched)
    other = None if query == alone else alone
    return replace(
        response,
        query=query,
        standalone_question=response.standalone_question or other,
        searched=tuple(each for each in dict.fromkeys(searched) if each != query),
        degraded=(*notes, *response.degraded),
    )


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
    if not 1 <= request.top_k <= MAX_TOP_K:
        raise InvalidRequest(f"top_k is {request.top_k}", hint=f"ask for 1 to {MAX_TOP_K} results")
    if not all(map(is_storable, request.filters.collections)):
        raise InvalidRequest("a collection in the filters cannot exist", hint="check its name")
    return query
