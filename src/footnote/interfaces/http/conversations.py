"""Routes of conversations: begun, listed, renamed, given documents, exported, removed."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response

from footnote.domain.conversations import Conversation, ConversationExport, ConversationPage
from footnote.engine.conversations import as_markdown
from footnote.interfaces.http import examples
from footnote.interfaces.http.conversation_requests import ConversationChange, NewConversation
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.scope import ALWAYS, TheWorkspace
from footnote.validation.constrained_types import MAX_PAGE

router = APIRouter(tags=["conversations"], route_class=ExactRoute)

RESPONSES = {**ALWAYS, **examples.problem_responses("bad-request")}
_ONE: examples.Responses = {200: {"description": "As it is now"}, **RESPONSES}

_AS_USUAL = NewConversation()

IdempotencyKey = Annotated[
    str | None,
    Header(description="Makes repeating the request safe.", min_length=1, max_length=255),
]


@router.post(
    "/v1/conversations",
    status_code=201,
    summary="Begin a conversation",
    response_model=Conversation,
    responses={
        201: {"description": "It has begun"},
        **RESPONSES,
    },
)
async def create_conversation(
    *,
    workspace: TheWorkspace,
    wanted: NewConversation = _AS_USUAL,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> Conversation:
    """Begin one; the same `Idempotency-Key` gives the same conversation."""
    made = await workspace.create_conversation(
        title=wanted.title or "",
        document_mode=wanted.document_mode,
        document_ids=wanted.document_ids,
        idempotency_key=idempotency_key,
    )
    response.headers["Location"] = f"/v1/conversations/{made.conversation_id}"
    return made


@router.get(
    "/v1/conversations",
    summary="List conversations",
    response_model=ConversationPage,
    responses={
        200: {"description": "A page of them"},
        **RESPONSES,
    },
)
async def list_conversations(
    workspace: TheWorkspace,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 50,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
) -> ConversationPage:
    """Your conversations, what was used last first."""
    return await workspace.conversations(limit=limit, cursor=cursor)


@router.get(
    "/v1/conversations/{conversation_id}",
    summary="One conversation",
    response_model=Conversation,
    responses=_ONE,
)
async def get_conversation(workspace: TheWorkspace, conversation_id: UUID) -> Conversation:
    """Its title and its documents; its messages have a route of their own."""
    return await workspace.conversation(conversation_id)


@router.patch(
    "/v1/conversations/{conversation_id}",
    summary="Rename a conversation",
    response_model=Conversation,
    responses=_ONE,
)
async def change_conversation(
    workspace: TheWorkspace,
    conversation_id: UUID,
    change: ConversationChange,
) -> Conversation:
    """Give it another title, or have its documents searched another way."""
    return await workspace.change_conversation(
        conversation_id, title=change.title, document_mode=change.document_mode
    )


@router.delete(
    "/v1/conversations/{conversation_id}",
    status_code=204,
    summary="Delete a conversation",
    response_description="It is gone, with its messages and their feedback.",
    responses=ALWAYS,
)
async def delete_conversation(workspace: TheWorkspace, conversation_id: UUID) -> None:
    """Delete it for good."""
    await workspace.delete_conversation(conversation_id)


@router.put(
    "/v1/conversations/{conversation_id}/documents/{document_id}",
    summary="Attach a document",
    response_model=Conversation,
    responses=_ONE,
)
async def attach_document(
    workspace: TheWorkspace, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Attach it; doing so again changes nothing."""
    return await workspace.attach_document(conversation_id, document_id)


@router.delete(
    "/v1/conversations/{conversation_id}/documents/{document_id}",
    summary="Detach a document",
    response_model=Conversation,
    responses=_ONE,
)
async def detach_document(
    workspace: TheWorkspace, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Detach it; doing so again changes nothing. The document itself stays."""
    return await workspace.detach_document(conversation_id, document_id)


@router.get(
    "/v1/conversations/{conversation_id}/export",
    summary="Export a conversation",
    response_model=ConversationExport,
    responses={
        200: {
            "description": "All of it.",
            "content": {
                "application/json": {},
                "text/markdown": {"schema": {"type": "string"}, "example": examples.MARKDOWN},
            },
        },
        **RESPONSES,
    },
)
async def export_conversation(
    workspace: TheWorkspace,
    conversation_id: UUID,
    format_: Annotated[Literal["json", "markdown"], Query(alias="format")] = "json",
) -> ConversationExport | Response:
    """Every branch as JSON, or the one that goes on as Markdown with footnotes."""
    found, messages = await workspace.export_conversation(conversation_id)
    if format_ == "markdown":
        return Response(as_markdown(found, messages), media_type="text/markdown; charset=utf-8")
    return ConversationExport(conversation=found, messages=tuple(messages))
