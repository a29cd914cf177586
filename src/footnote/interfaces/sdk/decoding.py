"""The JSON of a server becomes the records of the domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pydantic import ValidationError

from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    Citation,
    CitationMade,
    SentenceGrounded,
    SourcesFound,
    TextWritten,
    ToolCalled,
    ToolReturned,
    Usage,
    UsageCounted,
)
from footnote.errors import FootnoteError
from footnote.interfaces.answer_events import AnswerError
from footnote.interfaces.schemas import adapter
from footnote.interfaces.sdk.failing import class_named

JsonObject = Mapping[str, object]
Record = TypeVar("Record")


def decoded(kind: type[Record], value: object) -> Record:
    """A record from its JSON; members it does not know are passed over. Raises FootnoteError."""
    try:
        return adapter(kind).validate_python(value)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        place = ".".join(map(str, wrong["loc"]))
        raise FootnoteError(
            f"the server's {kind.__name__} is not understood at {place!r}: {wrong['msg']}",
            hint="Run the same version of Footnote on both sides.",
        ) from error


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
        case "error":
            failed = decoded(AnswerError, {"title": "", "status": 0, "retryable": False, **value})
            return AnswerFailed(
                code=class_named(failed.type).__name__,
                message=failed.detail,
                hint=failed.hint,
                retryable=failed.retryable,
                usage=failed.usage,
            )
        case _:
            return None
