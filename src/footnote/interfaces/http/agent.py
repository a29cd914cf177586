"""The route on which a model looks things up by itself."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from footnote.domain import Answer
from footnote.interfaces.http import examples, requests
from footnote.interfaces.http.asking import whole
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.scope import ALWAYS, TheWorkspace
from footnote.interfaces.http.streaming import (
    CLIENT_CLOSED_REQUEST,
    MEDIA_TYPE,
    ClientGone,
    LastEventId,
    resumed_answer,
    streamed_answer,
    unless_gone,
)
from footnote.interfaces.tools.binding import index_now

router = APIRouter(tags=["questions"], route_class=ExactRoute)


@router.post(
    "/v1/agent",
    summary="Have a model look things up",
    response_model=Answer,
    responses={
        200: {
            "description": "A cited answer, or what happens while it is made.",
            "content": {
                "application/json": {},
                MEDIA_TYPE: {
                    "schema": {"type": "string"},
                    "example": examples.AGENT_STREAM,
                },
            },
        },
        **ALWAYS,
        **examples.problem_responses("bad-request", "content-too-large", "lane-mismatch"),
    },
)
async def run_agent(
    *,
    request: Request,
    workspace: TheWorkspace,
    task: requests.Task,
    last_event_id: LastEventId = None,
) -> Answer | Response:
    """A model asks for the workspace's tools until it has an answer, cited like any other.

    It may use those of the workspace's MCP servers as well. It is bounded in steps, time and cost
    by the settings. With `stream`, or for a client that accepts `text/event-stream`, every call of
    a tool is told; with `Last-Event-ID` what followed after that event.
    """
    if last_event_id is not None:
        return await resumed_answer(workspace, None, last_event_id)
    events = workspace.agent_stream(
        task.question,
        conversation=requests.turns(task.conversation),
        index_now=index_now,
    )
    if task.stream or MEDIA_TYPE in request.headers.get("accept", ""):
        return await streamed_answer(workspace, events)
    try:
        answer = await unless_gone(request, whole(events))
    except ClientGone:
        return Response(status_code=CLIENT_CLOSED_REQUEST)
    return answer
