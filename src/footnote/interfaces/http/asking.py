"""A request for an answer, as the engine is asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from footnote.domain import Answer, AnswerEvent
from footnote.engine import WorkspaceEngine
from footnote.interfaces.http import requests


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


async def answer_of(workspace: WorkspaceEngine, request: requests.Question) -> Answer:
    """The answer in one piece. Raises InvalidRequest."""
    return await workspace.ask(
        request.question,
        top_k=request.top_k,
        filters=request.filters.to_domain(),
        plan=request.plan,
        changes=request.stages.to_domain(),
        conversation=requests.turns(request.conversation),
    )
