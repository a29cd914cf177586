"""After an answer: what is proposed is tried on the documents; what they answer is suggested."""

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
"""Passages before and after a cited one that are looked at."""
CITED = 3
"""Cited passages whose neighbours are looked at."""
FURTHER = 3
"""Passages of the evidence that the answer did not cite, which are looked at themselves."""
TRIED_FOR_EACH = 2
"""Questions that are tried for each that is wanted, before fewer are suggested."""

Answered = Callable[[str], Awaitable[Answer]]
"""From a question to what answers it in quotes, as it would be asked after the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A question with its answer, as suggestions follow from it."""

    question: str
    """As it stands alone."""
    answer: str
    """Its text; empty where there is none."""
    chunk_ids: tuple[str, ...]
    """What it cites, then the rest of its evidence."""
    conversation: tuple[Turn, ...] = ()
    """What was said before the question, oldest first."""
    language: str | None = None
    """That questions are wanted in; None takes that of the question, else of the documents."""

    @property
    def said(self) -> PreviousTurn:
        """All that suggestions must not ask again."""
        earlier = tuple(each.text for each in self.conversation if each.role == "user")
        return PreviousTurn(question=self.question, answer=self.answer, earlier=earlier)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What a suggestion would be asked after."""
        return (
            *self.conversation,
            Turn(role="user", text=self.question),
            Turn(role="assistant", text=self.answer),
        )


def told_by(
    answer: Answer, *, conversation: Sequence[Turn] = (), language: str | None = None
) -> Told:
    """An answer as suggestions follow from it."""
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
    """How many questions the workspace wants suggested; 0 for none."""
    return (await configuration_of(workspace)).settings.suggestions


def without_models(changes: PlanChanges | None) -> PlanChanges:
    """The changes of a plan with which trying a question asks no language model."""
    given = changes or PlanChanges()
    return replace(given, condense=False, queries=1, hypothetical=False, corrections=0)


async def suggestions_after(
    workspace: WorkspaceAccess, told: Told, answered: Answered, writer: Writer | None = None
) -> Suggestions:
    """Up to as many questions as the workspace wants, each tried and answered.

    The writer proposes them, else headings and tables do. What the principal may not see is
    neither looked at nor tried.
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
    """The same as the event that follows an answer, which no failure of theirs may spoil."""
    try:
        made = await suggestions_after(workspace, told, answered, writer)
    except FootnoteError as error:
        made = Suggestions(degraded=(f"suggestions: {error}",))
    except Exception:
        structlog.get_logger(__name__).exception("suggestions failed")
        made = Suggestions(degraded=("suggestions: something failed inside Footnote",))
    return SuggestionsMade(suggestions=made)


async def _around(workspace: WorkspaceAccess, told: Told) -> tuple[Evidence, ...]:
    """The passages at and around what was cited, then further evidence; each once, none that
    gives orders to a model."""
    found: dict[str, Passage] = {}
    async with workspace.scope() as scope:
        for place, chunk_id in enumerate(told.chunk_ids[: CITED + FURTHER]):
            try:
                context = await passage_context(scope, chunk_id, AROUND if place < CITED else 0)
            except NotFound:
                continue  # It was replaced, deleted, or may not be seen any more.
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
    """Proposals from headings and tables, with a note where nothing could be read."""
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
    """Those that the documents answer, and with something that was not said yet."""
    found: list[SuggestedQuestion] = []
    known, tries = {plain_words(told.answer)}, 0
    for each in proposals:
        if len(found) == most or tries == most * TRIED_FOR_EACH:
            break
        question = each if isinstance(each, str) else each.question
        if (await alone(question, told.turns))[0] != question:
            continue  # It would be taken for a follow-up, and so for another question.
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
        # What a model wrote may rest on anything that it was shown.
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
    """Whether the document answers that a question was made from, and a cell with itself."""
    cited = answer.citations[0].document_id
    if cited != proposal.passage.document_id:
        return False
    return not proposal.is_cell or contains_phrase(proposal.answer, answer.text)
