"""The messages of a conversation, read again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from psycopg.rows import DictRow

from footnote.domain import Turn
from footnote.domain.conversations import (
    Exchange,
    JudgedAnswer,
    Message,
    MessageAnswer,
    MessagePage,
    MessageRole,
)
from footnote.errors import Conflict, InvalidRequest, NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.message_rows import answer_of, feedback_of, message_of, within
from footnote.store.statements import load_statements

_SQL = load_statements("messages")
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a message stands in its conversation."""

    message_no: int
    parent_no: int | None
    role: MessageRole
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of the past, as one goes on from it."""

    turn: Turn
    asked_as: str | None
    """Of an answer: the question as it stands alone."""


async def list_messages(
    scope: WorkspaceScope,
    conversation_id: UUID,
    *,
    limit: int,
    cursor: str | None = None,
    all_branches: bool = False,
) -> MessagePage:
    """A page of messages, oldest first; nothing of what the principal may not see any longer.

    Raises InvalidRequest for a cursor we did not give.
    """
    rows = await _page(scope, conversation_id, _number(cursor), limit + 1, all_branches)
    messages = await _readable(scope, [message_of(row) for row in rows[:limit]])
    more = len(rows) > limit
    return MessagePage(
        messages=messages, next_cursor=str(messages[-1].message_no) if more else None
    )


async def place_of(scope: WorkspaceScope, conversation_id: UUID, message_id: UUID) -> Place:
    """Where the message stands. Raises NotFound."""
    parameters = within(scope, conversation_id) | {"message_id": message_id}
    row = await (await scope.connection.execute(_SQL["place"], parameters)).fetchone()
    if row is None:
        raise NotFound(f"there is no message {message_id}")
    return Place(
        message_no=row["message_no"],
        parent_no=row["parent_no"],
        role=row["role"],
        text=row["text"],
    )


async def message_at(scope: WorkspaceScope, conversation_id: UUID, message_no: int) -> Message:
    """The message of that number; nothing of what the principal may not see any longer."""
    rows = await _page(scope, conversation_id, message_no - 1, 1, all_branches=True)
    [message] = await _readable(scope, [message_of(row) for row in rows])
    return message


async def kept_exchange(
    scope: WorkspaceScope, conversation_id: UUID, question_id: UUID, question: str
) -> Exchange | None:
    """What was kept under this id before. Raises Conflict when another question was."""
    parameters = within(scope, conversation_id) | {"message_id": question_id}
    rows = await (await scope.connection.execute(_SQL["exchange_of"], parameters)).fetchall()
    if not rows:
        return None
    if rows[0]["text"] != question:
        raise Conflict(
            "the idempotency key belongs to another question", hint="use a new key for each"
        )
    first, second = (row["message_no"] for row in rows)
    return Exchange(
        question=await message_at(scope, conversation_id, first),
        reply=await message_at(scope, conversation_id, second),
    )


async def last_active(scope: WorkspaceScope, conversation_id: UUID) -> int | None:
    """The number of the message that the next one follows."""
    parameters = within(scope, conversation_id)
    row = await (await scope.connection.execute(_SQL["last_active"], parameters)).fetchone()
    return None if row is None else row["message_no"]


async def said_until(
    scope: WorkspaceScope, conversation_id: UUID, message_no: int | None, limit: int
) -> tuple[Said, ...]:
    """Up to `limit` messages that end with this one, oldest first."""
    if message_no is None:
        return ()
    parameters = within(scope, conversation_id)
    rows = await (
        await scope.connection.execute(
            _SQL["said_until"], parameters | {"message_no": message_no, "limit": limit}
        )
    ).fetchall()
    answers = [answer_of(row) for row in rows]
    visible = await _visible(scope, (each for each in answers if each is not None))
    said = []
    for row, answer in zip(rows, answers, strict=True):
        text = row["text"]
        if answer is not None:
            text = answer.without_documents(answer.document_ids - visible).text
        turn = Turn(role=row["role"], text=text)
        said.append(Said(turn=turn, asked_as=None if answer is None else answer.asked_as))
    return tuple(reversed(said))


async def judged_answers(
    scope: WorkspaceScope, after: tuple[UUID, int] | None, limit: int
) -> tuple[tuple[JudgedAnswer, ...], tuple[UUID, int] | None]:
    """The principal's feedback in a lasting order, and where the next page begins."""
    conversation_id, message_no = after or (UUID(int=0), 0)
    rows = await (
        await scope.connection.execute(
            _SQL["judged"],
            {
                "workspace_id": scope.workspace_id,
                "principal": scope.principal.principal_id,
                "after_conversation": conversation_id,
                "after_message": message_no,
                "limit": limit,
            },
        )
    ).fetchall()
    answers = [answer for row in rows if (answer := answer_of(row)) is not None]
    visible = await _visible(scope, answers)
    judged = tuple(
        JudgedAnswer(
            message_id=row["message_id"],
            answer=answer.without_documents(answer.document_ids - visible),
            feedback=feedback_of(row),
        )
        for row, answer in zip(rows, answers, strict=True)
    )
    last = rows[-1] if len(rows) == limit else None
    return judged, None if last is None else (last["conversation_id"], last["message_no"])


async def _page(
    scope: WorkspaceScope, conversation_id: UUID, after: int, limit: int, all_branches: bool
) -> list[DictRow]:
    cursor = await scope.connection.execute(
        _SQL["page"],
        within(scope, conversation_id)
        | {"after": after, "limit": limit, "all_branches": all_branches},
    )
    return await cursor.fetchall()


async def _readable(scope: WorkspaceScope, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages without anything of documents that the principal may not see any longer."""
    answers = [message.answer for message in messages if message.answer is not None]
    visible = await _visible(scope, answers)
    return tuple(
        message
        if message.answer is None
        else _with_answer(
            message, message.answer.without_documents(message.answer.document_ids - visible)
        )
        for message in messages
    )


def _with_answer(message: Message, answer: MessageAnswer) -> Message:
    return replace(message, answer=answer, text=answer.text)


async def _visible(scope: WorkspaceScope, answers: Iterable[MessageAnswer]) -> frozenset[UUID]:
    wanted: frozenset[UUID] = frozenset().union(*(answer.document_ids for answer in answers))
    if not wanted:
        return wanted
    parameters = {"workspace_id": scope.workspace_id, "document_ids": list(wanted)}
    rows = await (await scope.connection.execute(_SQL["visible_documents"], parameters)).fetchall()
    return frozenset(row["document_id"] for row in rows)


def _number(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 11 and int(cursor) < _LARGEST):
        raise InvalidRequest(
            "the cursor is not one we gave", hint="use next_cursor of the page before, unchanged"
        )
    return int(cursor)
