"""Create, list, change and remove the conversations of a principal."""

from __future__ import annotations

from uuid import UUID

from psycopg.rows import DictRow
from pydantic import AwareDatetime, TypeAdapter

from footnote.domain.conversations import (
    MAX_ATTACHED,
    Conversation,
    ConversationPage,
    DocumentMode,
)
from footnote.errors import InvalidRequest, NotFound
from footnote.ports import CiphertextLocation
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.sealing import CONVERSATION
from footnote.store.statements import load_statements, record_of
from footnote.validation.cursors import read_cursor, write_cursor

_SQL = load_statements("conversations")
_PLACE = TypeAdapter(tuple[AwareDatetime, UUID])
"""Cursor: time of last use and id of a conversation, latest first."""


async def create_conversation(
    scope: WorkspaceScope, conversation_id: UUID, title: str, document_mode: DocumentMode
) -> Conversation:
    """Create a conversation of the principal, or return the existing one with this id."""
    await scope.execute(
        _SQL["create"],
        {
            "conversation_id": conversation_id,
            "title": sealed_title(scope, conversation_id, title),
            "document_mode": document_mode,
        },
    )
    return await get_conversation(scope, conversation_id)


async def get_conversation(scope: WorkspaceScope, conversation_id: UUID) -> Conversation:
    """Return a conversation. Raises NotFound for an absent one and another principal's alike."""
    row = await scope.one(_SQL["get"], {"conversation_id": conversation_id})
    if row is None:
        raise absent(conversation_id)
    return _conversation_of(scope, row)


async def list_conversations(
    scope: WorkspaceScope, *, limit: int, cursor: str | None
) -> ConversationPage:
    """List a page of the principal's conversations, last used first. Raises InvalidRequest."""
    before, before_id = (
        (None, None) if cursor is None else read_cursor(_PLACE, cursor, "conversations")
    )
    rows = await scope.all(
        _SQL["list"], {"before": before, "before_id": before_id, "limit": limit + 1}
    )
    conversations = tuple(_conversation_of(scope, row) for row in rows[:limit])
    if len(rows) <= limit:
        return ConversationPage(conversations=conversations, next_cursor=None)
    last = (conversations[-1].updated_at, conversations[-1].conversation_id)
    return ConversationPage(
        conversations=conversations, next_cursor=write_cursor(_PLACE, last, "conversations")
    )


async def change_conversation(
    scope: WorkspaceScope,
    conversation_id: UUID,
    *,
    title: str | None,
    document_mode: DocumentMode | None,
) -> Conversation:
    """Change title or document mode; None leaves either. Raises NotFound."""
    if title is None and document_mode is None:
        return await get_conversation(scope, conversation_id)
    if not await scope.change(
        _SQL["change"],
        {
            "conversation_id": conversation_id,
            "title": None if title is None else sealed_title(scope, conversation_id, title),
            "document_mode": document_mode,
        },
    ):
        raise absent(conversation_id)
    return await get_conversation(scope, conversation_id)


async def remove_conversation(scope: WorkspaceScope, conversation_id: UUID) -> None:
    """Delete a conversation with all its messages. Raises NotFound."""
    if not await scope.change(_SQL["remove"], {"conversation_id": conversation_id}):
        raise absent(conversation_id)


async def attach_document(
    scope: WorkspaceScope, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Attach a document; attaching it again changes nothing.

    Raises NotFound for the conversation and for the document, and InvalidRequest when there are too
    many.
    """
    await _lock(scope, conversation_id)
    conversation = await get_conversation(scope, conversation_id)
    if document_id in conversation.document_ids:
        return conversation
    await get_document(scope, document_id)
    parameters = {"conversation_id": conversation_id, "document_id": document_id}
    if (await scope.single(_SQL["count_attached"], parameters))["attached"] >= MAX_ATTACHED:
        raise InvalidRequest(
            f"{MAX_ATTACHED} documents are attached to the conversation, and no more can be",
            hint="detach one, or ask with a filter of collections instead",
        )
    if await scope.change(_SQL["attach"], parameters):
        await scope.execute(_SQL["touch"], parameters)
    return await get_conversation(scope, conversation_id)


async def detach_document(
    scope: WorkspaceScope, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Detach a document; if it is not attached, nothing changes. Raises NotFound."""
    await _lock(scope, conversation_id)
    parameters = {"conversation_id": conversation_id, "document_id": document_id}
    if await scope.change(_SQL["detach"], parameters):
        await scope.execute(_SQL["touch"], parameters)
    return await get_conversation(scope, conversation_id)


def sealed_title(scope: WorkspaceScope, conversation_id: UUID, title: str) -> str:
    """Encrypt the title of a conversation for its column."""
    return scope.sealing.text(_place(scope, conversation_id), title)


def absent(conversation_id: UUID) -> NotFound:
    """Make the error for a conversation that is absent or another principal's."""
    return NotFound(
        f"there is no conversation {conversation_id}",
        hint="`footnote conversations list` or `GET /v1/conversations` shows yours",
    )


def _conversation_of(scope: WorkspaceScope, row: DictRow) -> Conversation:
    title = scope.sealing.plain_text(_place(scope, row["conversation_id"]), row["title"])
    return record_of(Conversation, row, title=title)


def _place(scope: WorkspaceScope, conversation_id: UUID) -> CiphertextLocation:
    return CONVERSATION.of(scope.principal.principal_id, conversation_id)


async def _lock(scope: WorkspaceScope, conversation_id: UUID) -> None:
    """Lock a conversation until the transaction ends. Raises NotFound."""
    if not await scope.change(_SQL["lock"], {"conversation_id": conversation_id}):
        raise absent(conversation_id)
