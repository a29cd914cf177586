"""Routes that answer, in one piece or as it happens."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, Request, Response

from footnote.domain import Answer
from footnote.interfaces.http import examples, requests
from footnote.interfaces.http.asking import events_of, whole
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

router = APIRouter(tags=["questions"], route_class=ExactRoute)

_STREAM = {"schema": {"type": "string"}, "example": examples.STREAM}


@router.post(
    "/v1/answers",
    summary="Ask a question",
    response_model=Answer,
    responses={
        200: {
            "description": "A cited answer, or what happens while it is made.",
            "content": {
                "application/json": {},
                MEDIA_TYPE: _STREAM,
            },
        },
        **ALWAYS,
        **examples.problem_responses("bad-request", "content-too-large", "lane-mismatch"),
    },
)
async def answer_question(
    *,
    request: Request,
    workspace: TheWorkspace,
    question: requests.Question,
    last_event_id: LastEventId = None,
) -> Answer | Response:
    """An answer whose every statement is cited; `found` is false when there is none.

    With `stream`, or for a client that accepts `text/event-stream`, it is told as it is made; with
    `Last-Event-ID` what followed after that event. The model stops when the client goes away.
    """
    if last_event_id is not None:
        return await resumed_answer(workspace, None, last_event_id)
    if question.stream or MEDIA_TYPE in request.headers.get("accept", ""):
        return await streamed_answer(workspace, events_of(workspace, question))
    try:
        answer = await unless_gone(request, whole(events_of(workspace, question)))
    except ClientGone:
        return Response(status_code=CLIENT_CLOSED_REQUEST)
    return answer


@router.get(
    "/v1/answers/{run_id}/events",
    summary="Go on reading an answer",
    response_class=Response,
    responses={
        200: {
            "description": "What happened and happens while the answer is made.",
            "content": {MEDIA_TYPE: _STREAM},
        },
        **ALWAYS,
    },
)
async def resume_answer(
    *, workspace: TheWorkspace, run_id: UUID, last_event_id: LastEventId = None
) -> Response:
    """What followed after `Last-Event-ID`, or everything; 404 once it is kept no longer."""
    return await resumed_answer(workspace, run_id, last_event_id)
