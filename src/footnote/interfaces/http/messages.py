"""Routes of messages: asked, asked anew, answered again, read, judged."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from footnote.domain.conversations import Exchange, Message, MessagePage
from footnote.engine import WorkspaceEngine
from footnote.engine.exchanges import NextQuestion
from footnote.interfaces.http import conversation_requests as wanted
from footnote.interfaces.http import examples
from footnote.interfaces.http.conversations import RESPONSES, IdempotencyKey
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.scope import ALWAYS, TheWorkspace
from footnote.interfaces.http.streaming import (
    CLIENT_CLOSED_REQUEST,
    MEDIA_TYPE,
    ClientGone,
    streamed_answer,
    unless_gone,
)
from footnote.validation.constrained_types import MAX_PAGE

router = APIRouter(tags=["conversations"], route_class=ExactRoute)

_ASKED: examples.Responses = {
    200: {
        "description": "The question with its answer, or what happens while it is made.",
        "content": {
            "application/json": {},
            MEDIA_TYPE: {"schema": {"type": "string"}, "example": examples.STREAM},
        },
    },
    **RESPONSES,
    **examples.problem_responses("conflict", "content-too-large", "lane-mismatch"),
}
_AS_BEFORE = wanted.Again()
_MESSAGE: examples.Responses = {200: {"description": "The answer as it is judged"}, **RESPONSES}
_MESSAGES: examples.Responses = {200: {"description": "A page of them"}, **RESPONSES}


@router.get(
    "/v1/conversations/{conversation_id}/messages",
    summary="Read a conversation",
    response_model=MessagePage,
    responses=_MESSAGES,
)
async def list_messages(
    *,
    workspace: TheWorkspace,
    conversation_id: UUID,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 100,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
    branches: Annotated[bool, Query(description="Those of old branches too.")] = False,
) -> MessagePage:
    """Its messages, oldest first."""
    return await workspace.messages(
        conversation_id, limit=limit, cursor=cursor, all_branches=branches
    )


@router.post(
    "/v1/conversations/{conversation_id}/messages",
    summary="Ask in a conversation",
    response_model=Exchange,
    responses=_ASKED,
)
async def ask_in_conversation(
    *,
    request: Request,
    workspace: TheWorkspace,
    conversation_id: UUID,
    asked: wanted.NextQuestion,
    idempotency_key: IdempotencyKey = None,
) -> Exchange | Response:
    """Ask after the last message; the same `Idempotency-Key` gives the same answer."""
    question = await workspace.next_question(
        conversation_id, asked.asking(asked.question), idempotency_key=idempotency_key
    )
    return await _answer(request, workspace, question, stream=asked.stream)


@router.patch(
    "/v1/conversations/{conversation_id}/messages/{message_id}",
    summary="Edit a question",
    response_model=Exchange,
    responses=_ASKED,
)
async def edit_question(
    *,
    request: Request,
    workspace: TheWorkspace,
    conversation_id: UUID,
    message_id: UUID,
    asked: wanted.NextQuestion,
) -> Exchange | Response:
    """Ask something else in its place; what followed stays as a branch."""
    question = await workspace.edited_question(
        conversation_id, message_id, asked.asking(asked.question)
    )
    return await _answer(request, workspace, question, stream=asked.stream)


@router.post(
    "/v1/conversations/{conversation_id}/messages/{message_id}/regenerate",
    summary="Answer once more",
    response_model=Exchange,
    responses=_ASKED,
)
async def regenerate_answer(
    *,
    request: Request,
    workspace: TheWorkspace,
    conversation_id: UUID,
    message_id: UUID,
    again: wanted.Again = _AS_BEFORE,
) -> Exchange | Response:
    """Answer the same question afresh; the old answer stays as a branch."""
    question = await workspace.question_again(conversation_id, message_id, again.asking())
    return await _answer(request, workspace, question, stream=again.stream)


@router.post(
    "/v1/conversations/{conversation_id}/messages/{message_id}/activate",
    summary="Go on from another branch",
    response_model=MessagePage,
    responses=_MESSAGES,
)
async def activate_branch(
    workspace: TheWorkspace, conversation_id: UUID, message_id: UUID
) -> MessagePage:
    """Make the branch of this message the one that goes on; returns its first messages."""
    return await workspace.go_on_from(conversation_id, message_id)


@router.put(
    "/v1/conversations/{conversation_id}/messages/{message_id}/feedback",
    summary="Judge an answer",
    response_model=Message,
    responses=_MESSAGE,
)
async def give_feedback(
    workspace: TheWorkspace,
    conversation_id: UUID,
    message_id: UUID,
    feedback: wanted.NewFeedback,
) -> Message:
    """Say what you think of an answer, in place of what you said before."""
    return await workspace.give_feedback(
        conversation_id, message_id, feedback.thumb, feedback.comment
    )


@router.delete(
    "/v1/conversations/{conversation_id}/messages/{message_id}/feedback",
    status_code=204,
    summary="Withdraw a judgement",
    response_description="Nothing is kept of it.",
    responses=ALWAYS,
)
async def withdraw_feedback(
    workspace: TheWorkspace, conversation_id: UUID, message_id: UUID
) -> None:
    """Keep nothing of what you said of an answer."""
    await workspace.withdraw_feedback(conversation_id, message_id)


async def _answer(
    request: Request,
    workspace: WorkspaceEngine,
    question: NextQuestion | Exchange,
    *,
    stream: bool,
) -> Exchange | Response:
    """The exchange in one piece or as it happens; one that was kept before comes as it is."""
    if isinstance(question, Exchange):
        return question
    if stream or MEDIA_TYPE in request.headers.get("accept", ""):
        told = await streamed_answer(workspace, workspace.answered_stream(question))
        told.headers["Footnote-Question-Id"] = str(question.question_id)
        told.headers["Footnote-Reply-Id"] = str(question.reply_id)
        return told
    try:
        exchange = await unless_gone(request, workspace.answered(question))
    except ClientGone:
        return Response(status_code=CLIENT_CLOSED_REQUEST)
    return exchange
