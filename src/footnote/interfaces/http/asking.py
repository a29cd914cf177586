"""A request for an answer, as the engine is asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from footnote.answering.answerer import completed
from footnote.domain import Answer, AnswerEvent
from footnote.engine import WorkspaceEngine
from footnote.interfaces.http import requests
from footnote.interfaces.tools.binding import index_now


def events_of(
    workspace: WorkspaceEngine, request: requests.Question
) -> AsyncGenerator[AnswerEvent]:
    """What happens while the question is answered. Raises InvalidRequest."""
    return workspace.ask_stream(
        request.question,
        top_k=request.top_k,
        filters=request.filters.to_domain(),
        plan=request.plan,
        changes=request.stages.to_domain(),
        conversation=requests.turns(request.conversation),
    )


def chat_events_of(
    workspace: WorkspaceEngine, request: requests.Question, *, agent: bool
) -> AsyncGenerator[AnswerEvent]:
    """The same for a chat, whose model may look things up by itself. Raises InvalidRequest."""
    if not agent:
        return events_of(workspace, request)
    return workspace.agent_stream(
        request.question,
        conversation=requests.turns(request.conversation),
        index_now=index_now,
    )


async def whole(events: AsyncGenerator[AnswerEvent]) -> Answer:
    """The answer in one piece. Raises InvalidRequest and ModelUnavailable."""
    async with aclosing(events):
        return await completed(events)
