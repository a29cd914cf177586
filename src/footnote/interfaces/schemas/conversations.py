"""Shapes of conversations, their messages and what is thought of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import Field

from footnote.domain import conversations as domain
from footnote.interfaces.schemas.answers import AnswerSentence, Citation, ClosestPassage, Usage
from footnote.interfaces.schemas.search import Evidence
from footnote.interfaces.schemas.shape import Shape, values_of


class Conversation(Shape):
    """A chat of one principal; nobody else sees it."""

    conversation_id: UUID
    title: str = Field(description="The first question, unless it was given another.")
    document_mode: Literal["first", "only"] = Field(
        description="Whether attached documents are searched before all others, or they alone."
    )
    document_ids: tuple[UUID, ...] = Field(description="What is attached.")
    created_at: datetime
    updated_at: datetime

    @classmethod
    def from_domain(cls, conversation: domain.Conversation) -> Self:
        """The shape of a conversation."""
        return cls.model_validate(conversation)


class ConversationList(Shape):
    """A page of conversations, what was used last first."""

    conversations: tuple[Conversation, ...]
    next_cursor: str | None = Field(description="Asks for the next page; null on the last.")

    @classmethod
    def from_domain(cls, page: domain.ConversationPage) -> Self:
        """The shape of a page."""
        return cls.model_validate(page)


class StagePlace(Shape):
    """Where a stage of the search put a passage."""

    stage: str
    rank: int
    score: float


class UsedEvidence(Shape):
    """A passage that an answer could rest on, by its chunk."""

    chunk_id: str
    document_id: UUID
    rank: int
    score: float
    similarity: float | None
    stages: tuple[StagePlace, ...]


class MessageAnswer(Shape):
    """An answer as it is kept, with the trace of how it came about."""

    found: bool
    sentences: tuple[AnswerSentence, ...] = Field(
        description="One with an empty text was removed with its document."
    )
    citations: tuple[Citation, ...]
    removed_markers: tuple[int, ...] = Field(
        description="Markers whose document was deleted, or may not be seen any longer."
    )
    evidence: tuple[UsedEvidence, ...]
    confidence: float
    asked_as: str = Field(description="The question without its conversation: what was searched.")
    corrected_question: str | None
    degraded: tuple[str, ...]
    model: str | None
    removed_citations: int
    omitted_evidence: int
    usage: Usage
    searched: tuple[str, ...]
    cached: bool
    timings_ms: dict[str, float]


class Feedback(Shape):
    """What the asker thinks of an answer."""

    thumb: Literal["up", "down"]
    comment: str
    created_at: datetime
    updated_at: datetime


class Message(Shape):
    """A question or an answer of a conversation."""

    message_id: UUID
    message_no: int = Field(description="Counts from 1, over all branches.")
    parent_id: UUID | None = Field(
        description="The message it follows; two with one parent are branches."
    )
    role: Literal["user", "assistant"]
    text: str
    active: bool = Field(description="Whether it is on the branch that goes on.")
    created_at: datetime
    answer: MessageAnswer | None = Field(description="Null for a question.")
    feedback: Feedback | None

    @classmethod
    def from_domain(cls, message: domain.Message) -> Self:
        """The shape of a message."""
        return cls.model_validate(message)


class MessageList(Shape):
    """A page of messages, oldest first."""

    messages: tuple[Message, ...]
    next_cursor: str | None = Field(description="Asks for the next page; null on the last.")

    @classmethod
    def from_domain(cls, page: domain.MessagePage) -> Self:
        """The shape of a page."""
        return cls.model_validate(page)


class Exchange(Shape):
    """A question with its answer."""

    question: Message
    reply: Message
    evidence: tuple[Evidence, ...] = Field(
        description="The passages themselves; none when the exchange was kept before."
    )
    closest: ClosestPassage | None = Field(
        None,
        description="What comes closest, where nothing answers; null when it was kept before.",
    )

    @classmethod
    def from_domain(cls, exchange: domain.Exchange) -> Self:
        """The shape of an exchange."""
        evidence = [Evidence.from_evidence(item) for item in exchange.evidence]
        return cls.model_validate({**values_of(exchange), "evidence": evidence})


class ConversationExport(Shape):
    """A conversation with every message of every branch."""

    conversation: Conversation
    messages: tuple[Message, ...]

    @classmethod
    def from_domain(
        cls, conversation: domain.Conversation, messages: Sequence[domain.Message]
    ) -> Self:
        """The shape of an export."""
        return cls(
            conversation=Conversation.from_domain(conversation),
            messages=tuple(Message.from_domain(message) for message in messages),
        )
