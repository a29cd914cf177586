"""Turn a question into evidence: plan → understand → recall → fuse → rerank → diversify →
expand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from footnote.domain import Evidence, FacetCount, Plan, SearchRequest, SearchResponse
from footnote.errors import InvalidRequest
from footnote.filters import checked_condition
from footnote.ports import ExpandedPassage, Index, LanguageModel
from footnote.retrieval.cache import SemanticCache
from footnote.retrieval.corrective import Corrected, CorrectiveLoop
from footnote.retrieval.expand import DECAY, expand
from footnote.retrieval.explain import why
from footnote.retrieval.gathering import Gather
from footnote.retrieval.generation_cache import CacheKey
from footnote.retrieval.grading import Grade, Rewrite
from footnote.retrieval.journal import Asker, RecordedSearch
from footnote.retrieval.phrasing import Phrase
from footnote.retrieval.plans import BALANCED, resolved
from footnote.retrieval.query import MAX_QUERY_CHARACTERS, parse_query
from footnote.retrieval.refinement import Refine
from footnote.validation.text import is_storable, require_query

MAX_TOP_K = 200
ENOUGH_RELEVANT = 2  # Relevant passages from which the question is not rewritten.


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """The search pipeline."""

    phrase: Phrase
    gather: Gather
    refine: Refine
    plans: Mapping[str, Plan]
    default_plan: str = BALANCED
    model: LanguageModel | None = None
    decay: float = DECAY
    top_k: int = 8
    """Default number of results."""
    min_similarity: float | None = None
    """Default minimum similarity of evidence."""
    configuration: int = 0
    """Part of the cache key that distinguishes other settings in the same workspace."""
    cache: SemanticCache = field(default_factory=lambda: SemanticCache(capacity_bytes=0))

    async def __call__(self, request: SearchRequest, index: Index, asker: Asker) -> SearchResponse:
        """Prepare a search and run it."""
        last_generation = index.last_generation
        generation = await index.generation() if last_generation is None else last_generation
        return await self.run(await self.prepare(request, index, asker, generation))

    async def prepare(
        self, request: SearchRequest, index: Index, asker: Asker, generation: int
    ) -> RecordedSearch:
        """Validate the request and resolve its plan, its follow-up and its cache key.

        `generation` may be the one last seen by this process; it only decides whether the cache may
        help. Raises InvalidRequest for a query without content.
        """
        query = checked_query(request)
        parse_query(query)
        filters = request.filters
        if filters.where is not None:
            filters = replace(filters, where=checked_condition(filters.where))
        if filters.min_similarity is None and self.min_similarity is not None:
            filters = replace(filters, min_similarity=self.min_similarity)
        plan_name = self.default_plan if request.plan is None else request.plan
        plan = resolved(self.plans, plan_name, request.changes)
        top_k = self.top_k if request.top_k is None else request.top_k
        request, notes = await self.phrase.without_conversation(
            replace(request, query=query, filters=filters, top_k=top_k), plan
        )
        key = None
        # Entities change without a new generation of the index, so graph plans are not cached.
        if plan.cache and not plan.graph:
            key = CacheKey.of(
                request,
                plan,
                workspace_id=asker.workspace_id,
                access=asker.principal.access_names,
                lane=f"{self.phrase.embedder.lane.fingerprint} {self.configuration}",
                generation=generation,
            )
        return RecordedSearch(
            query=query,
            request=request,
            top_k=top_k,
            plan=plan,
            index=index,
            asker=asker,
            key=key,
            notes=notes,
        )

    async def run(self, search: RecordedSearch) -> SearchResponse:
        """Run a prepared search, or serve a cached response.

        A stage that fails is named in `degraded`; the search goes on without it. Raises
        LaneMismatch and ConfigurationChanged.
        """
        request, key = search.request, search.key
        if key is None or not self.cache.capacity_bytes:
            response = await self._run_search(search)
        else:
            # A cached response is served only after checking the index generation in the database;
            # the check is skipped if none could serve.
            if self.cache.may_serve(key, request.query):
                key = replace(key, generation=await search.index.generation())
            response = await self.cache.answer(
                key,
                request.query,
                lambda query: self.phrase.worded(query, search).vector,
                lambda: self._run_search(search),
            )
        standalone = None if request.query == search.query else request.query
        if standalone is None and not search.notes:
            return response
        searched = (standalone or search.query, *response.searched)
        if response.cached == "near":
            searched = response.searched
        return replace(
            response,
            query=search.query,
            standalone_question=response.standalone_question or standalone,
            searched=tuple(query for query in dict.fromkeys(searched) if query != search.query),
            degraded=(*search.notes, *response.degraded),
        )

    async def _run_search(self, search: RecordedSearch) -> SearchResponse:
        plan, journal = search.plan, search.journal
        wordings = await self.phrase(search)
        question = wordings[0].text
        gathered = await self.gather(wordings, search)
        if plan.corrections and self.model is not None:
            corrected = await self._run_corrective_loop(
                question, gathered.evidence, self.model, search
            )
        else:
            if plan.corrections:
                journal.note("correct: no language model is configured")
            refined = await self.refine(question, gathered.evidence, search)
            corrected = Corrected(evidence=refined, searched=(question,))
        evidence = corrected.evidence[: search.top_k]
        if plan.neighbours and evidence:
            passages = [item.passage for item in evidence]
            widened: Mapping[int, ExpandedPassage] = {}
            with journal.timed("expand"):
                with journal.attempt("expand"):
                    widened = await search.index.widened(
                        passages, plan.neighbours, plan.across_headings
                    )
                evidence = expand(evidence, widened, self.decay)
        facets: Mapping[str, tuple[FacetCount, ...]] = {}
        if search.request.facets:
            with journal.timed("facets"), journal.attempt("facets"):
                facets = await search.index.facets(search.request.facets, search.request.filters)
        queries = dict.fromkeys((*(wording.text for wording in wordings), *corrected.searched))
        return SearchResponse(
            query=search.request.query,
            evidence=tuple(
                replace(item, why=why(item), suspicious=item.passage.suspicious is True)
                for item in evidence
            ),
            degraded=journal.notes,
            plan=plan.name,
            searched=tuple(query for query in queries if query != search.request.query),
            standalone_question=None if question == search.request.query else question,
            corrected_query=gathered.corrected_query,
            confidence=gathered.confidence,
            facets=facets,
            timings_ms=journal.timings_ms,
        )

    async def _run_corrective_loop(
        self,
        question: str,
        candidates: Sequence[Evidence],
        model: LanguageModel,
        search: RecordedSearch,
    ) -> Corrected:
        """Run the corrective loop for the cycles that the plan allows."""

        async def retrieve(wording: str) -> tuple[Evidence, ...]:
            evidence = candidates
            if wording != question:
                gathered = await self.gather([self.phrase.worded(wording, search)], search)
                evidence = gathered.evidence
            return await self.refine(question, evidence, search)

        correct = CorrectiveLoop(
            grade=Grade(model=model),
            rewrite=Rewrite(model=model),
            max_cycles=search.plan.corrections,
            enough=min(ENOUGH_RELEVANT, search.top_k),
        )
        with search.journal.timed("correct"):
            corrected = await correct(question, retrieve)
        search.journal.note(*corrected.degraded)
        return corrected


def checked_query(request: SearchRequest) -> str:
    """Validate the request and return its stripped query. Raises InvalidRequest."""
    query = request.query.strip()
    if not is_storable(query):
        raise InvalidRequest(
            "the query holds a character that cannot be stored: NUL, or half of a pair",
            hint="leave it out",
        )
    require_query(query)
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InvalidRequest(
            f"the query has {len(query)} characters, and {MAX_QUERY_CHARACTERS} are allowed",
            hint="shorten it",
        )
    if request.top_k is not None and not 1 <= request.top_k <= MAX_TOP_K:
        raise InvalidRequest(f"top_k is {request.top_k}", hint=f"ask for 1 to {MAX_TOP_K} results")
    min_similarity = request.filters.min_similarity
    if min_similarity is not None and not -1 <= min_similarity <= 1:
        raise InvalidRequest(
            f"min_similarity is {min_similarity:g}, and cosines lie between -1 and 1",
            hint="give a number between them",
        )
    if not all(name and is_storable(name) for name in request.filters.collections):
        raise InvalidRequest("a collection in the filters cannot exist", hint="check its name")
    return query
