"""Rows of messages as domain records, and answers as what is kept of them."""

from __future__ import annotations

from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from footnote.domain.conversations import Feedback, Message, MessageAnswer
from footnote.store.database import WorkspaceScope

_ANSWER = TypeAdapter(MessageAnswer)


def message_of(row: DictRow) -> Message:
    """The message of a row."""
    return Message(
        message_id=row["message_id"],
        message_no=row["message_no"],
        parent_id=row["parent_id"],
        role=row["role"],
        text=row["text"],
        active=row["active"],
        created_at=row["created_at"],
        answer=answer_of(row),
        feedback=None if row["thumb"] is None else feedback_of(row),
    )


def answer_of(row: DictRow) -> MessageAnswer | None:
    """The answer of a row; None for a question."""
    return None if row["answer"] is None else _ANSWER.validate_python(row["answer"])


def answer_json(answer: MessageAnswer) -> Jsonb:
    """An answer as it is kept."""
    return Jsonb(_ANSWER.dump_python(answer, mode="json"))


def feedback_of(row: DictRow) -> Feedback:
    """The feedback of a row that has one."""
    return Feedback(
        thumb=row["thumb"],
        comment=row["comment"],
        created_at=row["judged_at"],
        updated_at=row["rejudged_at"],
    )


def within(scope: WorkspaceScope, conversation_id: UUID) -> dict[str, object]:
    """The parameters that every statement about a conversation has."""
    return {
        "workspace_id": scope.workspace_id,
        "principal": scope.principal.principal_id,
        "conversation_id": conversation_id,
    }
