"""The conversations of a principal: made, listed, renamed, given documents, removed."""

from __future__ import annotations

import base64
from uuid import UUID

from psycopg.rows import DictRow

from footnote.domain.conversations import (
    MAX_ATTACHED,
    Conversation,
    ConversationPage,
    DocumentMode,
)
from footnote.errors import InvalidRequest, NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.document_rows import read_cursor
from footnote.store.documents import get_document
from footnote.store.statements import load_statements

_SQL = load_statements("conversations")


async def create_conversation(
    scope: WorkspaceScope, conversation_id: UUID, title: str, document_mode: DocumentMode
) -> Conversation:
    """A conversation of the acting principal; the one that is there if it has this id already."""
    parameters = _parameters(scope, conversation_id)
    await scope.connection.execute(
        _SQL["create"], parameters | {"title": title, "document_mode": document_mode}
    )
    return await get_conversation(scope, conversation_id)


async def get_conversation(scope: WorkspaceScope, conversation_id: UUID) -> Conversation:
    """The conversation. Raises NotFound for an absent one and for another's alike."""
    cursor = await scope.connection.execute(_SQL["get"], _parameters(scope, conversation_id))
    row = await cursor.fetchone()
    if row is None:
        raise absent(conversation_id)
    return _conversation(row)


async def list_conversations(
    scope: WorkspaceScope, *, limit: int, cursor: str | None
) -> ConversationPage:
    """A page of the principal's, what was used last first. Raises InvalidRequest."""
    before, before_id = read_cursor(cursor)
    rows = await (
        await scope.connection.execute(
            _SQL["list"],
            {
                "workspace_id": scope.workspace_id,
                "principal": scope.principal.principal_id,
                "before": before,
                "before_id": before_id,
                "limit": limit + 1,
            },
        )
    ).fetchall()
    found = tuple(_conversation(row) for row in rows[:limit])
    more = len(rows) > limit
    return ConversationPage(
        conversations=found, next_cursor=_cursor_after(found[-1]) if more else None
    )


async def change_conversation(
    scope: WorkspaceScope,
    conversation_id: UUID,
    *,
    title: str | None,
    document_mode: DocumentMode | None,
) -> Conversation:
    """Give it another title or another use of its documents; None leaves it. Raises NotFound."""
    if title is None and document_mode is None:
        return await get_conversation(scope, conversation_id)
    cursor = await scope.connection.execute(
        _SQL["change"],
        _parameters(scope, conversation_id) | {"title": title, "document_mode": document_mode},
    )
    if not cursor.rowcount:
        raise absent(conversation_id)
    return await get_conversation(scope, conversation_id)


async def remove_conversation(scope: WorkspaceScope, conversation_id: UUID) -> None:
    """Remove it with all that was said in it. Raises NotFound."""
    cursor = await scope.connection.execute(_SQL["remove"], _parameters(scope, conversation_id))
    if not cursor.rowcount:
        raise absent(conversation_id)


async def attach_document(
    scope: WorkspaceScope, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Attach a document; one that is attached stays so.

    Raises NotFound for the conversation and for the document, and InvalidRequest when there are
    too many.
    """
    await _lock(scope, conversation_id)
    found = await get_conversation(scope, conversation_id)
    if document_id in found.document_ids:
        return found
    await get_document(scope, document_id)
    parameters = _parameters(scope, conversation_id) | {"document_id": document_id}
    counted = await (await scope.connection.execute(_SQL["count_attached"], parameters)).fetchone()
    assert counted is not None, "a count always answers"
    if counted["attached"] >= MAX_ATTACHED:
        raise InvalidRequest(
            f"{MAX_ATTACHED} documents are attached to the conversation, and no more can be",
            hint="detach one, or ask with a filter of collections instead",
        )
    attached = await scope.connection.execute(_SQL["attach"], parameters)
    if attached.rowcount:
        await scope.connection.execute(_SQL["touch"], parameters)
    return await get_conversation(scope, conversation_id)


async def detach_document(
    scope: WorkspaceScope, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Detach a document; one that is not attached stays so. Raises NotFound."""
    await _lock(scope, conversation_id)
    parameters = _parameters(scope, conversation_id) | {"document_id": document_id}
    detached = await scope.connection.execute(_SQL["detach"], parameters)
    if detached.rowcount:
        await scope.connection.execute(_SQL["touch"], parameters)
    return await get_conversation(scope, conversation_id)


def absent(conversation_id: UUID) -> NotFound:
    """What is said of a conversation that is absent, or another's."""
    return NotFound(f"there is no conversation {conversation_id}")


async def _lock(scope: WorkspaceScope, conversation_id: UUID) -> None:
    """Keep others from changing it until the transaction ends. Raises NotFound."""
    cursor = await scope.connection.execute(_SQL["lock"], _parameters(scope, conversation_id))
    if not cursor.rowcount:
        raise absent(conversation_id)


def _parameters(scope: WorkspaceScope, conversation_id: UUID) -> dict[str, object]:
    return {
        "workspace_id": scope.workspace_id,
        "principal": scope.principal.principal_id,
        "conversation_id": conversation_id,
    }


def _conversation(row: DictRow) -> Conversation:
    return Conversation(
        conversation_id=row["conversation_id"],
        title=row["title"],
        document_mode=row["document_mode"],
        document_ids=tuple(row["document_ids"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _cursor_after(last: Conversation) -> str:
    text = f"{last.updated_at.isoformat()} {last.conversation_id}"
    return base64.urlsafe_b64encode(text.encode()).decode()
