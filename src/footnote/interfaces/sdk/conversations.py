"""Conversations on a remote server, with the records of the engine."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from uuid import UUID, uuid4

from footnote.domain import AnswerEvent, PlanChanges, SearchFilters
from footnote.domain.answers import Suggestions
from footnote.domain.conversations import (
    Conversation,
    ConversationPage,
    DocumentMode,
    Exchange,
    ExportFormat,
    Message,
    MessagePage,
    Thumb,
)
from footnote.interfaces.encoding import JsonObject, question_json
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.answering import answer_events
from footnote.interfaces.sdk.transport import Content, Repeat, Transport
from footnote.interfaces.sdk.verbs import verb
from footnote.validation.arguments import checks_arguments


@checks_arguments
@dataclass(frozen=True, slots=True)
class AsyncConversations:
    """The caller's conversations; `client.conversations`."""

    transport: Transport

    def require_open(self) -> None:
        """Raise NotReady once the client was closed."""
        self.transport.require_open()

    @verb("POST", "/v1/conversations")
    async def create(
        self,
        *,
        title: str | None = None,
        document_mode: DocumentMode = "first",
        document_ids: Sequence[UUID] = (),
        idempotency_key: str | None = None,
    ) -> Conversation:
        """Begin one; without a title its first question becomes it."""

    @verb("GET", "/v1/conversations/{conversation_id}")
    async def get(self, conversation_id: UUID) -> Conversation:
        """One conversation, without its messages."""

    @verb("GET", "/v1/conversations")
    async def list(
        self, *, query: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> ConversationPage:
        """A page of them, what was used last first: all, or those that have the words."""

    @verb("PATCH", "/v1/conversations/{conversation_id}")
    async def change(
        self,
        conversation_id: UUID,
        *,
        title: str | None = None,
        document_mode: DocumentMode | None = None,
    ) -> Conversation:
        """Give it another title, or have its documents searched another way."""

    @verb("DELETE", "/v1/conversations/{conversation_id}", repeat=Repeat.REFUSED)
    async def delete(self, conversation_id: UUID) -> None:
        """Remove it with its messages, for good."""

    @verb("PUT", "/v1/conversations/{conversation_id}/documents/{document_id}")
    async def attach(self, conversation_id: UUID, document_id: UUID) -> Conversation:
        """Attach a document; doing so again changes nothing."""

    @verb("DELETE", "/v1/conversations/{conversation_id}/documents/{document_id}")
    async def detach(self, conversation_id: UUID, document_id: UUID) -> Conversation:
        """Detach a document; doing so again changes nothing."""

    async def export(
        self, conversation_id: UUID, export_format: ExportFormat = "markdown"
    ) -> bytes:
        """The branch that goes on as a file with footnotes, or every branch as JSON."""
        content = Content(params={"format": export_format})
        path = f"{_ALL}/{conversation_id}/export"
        return (await self.transport.call("GET", path, content, repeat=Repeat.LOST)).content

    @verb("GET", "/v1/conversations/{conversation_id}/messages", names={"all_branches": "branches"})
    async def messages(
        self,
        conversation_id: UUID,
        *,
        limit: int = 100,
        cursor: str | None = None,
        all_branches: bool = False,
    ) -> MessagePage:
        """A page of messages, oldest first: of the branch that goes on, or of all."""

    async def ask(
        self,
        conversation_id: UUID,
        question: str,
        *,
        top_k: int | None = None,
        filters: SearchFilters | None = None,
        plan: str | None = None,
        changes: PlanChanges | None = None,
        idempotency_key: str | None = None,
    ) -> Exchange:
        """Ask after the last message; without a key it is given one, so that it can be repeated."""
        body = _question_body(question, top_k, filters, plan, changes)
        content = Content(json=body, headers=_key_header(idempotency_key))
        path = f"{_ALL}/{conversation_id}/messages"
        return decoded(Exchange, await self.transport.json("POST", path, content))

    async def ask_stream(
        self,
        conversation_id: UUID,
        question: str,
        *,
        top_k: int | None = None,
        filters: SearchFilters | None = None,
        plan: str | None = None,
        changes: PlanChanges | None = None,
    ) -> AsyncGenerator[AnswerEvent]:
        """The same, as it happens; the answer is kept before it is said to be done."""
        body = {**_question_body(question, top_k, filters, plan, changes), "stream": True}
        path = f"{_ALL}/{conversation_id}/messages"
        answering = answer_events(self.transport, path, Content(json=body), Repeat.REFUSED)
        async with aclosing(answering) as events:
            async for event in events:
                yield event

    @verb("PATCH", "/v1/conversations/{conversation_id}/messages/{message_id}")
    async def edit(
        self,
        conversation_id: UUID,
        message_id: UUID,
        question: str,
        *,
        idempotency_key: str | None = None,
    ) -> Exchange:
        """Ask something else in place of an earlier question; a key is used as by `ask`."""

    async def regenerate(
        self, conversation_id: UUID, message_id: UUID, *, idempotency_key: str | None = None
    ) -> Exchange:
        """Answer the same question afresh; a key is used as by `ask`."""
        path = f"{_ALL}/{conversation_id}/messages/{message_id}/regenerate"
        content = Content(json={}, headers=_key_header(idempotency_key))
        return decoded(Exchange, await self.transport.json("POST", path, content))

    @verb("POST", "/v1/conversations/{conversation_id}/messages/{message_id}/suggestions")
    async def suggest(
        self, conversation_id: UUID, message_id: UUID, *, language: str | None = None
    ) -> Suggestions:
        """Questions that may follow an answer; made once, and then kept with it."""

    @verb("POST", "/v1/conversations/{conversation_id}/messages/{message_id}/activate")
    async def go_on_from(self, conversation_id: UUID, message_id: UUID) -> MessagePage:
        """Make the branch of this message the one that goes on."""

    @verb("PUT", "/v1/conversations/{conversation_id}/messages/{message_id}/feedback")
    async def give_feedback(
        self, conversation_id: UUID, message_id: UUID, thumb: Thumb, comment: str = ""
    ) -> Message:
        """Say what you think of an answer, in place of what you said before."""

    @verb(
        "DELETE",
        "/v1/conversations/{conversation_id}/messages/{message_id}/feedback",
        repeat=Repeat.REFUSED,
    )
    async def withdraw_feedback(self, conversation_id: UUID, message_id: UUID) -> None:
        """Keep nothing of what you said of an answer."""


_ALL = "/v1/conversations"


def _key_header(idempotency_key: str | None) -> dict[str, str]:
    return {"Idempotency-Key": idempotency_key or str(uuid4())}


def _question_body(
    question: str,
    top_k: int | None,
    filters: SearchFilters | None,
    plan: str | None,
    changes: PlanChanges | None,
) -> JsonObject:
    body = question_json(question, top_k=top_k, filters=filters, plan=plan, changes=changes)
    del body["conversation"]  # the server knows it
    return body
