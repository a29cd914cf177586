"""Shapes of what happens while an answer is made, as a stream tells it."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from footnote import domain
from footnote.domain import Verdict
from footnote.interfaces.failures import failure_of_name
from footnote.interfaces.schemas.answers import Usage
from footnote.interfaces.schemas.search import Evidence
from footnote.interfaces.schemas.shape import Shape


class AnswerSources(Shape):
    """The evidence that the answer will rest on, in the order in which a model is shown it."""

    evidence: tuple[Evidence, ...]
    degraded: tuple[str, ...] = Field((), description="Stages that could not do their work.")

    @classmethod
    def from_domain(cls, found: domain.SourcesFound) -> Self:
        """The shape of the sources."""
        evidence = tuple(Evidence.from_evidence(each) for each in found.evidence)
        return cls(evidence=evidence, degraded=found.degraded)


class AnswerToken(Shape):
    """A piece of the answer's text; all of them joined are the answer's."""

    text: str


class AnswerGrounding(Shape):
    """A sentence of the answer was held against its quotes."""

    position: int = Field(description="Of the sentence, from 0.")
    verdict: Verdict
    support: float = Field(description="How well its quotes carry it, 0 to 1.")


class AnswerTool(Shape):
    """A model asked for a tool, or the tool gave its result."""

    call_id: str
    name: str
    state: Literal["called", "returned"]
    arguments: str | None = Field(None, description="A JSON object, where it was called.")
    result: str | None = Field(None, description="Where it returned.")
    failed: bool = False

    @classmethod
    def from_domain(cls, event: domain.ToolCalled | domain.ToolReturned) -> Self:
        """The shape of a call, or of what came of it."""
        if isinstance(event, domain.ToolCalled):
            return cls(
                call_id=event.call_id, name=event.name, state="called", arguments=event.arguments
            )
        return cls(
            call_id=event.call_id,
            name=event.name,
            state="returned",
            result=event.result,
            failed=event.failed,
        )


class AnswerError(Shape):
    """Why there will be no answer; the members are those of a problem detail."""

    type: str = Field(description="A stable URN that names the kind of problem.")
    title: str
    status: int
    detail: str
    hint: str | None = None
    retryable: bool = Field(description="Whether asking again may help.")
    usage: Usage = Field(
        Usage(), description="What the models have used until then, as far as it is known."
    )

    @classmethod
    def from_domain(cls, failed: domain.AnswerFailed) -> Self:
        """The shape of a failure."""
        failure = failure_of_name(failed.code)
        return cls(
            type=f"urn:footnote:problem:{failure.code}",
            title=failure.title,
            status=failure.status,
            detail=failed.message,
            hint=failed.hint,
            retryable=failed.retryable,
            usage=Usage.from_domain(failed.usage),
        )
