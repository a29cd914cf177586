"""Routes that search, answer questions, and check statements against sources."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from uuid import UUID

from fastapi import Request, Response
from pydantic import Field

from footnote.domain import Answer, AnswerEvent, PassageContext, SearchResponse
from footnote.domain.answers import Suggestions
from footnote.domain.grounding import GroundingCheck, GroundingSource
from footnote.engine import WorkspaceEngine
from footnote.engine.grounding import (
    MAX_ANSWER_CHARACTERS,
    MAX_SOURCE_CHARACTERS,
    MAX_SOURCES,
    MAX_STATEMENT_CHARACTERS,
    MAX_STATEMENTS,
)
from footnote.interfaces.http import requests
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.http.streaming import (
    ANSWER,
    STREAM,
    LastEventId,
    answer_to,
    resumed_answer,
    unless_disconnected,
)
from footnote.interfaces.tools.binding import index_now

router = workspace_router("questions")
grounding_router = workspace_router("grounding")

_LANES = problem_responses("budget-exceeded", "lane-mismatch")
_ANSWER = {**ANSWER, **_LANES}


def events_of(
    workspace: WorkspaceEngine, request: requests.Question | requests.Task
) -> AsyncGenerator[AnswerEvent]:
    """What happens while a question is answered, or a model looks it up. Raises InvalidRequest."""
    conversation = requests.turns(request.conversation)
    if isinstance(request, requests.Task):
        return workspace.agent_stream(
            request.question, conversation=conversation, model=request.model, index_now=index_now
        )
    return workspace.ask_stream(
        request.question,
        top_k=request.top_k,
        filters=request.filters.to_domain(),
        plan=request.plan,
        changes=request.stages.to_domain(),
        conversation=conversation,
        model=request.model,
        suggest=request.suggest,
    )


@router.post("/v1/search", responses=_LANES)
async def search(workspace: TheWorkspace, request: requests.Search) -> SearchResponse:
    """Search for evidence.

    The chunks that answer a query, best first, each with the reasons for its rank.
    """
    return await workspace.search(request.to_domain())


@router.post("/v1/context", responses=_LANES)
async def read_context(workspace: TheWorkspace, request: requests.Context) -> PassageContext:
    """Read a passage with the chunks before and after it in its document."""
    return await workspace.context(request.chunk_id, request.window)


@router.post("/v1/answers", response_model=Answer, responses=_ANSWER)
async def answer_question(
    *,
    request: Request,
    workspace: TheWorkspace,
    question: requests.Question,
    last_event_id: LastEventId = None,
) -> Answer | Response:
    """Answer a question with a citation for every statement.

    `found` is false when the documents do not answer. With `stream`, or for a client that accepts
    `text/event-stream`, events are sent while the answer is made; with `Last-Event-ID` those after
    that event. The model stops when the client goes away.
    """
    if last_event_id is not None:
        return await resumed_answer(workspace, None, last_event_id)
    return await answer_to(
        request, workspace, events_of(workspace, question), stream=question.stream
    )


@router.get("/v1/answers/{run_id}/events", response_class=Response, responses=STREAM)
async def resume_answer(
    *, workspace: TheWorkspace, run_id: UUID, last_event_id: LastEventId = None
) -> Response:
    """Resume a streamed answer.

    The events after `Last-Event-ID`, or all of them; 404 once the answer is kept no longer.
    """
    return await resumed_answer(workspace, run_id, last_event_id)


@router.post("/v1/suggestions", response_model=Suggestions, responses=_LANES)
async def suggest_questions(
    *, request: Request, workspace: TheWorkspace, answered: requests.Answered
) -> Suggestions | Response:
    """Suggest what may be asked after an answer.

    Each question was tried on the documents that you may see, and answered. A client that goes away
    stops the work.
    """
    return await unless_disconnected(
        request,
        workspace.suggest_questions(
            answered.question,
            answer=answered.answer,
            chunk_ids=answered.chunk_ids,
            filters=answered.filters.to_domain(),
            plan=answered.plan,
            changes=answered.stages.to_domain(),
            conversation=requests.turns(answered.conversation),
            model=answered.model,
            language=answered.language,
        ),
    )


@router.post("/v1/agent", response_model=Answer, responses=_ANSWER)
async def run_agent(
    *,
    request: Request,
    workspace: TheWorkspace,
    task: requests.Task,
    last_event_id: LastEventId = None,
) -> Answer | Response:
    """Have a model look things up until it has an answer, cited like any other.

    It may call the workspace's tools, and those of its MCP servers. Its steps, time and cost are
    limited by the settings. With `stream`, or for a client that accepts `text/event-stream`, every
    call of a tool is sent as an event; with `Last-Event-ID` the events after that one.
    """
    if last_event_id is not None:
        return await resumed_answer(workspace, None, last_event_id)
    return await answer_to(request, workspace, events_of(workspace, task), stream=task.stream)


class Source(requests.Request):
    """A source: exactly one of `text`, `document_id` and `chunk_id`."""

    id: str | None = Field(None, description="Its name in the result; its number if null.")
    title: str = Field("", description="The subject of a text.")
    text: str | None = Field(
        None, description=f"All texts together have {MAX_SOURCE_CHARACTERS:,} characters at most."
    )
    document_id: UUID | None = Field(None, description="An indexed document of the workspace.")
    chunk_id: str | None = Field(None, description="One passage of it, as a search names it.")


class GroundingRequest(requests.Request):
    """Statements, or an answer that is split into its statements, and what to hold them against."""

    statements: tuple[str, ...] = Field(
        (),
        description=f"{MAX_STATEMENTS} at most, of {MAX_STATEMENT_CHARACTERS:,} characters.",
    )
    answer: str | None = Field(
        None, description=f"In place of statements; {MAX_ANSWER_CHARACTERS:,} characters at most."
    )
    sources: tuple[Source, ...] = Field(description=f"1 to {MAX_SOURCES}.")


@grounding_router.post("/v1/grounding/check", responses=_LANES)
async def check_grounding(workspace: TheWorkspace, request: GroundingRequest) -> GroundingCheck:
    """Check statements against sources.

    Each statement is supported, contradicted or not carried by the sources, with the quotes that
    say so. It needs no language model; `judge` names what decided.
    """
    sources = [GroundingSource(**source.model_dump()) for source in request.sources]
    return await workspace.check_grounding(
        sources, statements=request.statements, answer=request.answer
    )
