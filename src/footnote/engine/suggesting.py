"""Suggest follow-up questions to an answer, keeping only those that the documents answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

import structlog

from footnote.answering.answer_selection import contains_phrase, plain_words
from footnote.answering.model_suggestions import written_proposals
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
from footnote.retrieval.replies import wordings_from
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
class Told:
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
        earlier = tuple(each.text for each in self.conversation if each.role == "user")
        return PreviousTurn(question=self.question, answer=self.answer, earlier=earlier)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The conversation that a suggestion would continue."""
        return (
            *self.conversation,
            Turn(role="user", text=self.question),
            Turn(role="assistant", text=self.answer),
        )


def told_by(
    answer: Answer, *, conversation: Sequence[Turn] = (), language: str | None = None
) -> Told:
    """Build the input of suggestions from an answer."""
    cited = (each.chunk_id for each in answer.citations)
    found = (each.passage.chunk_id for each in answer.evidence)
    return Told(
        question=answer.corrected_question or answer.asked_as or answer.question,
        answer=answer.text if answer.found else "",
        chunk_ids=tuple(dict.fromkeys((*cited, *found))),
        conversation=tuple(conversation),
        language=language,
    )


async def suggestions_wanted(workspace: WorkspaceAccess) -> int:
    """Return how many questions the workspace wants suggested; 0 for none."""
    return (await configuration_of(workspace)).settings.suggestions


def without_models(changes: PlanChanges | None) -> PlanChanges:
    """Return plan changes that switch off every stage that calls a language model."""
    given = changes or PlanChanges()
    return replace(given, condense=False, queries=1, hypothetical=False, corrections=0)


async def suggestions_after(
    workspace: WorkspaceAccess, told: Told, answered: Answered, writer: Writer | None = None
) -> Suggestions:
    """Suggest up to as many questions as the workspace wants, each of which was answered.

    The writer proposes them; without one they are made from headings and tables. Passages hidden
    from the principal are neither read nor searched.
    """
    most = await suggestions_wanted(workspace)
    if not most:
        return Suggestions()
    evidence = await _around(workspace, told)
    if not evidence:
        return Suggestions()
    notes: tuple[str, ...] = ()
    model = None
    proposals: Sequence[Proposal | str] = ()
    if writer is not None:
        language = None if told.language is None else worded_in(told.language)
        try:
            proposals, model = await written_proposals(
                writer,
                evidence,
                told.said,
                count=most * TRIED_FOR_EACH,
                language=language,
                wordings=partial(wordings_from, question=""),
                count_tokens=estimate_tokens,
            )
        except ModelUnavailable as unavailable:
            notes = (f"suggestions: made without {writer.name}, {unavailable}",)
    if model is None:
        proposals, unread = await _made(workspace, evidence, told)
        notes += unread
    shown = tuple(dict.fromkeys(each.passage.document_id for each in evidence))
    alone = FollowUpRewriter(rewriter=workspace.engine.reader)
    found = await _tried(proposals, told, answered, most, shown=shown, alone=alone)
    return Suggestions(questions=found, model=model, degraded=notes)


async def suggestions_made(
    workspace: WorkspaceAccess, told: Told, answered: Answered, writer: Writer | None = None
) -> SuggestionsMade:
    """Return the suggestions as the event after an answer; failures become notes."""
    try:
        made = await suggestions_after(workspace, told, answered, writer)
    except FootnoteError as error:
        made = Suggestions(degraded=(f"suggestions: {error}",))
    except Exception:
        structlog.get_logger(__name__).exception("suggestions failed")
        made = Suggestions(degraded=("suggestions: something failed inside Footnote",))
    return SuggestionsMade(suggestions=made)


async def _around(workspace: WorkspaceAccess, told: Told) -> tuple[Evidence, ...]:
    """Return cited passages with neighbours, then other evidence, without duplicates.

    Passages with suspected prompt injection are left out.
    """
    found: dict[str, Passage] = {}
    async with workspace.scope() as scope:
        for place, chunk_id in enumerate(told.chunk_ids[: CITED + FURTHER]):
            try:
                context = await passage_context(scope, chunk_id, AROUND if place < CITED else 0)
            except NotFound:
                continue  # It was replaced or deleted, or is no longer visible.
            after, before = context.context_after, reversed(context.context_before)
            for each in (context.chunk, *after, *before):
                found.setdefault(each.chunk_id, each)
    evidence = await workspace.engine.suspicion.flag(
        [
            Evidence(passage=each, rank=rank, score=1.0)
            for rank, each in enumerate(found.values(), 1)
        ]
    )
    return tuple(each for each in evidence if not each.suspicious)


async def _made(
    workspace: WorkspaceAccess, evidence: Sequence[Evidence], told: Told
) -> tuple[list[Proposal], tuple[str, ...]]:
    """Propose questions from headings and tables, with a note if the reader is unavailable."""
    passages = [each.passage for each in evidence]
    language = worded_in(told.language, detect_language(told.question), passages[0].language)
    try:
        return await propose(workspace.engine.reader, passages, told.said, language), ()
    except ModelUnavailable as unavailable:
        note = f"suggestions: from tables alone, {unavailable}"
        return await propose(None, passages, told.said, language), (note,)


async def _tried(
    proposals: Iterable[Proposal | str],
    told: Told,
    answered: Answered,
    most: int,
    *,
    shown: Sequence[UUID],
    alone: FollowUpRewriter,
) -> tuple[SuggestedQuestion, ...]:
    """Return the proposals that the documents answer with something not said yet."""
    found: list[SuggestedQuestion] = []
    known, tries = {plain_words(told.answer)}, 0
    for each in proposals:
        if len(found) == most or tries == most * TRIED_FOR_EACH:
            break
        question = each if isinstance(each, str) else each.question
        if (await alone(question, told.turns))[0] != question:
            continue  # The rewriter would change it as a follow-up question.
        tries += 1
        answer = await answered(question)
        words = plain_words(answer.text)
        if not answer.found or not answer.citations or words in known:
            continue
        cited = answer.citations[0]
        if isinstance(each, Proposal) and not _is_meant(each, answer):
            continue
        if told.said.holds(cited.quote):
            continue
        known.add(words)
        # A model's question may derive from any passage in its prompt.
        made_from = (each.passage.document_id,) if isinstance(each, Proposal) else shown
        found.append(
            SuggestedQuestion(
                question=question,
                chunk_id=cited.chunk_id,
                document_title=cited.document_title,
                confidence=answer.confidence,
                document_ids=tuple(
                    dict.fromkeys((*made_from, *(one.document_id for one in answer.citations)))
                ),
            )
        )
    return tuple(found)


def _is_meant(proposal: Proposal, answer: Answer) -> bool:
    """Whether the answer cites the proposal's document and, for a cell, contains that cell."""
    cited = answer.citations[0].document_id
    if cited != proposal.passage.document_id:
        return False
    return not proposal.is_cell or contains_phrase(proposal.answer, answer.text)
