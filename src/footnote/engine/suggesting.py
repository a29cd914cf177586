"""Suggest follow-up questions to an answer, keeping only those that the documents answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

import structlog

from footnote.answering.answer_selection import contains_phrase, plain_words
from footnote.answering.model_suggestions import propose_questions
from footnote.answering.suggesting import PreviousTurn, Proposal, propose, worded_in
from footnote.domain import Answer, Evidence, Passage, PlanChanges, SuggestionsMade, Turn
from footnote.domain.answers import SuggestedQuestion, Suggestions
from footnote.engine.configuration import configuration_of
from footnote.engine.services import WorkspaceAccess
from footnote.errors import FootnoteError, ModelUnavailable, NotFound
from footnote.language.detection import detect_language
from footnote.models.counting import estimate_tokens
from footnote.ports import Writer
from footnote.retrieval.followup import FollowUpRewriter
from footnote.retrieval.model_replies import wordings_from
from footnote.store.passages import passage_context

AROUND = 3
"""Passages read before and after each cited passage."""
CITED = 3
"""Most cited passages whose neighbours are read."""
FURTHER = 3
"""Most uncited passages of the evidence that are read, without neighbours."""
TRIED_FOR_EACH = 2
"""Most questions tried per suggestion wanted."""

Answered = Callable[[str], Awaitable[Answer]]
"""Answers a candidate question with quotes, as if it were asked after the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionInput:
    """A question and its answer: the input of suggestions."""

    question: str
    """The standalone question."""
    answer: str
    """The answer's text; empty if none was found."""
    chunk_ids: tuple[str, ...]
    """Ids of the cited chunks, then of the other evidence."""
    conversation: tuple[Turn, ...] = ()
    """The turns before the question, oldest first."""
    language: str | None = None
    """Language of the suggestions; None takes that of the question, or else of the documents."""

    @property
    def said(self) -> PreviousTurn:
        """The turn and earlier questions that suggestions must not repeat."""
        earlier = tuple(turn.text for turn in self.conversation if turn.role == "user")
        return PreviousTurn(question=self.question, answer=self.answer, earlier=earlier)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The conversation that a suggestion would continue."""
        return (
            *self.conversation,
            Turn(role="user", text=self.question),
            Turn(role="assistant", text=self.answer),
        )


def suggestion_input(
    answer: Answer, *, conversation: Sequence[Turn] = (), language: str | None = None
) -> SuggestionInput:
    """Build the input of suggestions from an answer."""
    cited_ids = (citation.chunk_id for citation in answer.citations)
    evidence_ids = (hit.passage.chunk_id for hit in answer.evidence)
    return SuggestionInput(
        question=answer.corrected_question or answer.asked_as or answer.question,
        answer=answer.text if answer.found else "",
        chunk_ids=tuple(dict.fromkeys((*cited_ids, *evidence_ids))),
        conversation=tuple(conversation),
        language=language,
    )


async def suggestion_count(workspace: WorkspaceAccess) -> int:
    """Return how many questions the workspace wants suggested; 0 for none."""
    return (await configuration_of(workspace)).settings.suggestions


def without_models(changes: PlanChanges | None) -> PlanChanges:
    """Return plan changes that switch off every stage that calls a language model."""
    base = changes or PlanChanges()
    return replace(base, condense=False, queries=1, hypothetical=False, corrections=0)


async def suggestions_after(
    workspace: WorkspaceAccess,
    exchange: SuggestionInput,
    answered: Answered,
    writer: Writer | None = None,
) -> Suggestions:
    """Suggest up to as many questions as the workspace wants, each of which was answered.

    The writer proposes them; without one they are made from headings and tables. Passages hidden
    from the principal are neither read nor searched.
    """
    limit = await suggestion_count(workspace)
    if not limit:
        return Suggestions()
    evidence = await _with_neighbours(workspace, exchange)
    if not evidence:
        return Suggestions()
    notes: tuple[str, ...] = ()
    model = None
    proposals: Sequence[Proposal | str] = ()
    if writer is not None:
        language = None if exchange.language is None else worded_in(exchange.language)
        try:
            proposals, model = await propose_questions(
                writer,
                evidence,
                exchange.said,
                count=limit * TRIED_FOR_EACH,
                language=language,
                wordings=partial(wordings_from, question=""),
                count_tokens=estimate_tokens,
            )
        except ModelUnavailable as unavailable:
            notes = (f"suggestions: made without {writer.name}, {unavailable}",)
    if model is None:
        proposals, unread = await _proposals(workspace, evidence, exchange)
        notes += unread
    document_ids = tuple(dict.fromkeys(hit.passage.document_id for hit in evidence))
    rewriter = FollowUpRewriter(rewriter=workspace.engine.reader)
    questions = await _answered_proposals(
        proposals, exchange, answered, limit, document_ids=document_ids, rewriter=rewriter
    )
    return Suggestions(questions=questions, model=model, degraded=notes)


async def suggestions_event(
    workspace: WorkspaceAccess,
    exchange: SuggestionInput,
    answered: Answered,
    writer: Writer | None = None,
) -> SuggestionsMade:
    """Return the suggestions as the event after an answer; failures become notes."""
    try:
        suggestions = await suggestions_after(workspace, exchange, answered, writer)
    except FootnoteError as error:
        suggestions = Suggestions(degraded=(f"suggestions: {error}",))
    except Exception:
        structlog.get_logger(__name__).exception("suggestions failed")
        suggestions = Suggestions(degraded=("suggestions: something failed inside Footnote",))
    return SuggestionsMade(suggestions=suggestions)


async def _with_neighbours(
    workspace: WorkspaceAccess, exchange: SuggestionInput
) -> tuple[Evidence, ...]:
    """Return cited passages with neighbours, then other evidence, without duplicates.

    Passages with suspected prompt injection are left out.
    """
    passages: dict[str, Passage] = {}
    async with workspace.scope() as scope:
        for position, chunk_id in enumerate(exchange.chunk_ids[: CITED + FURTHER]):
            try:
                context = await passage_context(scope, chunk_id, AROUND if position < CITED else 0)
            except NotFound:
                continue  # It was replaced or deleted, or is no longer visible.
            after, before = context.context_after, reversed(context.context_before)
            for passage in (context.chunk, *after, *before):
                passages.setdefault(passage.chunk_id, passage)
    evidence = await workspace.engine.suspicion.flag(
        [
            Evidence(passage=passage, rank=rank, score=1.0)
            for rank, passage in enumerate(passages.values(), 1)
        ]
    )
    return tuple(hit for hit in evidence if not hit.suspicious)


async def _proposals(
    workspace: WorkspaceAccess, evidence: Sequence[Evidence], exchange: SuggestionInput
) -> tuple[list[Proposal], tuple[str, ...]]:
    """Propose questions from headings and tables, with a note if the reader is unavailable."""
    passages = [hit.passage for hit in evidence]
    language = worded_in(
        exchange.language, detect_language(exchange.question), passages[0].language
    )
    try:
        return await propose(workspace.engine.reader, passages, exchange.said, language), ()
    except ModelUnavailable as unavailable:
        note = f"suggestions: from tables alone, {unavailable}"
        return await propose(None, passages, exchange.said, language), (note,)


async def _answered_proposals(
    proposals: Iterable[Proposal | str],
    exchange: SuggestionInput,
    answered: Answered,
    limit: int,
    *,
    document_ids: Sequence[UUID],
    rewriter: FollowUpRewriter,
) -> tuple[SuggestedQuestion, ...]:
    """Return the proposals that the documents answer with something not said yet."""
    questions: list[SuggestedQuestion] = []
    answer_words, tries = {plain_words(exchange.answer)}, 0
    for proposal in proposals:
        if len(questions) == limit or tries == limit * TRIED_FOR_EACH:
            break
        question = proposal if isinstance(proposal, str) else proposal.question
        if (await rewriter(question, exchange.turns))[0] != question:
            continue  # The rewriter would change it as a follow-up question.
        tries += 1
        answer = await answered(question)
        words = plain_words(answer.text)
        if not answer.found or not answer.citations or words in answer_words:
            continue
        cited = answer.citations[0]
        if isinstance(proposal, Proposal) and not _matches_proposal(proposal, answer):
            continue
        if exchange.said.holds(cited.quote):
            continue
        answer_words.add(words)
        # A model's question may derive from any passage in its prompt.
        source_ids = (
            (proposal.passage.document_id,) if isinstance(proposal, Proposal) else document_ids
        )
        questions.append(
            SuggestedQuestion(
                question=question,
                chunk_id=cited.chunk_id,
                document_title=cited.document_title,
                confidence=answer.confidence,
                document_ids=tuple(
                    dict.fromkeys(
                        (*source_ids, *(citation.document_id for citation in answer.citations))
                    )
                ),
            )
        )
    return tuple(questions)


def _matches_proposal(proposal: Proposal, answer: Answer) -> bool:
    """Whether the answer cites the proposal's document and, for a cell, contains that cell."""
    cited = answer.citations[0].document_id
    if cited != proposal.passage.document_id:
        return False
    return not proposal.is_cell or contains_phrase(proposal.answer, answer.text)
