"""Answer questions: from a search, from the cache, or by an agent that calls tools."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from footnote.answering.agentic import AgenticAnswerer, AgentResources
from footnote.answering.generate import GenerativeAnswerer
from footnote.answering.grounding import SupportGrounder
from footnote.answering.nearest_miss import closest_passage
from footnote.answering.overview import Overview
from footnote.answering.streaming import Answerer, completed, events_of, numbered
from footnote.answering.sub_questions import ByPart
from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    PlanChanges,
    SearchFilters,
    SearchRequest,
    SearchResponse,
    SourcesFound,
    Turn,
    Usage,
)
from footnote.domain.models_in_use import EXTRACTIVE
from footnote.engine.answer_conflicts import may_conflict, with_conflicts
from footnote.engine.answer_models import (
    agent_bounds,
    agent_model_for,
    answer_writer_of,
    mcp_servers,
    models_to_try,
)
from footnote.engine.answer_telemetry import measured
from footnote.engine.configuration import configuration_of, judge_in_use
from footnote.engine.corpus_answers import CorpusEvidence, corpus_evidence
from footnote.engine.lanes import serving
from footnote.engine.question_parts import searched_by_part
from footnote.engine.search import (
    PreparedSearch,
    prepare_search,
    refreshed,
    run_search,
    section_around,
)
from footnote.engine.services import Serving, WorkspaceAccess
from footnote.engine.suggesting import Answered, suggestion_input, suggestions_event, without_models
from footnote.engine.tools import EvidenceLedger, IndexNow, document_tools
from footnote.errors import InvalidRequest
from footnote.models.counting import estimate_tokens
from footnote.ports import Analyzer
from footnote.retrieval.cache import normalised_query
from footnote.retrieval.generation_cache import CacheKey, Question
from footnote.retrieval.query import MAX_QUERY_CHARACTERS
from footnote.validation.constrained_types import ModelName, Name
from footnote.validation.text import is_blank

CONFIDENT = 0.5
"""Least confidence of a search at which the closest passage is shown if nothing answers: the
evidence is more likely than not about the question."""


async def ask(
    workspace: WorkspaceAccess,
    question: str,
    *,
    top_k: int | None = None,
    filters: SearchFilters | None = None,
    plan: Name | None = None,
    changes: PlanChanges | None = None,
    conversation: Sequence[Turn] = (),
    model: ModelName | None = None,
) -> Answer:
    """Return an answer whose statements are cited, or one that says that nothing was found.

    Evidence is searched as in `search`, by the plan with its changes; `model` is that of
    `ask_stream`. Raises what `search` raises, and ModelUnavailable.
    """
    events = ask_stream(
        workspace,
        question,
        top_k=top_k,
        filters=filters,
        plan=plan,
        changes=changes,
        conversation=conversation,
        model=model,
    )
    async with aclosing(events):
        return await completed(events)


@measured()
async def ask_stream(
    workspace: WorkspaceAccess,
    question: str,
    *,
    top_k: int | None = None,
    filters: SearchFilters | None = None,
    plan: Name | None = None,
    changes: PlanChanges | None = None,
    conversation: Sequence[Turn] = (),
    model: ModelName | None = None,
    suggest: bool = False,
) -> AsyncGenerator[AnswerEvent]:
    """Yield the events of answering a question, the answer last or before the suggestions.

    `model` is one of those in use in the workspace, or `extractive` for quotes; None tries them in
    order. With `suggest`, suggested next questions follow the answer. Errors in the request are
    raised before the first event. Closing the generator stops the models.
    """
    engine = workspace.engine
    request = SearchRequest(
        query=question,
        top_k=top_k,
        filters=filters or SearchFilters(),
        plan=plan,
        changes=changes or PlanChanges(),
        conversation=tuple(conversation),
    )
    models = await models_to_try(workspace, model) if model or engine.answer_models.names else ()
    prepared = await prepare_search(workspace, request, for_quotes=not models)
    cached = _cached_question(prepared, models)
    if cached is not None and engine.answer_cache.may_hold(cached):
        # A cached answer is reused only if the index and the settings are unchanged.
        prepared, generation = await refreshed(workspace, prepared)
        cached = _cached_question(prepared, models, generation)
    answer = None if cached is None else engine.answer_cache.find(cached)
    streamed = False
    if answer is not None:
        answer = _adapted_to_question(answer, prepared, request.query.strip())
        yield SourcesFound(evidence=answer.evidence, degraded=answer.degraded)
    else:
        served_by, response = await run_search(workspace, prepared)
        response, overview, draft = await _extractive_answerer(
            workspace, prepared, served_by, response
        )
        evidence = response.evidence if overview is None else overview.evidence
        answerer = _generative_answerer(workspace, served_by, models, draft)
        effective_question = (
            response.corrected_query or response.standalone_question or response.query
        )
        if answerer is None:
            sources = numbered(evidence)
            yield SourcesFound(evidence=sources, degraded=response.degraded)
            answer = await draft(effective_question, sources)
        else:
            streamed = True
            async with aclosing(
                answerer.stream(effective_question, evidence, turns=conversation)
            ) as events:
                async for event in events:
                    if isinstance(event, AnswerDone):
                        answer = event.answer
                    else:
                        yield _with_search_notes(event, response)
        if answer is None:  # the last event said why
            return
        answer = _with_search_report(
            answer, response, effective_question, engine.analyzer, overview
        )
        # Summaries change without a new index generation, so such answers are not cached.
        if cached is not None and overview is None and not answer.degraded:
            engine.answer_cache.keep(cached, answer)
    # Conflicts are looked up for cached answers too: facts change meanwhile.
    answer = await with_conflicts(workspace, answer) if may_conflict(workspace, answer) else answer
    for event in (AnswerDone(answer=answer),) if streamed else events_of(answer):
        yield event
    if suggest:
        subject = suggestion_input(answer, conversation=conversation)
        answer_candidate = tried_by_asking(workspace, filters, plan, changes)
        yield await suggestions_event(
            workspace, subject, answer_candidate, await answer_writer_of(workspace, model)
        )


async def _extractive_answerer(
    workspace: WorkspaceAccess,
    prepared: PreparedSearch,
    served_by: Serving,
    response: SearchResponse,
) -> tuple[SearchResponse, CorpusEvidence | None, Answerer]:
    """Return the extractive answerer, with the summaries or the evidence that it needs.

    A question about documents as a whole is answered from their summaries, one with several parts
    part by part.
    """
    if workspace.settings.summaries != "off":
        overview = await corpus_evidence(workspace, prepared, response)
        if overview is not None:
            return response, overview, Overview(sentences=overview.sentences)
    response, parts = await searched_by_part(workspace, prepared, response)
    around = partial(section_around, workspace)
    answerer = replace(served_by.answerer, around=around)
    if not parts:
        return response, None, answerer
    by_part = ByPart(answerer=answerer, parts=parts, compare_rows=answerer.compare_rows)
    return response, None, by_part


def tried_by_asking(
    workspace: WorkspaceAccess,
    filters: SearchFilters | None = None,
    plan: str | None = None,
    changes: PlanChanges | None = None,
) -> Answered:
    """Return a function that answers a candidate question in quotes, as the principal.

    Without a language model this is the final answer, and is cached for whoever picks the question.
    """
    changes = without_models(changes) if workspace.engine.model is not None else changes
    return partial(
        _extractive_answer,
        workspace,
        filters=filters or SearchFilters(),
        plan=plan,
        changes=changes,
    )


async def _extractive_answer(
    workspace: WorkspaceAccess,
    question: str,
    *,
    filters: SearchFilters,
    plan: str | None,
    changes: PlanChanges | None,
) -> Answer:
    return await ask(
        workspace, question, filters=filters, plan=plan, changes=changes, model=EXTRACTIVE
    )


@measured(agent=True)
async def agent_stream(
    workspace: WorkspaceAccess,
    question: str,
    *,
    conversation: Sequence[Turn] = (),
    model: ModelName | None = None,
    index_now: IndexNow | None = None,
    base_url: str = "",
) -> AsyncGenerator[AnswerEvent]:
    """The agent's tool calls as they happen, then its answer, cited and grounded like any other.

    `model` is that of `ask_stream`, `index_now` and `base_url` are those of `document_tools`.
    Raises InvalidRequest before the first event, also where no model answers in the workspace, and
    Forbidden for a link, since the tools of the workspace's MCP servers reach beyond a collection.
    Closing the generator stops the model.
    """
    workspace.refuse_guest("have an agent look things up")
    if is_blank(question) or len(question) > MAX_QUERY_CHARACTERS:
        raise InvalidRequest(
            "there is no question" if is_blank(question) else "the question is too long",
            hint=f"ask with 1 to {MAX_QUERY_CHARACTERS:,} characters",
        )
    agent = await agent_model_for(workspace, model)
    if agent is None:
        raise InvalidRequest(
            "an agent needs a model, and none answers in this workspace",
            hint="set FOOTNOTE_ANSWER_MODELS, or choose one: footnote models use NAME",
        )
    in_lane = await serving(workspace)
    await configuration_of(workspace)  # refresh the settings: grounding may precede any search
    ledger = EvidenceLedger()
    answerer = AgenticAnswerer(
        model=agent,
        ground=_grounding(workspace),
        analyzer=workspace.engine.analyzer,
        embedder=in_lane.statements,
    )
    equipment = AgentResources(
        tools=document_tools(workspace, ledger, index_now=index_now, base_url=base_url),
        servers=await mcp_servers(workspace),
        bounds=agent_bounds(workspace.engine.settings),
        evidence=lambda: ledger.evidence,
    )
    async with aclosing(answerer.stream(question.strip(), equipment, turns=conversation)) as events:
        async for event in events:
            if isinstance(event, AnswerDone) and may_conflict(workspace, event.answer):
                yield AnswerDone(answer=await with_conflicts(workspace, event.answer))
            else:
                yield event


def _grounding(workspace: WorkspaceAccess) -> SupportGrounder:
    """Return the grounder of a model's sentences, by the settings last read."""
    return SupportGrounder(analyzer=workspace.engine.analyzer, judge=judge_in_use(workspace))


def _generative_answerer(
    workspace: WorkspaceAccess, serving: Serving, models: Sequence[str], draft: Answerer
) -> GenerativeAnswerer | None:
    """Return the answerer that has the given models write; None for the extractive draft."""
    engine = workspace.engine
    writer = engine.answer_models.writer(models) if models else None
    if writer is None:
        return None
    return GenerativeAnswerer(
        writer=writer,
        draft=draft,
        ground=_grounding(workspace),
        analyzer=engine.analyzer,
        embedder=serving.statements,
        count_tokens=estimate_tokens,
    )


def _cached_question(
    prepared: PreparedSearch, models: Sequence[str], generation: int | None = None
) -> Question | None:
    """Return the key of a question in the answer cache; None if it must not be cached.

    `generation` is that of the index; by default the one that the search was prepared for.
    """
    prepared_query = prepared.asked
    if prepared_query.key is None or prepared_query.notes:
        return None
    request = prepared_query.request
    if models:
        # A model reads the question as it was put, with its conversation.
        request = replace(
            request, query=prepared_query.query, conversation=prepared.request.conversation
        )
    key = CacheKey.of(
        request,
        prepared_query.plan,
        workspace_id=prepared_query.asker.workspace_id,
        access=prepared_query.asker.principal.access_names,
        lane=f"{prepared.serving.embedder.lane.fingerprint} {tuple(models)!r} "
        f"{prepared.serving.stages.configuration}",
        generation=prepared_query.key.generation if generation is None else generation,
    )
    return Question(key=key, text=normalised_query(request.query))


def _adapted_to_question(answer: Answer, prepared: PreparedSearch, question: str) -> Answer:
    """Adapt a cached answer to the current wording of the question."""
    milliseconds = prepared.asked.journal.timings_ms["total"]
    answer = replace(
        answer,
        question=question,
        cached=True,
        usage=Usage(),
        timings_ms={"cache": milliseconds, "total": milliseconds},
    )
    request = prepared.asked.request
    if not request.conversation:
        searched = dict.fromkeys((request.query, *answer.searched))
        answer = replace(
            answer,
            asked_as=None if request.query == question else request.query,
            searched=tuple(query for query in searched if query != question),
        )
    return answer


def _with_search_notes(event: AnswerEvent, response: SearchResponse) -> AnswerEvent:
    """Add the notes on a degraded search to a SourcesFound event; return others unchanged."""
    if isinstance(event, SourcesFound):
        return replace(event, degraded=(*response.degraded, *event.degraded))
    return event


def _with_search_report(
    answer: Answer,
    response: SearchResponse,
    effective_question: str,
    analyzer: Analyzer,
    overview: CorpusEvidence | None,
) -> Answer:
    """Add the search's report to an answer, and the closest passage if nothing answers."""
    if not answer.found and response.confidence >= CONFIDENT:
        closest = closest_passage(effective_question, answer.evidence, analyzer)
        answer = replace(answer, closest=closest)
    return replace(
        answer,
        question=response.query,
        corrected_question=response.corrected_query,
        asked_as=response.standalone_question,
        degraded=(*response.degraded, *answer.degraded),
        searched=response.searched,
        summarised_documents=0 if overview is None else overview.documents,
        timings_ms=dict(response.timings_ms) | dict(answer.timings_ms),
    )
