"""Conversations: what was asked, what was answered, and what the asker thought of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from footnote.domain.answers import (
    AnswerConflict,
    AnswerSentence,
    Citation,
    ClosestPassage,
    SuggestedQuestion,
    Usage,
    as_prose,
)
from footnote.domain.search import Evidence

DocumentMode = Literal["first", "only"]
"""Whether attached documents are searched before all others, or they alone."""

MessageRole = Literal["user", "assistant"]
Thumb = Literal["up", "down"]

ExportFormat = Literal["json", "markdown", "docx", "pdf"]

MAX_ATTACHED = 100
"""Documents of one conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A chat of one principal; nobody else sees it."""

    conversation_id: UUID
    title: str
    """The first question, unless it was given another; empty before there is one."""
    document_mode: DocumentMode
    document_ids: tuple[UUID, ...]
    """What is attached and may be seen, in the order of attaching."""
    created_at: datetime
    updated_at: datetime
    """When it was last asked something, or changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationMatch:
    """Where a conversation has the words that were looked for."""

    conversation_id: UUID
    message_id: UUID | None
    """None where its title has them."""
    role: MessageRole | None
    """Who said it; None for the title."""
    excerpt: str
    """The words with what stands around them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPage:
    """A page of conversations, what was used last first."""

    conversations: tuple[Conversation, ...]
    next_cursor: str | None
    """Asks for the next page; None on the last."""
    matches: tuple[ConversationMatch, ...] = ()
    """Where words that were looked for stand: the title and up to three messages of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePlace:
    """Where a stage of the search put a passage."""

    stage: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedEvidence:
    """A passage that an answer could rest on, by its chunk."""

    chunk_id: str
    document_id: UUID
    rank: int
    score: float
    similarity: float | None
    stages: tuple[StagePlace, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageAnswer:
    """An answer as it is kept with its message, with the trace of how it came about.

    Of a document that was deleted, or that the reader may no longer see, nothing is left but the
    numbers of its markers: its citations are gone, and so is the text of each sentence that rests
    on it.
    """

    found: bool
    sentences: tuple[AnswerSentence, ...]
    """One with an empty text was removed."""
    citations: tuple[Citation, ...]
    removed_markers: tuple[int, ...] = ()
    """Markers whose document was deleted, or may not be seen any longer."""
    conflicts: tuple[AnswerConflict, ...] = ()
    """What documents did not agree about when it was given, as far as they may still be seen."""
    evidence: tuple[UsedEvidence, ...]
    confidence: float
    asked_as: str
    """The question as it stands without its conversation: what was searched."""
    corrected_question: str | None = None
    degraded: tuple[str, ...] = ()
    model: str | None = None
    removed_citations: int = 0
    omitted_evidence: int = 0
    summarised_documents: int = 0
    usage: Usage = field(default_factory=Usage)
    searched: tuple[str, ...] = ()
    cached: bool = False
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    suggestions: tuple[SuggestedQuestion, ...] | None = None
    """What can be asked next; None until it was asked for."""

    @property
    def text(self) -> str:
        """The answer as prose with `[n]` markers; removed sentences are left out."""
        return as_prose([sentence for sentence in self.sentences if sentence.text])

    @property
    def document_ids(self) -> frozenset[UUID]:
        """Every document that it is or may be based on, also those of conflicts and suggestions."""
        suggested = (
            document_id
            for suggestion in self.suggestions or ()
            for document_id in suggestion.document_ids
        )
        return frozenset(
            source.document_id for sources in (self.citations, self.evidence) for source in sources
        ).union(suggested, *(conflict.document_ids for conflict in self.conflicts))

    def without_documents(self, removed_documents: Collection[UUID]) -> MessageAnswer:
        """The answer without anything from these documents.

        A sentence without markers is removed as well if there is an answer, since its sources are
        unknown.
        """
        removed_documents = frozenset(removed_documents)
        if self.document_ids.isdisjoint(removed_documents):
            return self
        citations = tuple(
            citation for citation in self.citations if citation.document_id not in removed_documents
        )
        removed = {*self.removed_markers} | {
            citation.marker
            for citation in self.citations
            if citation.document_id in removed_documents
        }
        return replace(
            self,
            sentences=tuple(
                replace(sentence, text="")
                if self.found and (not sentence.markers or not removed.isdisjoint(sentence.markers))
                else sentence
                for sentence in self.sentences
            ),
            citations=citations,
            removed_markers=tuple(sorted(removed)),
            conflicts=tuple(
                filter(
                    None,
                    (conflict.without_documents(removed_documents) for conflict in self.conflicts),
                )
            ),
            evidence=tuple(
                evidence
                for evidence in self.evidence
                if evidence.document_id not in removed_documents
            ),
            suggestions=None
            if self.suggestions is None
            else tuple(
                suggestion
                for suggestion in self.suggestions
                if removed_documents.isdisjoint(suggestion.document_ids)
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What the asker thinks of an answer."""

    thumb: Thumb
    comment: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A question or an answer of a conversation."""

    message_id: UUID
    message_no: int
    """Counts from 1, over all branches."""
    parent_id: UUID | None
    """The message it follows; None for a first question. Two with one parent are branches."""
    role: MessageRole
    text: str
    active: bool
    """Whether it is on the branch that goes on."""
    created_at: datetime
    answer: MessageAnswer | None = None
    """None for a question."""
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePage:
    """A page of messages, oldest first."""

    messages: tuple[Message, ...]
    next_cursor: str | None
    """Asks for the next page; None on the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question with its answer."""

    question: Message
    reply: Message
    evidence: tuple[Evidence, ...] = ()
    """The passages themselves; none when the exchange was kept before."""
    closest: ClosestPassage | None = None
    """What comes closest, where nothing answers; none when the exchange was kept before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationExport:
    """A conversation with every message of every branch."""

    conversation: Conversation
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """Feedback with the answer it is about."""

    message_id: UUID
    answer: MessageAnswer
    feedback: Feedback
