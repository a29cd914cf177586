"""Suggest questions that may follow any answer, or one stored in a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from pydantic import Field

from footnote.domain import PlanChanges, SearchFilters, Turn
from footnote.domain.answers import Suggestions
from footnote.domain.conversations import Message, MessageAnswer
from footnote.domain.models_in_use import EXTRACTIVE
from footnote.engine.answer_models import answer_writer_of
from footnote.engine.answers import tried_by_asking
from footnote.engine.exchanges import MESSAGES_MINDED, Asking, attempts_of
from footnote.engine.services import WorkspaceAccess
from footnote.engine.suggesting import SuggestionInput, suggestion_count, suggestions_after
from footnote.errors import InvalidRequest
from footnote.store.conversations import get_conversation
from footnote.store.exchanges import store_suggestions
from footnote.store.messages import message_at, message_position, messages_until
from footnote.validation.constrained_types import ModelName, Name

MAX_CHUNKS = 50
MAX_LANGUAGE_CHARACTERS = 20

Language = Annotated[str, Field(min_length=2, max_length=MAX_LANGUAGE_CHARACTERS)]
ChunkIds = Annotated[Sequence[str], Field(max_length=MAX_CHUNKS)]


async def suggest_questions(
    workspace: WorkspaceAccess,
    question: str,
    *,
    answer: str = "",
    chunk_ids: ChunkIds,
    filters: SearchFilters | None = None,
    plan: Name | None = None,
    changes: PlanChanges | None = None,
    conversation: Sequence[Turn] = (),
    model: ModelName | None = None,
    language: Language | None = None,
) -> Suggestions:
    """Suggest questions that may follow an answer, each of which the documents answer.

    `chunk_ids` are the passages that the answer cites, then others of its evidence; those hidden
    from the principal are skipped. `model` is that of `ask_stream`; `language` is that of the
    questions. Returns none where the setting `suggestions` is 0. Raises what `ask` raises.
    """
    exchange = SuggestionInput(
        question=question,
        answer=answer,
        chunk_ids=tuple(dict.fromkeys(chunk_ids)),
        conversation=tuple(conversation),
        language=language,
    )
    writer = await answer_writer_of(workspace, model)
    answered = tried_by_asking(workspace, filters, plan, changes)
    return await suggestions_after(workspace, exchange, answered, writer)


async def suggest_in_conversation(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    message_id: UUID,
    *,
    language: Language | None = None,
) -> Suggestions:
    """Suggest questions that may follow an answer of a conversation; stored once made.

    Raises NotFound, and InvalidRequest if the message is a question.
    """
    async with workspace.scope() as scope:
        conversation = await get_conversation(scope, conversation_id)
        position = await message_position(scope, conversation_id, message_id)
        if position.role != "assistant" or position.parent_no is None:
            raise InvalidRequest(
                f"message {message_id} is a question", hint="name the answer that follows it"
            )
        message = await message_at(scope, conversation_id, position.message_no)
        answer = message.answer
        assert answer is not None, "a message of an assistant is an answer"
        if answer.suggestions is not None:
            return Suggestions(questions=answer.suggestions)
        earlier_messages = await messages_until(
            scope, conversation_id, position.message_no, MESSAGES_MINDED
        )
        asking = Asking(question=answer.asked_as)
        try:
            attempts = await attempts_of(scope, conversation, asking, position.message_no)
        except InvalidRequest:  # Nothing is left to search.
            return Suggestions()
    if not await suggestion_count(workspace):
        return Suggestions()
    exchange = _exchange_of(
        message, answer, tuple(earlier.turn for earlier in earlier_messages[:-2]), language
    )
    answered = tried_by_asking(workspace, attempts[0].filters)
    writer = await answer_writer_of(workspace, EXTRACTIVE if answer.model is None else None)
    suggestions = await suggestions_after(workspace, exchange, answered, writer)
    if not suggestions.degraded:
        async with workspace.scope() as scope:
            await store_suggestions(
                scope, conversation_id, position.message_no, suggestions.questions
            )
    return suggestions


def _exchange_of(
    message: Message, answer: MessageAnswer, before: tuple[Turn, ...], language: str | None
) -> SuggestionInput:
    cited_ids = (citation.chunk_id for citation in answer.citations)
    evidence_ids = (source.chunk_id for source in answer.evidence)
    return SuggestionInput(
        question=answer.corrected_question or answer.asked_as,
        answer=message.text if answer.found else "",
        chunk_ids=tuple(dict.fromkeys((*cited_ids, *evidence_ids))),
        conversation=before,
        language=language,
    )
