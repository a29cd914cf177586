"""Ask in a conversation, and store the question, its answer and its evidence."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from uuid import UUID

from footnote.answering.streaming import completed
from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
)
from footnote.domain.conversations import (
    Exchange,
    MessageAnswer,
    StagePlace,
    UsedEvidence,
)
from footnote.engine.answers import agent_stream, ask_stream
from footnote.engine.conversations import title_from
from footnote.engine.exchanges import (
    Asking,
    NextQuestion,
    edited_question,
    next_question,
    question_again,
)
from footnote.engine.services import WorkspaceAccess
from footnote.store.exchanges import NewExchange, append_exchange, branch_answer, branch_exchange
from footnote.store.messages import (
    message_at,
)
from footnote.validation.constrained_types import IdempotencyKey

SURE = 0.5
"""Confidence from which an answer from the attached documents is accepted. Extractive answers have
none below 0.45, so only doubtful ones are tried again in all documents."""


async def ask_in_conversation(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    asking: Asking,
    *,
    idempotency_key: IdempotencyKey | None = None,
) -> Exchange:
    """Ask after the last message; see `next_question` and `answered`."""
    question = await next_question(
        workspace, conversation_id, asking, idempotency_key=idempotency_key
    )
    return question if isinstance(question, Exchange) else await answered(workspace, question)


async def ask_in_conversation_stream(
    workspace: WorkspaceAccess, conversation_id: UUID, asking: Asking
) -> AsyncGenerator[AnswerEvent]:
    """Ask after the last message, and yield the events."""
    question = await next_question(workspace, conversation_id, asking)
    assert isinstance(question, NextQuestion), "nothing is kept under no key"
    async with aclosing(answered_stream(workspace, question)) as events:
        async for event in events:
            yield event


async def edit_question(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    message_id: UUID,
    asking: Asking,
    *,
    idempotency_key: IdempotencyKey | None = None,
) -> Exchange:
    """Ask another question in place of an earlier one; see `edited_question`."""
    question = await edited_question(
        workspace, conversation_id, message_id, asking, idempotency_key=idempotency_key
    )
    return question if isinstance(question, Exchange) else await answered(workspace, question)


async def regenerate_answer(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    message_id: UUID,
    asking: Asking | None = None,
    *,
    idempotency_key: IdempotencyKey | None = None,
) -> Exchange:
    """Answer a question once more; see `question_again`."""
    again = asking or Asking(question="")
    question = await question_again(
        workspace, conversation_id, message_id, again, idempotency_key=idempotency_key
    )
    return question if isinstance(question, Exchange) else await answered(workspace, question)


async def answered(workspace: WorkspaceAccess, question: NextQuestion) -> Exchange:
    """Answer the question, and store both.

    Raises what `ask` raises, and NotFound once the conversation is gone.
    """
    async with aclosing(_events(workspace, question)) as events:
        answer = await completed(events)
    return await _store_exchange(workspace, question, answer)


async def answered_stream(
    workspace: WorkspaceAccess, question: NextQuestion
) -> AsyncGenerator[AnswerEvent]:
    """Yield the events of answering; the exchange is stored before AnswerDone is yielded.

    Closing the generator before that stores nothing.
    """
    async with aclosing(_events(workspace, question)) as events:
        async for event in events:
            if isinstance(event, AnswerDone):
                await _store_exchange(workspace, question, event.answer)
            yield event


async def _events(
    workspace: WorkspaceAccess, question: NextQuestion
) -> AsyncGenerator[AnswerEvent]:
    """Yield the events of the first attempt that is confident enough, or else of the best.

    Attempts that another may follow are buffered until one is chosen; the last one is streamed,
    unless an earlier one found an answer.
    """
    best: Sequence[AnswerEvent] = ()
    for position, asking in enumerate(question.attempts, 1):
        stream_directly = position == len(question.attempts) and not _attempt_rank(best)[0]
        buffered: list[AnswerEvent] = []
        async with aclosing(_attempt_stream(workspace, asking)) as events:
            async for event in events:
                if stream_directly:
                    yield event
                buffered.append(event)
        if stream_directly:
            return
        best = max(best, buffered, key=_attempt_rank)
        if _attempt_rank(best) >= (True, SURE):
            break
    for event in best:
        yield event


def _attempt_stream(workspace: WorkspaceAccess, asking: Asking) -> AsyncGenerator[AnswerEvent]:
    if asking.agent:
        return agent_stream(
            workspace, asking.question, conversation=asking.conversation, model=asking.model
        )
    return ask_stream(
        workspace,
        asking.question,
        top_k=asking.top_k,
        filters=asking.filters,
        plan=asking.plan,
        changes=asking.changes,
        conversation=asking.conversation,
        model=asking.model,
    )


def _attempt_rank(events: Sequence[AnswerEvent]) -> tuple[bool, float]:
    """Return the sort key of an attempt's answer: whether it was found, and its confidence."""
    done = events[-1] if events else None
    if not isinstance(done, AnswerDone):
        return False, -1.0
    return done.answer.found, done.answer.confidence


async def _store_exchange(
    workspace: WorkspaceAccess, question: NextQuestion, answer: Answer
) -> Exchange:
    """Store a finished answer with its question, without what was deleted meanwhile.

    Of its evidence, ids, ranks and scores are stored, not the texts. Raises NotFound once the
    conversation is gone.
    """
    stored_answer = MessageAnswer(
        found=answer.found,
        sentences=answer.sentences,
        citations=answer.citations,
        conflicts=answer.conflicts,
        evidence=tuple(
            UsedEvidence(
                chunk_id=evidence.passage.chunk_id,
                document_id=evidence.passage.document_id,
                rank=evidence.rank,
                score=evidence.score,
                similarity=evidence.similarity,
                stages=tuple(
                    StagePlace(stage=record.stage, rank=record.rank_after, score=record.score_after)
                    for record in evidence.explanation
                ),
            )
            for evidence in answer.evidence
        ),
        confidence=answer.confidence,
        asked_as=answer.asked_as or question.question,
        corrected_question=answer.corrected_question,
        degraded=answer.degraded,
        model=answer.model,
        removed_citations=answer.removed_citations,
        omitted_evidence=answer.omitted_evidence,
        summarised_documents=answer.summarised_documents,
        usage=answer.usage,
        searched=answer.searched,
        cached=answer.cached,
        timings_ms=dict(answer.timings_ms),
    )
    exchange = NewExchange(
        question_id=question.question_id,
        question=question.question,
        reply_id=question.reply_id,
        answer=stored_answer,
        title=title_from(question.question),
    )
    conversation_id, after_no = question.conversation_id, question.after_no
    async with workspace.scope() as scope:
        if question.place == "append":
            question_message, reply = await append_exchange(scope, conversation_id, exchange)
        elif question.place == "branch":
            question_message, reply = await branch_exchange(
                scope, conversation_id, exchange, after_no
            )
        else:
            assert after_no is not None, "an answer follows its question"
            reply = await branch_answer(
                scope, conversation_id, after_no, question.reply_id, stored_answer
            )
            question_message = await message_at(scope, conversation_id, after_no)
    return Exchange(
        question=question_message, reply=reply, evidence=answer.evidence, closest=answer.closest
    )
