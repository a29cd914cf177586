"""Loads what conversations need only when a command needs it."""

# ruff: noqa: PLC0415  # imports inside functions are this module's purpose

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from footnote.domain import Answer
    from footnote.domain.conversations import (
        Conversation,
        ConversationPage,
        DocumentMode,
        Message,
        Thumb,
    )
    from footnote.engine import WorkspaceEngine


async def list_conversations(
    workspace: WorkspaceEngine, limit: int, cursor: str | None
) -> ConversationPage:
    """A page of conversations."""
    from footnote.engine.conversations import conversations

    return await conversations(workspace, limit=limit, cursor=cursor)


async def exported(
    workspace: WorkspaceEngine, conversation_id: UUID
) -> tuple[Conversation, tuple[Message, ...]]:
    """A conversation with all of its messages."""
    from footnote.engine.conversation_export import export

    return await export(workspace, conversation_id)


def as_markdown(conversation: Conversation, messages: Sequence[Message]) -> str:
    """A conversation as Markdown."""
    from footnote.engine.conversation_export import as_markdown as write

    return write(conversation, messages)


async def rename(workspace: WorkspaceEngine, conversation_id: UUID, title: str) -> Conversation:
    """Give it another title."""
    from footnote.engine.conversations import change_conversation

    return await change_conversation(workspace, conversation_id, title=title)


async def delete(workspace: WorkspaceEngine, conversation_id: UUID) -> Conversation:
    """Remove it; returns it as it was."""
    from footnote.engine.conversations import conversation, delete_conversation

    found = await conversation(workspace, conversation_id)
    await delete_conversation(workspace, conversation_id)
    return found


async def begun(
    workspace: WorkspaceEngine, document_ids: Sequence[UUID], mode: DocumentMode
) -> Conversation:
    """A new conversation."""
    from footnote.engine.conversations import create_conversation

    return await create_conversation(
        workspace, document_mode=mode, document_ids=tuple(document_ids)
    )


async def gone_on_with(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    document_ids: Sequence[UUID],
    mode: DocumentMode | None,
) -> Conversation:
    """An earlier conversation, with further documents attached."""
    from footnote.engine.conversations import attach_document, change_conversation, conversation

    found = await conversation(workspace, conversation_id)
    for document_id in document_ids:
        found = await attach_document(workspace, conversation_id, document_id)
    if mode is not None:
        found = await change_conversation(workspace, conversation_id, document_mode=mode)
    return found


async def asked(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    question: str,
    *,
    top_k: int | None,
    plan: str | None,
) -> Answer:
    """The answer to a question in a conversation, which is kept."""
    from footnote.answering.answerer import completed
    from footnote.engine.answering import Asking
    from footnote.engine.conversing import ask_in_conversation_stream

    asking = Asking(question=question, top_k=top_k, plan=plan)
    events = ask_in_conversation_stream(workspace, conversation_id, asking)
    async with aclosing(events):
        return await completed(events)


async def give_feedback(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    message_id: UUID,
    thumb: Thumb,
    comment: str,
) -> Message:
    """Judge an answer."""
    from footnote.engine.conversations import give_feedback as give

    return await give(workspace, conversation_id, message_id, thumb, comment)


async def golden_candidates(workspace: WorkspaceEngine, *, down: bool) -> AsyncIterator[str]:
    """Feedback as lines of a golden set."""
    from footnote.engine.conversation_export import golden_candidates as lines

    async for line in lines(workspace, down=down):
        yield line
