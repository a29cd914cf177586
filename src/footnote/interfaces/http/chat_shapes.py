"""Chat completions in OpenAI's shape: what comes in, and what an answer becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NoReturn
from urllib.parse import quote
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from footnote import domain
from footnote.errors import InvalidRequest
from footnote.interfaces.http.requests import (
    MAX_QUERY_CHARACTERS,
    MAX_TURN_CHARACTERS,
    MAX_TURNS,
    Filters,
    Flag,
    Plan,
    Question,
    Request,
    Stages,
    TopK,
    Turn,
)
from footnote.interfaces.schemas import object_of

JsonObject = dict[str, object]

_OF_ANSWER = "answer: "
"""How a note begins that is of the answer itself and not of its search."""
# The last paragraph, where it is notes alone; a statement of the answer would carry a marker.
_NOTES = re.compile(r"(?:\A|\n\n)(?:Note: [^\n]*(?<!\[\d\])(?<!\[\d\d\])(?:\n|\Z))+\Z")
# What comes closest to an answer that there is not, below the sentence that says so.
_CLOSEST = re.compile(r"\n\nClosest passage: “[^\n]*” \[1\]\Z")
_NO_QUESTION = "messages: there is no text of a user in it"


class _Lenient(BaseModel):
    """What an existing front end sends; members that mean nothing here are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ChatPart(_Lenient):
    """A part of a message; only text can be asked with."""

    type: str
    text: str | None = None


class ChatMessage(_Lenient):
    """One message of a conversation."""

    role: str
    content: str | tuple[ChatPart, ...] | None = None

    @property
    def text(self) -> str:
        """What it says. Raises InvalidRequest for a part that is no text."""
        if isinstance(self.content, str):
            return self.content.strip()
        parts = self.content or ()
        other = next((part.type for part in parts if part.text is None), None)
        if other is not None:
            no_text(other)
        return "\n".join(part.text or "" for part in parts).strip()


class StreamOptions(_Lenient):
    """What a stream tells beside its text."""

    include_usage: Flag | None = None


class ChatExtras(Request):
    """What a question may say beyond OpenAI's shape, as in `POST /v1/answers`."""

    top_k: TopK | None = None
    filters: Filters = Filters()
    plan: Plan = None
    stages: Stages = Stages()
    agent: Flag = Field(
        False, description="Have a model look things up by itself; the members above say nothing."
    )


class ChatRequest(_Lenient):
    """A chat completion that is asked for.

    Instructions of a front end (`system`, `developer`), tools and sampling are passed over: what
    an answer rests on are the documents alone.
    """

    model: str = Field("footnote", description="`footnote`, or `footnote/` and a workspace.")
    messages: tuple[ChatMessage, ...] = Field(min_length=1)
    stream: Flag | None = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(1, ge=1, le=1, description="There is one answer.")
    footnote: ChatExtras = Field(ChatExtras(), description="What OpenAI's shape has no word for.")

    def to_question(self) -> Question:
        """The last text of the user, with what was said before it. Raises InvalidRequest."""
        return question_of([(each.role, each.text) for each in self._said()], self.footnote)

    def _said(self) -> list[ChatMessage]:
        return [each for each in self.messages if each.role in ("user", "assistant")]


def no_text(kind: str) -> NoReturn:
    """Raise InvalidRequest for a part of a message that is no text."""
    raise InvalidRequest(
        f"messages: a part of type {kind!r} cannot be answered",
        hint="send text; hand files in as documents",
    )


def is_encodable(text: str) -> bool:
    """Whether it can be sent on; half of a surrogate pair, which JSON can hold, cannot."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def question_of(said: Sequence[tuple[str, str]], extras: ChatExtras) -> Question:
    """The last thing that the user says, with what was said before it. Raises InvalidRequest."""
    asked = max((n for n, (role, text) in enumerate(said) if role == "user" and text), default=-1)
    if asked < 0:
        raise InvalidRequest(_NO_QUESTION, hint="the last message of the user is the question")
    if any(not is_encodable(text) for _, text in said):
        raise InvalidRequest(
            "messages: a text holds half of a character", hint="leave such halves out"
        )
    question = said[asked][1]
    if len(question) > MAX_QUERY_CHARACTERS:
        raise InvalidRequest(
            f"messages: the question has {len(question):,} characters",
            hint=f"ask with up to {MAX_QUERY_CHARACTERS:,}; hand longer text in as a document",
        )
    earlier = [
        Turn(role="user" if role == "user" else "assistant", text=text[:MAX_TURN_CHARACTERS])
        for role, whole in said[:asked]
        if (text := whole if role == "user" else without_notes(whole))
    ]
    return Question(
        question=question,
        top_k=extras.top_k,
        filters=extras.filters,
        plan=extras.plan,
        stages=extras.stages,
        conversation=tuple(earlier[-MAX_TURNS:]),
    )


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
            "content": answer.text + below(answer),
            "refusal": None,
            "annotations": list(annotations_of(answer, self.base_url, self.workspace)),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": usage_of(answer.usage),
            "footnote": object_of(answer),
        }

    def chunk(
        self, delta: JsonObject, finish: Literal["stop"] | None = None, **more: object
    ) -> JsonObject:
        """One `chat.completion.chunk`."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**self._head("chat.completion.chunk"), "choices": [choice], **more}

    def usage_chunk(self, usage: domain.Usage) -> JsonObject:
        """The chunk that tells what was used, and nothing else."""
        head = self._head("chat.completion.chunk")
        return {**head, "choices": [], "usage": usage_of(usage)}

    def last_chunks(self, answer: domain.Answer) -> Iterator[JsonObject]:
        """What follows the text: what is below it, footnotes, the end with the whole answer."""
        if rest := below(answer):
            yield self.chunk({"content": rest})
        annotations = list(annotations_of(answer, self.base_url, self.workspace))
        if annotations:
            yield self.chunk({"annotations": annotations})
        body = object_of(answer)
        yield self.chunk({}, "stop", footnote=body)

    def _head(self, kind: str) -> JsonObject:
        return {
            "id": self.completion_id,
            "object": kind,
            "created": self.created,
            "model": self.model,
        }


def usage_of(usage: domain.Usage) -> JsonObject:
    """What was used, in OpenAI's words."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


def below(answer: domain.Answer) -> str:
    """What stands below the text: what comes closest where nothing answers, then the notes."""
    closest = "" if answer.closest is None else f"\n\n{answer.closest.prose}"
    return closest + notes_of(answer)


def notes_of(answer: domain.Answer) -> str:
    """What a reader is told below the text of how it was made, such as without its model.

    Nothing of what the search had to do without: that does not change who wrote the answer.
    """
    notes = [note for note in answer.degraded if note.startswith(_OF_ANSWER)]
    lines = "\n".join(f"Note: {' '.join(note.removeprefix(_OF_ANSWER).split())}" for note in notes)
    return f"\n\n{lines}" if lines else ""


def without_notes(text: str) -> str:
    """An answer as a front end sends it back, without what `below` put below it."""
    return _CLOSEST.sub("", _NOTES.sub("", text.strip()))


def annotations_of(
    answer: domain.Answer, base_url: str, workspace: str | None = None
) -> Iterator[JsonObject]:
    """A footnote for each marker of each statement, over the statement's place in the text.

    Where nothing answers, the one of what comes closest, over its place below the text.

    Its link names the workspace, if one is given, since a link can send no header.

    Their type is the one that OpenAI's shape has for a chat message, so that strict clients read
    them; `file_citation` beside it says the rest. Places count code points.
    """
    citations = {citation.marker: citation for citation in answer.citations}
    for (start, end), sentence in zip(places_of(answer), answer.sentences, strict=True):
        for marker in sentence.markers:
            yield _annotation(citations[marker], (start, end), base_url, workspace)
    if answer.closest is not None:
        start = len(answer.text) + len("\n\n")
        place = (start, start + len(answer.closest.prose))
        yield _annotation(answer.closest.citation, place, base_url, workspace)


def _annotation(
    citation: domain.Citation, place: tuple[int, int], base_url: str, workspace: str | None
) -> JsonObject:
    return {
        "type": "url_citation",
        "url_citation": {
            "start_index": place[0],
            "end_index": place[1],
            "title": citation.document_title or citation.filename,
            "url": f"{base_url}{_path_of(citation, workspace)}",
        },
        "file_citation": _file_citation(citation),
    }


def _path_of(citation: domain.Citation, workspace: str | None) -> str:
    """Where a person sees what is quoted: the page with the quote marked, else the file."""
    document = f"v1/documents/{citation.document_id}"
    named = "" if workspace is None else f"workspace={quote(workspace, safe='')}"
    if citation.page is None:
        return f"{document}/content?{named}".removesuffix("?")
    span = f"start={citation.char_start}&end={citation.char_end}"
    return f"{document}/pages/{citation.page}.png?{span}&{named}".removesuffix("&")


def _file_citation(citation: domain.Citation) -> JsonObject:
    shape = object_of(citation)
    return {"file_id": shape["document_id"], **shape}


def places_of(answer: domain.Answer) -> Iterator[tuple[int, int]]:
    """Where each statement with its markers stands in the answer's text; half-open."""
    text, place = answer.text, 0
    for sentence in answer.sentences:
        piece = sentence.text + "".join(f" [{marker}]" for marker in sentence.markers)
        start = text.index(piece, place)
        place = start + len(piece)
        yield start, place
