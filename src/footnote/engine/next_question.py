"""A question on its way into a conversation: where it goes, and how it is asked there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID, uuid4, uuid5

from footnote.domain import Turn
from footnote.domain.conversations import Conversation, Exchange
from footnote.engine.answering import Asking
from footnote.engine.scoping import scope_of
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import InvalidRequest
from footnote.retrieval.pipeline import checked_query
from footnote.store.conversations import get_conversation
from footnote.store.database import WorkspaceScope
from footnote.store.documents import documents_and_attachments
from footnote.store.messages import (
    Said,
    kept_exchange,
    last_active,
    message_at,
    place_of,
    said_until,
)
from footnote.validation.arguments import checks
from footnote.validation.constrained_types import IdempotencyKey
from footnote.validation.text import is_storable

MESSAGES_MINDED = 20
"""Messages before a question that it may refer to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextQuestion:
    """A question on its way into a conversation."""

    conversation_id: UUID
    question_id: UUID
    reply_id: UUID
    question: str
    """As it was put."""
    attempts: tuple[Asking, ...]
    """As it is asked, in turn, until an answer is sure."""
    place: Literal["append", "branch", "again"]
    """After the last message, after a given one, or as another answer to a given one."""
    after_no: int | None = None
    """The message it follows, where that is given."""


@checks
async def next_question(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    asking: Asking,
    *,
    idempotency_key: IdempotencyKey | None = None,
) -> NextQuestion | Exchange:
    """A question after the last message, or what was kept under the same key before.

    Raises NotFound, InvalidRequest, and Conflict for a key of another question.
    """
    question_id, reply_id = _ids(conversation_id, idempotency_key)
    question = _checked(workspace, asking)
    async with scope_of(workspace) as scope:
        conversation = await get_conversation(scope, conversation_id)
        if idempotency_key is not None:
            kept = await kept_exchange(scope, conversation_id, question_id, question)
            if kept is not None:
                return kept
        last = await last_active(scope, conversation_id)
        said = await said_until(scope, conversation_id, last, MESSAGES_MINDED)
        documents = await _attached(scope, conversation)
    return NextQuestion(
        conversation_id=conversation_id,
        question_id=question_id,
        reply_id=reply_id,
        question=question,
        attempts=_attempts(asking, conversation, documents, said),
        place="append",
    )


async def edited_question(
    workspace: WorkspaceEngine, conversation_id: UUID, message_id: UUID, asking: Asking
) -> NextQuestion:
    """Another question in place of an earlier one; the old branch is kept.

    Raises NotFound, and InvalidRequest for an answer.
    """
    question = _checked(workspace, asking)
    async with scope_of(workspace) as scope:
        conversation = await get_conversation(scope, conversation_id)
        place = await place_of(scope, conversation_id, message_id)
        if place.role != "user":
            raise InvalidRequest(
                f"message {message_id} is an answer", hint="edit a question, or regenerate this"
            )
        said = await said_until(scope, conversation_id, place.parent_no, MESSAGES_MINDED)
        documents = await _attached(scope, conversation)
    return NextQuestion(
        conversation_id=conversation_id,
        question_id=uuid4(),
        reply_id=uuid4(),
        question=question,
        attempts=_attempts(asking, conversation, documents, said),
        place="branch",
        after_no=place.parent_no,
    )


async def question_again(
    workspace: WorkspaceEngine, conversation_id: UUID, message_id: UUID, asking: Asking
) -> NextQuestion:
    """The question of an answer once more, past every cache; the old answer is kept.

    The question of `asking` does not matter. Raises NotFound, and InvalidRequest for a question.
    """
    async with scope_of(workspace) as scope:
        conversation = await get_conversation(scope, conversation_id)
        place = await place_of(scope, conversation_id, message_id)
        if place.role != "assistant" or place.parent_no is None:
            raise InvalidRequest(
                f"message {message_id} is a question", hint="regenerate an answer, or edit this"
            )
        said = await said_until(scope, conversation_id, place.parent_no, MESSAGES_MINDED + 1)
        asked = await message_at(scope, conversation_id, place.parent_no)
        documents = await _attached(scope, conversation)
    afresh = replace(asking, question=asked.text, changes=replace(asking.changes, cache=False))
    return NextQuestion(
        conversation_id=conversation_id,
        question_id=asked.message_id,
        reply_id=uuid4(),
        question=asked.text,
        attempts=_attempts(afresh, conversation, documents, said[:-1]),
        place="again",
        after_no=place.parent_no,
    )


def _attempts(
    asking: Asking,
    conversation: Conversation,
    documents: Sequence[UUID],
    said: Sequence[Said],
) -> tuple[Asking, ...]:
    """How the question is asked, in turn."""
    asking = replace(asking, conversation=_turns(said))
    within = _within(asking, conversation, documents)
    if within is None:
        return (asking,)
    return (within,) if conversation.document_mode == "only" else (within, asking)


def _turns(said: Sequence[Said]) -> tuple[Turn, ...]:
    """What was said; the first question as it stands alone, since what it followed is left out."""
    turns = [each.turn for each in said]
    answer = next((at for at, each in enumerate(said) if at and each.asked_as), 0)
    if answer:
        turns[answer - 1] = replace(turns[answer - 1], text=said[answer].asked_as or "")
    return tuple(turns)


def _within(asking: Asking, conversation: Conversation, documents: Sequence[UUID]) -> Asking | None:
    """The question to the attached documents alone; None where it cannot be put to them."""
    wanted = asking.filters.document_ids
    both = tuple(each for each in documents if not wanted or each in wanted)
    if both:
        return replace(asking, filters=replace(asking.filters, document_ids=both))
    if conversation.document_mode == "only":
        raise InvalidRequest(
            "only attached documents are searched in this conversation, and "
            + ("none of them passes the filter" if documents else "none is attached"),
            hint="attach a document, or have attached documents searched first",
        )
    return None


async def _attached(scope: WorkspaceScope, conversation: Conversation) -> tuple[UUID, ...]:
    """The attached documents with what is attached to them in turn."""
    if not conversation.document_ids:
        return ()
    family = await documents_and_attachments(scope, conversation.document_ids)
    return tuple(sorted(document.document_id for document in family))


def _checked(workspace: WorkspaceEngine, asking: Asking) -> str:
    """The question as it is kept. Raises InvalidRequest."""
    # A search minds no such character, but here the words are kept as they were put.
    if not is_storable(asking.question):
        raise InvalidRequest(
            "the question holds a character that cannot be stored",
            hint="leave NUL and halves of characters out",
        )
    return checked_query(asking.request(workspace.engine.settings.top_k))


def _ids(conversation_id: UUID, key: str | None) -> tuple[UUID, UUID]:
    if key is None:
        return uuid4(), uuid4()
    return uuid5(conversation_id, f"question/{key}"), uuid5(conversation_id, f"reply/{key}")
