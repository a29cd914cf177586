"""Exchanges: the position of a question in a conversation, and the variants to ask."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import UUID, uuid4, uuid5

from footnote.domain import (
    PlanChanges,
    SearchFilters,
    SearchRequest,
    Turn,
)
from footnote.domain.conversations import (
    Conversation,
    Exchange,
)
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.retrieval.pipeline import checked_query
from footnote.store.conversations import get_conversation
from footnote.store.database import WorkspaceScope
from footnote.store.documents import documents_and_attachments
from footnote.store.messages import (
    last_active,
    load_exchange,
    message_at,
    message_position,
    messages_until,
    stored_reply,
)
from footnote.validation.constrained_types import IdempotencyKey

MESSAGES_MINDED = 20
"""Number of preceding messages that a question may refer to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question with its search and model options."""

    question: str
    top_k: int | None = None
    """Most evidence to use; None takes the setting."""
    filters: SearchFilters = field(default_factory=SearchFilters)
    plan: str | None = None
    changes: PlanChanges = field(default_factory=PlanChanges)
    conversation: tuple[Turn, ...] = ()
    """The preceding messages, oldest first."""
    model: str | None = None
    """The model that answers, of those of the workspace, or `extractive`; None asks all in turn."""
    agent: bool = False
    """Whether an agent answers, calling tools by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextQuestion:
    """A question with its place in a conversation, not yet answered."""

    conversation_id: UUID
    question_id: UUID = field(default_factory=uuid4)
    reply_id: UUID = field(default_factory=uuid4)
    question: str
    """As the user wrote it."""
    attempts: tuple[Asking, ...]
    """Variants to ask in order, until an answer is confident enough."""
    place: Literal["append", "branch", "again"]
    """After the last message, after the message `after_no`, or as another answer to it."""
    after_no: int | None = None
    """Number of that message; None also where a first question is edited."""


async def next_question(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    asking: Asking,
    *,
    idempotency_key: IdempotencyKey | None = None,
) -> NextQuestion | Exchange:
    """Prepare a question after the last message, or return what its key stored before.

    Raises NotFound, InvalidRequest, and Conflict for a key of another question.
    """
    question = _checked_question(asking)
    question_id, reply_id = _ids_under(idempotency_key, conversation_id)
    async with workspace.scope() as scope:
        conversation = await get_conversation(scope, conversation_id)
        if idempotency_key is not None:
            stored_exchange = await load_exchange(scope, conversation_id, question_id, question)
            if stored_exchange is not None:
                return stored_exchange
        last = await last_active(scope, conversation_id)
        attempts = await attempts_of(scope, conversation, asking, last)
    return NextQuestion(
        conversation_id=conversation_id,
        question_id=question_id,
        reply_id=reply_id,
        question=question,
        attempts=attempts,
        place="append",
    )


async def edited_question(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    message_id: UUID,
    asking: Asking,
    *,
    idempotency_key: IdempotencyKey | None = None,
) -> NextQuestion | Exchange:
    """Prepare a question in place of an earlier one, or return what its key stored before.

    The old branch is kept. Raises NotFound, InvalidRequest for an answer, and Conflict for a key of
    another question.
    """
    question = _checked_question(asking)
    question_id, reply_id = _ids_under(idempotency_key, message_id)
    async with workspace.scope() as scope:
        conversation = await get_conversation(scope, conversation_id)
        position = await message_position(scope, conversation_id, message_id)
        if position.role != "user":
            raise InvalidRequest(
                f"message {message_id} is an answer", hint="edit a question, or regenerate this"
            )
        if idempotency_key is not None:
            stored_exchange = await load_exchange(scope, conversation_id, question_id, question)
            if stored_exchange is not None:
                return stored_exchange
        attempts = await attempts_of(scope, conversation, asking, position.parent_no)
    return NextQuestion(
        conversation_id=conversation_id,
        question_id=question_id,
        reply_id=reply_id,
        question=question,
        attempts=attempts,
        place="branch",
        after_no=position.parent_no,
    )


async def question_again(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    message_id: UUID,
    asking: Asking,
    *,
    idempotency_key: IdempotencyKey | None = None,
) -> NextQuestion | Exchange:
    """Prepare to ask the question of an answer again, without caches; the old answer is kept.

    The same key returns what was stored under it before. `asking.question` is ignored. Raises
    NotFound, and InvalidRequest for a question.
    """
    reply_id = uuid4()
    async with workspace.scope() as scope:
        conversation = await get_conversation(scope, conversation_id)
        position = await message_position(scope, conversation_id, message_id)
        if position.role != "assistant" or position.parent_no is None:
            raise InvalidRequest(
                f"message {message_id} is a question", hint="regenerate an answer, or edit this"
            )
        if idempotency_key is not None:
            reply_id = uuid5(message_id, f"again/{idempotency_key}")
            stored_exchange = await stored_reply(scope, conversation_id, reply_id)
            if stored_exchange is not None:
                return stored_exchange
        question_message = await message_at(scope, conversation_id, position.parent_no)
        uncached = replace(
            asking, question=question_message.text, changes=replace(asking.changes, cache=False)
        )
        attempts = await attempts_of(scope, conversation, uncached, position.parent_no, skip_last=1)
    return NextQuestion(
        conversation_id=conversation_id,
        question_id=question_message.message_id,
        reply_id=reply_id,
        question=question_message.text,
        attempts=attempts,
        place="again",
        after_no=position.parent_no,
    )


def _checked_question(asking: Asking) -> str:
    """The question as it is stored. Raises InvalidRequest."""
    return checked_query(
        SearchRequest(query=asking.question, top_k=asking.top_k, filters=asking.filters)
    )


async def attempts_of(
    scope: WorkspaceScope,
    conversation: Conversation,
    asking: Asking,
    last: int | None,
    *,
    skip_last: int = 0,
) -> tuple[Asking, ...]:
    """Return the variants to ask in order: in the attached documents, then in all.

    The question may refer to messages up to `last`, without the last `skip_last` of these, which
    are the question.
    """
    messages = await messages_until(
        scope, conversation.conversation_id, last, MESSAGES_MINDED + skip_last
    )
    messages = messages[: len(messages) - skip_last]
    turns = [message.turn for message in messages]
    # The oldest retained question takes its standalone form, as earlier ones are cut off.
    answer_index = next(
        (index for index, message in enumerate(messages) if index and message.asked_as), 0
    )
    if answer_index:
        turns[answer_index - 1] = replace(
            turns[answer_index - 1], text=messages[answer_index].asked_as or ""
        )
    asking = replace(asking, conversation=tuple(turns))
    if asking.agent:
        if conversation.document_mode == "only" or asking.filters != SearchFilters():
            raise InvalidRequest(
                "an agent looks up what it wants, and keeps to no filter and no attached documents",
                hint="ask without the agent, or without them",
            )
        return (asking,)
    family = (
        await documents_and_attachments(scope, conversation.document_ids)
        if conversation.document_ids
        else ()
    )
    requested_ids = asking.filters.document_ids
    attached = sorted(document.document_id for document in family)
    within = tuple(
        document_id for document_id in attached if not requested_ids or document_id in requested_ids
    )
    if within:
        first = replace(asking, filters=replace(asking.filters, document_ids=within))
        return (first,) if conversation.document_mode == "only" else (first, asking)
    if conversation.document_mode == "only":
        raise InvalidRequest(
            "only attached documents are searched in this conversation, and "
            + ("none of them passes the filter" if attached else "none is attached"),
            hint="attach a document, or have attached documents searched first",
        )
    return (asking,)


def _ids_under(key: IdempotencyKey | None, parent_id: UUID) -> tuple[UUID, UUID]:
    """Ids of a question and its reply: the same for the same key and parent, else new ones."""
    if key is None:
        return uuid4(), uuid4()
    return uuid5(parent_id, f"question/{key}"), uuid5(parent_id, f"reply/{key}")
