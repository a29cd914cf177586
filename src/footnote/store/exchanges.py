"""Write questions, answers and feedback to the branches of a conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from footnote.domain.answers import SuggestedQuestion
from footnote.domain.conversations import Message, MessageAnswer, Thumb
from footnote.store.conversations import absent, sealed_title
from footnote.store.database import WorkspaceScope
from footnote.store.messages import (
    answer_json,
    answer_of,
    last_active,
    load_exchange,
    message_at,
    stored_reply,
)
from footnote.store.sealing import ANSWER, COMMENT, QUESTION
from footnote.store.statements import load_statements

_SQL = load_statements("messages")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewExchange:
    """A question and answer to be stored."""

    question_id: UUID
    question: str
    reply_id: UUID
    answer: MessageAnswer
    title: str
    """Title for the conversation if it has none yet."""


async def append_exchange(
    scope: WorkspaceScope, conversation_id: UUID, exchange: NewExchange
) -> tuple[Message, Message]:
    """Append a question and its answer to the active branch.

    An exchange already stored under the question's id is returned unchanged. Raises NotFound, and
    Conflict when the id belongs to another question.
    """
    question_no = await _take_numbers(scope, conversation_id, 2, exchange.title)
    stored = await load_exchange(scope, conversation_id, exchange.question_id, exchange.question)
    if stored is not None:
        return stored.question, stored.reply
    parent = await last_active(scope, conversation_id)
    return await _insert_exchange(scope, conversation_id, exchange, question_no, parent)


async def branch_exchange(
    scope: WorkspaceScope, conversation_id: UUID, exchange: NewExchange, parent_no: int | None
) -> tuple[Message, Message]:
    """Add a question and its answer after a message, as a new active branch.

    An exchange already stored under the question's id is returned unchanged. Raises NotFound, and
    Conflict when the id belongs to another question.
    """
    question_no = await _take_numbers(scope, conversation_id, 2, exchange.title)
    stored = await load_exchange(scope, conversation_id, exchange.question_id, exchange.question)
    if stored is not None:
        return stored.question, stored.reply
    return await _insert_exchange(scope, conversation_id, exchange, question_no, parent_no)


async def branch_answer(
    scope: WorkspaceScope,
    conversation_id: UUID,
    question_no: int,
    reply_id: UUID,
    answer: MessageAnswer,
) -> Message:
    """Add another answer to a question, as a new active branch.

    An answer already stored under its id is returned unchanged.
    """
    number = await _take_numbers(scope, conversation_id, 1, "")
    stored = await stored_reply(scope, conversation_id, reply_id)
    if stored is not None:
        return stored.reply
    await _insert_answer(
        scope,
        conversation_id,
        number=number,
        parent_no=question_no,
        reply_id=reply_id,
        answer=answer,
    )
    await _make_active(scope, conversation_id, number)
    return await message_at(scope, conversation_id, number)


async def store_suggestions(
    scope: WorkspaceScope,
    conversation_id: UUID,
    message_no: int,
    suggestions: Sequence[SuggestedQuestion],
) -> None:
    """Store the suggestions after an answer, without those of documents deleted meanwhile.

    Suggestions stored before stay. Nothing is done if the answer is gone.
    """
    parameters = {"conversation_id": conversation_id, "message_no": message_no}
    row = await scope.one(_SQL["hold_answer"], parameters)
    answer = None if row is None else answer_of(scope, conversation_id, row)
    if answer is None or answer.suggestions is not None:
        return
    document_ids = {
        document_id for suggestion in suggestions for document_id in suggestion.document_ids
    }
    rows = await scope.all(_SQL["hold_documents"], {"document_ids": list(document_ids)})
    locked = {row["document_id"] for row in rows}
    retained = tuple(
        suggestion for suggestion in suggestions if locked.issuperset(suggestion.document_ids)
    )
    place = ANSWER.of(scope.principal.principal_id, conversation_id, message_no)
    sealed = answer_json(scope, place, replace(answer, suggestions=retained))
    await scope.execute(_SQL["replace_answer"], parameters | {"answer": sealed})
    # Sources of suggestions, with no citations.
    sources = {"document_ids": sorted(locked), "citations": [0] * len(locked)}
    await scope.execute(_SQL["insert_sources"], parameters | sources)


async def choose_branch(scope: WorkspaceScope, conversation_id: UUID, message_no: int) -> None:
    """Activate the branch of this message, down to its newest message."""
    await _take_numbers(scope, conversation_id, 0, "")
    parameters = {"conversation_id": conversation_id, "message_no": message_no}
    row = await scope.single(_SQL["newest_below"], parameters)
    await _make_active(scope, conversation_id, row["message_no"])


async def judge(
    scope: WorkspaceScope, conversation_id: UUID, message_no: int, thumb: Thumb, comment: str
) -> Message:
    """Store the principal's feedback on an answer, replacing earlier feedback."""
    await scope.execute(
        _SQL["judge"],
        {
            "conversation_id": conversation_id,
            "message_no": message_no,
            "thumb": thumb,
            "comment": scope.sealing.text(
                COMMENT.of(scope.principal.principal_id, conversation_id, message_no), comment
            ),
        },
    )
    return await message_at(scope, conversation_id, message_no)


async def forget_judgement(
    scope: WorkspaceScope, conversation_id: UUID, message_no: int
) -> Message:
    """Delete the principal's feedback on an answer."""
    parameters = {"conversation_id": conversation_id, "message_no": message_no}
    await scope.execute(_SQL["forget_judgement"], parameters)
    return await message_at(scope, conversation_id, message_no)


async def _take_numbers(
    scope: WorkspaceScope, conversation_id: UUID, count: int, title: str
) -> int:
    sealed = sealed_title(scope, conversation_id, title)
    parameters = {"conversation_id": conversation_id, "count": count, "title": sealed}
    row = await scope.one(_SQL["take_numbers"], parameters)
    if row is None:
        raise absent(conversation_id)
    number: int = row["first_no"]
    return number


async def _insert_exchange(
    scope: WorkspaceScope,
    conversation_id: UUID,
    exchange: NewExchange,
    question_no: int,
    parent_no: int | None,
) -> tuple[Message, Message]:
    await scope.execute(
        _SQL["insert"],
        {
            "conversation_id": conversation_id,
            "message_no": question_no,
            "message_id": exchange.question_id,
            "parent_no": parent_no,
            "role": "user",
            "text": scope.sealing.text(
                QUESTION.of(scope.principal.principal_id, conversation_id, question_no),
                exchange.question,
            ),
            "answer": None,
            "found": None,
        },
    )
    await _insert_answer(
        scope,
        conversation_id,
        number=question_no + 1,
        parent_no=question_no,
        reply_id=exchange.reply_id,
        answer=exchange.answer,
    )
    await _make_active(scope, conversation_id, question_no + 1)
    question = await message_at(scope, conversation_id, question_no)
    return question, await message_at(scope, conversation_id, question_no + 1)


async def _insert_answer(
    scope: WorkspaceScope,
    conversation_id: UUID,
    *,
    number: int,
    parent_no: int,
    reply_id: UUID,
    answer: MessageAnswer,
) -> None:
    """Insert an answer, without what cites documents deleted while it was generated."""
    documents = {"document_ids": list(answer.document_ids)}
    rows = await scope.all(_SQL["hold_documents"], documents)
    locked = {row["document_id"] for row in rows}
    answer = answer.without_documents(answer.document_ids - locked)
    cited = Counter(citation.document_id for citation in answer.citations)
    parameters = {
        "conversation_id": conversation_id,
        "message_no": number,
        "message_id": reply_id,
        "parent_no": parent_no,
        "role": "assistant",
        "text": "",
        "answer": answer_json(
            scope,
            ANSWER.of(scope.principal.principal_id, conversation_id, number),
            answer,
        ),
        "found": answer.found,
        "document_ids": sorted(locked),
        "citations": [cited[document_id] for document_id in sorted(locked)],
    }
    await scope.execute(_SQL["insert"], parameters)
    await scope.execute(_SQL["insert_sources"], parameters)


async def _make_active(scope: WorkspaceScope, conversation_id: UUID, message_no: int) -> None:
    parameters = {"conversation_id": conversation_id, "message_no": message_no}
    await scope.execute(_SQL["make_active"], parameters)
