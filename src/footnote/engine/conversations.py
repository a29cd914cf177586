"""The verbs of a principal's conversations, but for asking."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4, uuid5

from footnote.domain.conversations import (
    Conversation,
    ConversationPage,
    DocumentMode,
    Message,
    MessagePage,
    Thumb,
)
from footnote.engine.scoping import scope_of
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import InvalidRequest
from footnote.store import conversations as stored
from footnote.store.database import WorkspaceScope
from footnote.store.exchanges import choose_branch, forget_judgement, judge
from footnote.store.messages import list_messages, place_of
from footnote.validation.arguments import checks
from footnote.validation.constrained_types import (
    MAX_PAGE,
    Comment,
    FirstTitle,
    IdempotencyKey,
    PageLimit,
    Title,
)


@checks
async def create_conversation(
    workspace: WorkspaceEngine,
    *,
    title: FirstTitle = "",
    document_mode: DocumentMode = "first",
    document_ids: Sequence[UUID] = (),
    idempotency_key: IdempotencyKey | None = None,
) -> Conversation:
    """Begin a conversation; without a title its first question becomes it.

    With a key, repeating the call gives the same conversation. Raises InvalidRequest, and NotFound
    for a document.
    """
    owner = f"{workspace.workspace.workspace_id}/{workspace.principal.principal_id}"
    made = (
        uuid4()
        if idempotency_key is None
        else uuid5(workspace.workspace.workspace_id, f"{owner}/{idempotency_key}")
    )
    async with scope_of(workspace) as scope:
        conversation = await stored.create_conversation(scope, made, title, document_mode)
        for document_id in document_ids:
            conversation = await stored.attach_document(scope, made, document_id)
    return conversation


@checks
async def conversation(workspace: WorkspaceEngine, conversation_id: UUID) -> Conversation:
    """One conversation. Raises NotFound."""
    async with scope_of(workspace) as scope:
        return await stored.get_conversation(scope, conversation_id)


@checks
async def conversations(
    workspace: WorkspaceEngine, *, limit: PageLimit = 50, cursor: str | None = None
) -> ConversationPage:
    """A page of the principal's conversations, what was used last first. Raises InvalidRequest."""
    async with scope_of(workspace) as scope:
        return await stored.list_conversations(scope, limit=limit, cursor=cursor)


@checks
async def change_conversation(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    *,
    title: Title | None = None,
    document_mode: DocumentMode | None = None,
) -> Conversation:
    """Rename it, or have its documents searched another way; None leaves it as it is.

    Raises InvalidRequest and NotFound.
    """
    async with scope_of(workspace) as scope:
        return await stored.change_conversation(
            scope, conversation_id, title=title, document_mode=document_mode
        )


@checks
async def delete_conversation(workspace: WorkspaceEngine, conversation_id: UUID) -> None:
    """Remove it with its messages and their feedback, for good. Raises NotFound."""
    async with scope_of(workspace) as scope:
        await stored.remove_conversation(scope, conversation_id)


@checks
async def attach_document(
    workspace: WorkspaceEngine, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Attach a document; attaching it again changes nothing. Raises NotFound, InvalidRequest."""
    async with scope_of(workspace) as scope:
        return await stored.attach_document(scope, conversation_id, document_id)


@checks
async def detach_document(
    workspace: WorkspaceEngine, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Detach a document; detaching it again changes nothing. Raises NotFound."""
    async with scope_of(workspace) as scope:
        return await stored.detach_document(scope, conversation_id, document_id)


@checks
async def messages(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    *,
    limit: PageLimit = 100,
    cursor: str | None = None,
    all_branches: bool = False,
) -> MessagePage:
    """A page of messages, oldest first: of the branch that goes on, or of all.

    Raises NotFound and InvalidRequest.
    """
    async with scope_of(workspace) as scope:
        await stored.get_conversation(scope, conversation_id)
        return await list_messages(
            scope, conversation_id, limit=limit, cursor=cursor, all_branches=all_branches
        )


@checks
async def all_messages(
    workspace: WorkspaceEngine, conversation_id: UUID, *, all_branches: bool = True
) -> tuple[Message, ...]:
    """Every message, oldest first. Raises NotFound."""
    found: list[Message] = []
    cursor: str | None = None
    while True:
        page = await messages(
            workspace, conversation_id, limit=MAX_PAGE, cursor=cursor, all_branches=all_branches
        )
        found += page.messages
        cursor = page.next_cursor
        if cursor is None:
            return tuple(found)


@checks
async def go_on_from(
    workspace: WorkspaceEngine, conversation_id: UUID, message_id: UUID
) -> MessagePage:
    """Go on from the branch of this message; its first page of messages. Raises NotFound."""
    async with scope_of(workspace) as scope:
        place = await place_of(scope, conversation_id, message_id)
        await choose_branch(scope, conversation_id, place.message_no)
    return await messages(workspace, conversation_id)


@checks
async def give_feedback(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    message_id: UUID,
    thumb: Thumb,
    comment: Comment = "",
) -> Message:
    """Say what one thinks of an answer, in place of what one said before.

    Raises NotFound, and InvalidRequest for a question.
    """
    async with scope_of(workspace) as scope:
        number = await _answer_no(scope, conversation_id, message_id)
        return await judge(scope, conversation_id, number, thumb, comment.strip())


@checks
async def withdraw_feedback(
    workspace: WorkspaceEngine, conversation_id: UUID, message_id: UUID
) -> Message:
    """Keep nothing of what one said of an answer. Raises NotFound, InvalidRequest."""
    async with scope_of(workspace) as scope:
        number = await _answer_no(scope, conversation_id, message_id)
        return await forget_judgement(scope, conversation_id, number)


def title_from(question: str) -> str:
    """A title from the first question: its beginning, cut at a word.

    >>> title_from("What is due?")
    'What is due?'
    """
    line = " ".join(question.split())
    if len(line) <= _TITLE_FROM_QUESTION:
        return line
    return line[:_TITLE_FROM_QUESTION].rsplit(" ", 1)[0] + " …"


_TITLE_FROM_QUESTION = 80


async def _answer_no(scope: WorkspaceScope, conversation_id: UUID, message_id: UUID) -> int:
    place = await place_of(scope, conversation_id, message_id)
    if place.role != "assistant":
        raise InvalidRequest(
            f"message {message_id} is a question", hint="name the answer that follows it"
        )
    return place.message_no
