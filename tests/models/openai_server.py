"""A server on loopback that speaks OpenAI's chat completions by a script, for any test."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, cast

from tests.wire.loopback import Connection, Loopback, Received, unreachable_origin

CUT_BYTES = 40
"""How much a broken connection lets through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as the server received it."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    payload: Mapping[str, object]

    @property
    def messages(self) -> list[dict[str, str]]:
        return cast("list[dict[str, str]]", self.payload["messages"])

    @property
    def instructions(self) -> str:
        return "\n".join(each["content"] for each in self.messages if each["role"] == "system")

    @property
    def prompt(self) -> str:
        return "\n".join(each["content"] for each in self.messages if each["role"] == "user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server sends."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    held: bool = False
    """Not sent before the server closes."""
    broken: bool = False
    """The connection breaks within the body."""


Respond = Callable[[Asked], Reply]


def says(text: str | None, finish_reason: str | None = "stop") -> Reply:
    """The model writes the text; `length` as a reason says that it was cut off."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    return Reply(body=json.dumps(body).encode())


def fails(
    status: int, *, code: str | None = None, message: str = "no", retry_after: str | None = "0"
) -> Reply:
    """An error in OpenAI's shape; by default it asks to be tried again at once."""
    body = {"error": {"message": message, "type": "scripted", "param": None, "code": code}}
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Reply(status=status, body=json.dumps(body).encode(), headers=headers)


SLOW = Reply(held=True)
MALFORMED = Reply(body=b'{"choices": [')
NOT_OURS = Reply(body=b'{"hello": "world"}')
BROKEN = Reply(body=says("a text that never arrives whole").body, broken=True)


def in_turn(*replies: Reply) -> Respond:
    """One after another; a request beyond the last is told so with a 500."""
    waiting = list(replies)
    lock = threading.Lock()

    def respond(_: Asked) -> Reply:
        with lock:
            return waiting.pop(0) if waiting else fails(500, message="the script is over")

    return respond


class OpenAiServer:
    """`with OpenAiServer(says("hello")) as server: …` serves at `server.url`."""

    def __init__(self, *replies: Reply, respond: Respond | None = None) -> None:
        self.asked: list[Asked] = []
        self._respond = respond or in_turn(*replies)
        self._loopback = Loopback(self._answer)

    @property
    def url(self) -> str:
        return f"{self._loopback.origin}/v1"

    def __enter__(self) -> Self:
        self._loopback.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._loopback.__exit__(kind, error, traceback)

    def _answer(self, received: Received, connection: Connection) -> None:
        asked = Asked(
            path=received.path,
            headers=received.headers,
            payload=json.loads(received.content),
        )
        self.asked.append(asked)
        send(self._respond(asked), connection)


def send(reply: Reply, connection: Connection) -> None:
    """Send what was scripted."""
    if reply.held:
        connection.closing.wait()
    sent = CUT_BYTES if reply.broken else None
    connection.send(reply.status, reply.body, reply.headers, bytes_sent=sent)


def unreachable_url() -> str:
    """A URL where nothing listens."""
    return f"{unreachable_origin()}/v1"
