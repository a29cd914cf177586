"""Recalls candidates for a question, fuses them and fetches the best."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from footnote.domain import Evidence, Plan, Ranking
from footnote.errors import FootnoteError
from footnote.language.dates import quarters_in
from footnote.ports import (
    Analyzer,
    EmbeddedQuestion,
    Embedder,
    EntityGraph,
    NamesIn,
    PendingVector,
    QuestionKind,
    QuestionName,
    Recalled,
    RecallRequest,
    Routing,
    Vector,
)
from footnote.retrieval.confidence import confidence, observe_recall
from footnote.retrieval.coverage import query_words
from footnote.retrieval.cross_lingual import LANGUAGES, looks_across, with_other_languages
from footnote.retrieval.entity_rank import mentioned_names, rank_by_entities
from footnote.retrieval.explain import evidence_from
from footnote.retrieval.fusion import Fused, FusionChoices, Recalls, with_graph
from footnote.retrieval.journal import RecordedSearch
from footnote.retrieval.naming import favour_named, naming_words
from footnote.retrieval.query import ParsedQuery, parse_query
from footnote.retrieval.recall_weighting import observe
from footnote.retrieval.routing import EVIDENT, ROUTE, within_routes
from footnote.retrieval.rows import ROWS, rows_called, toward_rows
from footnote.retrieval.series import SERIES, places_in_series, states_period, toward_period
from footnote.retrieval.spelling import Correct
from footnote.retrieval.understanding import fuse_wordings

SPARE = 4  # Extra candidates that replace near duplicates.
CANDIDATES_PER_RESULT = 5  # Candidates recalled per returned result, for fusion to choose from.


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One wording of the question."""

    text: str
    parsed: ParsedQuery
    vector: PendingVector
    """May still be pending; it is done once the wording was searched."""
    embedding: asyncio.Future[EmbeddedQuestion | None] | None = None
    """The embedded wording with its predicted kind; None where it is not embedded."""

    async def kind(self) -> QuestionKind:
        """Return the predicted kind of question; the default kind without a prediction."""
        prediction = None if self.embedding is None else await self.embedding
        return QuestionKind() if prediction is None else prediction.kind


def at_hand(vector: Vector | None) -> PendingVector:
    """Wrap a vector in a future that is done."""
    future: PendingVector = asyncio.get_running_loop().create_future()
    future.set_result(vector)
    return future


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Candidates, best first, as fusion ranks them."""

    evidence: tuple[Evidence, ...]
    corrected_query: str | None
    """The question with its spelling corrected, if that was searched."""
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Searched:
    wording: Wording
    recalled: Recalled
    fused: Fused
    confidence: float


def _no_names(_: str) -> Sequence[QuestionName]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gather:
    """Recall (dense ‖ lexical) and fuse, for each wording of a question."""

    embedder: Embedder
    analyzer: Analyzer
    correct: Correct
    choices: FusionChoices
    recall_limit: int
    names_in: NamesIn = _no_names
    candidates: int | None = None
    """Number of candidates for the reranker; None means three times `top_k`."""
    mmr_candidates: int = 0
    routing: Routing = field(default_factory=Routing)
    """Settings of routing, for plans that route."""

    async def __call__(self, wordings: Sequence[Wording], search: RecordedSearch) -> Gathered:
        """Search for the wordings, the first of which is the question itself, and fuse the
        results."""
        first = await self._search(wordings[0], search)
        corrected = None
        if search.plan.spelling and first.recalled.absent_terms:
            text, recalled = first.wording.text, first.recalled
            with search.journal.timed("spelling"), search.journal.attempt("spelling"):
                misspelt = self.correct.misspelt(text, recalled.absent_terms, recalled.languages)
                if misspelt:
                    corrected = await self.correct(
                        text, misspelt, recalled.languages, search.index, search.request.filters
                    )
        if corrected is not None:
            first = await self._search(
                await self._with_corrected_spelling(corrected, first.wording, search), search
            )
        results = [first, *[await self._search(wording, search) for wording in wordings[1:]]]
        ranking = results[0].fused.ranking
        if len(results) > 1:
            ranking = fuse_wordings([result.fused.ranking for result in results])
        count = self._candidate_count(search.top_k, search.plan)
        with search.journal.timed("hydrate"):
            passages = await search.index.passages([hit.chunk_no for hit in ranking[:count]])
        return Gathered(
            evidence=evidence_from(
                ranking[:count],
                passages,
                [(result.recalled, result.fused) for result in results],
                search.plan.fusion,
            ),
            corrected_query=corrected,
            confidence=max(result.confidence for result in results),
        )

    async def _search(self, wording: Wording, search: RecordedSearch) -> _Searched:
        """Recall and fuse for one wording; with one recall alone if the other fails. Raises if both
        fail."""
        request = self._request(wording, search)
        recalled = None
        with search.journal.timed("recall"):
            if search.plan.route:
                with search.journal.attempt(ROUTE):
                    routed = replace(request, route=self.routing)
                    recalled = await search.index.recall(routed, wording.vector)
            try:
                recalled = recalled or await search.index.recall(request, wording.vector)
            except FootnoteError as error:
                recalled = await self._by_one_recall(request, wording, search, error)
            vector = await wording.vector
        search.journal.note(*recalled.notes)
        with search.journal.timed("fuse"):
            recalled = _above_minimum(recalled, vector, search)
            text = wording.parsed.text
            words = query_words(text, recalled.idf, recalled.languages, self.analyzer)
            language = self.analyzer.language_of(text, recalled.languages)
            signals = observe(
                query=text,
                language=language,
                lane=self.embedder.lane,
                words=words,
                lexical=recalled.lexical,
                matched_terms=recalled.matched_terms,
                idf=recalled.idf,
            )
            recalled = await self._add_other_languages(wording, search, recalled, language)
            fusion = self.choices.named(search.plan.fusion)
            fused = fusion(
                Recalls(
                    dense=recalled.dense,
                    lexical=recalled.lexical,
                    similarities=recalled.similarities,
                    bm25=recalled.bm25,
                    signals=signals,
                )
            )
            fused = with_other_languages(fused, recalled.dense, recalled.across)
            if search.plan.graph:
                recalled = await self._add_entity_recall(wording, search, recalled, fused)
                fused = with_graph(fused, recalled.graph, fusion)
            fused = favour_named(fused, recalled.name_score_gaps)
            recalled, fused = await self._adjust_to_kind(wording, search, recalled, fused)
            count = self._candidate_count(search.top_k, search.plan)
            # Later stages may lift any of these hits to the top, so routing keeps all their
            # documents.
            reorders = search.plan.rerank or search.plan.diversity != "none"
            evident = count if reorders else EVIDENT + SPARE
            ranking = within_routes(fused.ranking, recalled, count, evident)
            fused = replace(fused, ranking=ranking)
        return _Searched(
            wording=wording,
            recalled=recalled,
            fused=fused,
            confidence=confidence(
                observe_recall(words, recalled, fused.ranking),
                language_support=signals.language_support,
                has_vectors=vector is not None,
            ),
        )

    def _request(self, wording: Wording, search: RecordedSearch) -> RecallRequest:
        """Build the recall request of a wording."""

        def terms_of(languages: Sequence[str]) -> Sequence[str]:
            return self.analyzer.query_terms(wording.parsed.text, languages)

        def names_of(languages: Sequence[str]) -> Sequence[str]:
            words = naming_words(wording.parsed.text)
            return [*self.analyzer.query_terms(words, languages), *quarters_in(wording.parsed.text)]

        return RecallRequest(
            names_of=None if search.plan.fusion == "dense_only" else names_of,
            terms_of=None if search.plan.fusion == "dense_only" else terms_of,
            limit=max(self.recall_limit, CANDIDATES_PER_RESULT * search.top_k),
            filters=search.request.filters,
            phrases=wording.parsed.phrases,
            exact_phrases=search.plan.exact_phrases,
            excluded=wording.parsed.excluded,
            complete=search.plan.fusion in ("adaptive", "weighted_blend")
            or search.request.filters.min_similarity is not None,
        )

    async def _by_one_recall(
        self, request: RecallRequest, wording: Wording, search: RecordedSearch, error: FootnoteError
    ) -> Recalled:
        """Recall by the vector alone, then by the terms alone, after both together failed."""
        vector = await wording.vector
        if vector is None or request.terms_of is None or not error.retryable:
            raise error
        search.journal.note(f"recall: {error}")
        try:
            return await search.index.recall(replace(request, vector=vector, terms_of=None))
        except FootnoteError:
            return await search.index.recall(replace(request, complete=False))

    async def _add_other_languages(
        self, wording: Wording, search: RecordedSearch, recalled: Recalled, language: str | None
    ) -> Recalled:
        """Add the nearest passages in other languages, if there are any.

        Their similarity is that to the cross-lingual vector, where the embedder has one.
        """
        vector, lane = await wording.vector, self.embedder.lane
        applies = looks_across(recalled.languages, search.plan, lane, wording.parsed)
        if vector is None or language is None or not applies:
            return recalled
        prediction = None if wording.embedding is None else await wording.embedding
        if prediction is not None and prediction.cross_lingual_vector is not None:
            vector = prediction.cross_lingual_vector
        filters = search.request.filters
        nearest: Ranking = ()
        with search.journal.timed(LANGUAGES), search.journal.attempt(LANGUAGES):
            nearest = await search.index.in_other_languages(vector, language, filters, search.top_k)
        min_similarity = filters.min_similarity
        across = tuple(
            hit for hit in nearest if min_similarity is None or hit.score >= min_similarity
        )
        similarities = {hit.chunk_no: hit.score for hit in across}
        return replace(
            recalled, across=across, similarities={**recalled.similarities, **similarities}
        )

    async def _add_entity_recall(
        self, wording: Wording, search: RecordedSearch, recalled: Recalled, fused: Fused
    ) -> Recalled:
        """Add the recall by entities, which supports no phrases, exclusions or minimum similarity.

        With any of these, it only ranks chunks that the other recalls found.
        """
        names = self.names_in(wording.parsed.text)
        graph = EntityGraph()
        with search.journal.timed("graph"), search.journal.attempt("graph"):
            if names:
                graph = await search.index.entity_graph(names, search.request.filters)
        best = fused.ranking[0].score if fused.ranking else 0.0
        shares = {hit.chunk_no: hit.score / best for hit in fused.ranking} if best > 0 else {}
        ranking = rank_by_entities(graph, shares)
        is_restricted = wording.parsed.phrases or wording.parsed.excluded
        if is_restricted or search.request.filters.min_similarity is not None:
            chunk_numbers = {hit.chunk_no for hit in fused.ranking}
            ranking = tuple(hit for hit in ranking if hit.chunk_no in chunk_numbers)
        return replace(recalled, graph=ranking[: self.recall_limit], named=mentioned_names(graph))

    async def _adjust_to_kind(
        self, wording: Wording, search: RecordedSearch, recalled: Recalled, fused: Fused
    ) -> tuple[Recalled, Fused]:
        """Adjust the ranking to the predicted kind of question: by period, or toward table rows."""
        kind = await wording.kind()
        if search.plan.fusion == "dense_only":
            return recalled, fused
        numbers = [hit.chunk_no for hit in fused.ranking]
        text = wording.parsed.text
        if kind.period is not None and not states_period(text):
            with search.journal.timed(SERIES), search.journal.attempt(SERIES):
                documents = await search.index.documents_of(numbers)
                positions = places_in_series(documents, kind.period, recalled.name_score_gaps)
                recalled = replace(recalled, series=positions)
                fused = toward_period(fused, positions)
        if kind.asks_for_number:
            with search.journal.timed(ROWS), search.journal.attempt(ROWS):
                tables = await search.index.tables(numbers)
                rows = rows_called(tables, recalled.idf, self.analyzer.word_terms)
                recalled = replace(recalled, rows=rows)
                fused = toward_rows(fused, rows)
        return recalled, fused

    async def _with_corrected_spelling(
        self, text: str, first: Wording, search: RecordedSearch
    ) -> Wording:
        """Return the first wording with its spelling corrected, with a vector if the original has
        one."""
        parsed, vector = parse_query(text), None
        if await first.vector is not None:
            with search.journal.attempt("dense"):
                vector = await self.embedder.embed_query(parsed.text)
        return replace(first, text=text, parsed=parsed, vector=at_hand(vector))

    def _candidate_count(self, top_k: int, plan: Plan) -> int:
        """Number of candidates that the later stages need."""
        counts = [top_k + SPARE]
        if plan.rerank:
            counts.append(self.candidates or 3 * top_k)
        if plan.diversity != "none":
            counts.append(2 * top_k)
        if plan.diversity == "mmr":
            counts.append(self.mmr_candidates)
        return max(counts)


def _above_minimum(recalled: Recalled, vector: Vector | None, search: RecordedSearch) -> Recalled:
    """Drop hits below the requested minimum similarity."""
    min_similarity = search.request.filters.min_similarity
    if min_similarity is None:
        return recalled
    if vector is None:
        search.journal.note("min_similarity: it needs the lane's model, which is not available")
        return recalled

    def near(ranking: Ranking) -> Ranking:
        return tuple(
            hit
            for hit in ranking
            if recalled.similarities.get(hit.chunk_no, -2.0) >= min_similarity
        )

    return replace(recalled, dense=near(recalled.dense), lexical=near(recalled.lexical))
