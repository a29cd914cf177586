"""Routes of conversations and of the messages in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import Field

from footnote.domain.answers import Suggestions
from footnote.domain.conversations import (
    MAX_ATTACHED,
    Conversation,
    ConversationExport,
    ConversationPage,
    Exchange,
    ExportFormat,
    Message,
    MessagePage,
)
from footnote.engine import WorkspaceEngine
from footnote.engine.conversation_search import MAX_QUERY_CHARACTERS
from footnote.engine.conversations import as_markdown
from footnote.engine.docx import MEDIA_TYPE as DOCX
from footnote.engine.exchanges import Asking, NextQuestion
from footnote.interfaces.http import requests
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import QUESTION_HEADER, REPLY_HEADER, TheWorkspace
from footnote.interfaces.http.streaming import ANSWER, streamed, unless_disconnected, wants_stream
from footnote.validation.constrained_types import MAX_PAGE, Comment, FirstTitle, Title

router = workspace_router("conversations")

PDF = "application/pdf"
_FILE: dict[str, object] = {"schema": {"type": "string", "format": "binary"}}

Mode = Literal["first", "only"]
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE)]
Cursor = Annotated[str | None, Query(max_length=200)]


class NewConversation(requests.Request):
    """How a conversation begins."""

    title: FirstTitle | None = Field(None, description="The first question, if null or blank.")
    document_mode: Mode = Field(
        "first", description="Whether attached documents are searched first, or they alone."
    )
    document_ids: tuple[UUID, ...] = Field((), max_length=MAX_ATTACHED)


class ConversationChange(requests.Request):
    """What to change of a conversation; null keeps it."""

    title: Title | None = None
    document_mode: Mode | None = None


class NewFeedback(requests.Request):
    """An opinion on an answer."""

    thumb: Literal["up", "down"]
    comment: Comment = ""


class AskedAgain(requests.Again):
    """How a question of a conversation is answered once more."""

    agent: requests.Flag = Field(
        False, description="Have the model look things up by itself, as `POST /v1/agent` does."
    )

    def asking(self, question: str = "", conversation: tuple[requests.Turn, ...] = ()) -> Asking:
        """The question as the engine takes it. Raises InvalidRequest."""
        asking = super().asking(question, conversation)
        return replace(asking, agent=self.agent)


class AskedNext(AskedAgain):
    """A question in a conversation."""

    question: requests.Query


_UNNAMED = NewConversation()
_AS_BEFORE = AskedAgain()
_IN_ITS_LANGUAGE = requests.AnsweredBefore()
_EXCHANGE = {**ANSWER, **problem_responses("budget-exceeded", "conflict", "lane-mismatch")}


@router.post("/v1/conversations", status_code=201)
async def create_conversation(
    *,
    workspace: TheWorkspace,
    body: NewConversation = _UNNAMED,
    response: Response,
    idempotency_key: requests.IdempotencyKey = None,
) -> Conversation:
    """Create a conversation; the same `Idempotency-Key` gives the same conversation."""
    conversation = await workspace.create_conversation(
        title=body.title or "",
        document_mode=body.document_mode,
        document_ids=body.document_ids,
        idempotency_key=idempotency_key,
    )
    response.headers["Location"] = f"/v1/conversations/{conversation.conversation_id}"
    return conversation


@router.get("/v1/conversations")
async def list_conversations(
    workspace: TheWorkspace,
    query: Annotated[
        str | None,
        Query(
            description="Only those with all these words, in the title or in one message.",
            min_length=1,
            max_length=MAX_QUERY_CHARACTERS,
        ),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> ConversationPage:
    """List your conversations, the most recently used first.

    With `query`, `matches` says where each has the words. A page may then be short or empty and
    still have a `next_cursor`.
    """
    if query is not None:
        return await workspace.find_conversations(query, limit=limit, cursor=cursor)
    return await workspace.conversations(limit=limit, cursor=cursor)


@router.get("/v1/conversations/{conversation_id}")
async def get_conversation(workspace: TheWorkspace, conversation_id: UUID) -> Conversation:
    """Show a conversation's title and documents; its messages have a route of their own."""
    return await workspace.conversation(conversation_id)


@router.patch("/v1/conversations/{conversation_id}")
async def change_conversation(
    workspace: TheWorkspace, conversation_id: UUID, change: ConversationChange
) -> Conversation:
    """Change a conversation's title, or how its documents are searched."""
    return await workspace.change_conversation(
        conversation_id, title=change.title, document_mode=change.document_mode
    )


@router.delete("/v1/conversations/{conversation_id}", status_code=204)
async def delete_conversation(workspace: TheWorkspace, conversation_id: UUID) -> None:
    """Delete a conversation with its messages and their feedback."""
    await workspace.delete_conversation(conversation_id)


@router.put("/v1/conversations/{conversation_id}/documents/{document_id}")
async def attach_document(
    workspace: TheWorkspace, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Attach a document to a conversation; attaching it again changes nothing."""
    return await workspace.attach_document(conversation_id, document_id)


@router.delete("/v1/conversations/{conversation_id}/documents/{document_id}")
async def detach_document(
    workspace: TheWorkspace, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Detach a document from a conversation; the document itself stays."""
    return await workspace.detach_document(conversation_id, document_id)


@router.get(
    "/v1/conversations/{conversation_id}/export",
    response_model=ConversationExport,
    responses={
        200: {
            "description": "The conversation.",
            "content": {
                "application/json": {},
                "text/markdown": {"schema": {"type": "string"}},
                DOCX: {**_FILE, "example": "the bytes of a Word document"},
                PDF: {**_FILE, "example": "the bytes of a PDF"},
            },
        }
    },
)
async def export_conversation(
    workspace: TheWorkspace,
    conversation_id: UUID,
    format_: Annotated[ExportFormat, Query(alias="format")] = "json",
) -> ConversationExport | Response:
    """Export a conversation.

    All branches as JSON, or the active one as Markdown, Word or PDF with footnotes. A PDF needs
    LibreOffice on the server.
    """
    if format_ == "docx":
        return Response(await workspace.export_docx(conversation_id), media_type=DOCX)
    if format_ == "pdf":
        return Response(await workspace.export_pdf(conversation_id), media_type=PDF)
    conversation, messages = await workspace.export_conversation(conversation_id)
    if format_ == "markdown":
        return Response(
            as_markdown(conversation, messages), media_type="text/markdown; charset=utf-8"
        )
    return ConversationExport(conversation=conversation, messages=tuple(messages))


@router.get("/v1/conversations/{conversation_id}/messages")
async def list_messages(
    *,
    workspace: TheWorkspace,
    conversation_id: UUID,
    limit: Limit = 100,
    cursor: Annotated[
        str | None,
        Query(
            max_length=200,
            description="`next_cursor` of the page before, or the `message_no` of a message for "
            "those after it.",
        ),
    ] = None,
    branches: Annotated[bool, Query(description="Also those of inactive branches.")] = False,
) -> MessagePage:
    """List a conversation's messages, oldest first."""
    return await workspace.messages(
        conversation_id, limit=limit, cursor=cursor, all_branches=branches
    )


@router.post(
    "/v1/conversations/{conversation_id}/messages", response_model=Exchange, responses=_EXCHANGE
)
async def ask_in_conversation(
    *,
    request: Request,
    workspace: TheWorkspace,
    conversation_id: UUID,
    body: AskedNext,
    idempotency_key: requests.IdempotencyKey = None,
) -> Exchange | Response:
    """Ask a question after the last message; the same `Idempotency-Key` gives the same answer."""
    question = await workspace.next_question(
        conversation_id, body.asking(body.question), idempotency_key=idempotency_key
    )
    return await _answer(request, workspace, question, stream=body.stream)


@router.patch(
    "/v1/conversations/{conversation_id}/messages/{message_id}",
    response_model=Exchange,
    responses=_EXCHANGE,
)
async def edit_question(
    *,
    request: Request,
    workspace: TheWorkspace,
    conversation_id: UUID,
    message_id: UUID,
    body: AskedNext,
    idempotency_key: requests.IdempotencyKey = None,
) -> Exchange | Response:
    """Ask another question in place of one; what followed stays as a branch.

    The same `Idempotency-Key` gives the same answer.
    """
    question = await workspace.edited_question(
        conversation_id,
        message_id,
        body.asking(body.question),
        idempotency_key=idempotency_key,
    )
    return await _answer(request, workspace, question, stream=body.stream)


@router.post(
    "/v1/conversations/{conversation_id}/messages/{message_id}/regenerate",
    response_model=Exchange,
    responses=_EXCHANGE,
)
async def regenerate_answer(
    *,
    request: Request,
    workspace: TheWorkspace,
    conversation_id: UUID,
    message_id: UUID,
    body: AskedAgain = _AS_BEFORE,
    idempotency_key: requests.IdempotencyKey = None,
) -> Exchange | Response:
    """Answer a question again; the old answer stays as a branch.

    The same `Idempotency-Key` gives the same answer.
    """
    question = await workspace.question_again(
        conversation_id, message_id, body.asking(), idempotency_key=idempotency_key
    )
    return await _answer(request, workspace, question, stream=body.stream)


@router.post("/v1/conversations/{conversation_id}/messages/{message_id}/activate")
async def activate_branch(
    workspace: TheWorkspace, conversation_id: UUID, message_id: UUID
) -> MessagePage:
    """Make the branch of a message the active one; the answer has its first messages."""
    return await workspace.go_on_from(conversation_id, message_id)


@router.post(
    "/v1/conversations/{conversation_id}/messages/{message_id}/suggestions",
    response_model=Suggestions,
    responses=problem_responses("budget-exceeded", "lane-mismatch"),
)
async def suggest_in_conversation(
    *,
    request: Request,
    workspace: TheWorkspace,
    conversation_id: UUID,
    message_id: UUID,
    body: requests.AnsweredBefore = _IN_ITS_LANGUAGE,
) -> Suggestions | Response:
    """Suggest what may be asked after an answer; made once, and then kept with the message."""
    return await unless_disconnected(
        request,
        workspace.suggest_in_conversation(conversation_id, message_id, language=body.language),
    )


@router.put("/v1/conversations/{conversation_id}/messages/{message_id}/feedback")
async def give_feedback(
    workspace: TheWorkspace, conversation_id: UUID, message_id: UUID, feedback: NewFeedback
) -> Message:
    """Give feedback on an answer; it replaces your earlier feedback."""
    return await workspace.give_feedback(
        conversation_id, message_id, feedback.thumb, feedback.comment
    )


@router.delete(
    "/v1/conversations/{conversation_id}/messages/{message_id}/feedback", status_code=204
)
async def withdraw_feedback(
    workspace: TheWorkspace, conversation_id: UUID, message_id: UUID
) -> None:
    """Delete your feedback on an answer."""
    await workspace.withdraw_feedback(conversation_id, message_id)


async def _answer(
    request: Request,
    workspace: WorkspaceEngine,
    question: NextQuestion | Exchange,
    *,
    stream: bool,
) -> Exchange | Response:
    """The exchange, in the form that the request asks for; one that was kept comes as it is."""
    if isinstance(question, Exchange):
        return question
    if not wants_stream(request, stream=stream):
        return await unless_disconnected(request, workspace.answered(question))
    events = await streamed(workspace, workspace.answered_stream(question))
    events.headers[QUESTION_HEADER] = str(question.question_id)
    events.headers[REPLY_HEADER] = str(question.reply_id)
    return events
