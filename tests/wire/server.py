"""A scripted model behind the wire formats of several vendors, over real HTTP on loopback."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self, cast

from . import formats, google
from .loopback import LOOK_SECONDS, Connection, Loopback, Received
from .replies import Reply, fails

Wire = Literal["openai", "anthropic", "google", "mistral"]
_PATHS: dict[str, Wire] = {
    "/v1/chat/completions": "openai",
    "/v1/messages": "anthropic",
    "/mistral/v1/chat/completions": "mistral",
}


@dataclass(frozen=True, slots=True)
class _Words:
    """How a wire says what the script has."""

    error: Callable[[Reply], formats.Json]
    body: Callable[[Reply, str], formats.Json]
    events: Callable[[Reply, str], Iterator[tuple[bool, bytes]]]


_WORDS: dict[Wire, _Words] = {
    "openai": _Words(formats.openai_error, formats.openai_body, formats.openai_events),
    "anthropic": _Words(formats.anthropic_error, formats.anthropic_body, formats.anthropic_events),
    "mistral": _Words(formats.openai_error, formats.openai_body, formats.mistral_events),
    "google": _Words(google.error, google.body, google.events),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as the server received it."""

    wire: Wire
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    payload: Mapping[str, object]
    """With Google's, `model` and `stream` as well, which its path tells."""
    left: threading.Event = field(default_factory=threading.Event, repr=False)
    """Set when the client went away before the reply was whole."""

    @property
    def streamed(self) -> bool:
        return bool(self.payload.get("stream"))

    @property
    def model(self) -> str:
        return str(self.payload["model"])

    @property
    def messages(self) -> list[dict[str, object]]:
        return cast("list[dict[str, object]]", self.payload["messages"])

    @property
    def instructions(self) -> str:
        """What the system says."""
        if self.wire == "anthropic":
            return "\n".join(_texts(self.payload.get("system", "")))
        return self._said_by("system")

    @property
    def prompt(self) -> str:
        """Everything the user says."""
        return self._said_by("user")

    @property
    def tools(self) -> dict[str, Mapping[str, object]]:
        """The tools that are offered: name to JSON Schema."""
        if self.wire == "google":
            return google.tools(self.payload)
        offered = cast("list[dict[str, object]]", self.payload.get("tools") or [])
        if self.wire == "anthropic":
            return {str(each["name"]): _object(each["input_schema"]) for each in offered}
        functions = [_object(each["function"]) for each in offered]
        return {str(each["name"]): _object(each["parameters"]) for each in functions}

    @property
    def tool_results(self) -> list[str]:
        """What tools gave, oldest first."""
        if self.wire == "google":
            return google.tool_results(self.payload)
        if self.wire in {"openai", "mistral"}:
            return [
                "".join(_texts(each["content"])) for each in self.messages if each["role"] == "tool"
            ]
        return [
            "".join(_texts(block["content"]))
            for message in self.messages
            for block in _blocks(message["content"])
            if block["type"] == "tool_result"
        ]

    async def was_left(self, seconds: float = 120.0) -> bool:
        """Wait until the client has gone; False if it did not in that time."""
        return await asyncio.to_thread(self.left.wait, seconds)

    def _said_by(self, role: str) -> str:
        if self.wire == "google":
            return google.said_by(self.payload, role)
        said = (each["content"] for each in self.messages if each["role"] == role)
        return "\n".join(text for content in said for text in _texts(content))


Respond = Callable[[Asked], Reply]


class WireServer:
    """`with WireServer(says("hello")) as server: …`; more replies follow with `server.script`."""

    def __init__(self, *replies: Reply, respond: Respond | None = None) -> None:
        self.asked: list[Asked] = []
        self._waiting = list(replies)
        self._respond = respond
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._loopback = Loopback(self._answer)

    @property
    def openai_url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        return f"{self._loopback.origin}/v1"

    @property
    def anthropic_url(self) -> str:
        """What an Anthropic client takes as its base URL."""
        return self._loopback.origin

    @property
    def google_url(self) -> str:
        """What a client of Google's takes as its base URL."""
        return self._loopback.origin

    @property
    def mistral_url(self) -> str:
        """What a client of Mistral's takes as its base URL."""
        return f"{self._loopback.origin}/mistral"

    def script(self, *replies: Reply) -> Self:
        """Reply with these to the next requests, after what is scripted already."""
        with self._lock:
            self._waiting.extend(replies)
        return self

    def release(self) -> None:
        """Let replies go on that wait after some of their pieces."""
        self._released.set()

    def __enter__(self) -> Self:
        self._loopback.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._released.set()
        self._loopback.__exit__(kind, error, traceback)

    def _answer(self, received: Received, connection: Connection) -> None:
        path = received.path.partition("?")[0]
        of_google = google.PATH.fullmatch(path)
        wire = "google" if of_google else _PATHS.get(path)
        if wire is None:
            connection.send(404, b"{}")
            return
        payload = json.loads(received.content)
        if of_google:
            payload |= {"model": of_google[1], "stream": of_google[2] != "generateContent"}
        asked = Asked(
            wire=wire,
            path=received.path,
            headers=received.headers,
            payload=payload,
        )
        reply = self._next(asked)
        try:
            self._send(asked, reply, connection)
        except ConnectionError:
            asked.left.set()

    def _next(self, asked: Asked) -> Reply:
        with self._lock:
            self.asked.append(asked)
            if self._respond is None:
                over = fails(500, message="the script is over")
                return self._waiting.pop(0) if self._waiting else over
        return self._respond(asked)

    def _send(self, asked: Asked, reply: Reply, connection: Connection) -> None:
        words = _WORDS[asked.wire]
        if reply.status != 200:
            error = json.dumps(words.error(reply)).encode()
            connection.send(reply.status, error, reply.headers)
        elif reply.ending == "held" or (
            not asked.streamed and reply.ending in {"endless", "silent"}
        ):
            self._wait(asked, connection)
        elif asked.streamed:
            self._stream(asked, reply, connection, words.events(reply, asked.model))
        else:
            body = json.dumps(words.body(reply, asked.model)).encode()
            sent = len(body) // 2 if reply.ending == "cut" else None
            connection.send(200, body, reply.headers, bytes_sent=sent)

    def _stream(
        self,
        asked: Asked,
        reply: Reply,
        connection: Connection,
        events: Iterator[tuple[bool, bytes]],
    ) -> None:
        connection.begin_stream(reply.headers)
        pieces = 0
        for is_piece, event in events:
            if pieces == reply.waits_after:
                self._released.wait()
            connection.piece(event)
            pieces += is_piece
            if is_piece and pieces == len(reply.pieces) and reply.ending != "whole":
                self._break(asked, reply, connection, event)
                return
        connection.end()

    def _break(self, asked: Asked, reply: Reply, connection: Connection, event: bytes) -> None:
        if reply.ending == "silent":
            self._wait(asked, connection)
        while reply.ending == "endless" and not connection.closing.wait(LOOK_SECONDS / 4):
            if connection.client_left():
                asked.left.set()
                return
            connection.piece(event)

    def _wait(self, asked: Asked, connection: Connection) -> None:
        if connection.wait_until_left():
            asked.left.set()


def _object(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value)


def _blocks(content: object) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", content) if isinstance(content, list) else []


def _texts(content: object) -> list[str]:
    """The texts of a message's content: a text, or blocks of which some are texts."""
    if isinstance(content, str):
        return [content]
    return [str(block["text"]) for block in _blocks(content) if block.get("type") == "text"]
