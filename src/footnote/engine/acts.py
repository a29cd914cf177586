"""Run a principal's acts in a workspace, and log them with the documents that they showed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID, uuid4

from footnote.domain import AnswerDone, Right, SearchRequest
from footnote.domain.audit import CHANGING, Act, AuditDraft, Outcome
from footnote.domain.usage import UsageAbout, UsageNote
from footnote.engine.act_subjects import (
    document_ids_in,
    storable_text,
    subject_of,
    subjects_of,
)
from footnote.engine.redaction import redaction_of
from footnote.engine.services import WorkspaceAccess
from footnote.engine.shown_documents import ShownDocuments
from footnote.errors import Forbidden, StoreUnavailable
from footnote.ports.metering import metering
from footnote.ports.redaction import redacting_as
from footnote.store.usage import PricedUse

R = TypeVar("R")

MAX_QUERY_CHARACTERS = 10_000
"""Length at which a logged query is cut; longer queries are refused anyway."""


@dataclass(slots=True, kw_only=True)
class RunningAct:
    """One audited call of a verb or tool: its arguments, results and model usage."""

    access: WorkspaceAccess
    act: Act
    verb: str
    arguments: Mapping[str, object]
    right: Right | None = None
    """The right that the principal needs; None where a share link is enough."""
    place: str | None = None
    """Where that right is needed: a collection or the whole workspace; None for any collection."""
    act_id: UUID = field(default_factory=uuid4)
    shown: ShownDocuments = field(default_factory=ShownDocuments)
    named: dict[str, object] = field(default_factory=dict)
    """Ids and names of what it created or changed, by parameter; empty until known."""
    notes: list[UsageNote] = field(default_factory=list)
    """Model usage that is not yet recorded."""

    async def admit(self) -> None:
        """Apply the rate limit of the credential and, for a search, the workspace's budget.

        Raises RateLimited and BudgetExceeded, which are not logged, and NotReady once the engine is
        closed.
        """
        access = self.access
        access.require_open()
        limits, credential = access.engine.rate_limits, access.credential
        if limits.counts(credential) and not access.in_background:
            caller = access.principal.principal_id
            await limits.take(access.workspace_id, credential, caller, access.rate_limit)
        meter = access.engine.metering
        if self.act is Act.SEARCHED and not meter.saw_room(access.workspace_id):
            await meter.require_budget(access.workspace_id)

    def require_right(self) -> None:
        """Raise Forbidden where the principal may not do it."""
        if self.right is not None:
            self.access.require(self.right, self.place)

    @contextmanager
    def using_models(self) -> Iterator[None]:
        """Meter model calls in the block, and redact what they send by the workspace's settings.

        Like `metering`, it must not enclose a `yield` of an asynchronous generator.
        """
        source = redaction_of(self.access.engine, self.access.workspace_id)
        with metering(self.notes), redacting_as(source):
            yield

    def enter(self, outcome: Outcome, error: BaseException | None = None) -> Awaitable[None]:
        """Write an audit entry with this outcome. On StoreUnavailable the act must not go on."""
        self.access.require_open()
        log = self.access.engine.audit
        return log.append(
            self.access.workspace_id,
            self._draft(outcome, error),
            self._query(),
            self._take_model_usage(),
        )

    def enter_soon(self, outcome: Outcome, error: BaseException | None = None) -> None:
        """Queue an audit entry without waiting until it is written."""
        log = self.access.engine.audit
        log.append_soon(
            self.access.workspace_id,
            self._draft(outcome, error),
            self._query(),
            self._take_model_usage(),
        )

    def _take_model_usage(self) -> tuple[PricedUse, ...]:
        """Return the priced model usage since the last audit entry, and clear it."""
        notes, self.notes[:] = tuple(self.notes), ()
        if not notes:
            return ()
        question = self.arguments.get("question")
        conversation_id = self.arguments.get(
            "conversation_id", getattr(question, "conversation_id", None)
        )
        documents = tuple(self.shown.documents) if self.act in CHANGING else ()
        attribution = UsageAbout(
            principal=storable_text(self.access.principal.principal_id),
            conversation_id=conversation_id if isinstance(conversation_id, UUID) else None,
            # Usage of an upload is attributed to its document, that of a search to none.
            document_id=documents[0] if len(documents) == 1 else None,
        )
        return self.access.engine.metering.priced(attribution, notes)

    def _draft(self, outcome: Outcome, error: BaseException | None) -> AuditDraft:
        documents = dict.fromkeys((*self.shown.documents, *document_ids_in(self.arguments)))
        return AuditDraft(
            act_id=self.act_id,
            recorded_at=datetime.now(UTC),
            principal=storable_text(self.access.principal.principal_id),
            credential=storable_text(self.access.credential),
            act=self.act,
            verb=self.verb,
            outcome=outcome,
            error=None if error is None else type(error).__name__,
            subject=subject_of(self.arguments, self.named),
            documents=tuple(documents),
            passages=tuple(self.shown.passages),
        )

    def _query(self) -> str | None:
        """Return the query or question as the caller wrote it; None without one."""
        for name in ("request", "question", "asking", "query"):
            value = self.arguments.get(name)
            if isinstance(value, SearchRequest):
                value = value.query
            value = getattr(value, "question", value)
            if isinstance(value, str) and value:
                return storable_text(value[:MAX_QUERY_CHARACTERS])
        return None


async def entered(act: RunningAct, work: Callable[[], Awaitable[R]]) -> R:
    """Run the work, and return its result once the audit entry is written.

    An act that changes something is also logged before it begins. Raises what `admit` and the work
    raise, Forbidden without the right, and StoreUnavailable if the log cannot be written: then the
    result is withheld.
    """
    await act.admit()
    try:
        act.require_right()
    except Forbidden as error:
        await act.enter(Outcome.REFUSED, error)
        raise
    if act.act is Act.OBSERVED:
        result = await work()
        await _note_position(act)
        return result
    if act.act in CHANGING:
        await act.enter(Outcome.BEGUN)
    try:
        with act.using_models():
            result = await work()
    except Forbidden as error:
        await act.enter(Outcome.REFUSED, error)
        raise
    except Exception as error:
        # No result is returned, so do not wait: the database itself may be unavailable.
        act.enter_soon(Outcome.FAILED, error)
        raise
    except asyncio.CancelledError:
        act.enter_soon(Outcome.STOPPED)
        raise
    act.shown.add(result)
    if act.act in CHANGING:
        act.named.update(subjects_of(result))
    await act.enter(Outcome.DONE)
    await _note_position(act)
    return result


async def _note_position(act: RunningAct) -> None:
    """Record the position of the primary that the caller has seen; searches do not count."""
    access, last_seen = act.access, act.access.last_seen
    if access.engine.replicas and act.act is not Act.SEARCHED and not last_seen.of_replica:
        with suppress(StoreUnavailable):  # The act itself is complete.
            last_seen.position = await access.engine.replicas.position()


async def entered_stream(act: RunningAct, stream: AsyncGenerator[R]) -> AsyncGenerator[R]:
    """Yield the events of a stream; each document is in the audit log before it is shown.

    When the stream ends, a last entry has all that it showed and the outcome.
    """
    await act.admit()
    if act.act in CHANGING:
        await act.enter(Outcome.BEGUN)
    answered = False
    try:
        async with aclosing(stream):
            while True:
                try:
                    with act.using_models():
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
