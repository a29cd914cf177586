"""Read the messages of a conversation, without content that the reader may no longer see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from footnote.domain import Turn
from footnote.domain.conversations import (
    Exchange,
    Feedback,
    JudgedAnswer,
    Message,
    MessageAnswer,
    MessagePage,
    MessageRole,
)
from footnote.errors import Conflict, NotFound
from footnote.ports import CiphertextLocation
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import ANSWER, COMMENT, QUESTION
from footnote.store.statements import load_statements, record_of
from footnote.validation.cursors import Count, foreign_cursor, read_cursor, write_cursor

_SQL = load_statements("messages")
_LARGEST = 2**31 - 1
_NUMBERED = 11
"""A cursor of fewer digits is a plain message number; encoded cursors are longer."""
_NUMBER = TypeAdapter(Count)
_ANSWER = TypeAdapter(MessageAnswer)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePosition:
    """The position of a message in its conversation."""

    message_no: int
    parent_no: int | None
    role: MessageRole
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierMessage:
    """An earlier message, as the next turn of the conversation uses it."""

    turn: Turn
    asked_as: str | None
    """For an answer: its question rewritten to stand alone; None for a question."""


async def list_messages(
    scope: WorkspaceScope,
    conversation_id: UUID,
    *,
    limit: int,
    cursor: str | None = None,
    all_branches: bool = False,
) -> MessagePage:
    """List a page of messages, oldest first, without content the principal may no longer see.

    Raises InvalidRequest for a cursor that was not issued for this conversation.
    """
    after = _number(cursor, conversation_id)
    rows = await _page(scope, conversation_id, after, limit + 1, all_branches)
    messages = await _messages(scope, conversation_id, rows[:limit])
    if len(rows) <= limit:
        return MessagePage(messages=messages, next_cursor=None)
    last = messages[-1].message_no
    return MessagePage(
        messages=messages, next_cursor=write_cursor(_NUMBER, last, "messages", conversation_id)
    )


async def message_position(
    scope: WorkspaceScope, conversation_id: UUID, message_id: UUID
) -> MessagePosition:
    """Return the position of a message. Raises NotFound."""
    parameters = {"conversation_id": conversation_id, "message_id": message_id}
    row = await scope.one(_SQL["place"], parameters)
    if row is None:
        raise NotFound(
            f"there is no message {message_id}",
            hint="`footnote conversations show` shows those of a conversation",
        )
    return record_of(MessagePosition, row, text=question_of(scope, conversation_id, row))


async def message_at(scope: WorkspaceScope, conversation_id: UUID, message_no: int) -> Message:
    """Return the message with this number, without content the principal may no longer see."""
    rows = await _page(scope, conversation_id, message_no - 1, 1, all_branches=True)
    [message] = await _messages(scope, conversation_id, rows)
    return message


async def load_exchange(
    scope: WorkspaceScope, conversation_id: UUID, question_id: UUID, question: str
) -> Exchange | None:
    """Return the exchange stored under this question id; None if there is none.

    The id comes from an idempotency key. Raises Conflict when it was used for another question.
    """
    parameters = {"conversation_id": conversation_id, "message_id": question_id}
    rows = await scope.all(_SQL["exchange_of"], parameters)
    if not rows:
        return None
    if question_of(scope, conversation_id, rows[0]) != question:
        raise Conflict(
            "the idempotency key belongs to another question", hint="use a new key for each"
        )
    question_no, reply_no = (row["message_no"] for row in rows)
    return Exchange(
        question=await message_at(scope, conversation_id, question_no),
        reply=await message_at(scope, conversation_id, reply_no),
    )


async def stored_reply(
    scope: WorkspaceScope, conversation_id: UUID, reply_id: UUID
) -> Exchange | None:
    """Return the answer stored under this id, with its question; None if there is none."""
    parameters = {"conversation_id": conversation_id, "message_id": reply_id}
    row = await scope.one(_SQL["place"], parameters)
    if row is None:
        return None
    return Exchange(
        question=await message_at(scope, conversation_id, row["parent_no"]),
        reply=await message_at(scope, conversation_id, row["message_no"]),
    )


async def last_active(scope: WorkspaceScope, conversation_id: UUID) -> int | None:
    """Return the number of the last message on the active branch, which the next one follows."""
    parameters = {"conversation_id": conversation_id}
    row = await scope.one(_SQL["last_active"], parameters)
    return None if row is None else row["message_no"]


async def messages_until(
    scope: WorkspaceScope, conversation_id: UUID, message_no: int | None, limit: int
) -> tuple[EarlierMessage, ...]:
    """Return up to `limit` messages of the branch that ends with `message_no`, oldest first."""
    if message_no is None:
        return ()
    parameters = {"conversation_id": conversation_id}
    rows = await scope.all(
        _SQL["said_until"], parameters | {"message_no": message_no, "limit": limit}
    )
    answers = [answer_of(scope, conversation_id, row) for row in rows]
    visible = await visible_documents(scope, (answer for answer in answers if answer is not None))
    messages = []
    for row, answer in zip(rows, answers, strict=True):
        text = question_of(scope, conversation_id, row)
        if answer is not None:
            text = answer.without_documents(answer.document_ids - visible).text
        turn = Turn(role=row["role"], text=text)
        messages.append(
            EarlierMessage(turn=turn, asked_as=None if answer is None else answer.asked_as)
        )
    return tuple(reversed(messages))


async def judged_answers(
    scope: WorkspaceScope, after: tuple[UUID, int] | None, limit: int
) -> tuple[tuple[JudgedAnswer, ...], tuple[UUID, int] | None]:
    """Return a page of the principal's feedback in a stable order, and the key of the next page."""
    conversation_id, message_no = after or (UUID(int=0), 0)
    rows = await scope.all(
        _SQL["judged"],
        {"after_conversation": conversation_id, "after_message": message_no, "limit": limit},
    )
    answers = [
        answer
        for row in rows
        if (answer := answer_of(scope, row["conversation_id"], row)) is not None
    ]
    visible = await visible_documents(scope, answers)
    judged = tuple(
        JudgedAnswer(
            message_id=row["message_id"],
            answer=answer.without_documents(answer.document_ids - visible),
            feedback=_feedback_of(scope, row["conversation_id"], row),
        )
        for row, answer in zip(rows, answers, strict=True)
    )
    last = rows[-1] if len(rows) == limit else None
    return judged, None if last is None else (last["conversation_id"], last["message_no"])


def answer_of(scope: WorkspaceScope, conversation_id: UUID, row: DictRow) -> MessageAnswer | None:
    """Return the answer in a row of the principal's; None for a question."""
    if row["answer"] is None:
        return None
    return read_answer(stored_answer(scope, conversation_id, row))


def stored_answer(scope: WorkspaceScope, conversation_id: UUID, row: DictRow) -> object:
    """Decrypt the stored answer of a row."""
    place = ANSWER.of(scope.principal.principal_id, conversation_id, row["message_no"])
    return scope.sealing.plain_json(place, row["answer"])


def read_answer(stored: object) -> MessageAnswer:
    """Parse a stored answer after decryption."""
    return _ANSWER.validate_python(stored)


def answer_json(scope: WorkspaceScope, place: CiphertextLocation, answer: MessageAnswer) -> Jsonb:
    """Serialise an answer for its column, encrypted if the workspace is."""
    return Jsonb(scope.sealing.json(place, _ANSWER.dump_python(answer, mode="json")))


def question_of(scope: WorkspaceScope, conversation_id: UUID, row: DictRow) -> str:
    """Decrypt the text of a row that is a question."""
    place = QUESTION.of(scope.principal.principal_id, conversation_id, row["message_no"])
    return scope.sealing.plain_text(place, row["text"])


def _feedback_of(scope: WorkspaceScope, conversation_id: UUID, row: DictRow) -> Feedback:
    place = COMMENT.of(scope.principal.principal_id, conversation_id, row["message_no"])
    return record_of(
        Feedback,
        row,
        comment=scope.sealing.plain_text(place, row["comment"]),
        created_at=row["judged_at"],
        updated_at=row["rejudged_at"],
    )


async def _page(
    scope: WorkspaceScope, conversation_id: UUID, after: int, limit: int, all_branches: bool
) -> list[DictRow]:
    return await scope.all(
        _SQL["page"],
        {
            "conversation_id": conversation_id,
            "after": after,
            "limit": limit,
            "all_branches": all_branches,
        },
    )


async def _messages(
    scope: WorkspaceScope, conversation_id: UUID, rows: Sequence[DictRow]
) -> tuple[Message, ...]:
    """Build the messages of rows, without content of documents the principal may no longer see."""
    answers = [answer_of(scope, conversation_id, row) for row in rows]
    visible = await visible_documents(scope, (answer for answer in answers if answer is not None))
    messages = []
    for row, answer in zip(rows, answers, strict=True):
        feedback = None
        if row["thumb"] is not None:
            feedback = _feedback_of(scope, conversation_id, row)
        question = question_of(scope, conversation_id, row)
        message = record_of(Message, row, answer=answer, feedback=feedback, text=question)
        if answer is not None:
            visible_answer = answer.without_documents(answer.document_ids - visible)
            message = replace(message, answer=visible_answer, text=visible_answer.text)
        messages.append(message)
    return tuple(messages)


async def visible_documents(
    scope: WorkspaceScope, answers: Iterable[MessageAnswer]
) -> frozenset[UUID]:
    """Return which of the documents used by the answers the principal may see."""
    document_ids: frozenset[UUID] = frozenset().union(*(answer.document_ids for answer in answers))
    if not document_ids:
        return document_ids
    parameters = {"document_ids": list(document_ids)}
    rows = await scope.all(_SQL["visible_documents"], parameters)
    return frozenset(row["document_id"] for row in rows)


def _number(cursor: str | None, conversation_id: UUID) -> int:
    """Return the number of the message that a page starts after; plain numbers are accepted too."""
    if cursor is None:
        return 0
    if cursor.isascii() and cursor.isdigit() and len(cursor) < _NUMBERED:
        if int(cursor) < _LARGEST:
            return int(cursor)
        raise foreign_cursor()
    return read_cursor(_NUMBER, cursor, "messages", conversation_id)
