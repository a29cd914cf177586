"""What a scripted model does in reply to one request, whatever the wire format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Finish = Literal["stop", "length", "filtered", "calls"]
Ending = Literal["whole", "cut", "endless", "silent", "held"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool the model asks for."""

    name: str
    arguments: str
    """JSON, as the model writes it."""
    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model does; made by the functions below."""

    pieces: tuple[str, ...] = ()
    """Its text, as it is streamed."""
    calls: tuple[Call, ...] = ()
    finish: Finish = "stop"
    input_tokens: int = 100
    output_tokens: int = 20
    tells_usage: bool = True
    ending: Ending = "whole"
    waits_after: int | None = None
    """So many pieces are sent before the test calls `server.release()`, the others after it."""
    status: int = 200
    message: str = ""
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def says(*pieces: str, finish: Finish = "stop", waits_after: int | None = None) -> Reply:
    """It writes the pieces; `length` as finish says that it was cut off at its token limit."""
    return Reply(pieces=pieces, finish=finish, waits_after=waits_after)


def calls(name: str, arguments: str = "{}", *, text: str = "", call_id: str = "call_1") -> Reply:
    """It asks for a tool, after some text or none."""
    call = Call(name=name, arguments=arguments, call_id=call_id)
    return Reply(pieces=(text,) if text else (), calls=(call,), finish="calls")


def calls_each(*asked: Reply) -> Reply:
    """It asks for several tools at once."""
    every = tuple(call for reply in asked for call in reply.calls)
    numbered = (replace(call, call_id=f"call_{number}") for number, call in enumerate(every, 1))
    return Reply(calls=tuple(numbered), finish="calls")


def fails(
    status: int, *, message: str = "no", code: str | None = None, retry_after: str | None = "0"
) -> Reply:
    """An error in the shape of the wire; by default it asks to be tried again at once."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Reply(status=status, message=message, code=code, headers=headers)


def cut_off(*pieces: str) -> Reply:
    """The connection breaks after the pieces, amid the text."""
    return Reply(pieces=pieces, ending="cut")


def endless(piece: str = "and so on ") -> Reply:
    """It writes the piece over and over until the client leaves, which `asked.left` tells."""
    return Reply(pieces=(piece,), ending="endless")


def falls_silent(*pieces: str) -> Reply:
    """It writes the pieces, then nothing more, and keeps the connection until the client leaves."""
    return Reply(pieces=pieces, ending="silent")


SLOW = Reply(ending="held")
"""It does not even begin to answer before the client leaves."""
