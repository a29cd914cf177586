"""The JSON of a server becomes the records of the domain."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields
from functools import cache
from typing import TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    Citation,
    CitationMade,
    Document,
    Passage,
    PassageContext,
    Received,
    SearchResponse,
    SentenceGrounded,
    SourcesFound,
    TextWritten,
    ToolCalled,
    ToolReturned,
    Usage,
    UsageCounted,
)
from footnote.domain.conversations import Exchange
from footnote.errors import FootnoteError
from footnote.interfaces.sdk.failing import class_named

NOT_TOLD = -1
"""In place of the `chunk_no` of a passage, which a server keeps to itself."""

JsonObject = Mapping[str, object]
Record = TypeVar("Record")

_OF_PASSAGE = frozenset(field.name for field in fields(Passage)) - {"chunk_no"}


def decoded(kind: type[Record], value: object) -> Record:
    """A record from its JSON; members it does not know are passed over. Raises FootnoteError."""
    try:
        return cast("Record", _adapter(cast("Hashable", kind)).validate_python(value))
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        place = ".".join(map(str, wrong["loc"]))
        raise FootnoteError(
            f"the server's {kind.__name__} is not understood at {place!r}: {wrong['msg']}",
            hint="Run the same version of Footnote on both sides.",
        ) from error


def search_response(value: JsonObject) -> SearchResponse:
    """What a search found."""
    return decoded(SearchResponse, {**value, "evidence": _evidence_of(value)})


def answer(value: JsonObject) -> Answer:
    """An answer with its evidence."""
    return decoded(Answer, {**value, "evidence": _evidence_of(value)})


def exchange(value: JsonObject) -> Exchange:
    """A question of a conversation with its answer."""
    return decoded(Exchange, {**value, "evidence": _evidence_of(value)})


def passage_context(value: JsonObject) -> PassageContext:
    """A passage between its neighbours."""
    given = {
        "chunk": _passage(_object(value["chunk"])),
        "context_before": [_passage(each) for each in _objects(value["context_before"])],
        "context_after": [_passage(each) for each in _objects(value["context_after"])],
    }
    return decoded(PassageContext, given)


def received(value: JsonObject) -> Received:
    """What became of a file."""
    return Received(
        document=decoded(Document, value),
        duplicate=bool(value["duplicate"]),
        new_version=bool(value["new_version"]),
    )


def answer_event(name: str, value: JsonObject) -> AnswerEvent | None:  # noqa: PLR0911  # one each
    """What happened while an answer was made; None for an event that is not known here."""
    match name:
        case "sources":
            return decoded(SourcesFound, {**value, "evidence": _evidence_of(value)})
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
            return AnswerDone(answer=answer(value))
        case "error":
            return _failed(value)
        case _:
            return None


def _failed(value: JsonObject) -> AnswerFailed:
    hint = value.get("hint")
    return AnswerFailed(
        code=class_named(str(value.get("type", ""))).__name__,
        message=str(value.get("detail", "")),
        hint=None if hint is None else str(hint),
        retryable=bool(value.get("retryable")),
        usage=decoded(Usage, value.get("usage") or {}),
    )


def _evidence_of(value: JsonObject) -> list[JsonObject]:
    """The evidence, each with its passage by itself; JSON puts the members of both together."""
    return [{**each, "passage": _passage(each)} for each in _objects(value["evidence"])]


def _passage(value: JsonObject) -> JsonObject:
    own = {name: given for name, given in value.items() if name in _OF_PASSAGE}
    return {**own, "chunk_no": NOT_TOLD}


def _object(value: object) -> JsonObject:
    return decoded(dict[str, object], value)


def _objects(value: object) -> list[JsonObject]:
    return cast("list[JsonObject]", decoded(list[dict[str, object]], value))


_adapter = cache(TypeAdapter)
"""Made once for each kind; it stays."""
