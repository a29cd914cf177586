"""Chat completions in OpenAI's shape: what a request asks, and what an answer becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote
from uuid import uuid4

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footnote import domain
from footnote.errors import InvalidRequest
from footnote.interfaces.http.chat_errors import JsonObject, usage_of
from footnote.interfaces.http.requests import (
    MAX_TURN_CHARACTERS,
    MAX_TURNS,
    Flag,
    Question,
    Retrieval,
    Task,
    Whole,
)
from footnote.interfaces.schemas import object_of

_OF_ANSWER = "answer: "
"""The prefix of a note about the answer itself, not about its search."""
# A last paragraph that is only notes; a statement of the answer would have a marker.
_NOTES = re.compile(r"(?:\A|\n\n)(?:Note: [^\n]*(?<!\[\d\])(?<!\[\d\d\])(?:\n|\Z))+\Z")
# The closest passage, below the sentence that says that nothing answers.
_CLOSEST = re.compile(r"\n\nClosest passage: “[^\n]*” \[1\]\Z")

_CONFLICTS = re.compile(r"(?:\n\nThe documents disagree about [^\n]*\[\d+\])+\Z")
"""The conflicts between documents, below the text of the answer."""


class _Lenient(BaseModel):
    """What an existing front end sends; members that mean nothing here are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", from_attributes=True)


class ChatPart(_Lenient):
    """A part of a message; only text can be answered."""

    type: str
    text: str | None = None


class ChatMessage(_Lenient):
    """One message of a conversation."""

    role: str
    content: str | tuple[ChatPart, ...] | None = None


class StreamOptions(_Lenient):
    """What a stream has beside its text."""

    include_usage: Flag | None = None


class ChatExtras(Retrieval):
    """What a question may have beyond OpenAI's shape, as in `POST /v1/answers`."""

    agent: Flag = Field(
        False,
        description="Have a model look things up by itself; the other members are ignored then.",
    )


class ChatRequest(_Lenient):
    """A request for a chat completion.

    Instructions of a front end (`system`, `developer`), tools and sampling are ignored: an answer
    rests on the documents alone.
    """

    model: str = Field("footnote", description="`footnote`, or `footnote/` and a workspace.")
    messages: tuple[ChatMessage, ...] = Field(min_length=1)
    stream: Flag | None = False
    stream_options: StreamOptions | None = None
    n: Whole | None = Field(1, ge=1, le=1, description="There is one answer.")
    footnote: ChatExtras = Field(ChatExtras(), description="What OpenAI's shape does not have.")

    def to_question(self) -> Question | Task:
        """The last text of the user, with the messages before it.

        Raises InvalidRequest and RequestValidationError.
        """
        return question_of(
            [
                (message.role, text_of(message.content))
                for message in self.messages
                if message.role in ("user", "assistant")
            ],
            self.footnote,
        )


def text_of(content: str | Sequence[ChatPart] | None) -> str:
    """The text of a message. Raises InvalidRequest for a part that is no text."""
    if content is None or isinstance(content, str):
        return (content or "").strip()
    texts: list[str] = []
    for part in content:
        if part.text is None:
            raise InvalidRequest(
                f"messages: a part of type {part.type!r} cannot be answered",
                hint="send text; upload files as documents",
            )
        texts.append(part.text)
    return "\n".join(texts).strip()


def question_of(messages: Sequence[tuple[str, str]], extras: ChatExtras) -> Question | Task:
    """The last text of the user, with the messages before it.

    Raises InvalidRequest where there is none, and RequestValidationError.
    """
    user_positions = [
        position for position, (role, text) in enumerate(messages) if role == "user" and text
    ]
    if not user_positions:
        raise InvalidRequest(
            "messages: there is no text of a user in it",
            hint="the last message of the user is the question",
        )
    earlier = [
        {"role": role, "text": text[:MAX_TURN_CHARACTERS]}
        for role, content in messages[: user_positions[-1]]
        if (text := content if role == "user" else without_notes(content))
    ]
    question = {"question": messages[user_positions[-1]][1], "conversation": earlier[-MAX_TURNS:]}
    try:
        if extras.agent:
            return Task.model_validate(question)
        retrieval = {name: getattr(extras, name) for name in Retrieval.model_fields}
        return Question.model_validate(question | retrieval)
    except ValidationError as error:
        raise RequestValidationError(
            [{**detail, "loc": ("body", "messages")} for detail in error.errors(include_url=False)]
        ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One completion, in one piece or in chunks, under one id."""

    model: str
    created: int
    """Seconds since the epoch."""
    base_url: str
    """Where this server is, with a slash at its end."""
    workspace: str | None = None
    """What links have to name; None for the default one."""
    completion_id: str = field(default_factory=lambda: f"chatcmpl-{uuid4().hex}")

    def whole(self, answer: domain.Answer) -> JsonObject:
        """The answer as a `chat.completion`."""
        message = {
            "role": "assistant",
            "content": answer.text + footer_text(answer),
            "refusal": None,
            "annotations": list(annotations_of(answer, self.base_url, self.workspace)),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return self._object(
            "chat.completion", [choice], usage=usage_of(answer.usage), footnote=object_of(answer)
        )

    def chunk(
        self, delta: JsonObject, finish: Literal["stop"] | None = None, **members: object
    ) -> JsonObject:
        """One `chat.completion.chunk`."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return self._object("chat.completion.chunk", [choice], **members)

    def last_chunks(self, answer: domain.Answer, *, with_usage: bool) -> Iterator[JsonObject]:
        """What follows the text: what is below it, footnotes, the end with the whole answer."""
        if text_below := footer_text(answer):
            yield self.chunk({"content": text_below})
        if annotations := list(annotations_of(answer, self.base_url, self.workspace)):
            yield self.chunk({"annotations": annotations})
        yield self.chunk({}, "stop", footnote=object_of(answer))
        if with_usage:
            yield self._object("chat.completion.chunk", [], usage=usage_of(answer.usage))

    def _object(self, kind: str, choices: list[JsonObject], **members: object) -> JsonObject:
        return {
            "id": self.completion_id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "choices": choices,
            **members,
        }


def footer_text(answer: domain.Answer) -> str:
    """The text below the answer: the closest passage where nothing answers, or the conflicts
    between documents, then the notes.

    The notes say how the answer was made, such as without its model. What the search did without
    is not among them: that does not change who wrote the answer.
    """
    closest = "" if answer.closest is None else f"\n\n{answer.closest.prose}"
    closest += "".join(f"\n\n{conflict.prose}" for conflict in answer.conflicts)
    notes = [note for note in answer.degraded if note.startswith(_OF_ANSWER)]
    lines = "\n".join(f"Note: {' '.join(note.removeprefix(_OF_ANSWER).split())}" for note in notes)
    return closest + (f"\n\n{lines}" if lines else "")


def without_notes(text: str) -> str:
    """An answer as a front end sends it back, without what `below` put below it."""
    return _CONFLICTS.sub("", _CLOSEST.sub("", _NOTES.sub("", text.strip())))


def annotations_of(
    answer: domain.Answer, base_url: str, workspace: str | None = None
) -> Iterator[JsonObject]:
    """A footnote for each marker of each statement, over the statement's span in the text.

    Where nothing answers, that of the closest passage, over its span below the text.

    Its link names the workspace, if one is given, since a link can send no header.

    Their type is the one that OpenAI's shape has for a chat message, so that strict clients read
    them; `file_citation` beside it has the rest. Offsets count code points.
    """
    citations = {citation.marker: citation for citation in answer.citations}
    end = 0
    for sentence in answer.sentences:
        statement = sentence.text + "".join(f" [{marker}]" for marker in sentence.markers)
        start = answer.text.index(statement, end)
        end = start + len(statement)
        for marker in sentence.markers:
            yield _annotation(citations[marker], (start, end), base_url, workspace)
    if answer.closest is not None:
        start = len(answer.text) + len("\n\n")
        span = (start, start + len(answer.closest.prose))
        yield _annotation(answer.closest.citation, span, base_url, workspace)
    end = len(answer.text)
    for conflict in answer.conflicts:
        start = end + len("\n\n")
        end = start + len(conflict.prose)
        for claim in conflict.statements:
            yield _annotation(claim.citation, (start, end), base_url, workspace)


def _annotation(
    citation: domain.Citation, span: tuple[int, int], base_url: str, workspace: str | None
) -> JsonObject:
    # Where a person sees what is quoted: the page with the quote marked, else the file.
    url = f"{base_url}v1/documents/{citation.document_id}"
    queries = [] if workspace is None else [f"workspace={quote(workspace, safe='')}"]
    if citation.page is None:
        url += "/content"
    else:
        url += f"/pages/{citation.page}.png"
        queries.insert(0, f"start={citation.char_start}&end={citation.char_end}")
    members = object_of(citation)
    return {
        "type": "url_citation",
        "url_citation": {
            "start_index": span[0],
            "end_index": span[1],
            "title": citation.document_title or citation.filename,
            "url": "?".join(filter(None, (url, "&".join(queries)))),
        },
        "file_citation": {"file_id": members["document_id"], **members},
    }
