"""Acts of a principal in a workspace: entered in the audit log with what they showed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import singledispatch
from typing import TypeVar
from uuid import UUID, uuid4

from footnote.domain import (
    Answer,
    AnswerDone,
    CitationMade,
    Document,
    DocumentAccess,
    DocumentPage,
    Evidence,
    Passage,
    PassageContext,
    Received,
    Retried,
    SearchRequest,
    SearchResponse,
    SourcesFound,
)
from footnote.domain.audit import CHANGING, Act, AuditDraft, Outcome
from footnote.domain.conversations import Exchange, Message, MessagePage
from footnote.domain.grounding import GroundingCheck
from footnote.domain.sharing import SharedByLink
from footnote.domain.usage import UsageAbout, UsageNote
from footnote.engine.services import WorkspaceAccess
from footnote.errors import Forbidden
from footnote.ports.metering import metering
from footnote.ports.writers import ToolText
from footnote.security.secrets import without_secrets
from footnote.store.usage import PricedUse

R = TypeVar("R")

SUBJECTS = frozenset(
    "chunk_id collection collections conversation_id document_id document_ids endpoint_id groups"
    " ingest_id key_id lane link_id message_id model name page principal principal_id rights role"
    " shared_with subject visibility".split()
)
"""Parameters that say what an act is about. What is not among them is not entered: it may be a
file's name, an address with a password in it, or content."""
MAX_QUERY_CHARACTERS = 10_000
"""Of a query that is kept; a longer one was refused."""
MAX_SUBJECT_CHARACTERS = 300


@dataclass(slots=True, kw_only=True)
class Shown:
    """Documents and passages that an act showed, in their order and each once."""

    documents: dict[UUID, None] = field(default_factory=dict)
    passages: dict[str, None] = field(default_factory=dict)

    def add(self, result: object) -> bool:
        """Note what a result shows; whether there is anything new among it."""
        before = len(self.documents) + len(self.passages)
        for document_id, chunk_id in shown_in(result):
            self.documents[document_id] = None
            if chunk_id is not None:
                self.passages[chunk_id] = None
        return len(self.documents) + len(self.passages) > before


@dataclass(slots=True, kw_only=True)
class ActUnderWay:
    """One call of a verb or a tool, from what it was given to what it showed."""

    access: WorkspaceAccess
    act: Act
    verb: str
    arguments: Mapping[str, object]
    act_id: UUID = field(default_factory=uuid4)
    shown: Shown = field(default_factory=Shown)
    notes: list[UsageNote] = field(default_factory=list)
    """What models were used for and is not added up yet."""

    async def admit(self) -> None:
        """Count the act for its credential, and look whether a search is within the budget.

        Raises RateLimited and BudgetExceeded, which are not entered, and NotReady once it was
        closed.
        """
        access = self.access
        access.require_open()
        await access.engine.rate_limits.take(
            access.workspace_id, access.credential, access.principal.principal_id, access.rate_limit
        )
        if self.act is Act.SEARCHED:
            await access.engine.metering.require_budget(access.workspace_id)

    async def enter(self, outcome: Outcome, error: BaseException | None = None) -> None:
        """Enter how far it has come. Raises StoreUnavailable, and then it must not go on."""
        self.access.require_open()
        log = self.access.engine.audit
        await log.append(
            self.access.workspace_id, self._draft(outcome, error), self._query(), self._uses()
        )

    def enter_soon(self, outcome: Outcome, error: BaseException | None = None) -> None:
        """Enter it where nobody can wait."""
        log = self.access.engine.audit
        log.append_soon(
            self.access.workspace_id, self._draft(outcome, error), self._query(), self._uses()
        )

    def _uses(self) -> tuple[PricedUse, ...]:
        """What was used since it was last entered."""
        notes, self.notes[:] = tuple(self.notes), ()
        if not notes:
            return ()
        question = self.arguments.get("question")
        conversation = self.arguments.get(
            "conversation_id", getattr(question, "conversation_id", None)
        )
        documents = tuple(self.shown.documents) if self.act in CHANGING else ()
        about = UsageAbout(
            principal=_storable(self.access.principal.principal_id),
            conversation_id=conversation if isinstance(conversation, UUID) else None,
            # What an upload used is of its document; a search is of none.
            document_id=documents[0] if len(documents) == 1 else None,
        )
        return self.access.engine.metering.priced(about, notes)

    def _draft(self, outcome: Outcome, error: BaseException | None) -> AuditDraft:
        about = {
            name: written[:MAX_SUBJECT_CHARACTERS]
            for name, value in self.arguments.items()
            if name in SUBJECTS and (written := _written(value)) is not None
        }
        shown = dict(self.shown.documents)
        if isinstance(document_id := self.arguments.get("document_id"), UUID):
            shown[document_id] = None
        return AuditDraft(
            act_id=self.act_id,
            recorded_at=datetime.now(UTC),
            principal=_storable(self.access.principal.principal_id),
            credential=_storable(self.access.credential),
            act=self.act,
            verb=self.verb,
            outcome=outcome,
            error=None if error is None else type(error).__name__,
            subject=about,
            documents=tuple(shown),
            passages=tuple(self.shown.passages),
        )

    def _query(self) -> str | None:
        """What was asked, as it was put."""
        for name in ("request", "question", "asking", "query"):
            given = self.arguments.get(name)
            if isinstance(given, SearchRequest):
                given = given.query
            given = getattr(given, "question", given)
            if isinstance(given, str) and given:
                return _storable(given[:MAX_QUERY_CHARACTERS])
        return None


async def entered(act: ActUnderWay, work: Callable[[], Awaitable[R]]) -> R:
    """What the work gives, once what it showed is in the audit log.

    An act that changes something is entered before it begins, too. Raises what the work raises, and
    StoreUnavailable where the log cannot be written: then nothing is shown.
    """
    if act.act is Act.OBSERVED:
        return await work()
    if act.act in CHANGING:
        await act.enter(Outcome.BEGUN)
    try:
        with metering(act.notes):
            result = await work()
    except Forbidden as error:
        await act.enter(Outcome.REFUSED, error)
        raise
    except Exception as error:
        # Nothing was shown, so nobody waits: it may have failed because the database is away.
        act.enter_soon(Outcome.FAILED, error)
        raise
    except asyncio.CancelledError:
        act.enter_soon(Outcome.STOPPED)
        raise
    act.shown.add(result)
    await act.enter(Outcome.DONE)
    return result


async def entered_stream(act: ActUnderWay, stream: AsyncGenerator[R]) -> AsyncGenerator[R]:
    """What a stream gives; each document is in the audit log before it is shown.

    When the stream ends, all it showed is entered once more, with how it ended.
    """
    await act.admit()
    if act.act in CHANGING:
        await act.enter(Outcome.BEGUN)
    answered = False
    try:
        async with aclosing(stream):
            while True:
                try:
                    with metering(act.notes):
                        event = await anext(stream)
                except StopAsyncIteration:
                    break
                if act.shown.add(event):
                    await act.enter(Outcome.SHOWING)
                answered = answered or isinstance(event, AnswerDone)
                yield event
    except Exception as error:
        act.enter_soon(Outcome.FAILED, error)
        raise
    except BaseException:  # closed, or the task that reads is cancelled: it cannot wait
        act.enter_soon(Outcome.DONE if answered else Outcome.STOPPED)
        raise
    await act.enter(Outcome.DONE)


@singledispatch
def shown_in(_: object) -> Iterator[tuple[UUID, str | None]]:
    """Each document that a result shows, with the passage if it is one."""
    return iter(())


@shown_in.register
def _(found: Passage) -> Iterator[tuple[UUID, str | None]]:
    yield found.document_id, found.chunk_id


@shown_in.register
def _(found: Document | Retried | DocumentAccess) -> Iterator[tuple[UUID, str | None]]:
    yield found.document_id, None


@shown_in.register
def _(found: Received) -> Iterator[tuple[UUID, str | None]]:
    yield found.document.document_id, None


@shown_in.register
def _(found: Evidence) -> Iterator[tuple[UUID, str | None]]:
    yield found.passage.document_id, found.passage.chunk_id
    for each in found.neighbours:
        yield found.passage.document_id, each.chunk_id
    for twin in found.near_duplicates:
        yield twin.document_id, None


@shown_in.register
def _(found: SearchResponse | SourcesFound) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.evidence)


@shown_in.register
def _(found: Answer) -> Iterator[tuple[UUID, str | None]]:
    yield from shown_in(found.evidence)
    for citation in found.citations:
        yield citation.document_id, citation.chunk_id


@shown_in.register
def _(found: AnswerDone) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.answer)


@shown_in.register
def _(found: CitationMade) -> Iterator[tuple[UUID, str | None]]:
    yield found.citation.document_id, found.citation.chunk_id


@shown_in.register
def _(found: Exchange) -> Iterator[tuple[UUID, str | None]]:
    yield from shown_in(found.evidence)
    yield from shown_in(found.reply)


@shown_in.register
def _(found: Message) -> Iterator[tuple[UUID, str | None]]:
    if found.answer is not None:
        for used in found.answer.evidence:
            yield used.document_id, used.chunk_id


@shown_in.register
def _(found: MessagePage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.messages)


@shown_in.register
def _(found: SharedByLink) -> Iterator[tuple[UUID, str | None]]:
    for message in () if found.conversation is None else found.conversation.messages:
        for cited in () if message.answer is None else message.answer.citations:
            yield cited.document_id, cited.chunk_id


@shown_in.register
def _(found: DocumentPage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.documents)


@shown_in.register
def _(found: GroundingCheck) -> Iterator[tuple[UUID, str | None]]:
    for claim in found.claims:
        for quote in claim.quotes:
            if quote.document_id is not None:
                yield quote.document_id, quote.chunk_id


@shown_in.register
def _(found: PassageContext) -> Iterator[tuple[UUID, str | None]]:
    yield from shown_in((*found.context_before, found.chunk, *found.context_after))


@shown_in.register
def _(found: ToolText) -> Iterator[tuple[UUID, str | None]]:
    return ((each.document_id, None) for each in found.documents)


@shown_in.register(tuple)
@shown_in.register(list)
def _(found: tuple[object, ...] | list[object]) -> Iterator[tuple[UUID, str | None]]:
    for each in found:
        yield from shown_in(each)


@shown_in.register
def _(found: Mapping) -> Iterator[tuple[UUID, str | None]]:  # type: ignore[type-arg]  # of anything
    for each in found.values():
        yield from shown_in(each)


def _written(value: object) -> str | None:
    """A value as the log has it; None for what is no id and no name."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_written, value)))
    if isinstance(value, (str, int, UUID)) and not isinstance(value, bool):
        # Somebody may have named a whole key where an id was wanted.
        return without_secrets(_storable(str(value)))
    return None


def _storable(text: str) -> str:
    """The text without what neither UTF-8 nor Postgres can hold."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
