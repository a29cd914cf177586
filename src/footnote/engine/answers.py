"""Questions become answers: from a search, from the cache, or by a model that uses tools."""

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
    models_asked,
)
from footnote.engine.answer_telemetry import measured
from footnote.engine.configuration import configuration_of, judge_in_use
from footnote.engine.lanes import serving
from footnote.engine.question_parts import searched_by_part
from footnote.engine.search import (
    PreparedSearch,
    as_of_now,
    prepare_search,
    run_search,
    section_around,
)
from footnote.engine.services import Serving, WorkspaceAccess
from footnote.engine.suggesting import Answered, suggestions_made, told_by, without_models
from footnote.engine.tools import EvidenceLedger, IndexNow, document_tools
from footnote.engine.whole_answers import Whole, whole_of
from footnote.errors import InvalidRequest
from footnote.models.counting import estimate_tokens
from footnote.ports import Analyzer
from footnote.retrieval.cache import one_spelling
from footnote.retrieval.generation_cache import CacheKey, Question
from footnote.retrieval.query import MAX_QUERY_CHARACTERS
from footnote.validation.constrained_types import ModelName, Name
from footnote.validation.text import is_blank

CONFIDENT = 0.5
"""Confidence of a search from which its best passage is shown where nothing answers: it is more
likely than not that the evidence is about the question."""


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
    """An answer whose statements are cited, or an honest one that there is none.

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
    """What happens while a question is answered, the answer last.

    `model` is one of those that answer in the workspace, or `extractive` for quotes; None asks them
    in turn. With `suggest`, what may be asked next follows the answer. What is wrong with the
    question is raised before the first event. Closing the generator stops the models.
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
    models = await models_asked(workspace, model) if model or engine.answer_models.names else ()
    prepared = await prepare_search(workspace, request, for_quotes=not models)
    cached = _cached_question(prepared, models)
    if cached is not None and engine.answer_cache.may_hold(cached):
        # It is given again if the index and the settings still stand as they did.
        prepared, generation = await as_of_now(workspace, prepared)
        cached = _cached_question(prepared, models, generation)
    answer = None if cached is None else engine.answer_cache.find(cached)
    written = False
    if answer is not None:
        answer = _given_again(answer, prepared, request.query.strip())
        yield SourcesFound(evidence=answer.evidence, degraded=answer.degraded)
    else:
        served_by, response = await run_search(workspace, prepared)
        response, whole, draft = await _drafting(workspace, prepared, served_by, response)
        evidence = response.evidence if whole is None else whole.evidence
        answerer = _writing(workspace, served_by, models, draft)
        meant = response.corrected_query or response.standalone_question or response.query
        if answerer is None:
            sources = numbered(evidence)
            yield SourcesFound(evidence=sources, degraded=response.degraded)
            answer = await draft(meant, sources)
        else:
            written = True
            async with aclosing(answerer.stream(meant, evidence, turns=conversation)) as events:
                async for event in events:
                    if isinstance(event, AnswerDone):
                        answer = event.answer
                    else:
                        yield _after_search(event, response)
        if answer is None:  # the last event said why
            return
        answer = _of_response(answer, response, meant, engine.analyzer, whole)
        # Summaries are made and made anew while the index stays as it is.
        if cached is not None and whole is None and not answer.degraded:
            engine.answer_cache.keep(cached, answer)
    # Told afresh of an answer of before, too: facts come, go and are rejected meanwhile.
    answer = await with_conflicts(workspace, answer) if may_conflict(workspace, answer) else answer
    for event in (AnswerDone(answer=answer),) if written else events_of(answer):
        yield event
    if suggest:
        told = told_by(answer, conversation=conversation)
        answered = tried_by_asking(workspace, filters, plan, changes)
        yield await suggestions_made(
            workspace, told, answered, await answer_writer_of(workspace, model)
        )


async def _drafting(
    workspace: WorkspaceAccess,
    prepared: PreparedSearch,
    served_by: Serving,
    response: SearchResponse,
) -> tuple[SearchResponse, Whole | None, Answerer]:
    """What answers without a model that writes, with the summaries or the evidence that it needs.

    A question about documents as a whole is answered by their summaries, one for several things
    part by part.
    """
    if workspace.settings.summaries != "off":
        whole = await whole_of(workspace, prepared, response)
        if whole is not None:
            return response, whole, Overview(sentences=whole.sentences)
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
    """What tries a question by having it answered in quotes, as the principal of the workspace.

    Without a language model this is the very answer, and is kept for whoever chooses the question.
    """
    changes = without_models(changes) if workspace.engine.model is not None else changes
    return partial(
        _quoted, workspace, filters=filters or SearchFilters(), plan=plan, changes=changes
    )


async def _quoted(
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
    await configuration_of(workspace)  # it grounds before it searches, if it does
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
    """What checks the sentences of a model against their quotes, by the settings last seen."""
    return SupportGrounder(analyzer=workspace.engine.analyzer, judge=judge_in_use(workspace))


def _writing(
    workspace: WorkspaceAccess, serving: Serving, models: Sequence[str], draft: Answerer
) -> GenerativeAnswerer | None:
    """What has the models that are in use write an answer; None for the quotes of the draft."""
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
    """The question as the cache of answers knows it; None where no answer is to be kept.

    The index is of the generation that the search was prepared for, if none is given.
    """
    asked = prepared.asked
    if asked.key is None or asked.notes:
        return None
    request = asked.request
    if models:
        # A model reads the question as it was put, with its conversation.
        request = replace(request, query=asked.query, conversation=prepared.request.conversation)
    key = CacheKey.of(
        request,
        asked.plan,
        workspace_id=asked.asker.workspace_id,
        access=asked.asker.principal.access_names,
        lane=f"{prepared.serving.embedder.lane.fingerprint} {tuple(models)!r} "
        f"{prepared.serving.stages.configuration}",
        generation=asked.key.generation if generation is None else generation,
    )
    return Question(key=key, text=one_spelling(request.query))


def _given_again(answer: Answer, prepared: PreparedSearch, question: str) -> Answer:
    """An answer of before as one to the question as it is put now."""
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
            searched=tuple(each for each in searched if each != question),
        )
    return answer


def _after_search(event: AnswerEvent, response: SearchResponse) -> AnswerEvent:
    """The event; its sources with what their search could not do."""
    if isinstance(event, SourcesFound):
        return replace(event, degraded=(*response.degraded, *event.degraded))
    return event


def _of_response(
    answer: Answer,
    response: SearchResponse,
    meant: str,
    analyzer: Analyzer,
    whole: Whole | None,
) -> Answer:
    """The answer with what its search reports, and what comes closest where nothing answers."""
    if not answer.found and response.confidence >= CONFIDENT:
        closest = closest_passage(meant, answer.evidence, analyzer)
        answer = replace(answer, closest=closest)
    return replace(
        answer,
        question=response.query,
        corrected_question=response.corrected_query,
        asked_as=response.standalone_question,
        degraded=(*response.degraded, *answer.degraded),
        searched=response.searched,
        summarised_documents=0 if whole is None else whole.documents,
        timings_ms=dict(response.timings_ms) | dict(answer.timings_ms),
    )
