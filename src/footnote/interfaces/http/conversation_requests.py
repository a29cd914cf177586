"""The shapes in which requests about conversations come in."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import Field

from footnote.domain.conversations import MAX_ATTACHED
from footnote.engine.exchanges import Asking
from footnote.interfaces.http.requests import (
    Filters,
    Flag,
    Plan,
    Query,
    Request,
    Stages,
    TopK,
)
from footnote.validation.constrained_types import Comment, Title

Mode = Literal["first", "only"]


class NewConversation(Request):
    """What a conversation begins with."""

    title: Title | None = Field(None, description="The first question, if null.")
    document_mode: Mode = Field(
        "first", description="Whether attached documents are searched first, or they alone."
    )
    document_ids: tuple[UUID, ...] = Field((), max_length=MAX_ATTACHED)


class ConversationChange(Request):
    """What is changed of a conversation; null leaves it."""

    title: Title | None = None
    document_mode: Mode | None = None


class Again(Request):
    """How a question is answered once more."""

    top_k: TopK | None = Field(None, description="How much evidence to answer from.")
    filters: Filters = Filters()
    plan: Plan = None
    stages: Stages = Field(Stages(), description="What is changed of the plan.")
    stream: Flag = Field(
        False, description="Tell it as it is made, as does `Accept: text/event-stream`."
    )

    def asking(self, question: str = "") -> Asking:
        """The question as the engine is asked. Raises InvalidRequest."""
        return Asking(
            question=question,
            top_k=self.top_k,
            filters=self.filters.to_domain(),
            plan=self.plan,
            changes=self.stages.to_domain(),
        )


class NextQuestion(Again):
    """A question in a conversation."""

    question: Query


class NewFeedback(Request):
    """What one thinks of an answer."""

    thumb: Literal["up", "down"]
    comment: Comment = ""
