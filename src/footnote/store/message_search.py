"""Search messages by their text, page by page: encrypted text must be decrypted to compare it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict, cast
from uuid import UUID

from psycopg.rows import DictRow

from footnote.domain.conversations import MessageRole
from footnote.store.database import WorkspaceScope
from footnote.store.messages import (
    question_of,
    read_answer,
    stored_answer,
    visible_documents,
)
from footnote.store.statements import load_statements

_SQL = load_statements("messages")
MessageKey = tuple[UUID, int]
BEFORE_ALL: MessageKey = (UUID(int=0), 0)


class _Sentence(TypedDict):
    text: str


class _StoredAnswer(TypedDict):
    """The part of a stored answer that is read before the answer is known to match."""

    sentences: list[_Sentence]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingMessage:
    """A message, with the part of its text that the reader may see."""

    conversation_id: UUID
    message_id: UUID
    role: MessageRole
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingPage:
    """The matching messages of one page."""

    messages: tuple[MatchingMessage, ...]
    read: int
    """Number of messages compared."""
    last: MessageKey | None
    """Key after which the next page begins; None after the last page."""


async def messages_saying(
    scope: WorkspaceScope,
    conversation_ids: Sequence[UUID],
    says: Callable[[str], bool],
    *,
    after: MessageKey,
    limit: int,
) -> MatchingPage:
    """Return the messages of these conversations whose visible text satisfies `says`."""
    rows = await scope.all(
        _SQL["said_in"],
        {
            "conversation_ids": list(conversation_ids),
            "after_conversation": after[0],
            "after_message": after[1],
            "limit": limit,
        },
    )
    messages = [
        MatchingMessage(
            conversation_id=row["conversation_id"],
            message_id=row["message_id"],
            role=row["role"],
            text=text,
        )
        for row in rows
        if (text := await _matching_text(scope, row, says)) is not None
    ]
    last = (rows[-1]["conversation_id"], rows[-1]["message_no"]) if len(rows) == limit else None
    return MatchingPage(messages=tuple(messages), read=len(rows), last=last)


async def _matching_text(
    scope: WorkspaceScope, row: DictRow, says: Callable[[str], bool]
) -> str | None:
    if row["answer"] is None:
        question = question_of(scope, row["conversation_id"], row)
        return question if says(question) else None
    stored = stored_answer(scope, row["conversation_id"], row)
    # Few answers match, so visibility is checked for those alone.
    sentences = cast("_StoredAnswer", stored)["sentences"]
    if not says(" ".join(sentence["text"] for sentence in sentences)):
        return None
    answer = read_answer(stored)
    visible_answer = answer.without_documents(
        answer.document_ids - await visible_documents(scope, [answer])
    )
    text = " ".join(sentence.text for sentence in visible_answer.sentences if sentence.text)
    return text if says(text) else None
