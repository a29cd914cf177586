"""The names and JSON records of the events of a streamed answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, assert_never

from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    Citation,
    CitationMade,
    SentenceGrounded,
    SourcesFound,
    SuggestionsMade,
    TextWritten,
    ToolCalled,
    ToolReturned,
    Usage,
    UsageCounted,
)
from footnote.domain.answers import Suggestions
from footnote.interfaces.failures import error_class, failure_of_name
from footnote.interfaces.schemas import JsonObject, decoded


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTool:
    """A model called a tool, or the tool returned."""

    call_id: str
    name: str
    state: Literal["called", "returned"]
    arguments: str | None = None
    """A JSON object, where it was called."""
    result: str | None = None
    """Where it returned."""
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerError:
    """Why there will be no answer; the members are those of a problem detail."""

    type: str
    """A stable URN that names the kind of problem."""
    title: str
    status: int
    detail: str
    hint: str | None = None
    retryable: bool
    """Whether asking again may help."""
    usage: Usage = field(default_factory=Usage)
    """What the models have used until then, as far as it is known."""


def event_record(event: AnswerEvent) -> tuple[str, object]:  # noqa: C901, PLR0911  # one line for each event
    """The name of an event outside, and the record that its data is."""
    match event:
        case SourcesFound():
            return "sources", event
        case TextWritten():
            return "token", event
        case CitationMade():
            return "citation", event.citation
        case SentenceGrounded():
            return "grounding", event
        case ToolCalled():
            return "tool", AnswerTool(
                call_id=event.call_id, name=event.name, state="called", arguments=event.arguments
            )
        case ToolReturned():
            return "tool", AnswerTool(
                call_id=event.call_id,
                name=event.name,
                state="returned",
                result=event.result,
                failed=event.failed,
            )
        case UsageCounted():
            return "usage", event.usage
        case AnswerDone():
            return "done", event.answer
        case AnswerFailed():
            failure = failure_of_name(event.code)
            return "error", AnswerError(
                type=f"urn:footnote:problem:{failure.code}",
                title=failure.title,
                status=failure.status,
                detail=event.message,
                hint=event.hint,
                retryable=event.retryable,
                usage=event.usage,
            )
        case SuggestionsMade():
            return "suggestions", event.suggestions
        case _:
            assert_never(event)


def answer_event(name: str, value: JsonObject) -> AnswerEvent | None:  # noqa: PLR0911  # one each
    """What happened while an answer was made; None for an event that is not known here."""
    match name:
        case "sources":
            return decoded(SourcesFound, value)
        case "token":
            return decoded(TextWritten, value)
        case "citation":
            return CitationMade(citation=decoded(Citation, value))
        case "grounding":
            return decoded(SentenceGrounded, value)
        case "tool":
            called = value.get("state") == "called"
            return decoded(ToolCalled, value) if called else decoded(ToolReturned, value)
        case "usage":
            return UsageCounted(usage=decoded(Usage, value))
        case "done":
            return AnswerDone(answer=decoded(Answer, value))
        case "suggestions":
            return SuggestionsMade(suggestions=decoded(Suggestions, value))
        case "error":
            failed = decoded(AnswerError, {"title": "", "status": 0, "retryable": False, **value})
            return AnswerFailed(
                code=error_class(failed.type).__name__,
                message=failed.detail,
                hint=failed.hint,
                retryable=failed.retryable,
                usage=failed.usage,
            )
        case _:
            return None
