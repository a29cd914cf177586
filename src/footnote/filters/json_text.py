"""Parse JSON text and record the offset of each value and name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

JsonPath = tuple[str | int, ...]
"""Member names and 0-based positions, from the outermost value inwards."""

MAX_NESTING = 32
_SHOWN_CHARACTERS = 60
_MAX_DIGITS = 400  # beyond any useful number, and well below the limit of Python's own parser
_SPACE = re.compile(r"[ \t\n\r]*")
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_PLAINER = {
    "Expecting value": "a value is expected here",
    "Unterminated string starting at": "this text is not closed",
    "Invalid control character at": "a control character must be escaped here",
}


class MalformedJson(ValueError):
    """The text is not JSON, or an object has a name twice; `offset` is where."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class LocatedJson:
    """A decoded value, and the 0-based offset in the text of everything in it."""

    value: object
    values: dict[JsonPath, int]
    """Offset of each value, by its path; that of the outermost value is empty."""
    names: dict[JsonPath, int]
    """Offset of each member's name, by the path of the member's value."""


def read_located(text: str) -> LocatedJson:
    """Decode one JSON value. Raises MalformedJson."""
    reading = _Reading(text)
    value, end = reading.read_value(_after_space(text, 0), ())
    end = _after_space(text, end)
    if end != len(text):
        raise MalformedJson("nothing more is expected here", end)
    return LocatedJson(value, reading.values, reading.names)


def line_and_column(text: str, offset: int) -> str:
    """A place in a text for people: line and column from 1, character from 0."""
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return f"line {line}, column {column}, character {offset}"


def path_text(path: JsonPath) -> str:
    """A path as RFC 9535 writes it.

    >>> path_text(("any", 1, "metadata.year", "gte"))
    '$.any[1]["metadata.year"].gte'
    """
    return "$" + "".join(_step(part) for part in path)


def _step(part: str | int) -> str:
    if isinstance(part, str) and _PLAIN_NAME.fullmatch(part):
        return f".{part}"
    if isinstance(part, int):
        return f"[{part}]"
    label = part if len(part) <= _SHOWN_CHARACTERS else part[:_SHOWN_CHARACTERS] + "…"
    return f"[{json.dumps(label, ensure_ascii=not label.isprintable())}]"


@dataclass(frozen=True, slots=True)
class _Reading:
    """A recursive-descent parser of one text; methods return a value and the offset after it."""

    text: str
    values: dict[JsonPath, int] = field(default_factory=dict)
    names: dict[JsonPath, int] = field(default_factory=dict)

    def read_value(self, offset: int, path: JsonPath) -> tuple[object, int]:
        if len(path) > MAX_NESTING:
            raise MalformedJson(f"this is nested more than {MAX_NESTING} deep", offset)
        self.values[path] = offset
        if self.text.startswith("{", offset):
            return self.read_object(offset, path)
        if self.text.startswith("[", offset):
            return self.read_array(offset, path)
        return self.read_scalar(offset)

    def read_object(self, offset: int, path: JsonPath) -> tuple[object, int]:
        members: dict[str, object] = {}

        def member(start: int) -> int:
            name, end = self.read_name(start)
            if name in members:
                raise MalformedJson(
                    f"the name {name[:_SHOWN_CHARACTERS]!r} stands here a second time", start
                )
            self.names[*path, name] = start
            end = _expect(self.text, end, ":", "a colon is expected here")
            members[name], end = self.read_value(end, (*path, name))
            return end

        return members, _read_list(self.text, offset, "}", member)

    def read_array(self, offset: int, path: JsonPath) -> tuple[object, int]:
        items: list[object] = []

        def item(start: int) -> int:
            value, end = self.read_value(start, (*path, len(items)))
            items.append(value)
            return end

        return items, _read_list(self.text, offset, "]", item)

    def read_name(self, offset: int) -> tuple[str, int]:
        if not self.text.startswith('"', offset):
            raise MalformedJson("a name in double quotes is expected here", offset)
        name, end = self.read_scalar(offset)
        assert isinstance(name, str), "what opens with a quote is text"
        return name, end

    def read_scalar(self, offset: int) -> tuple[object, int]:
        try:
            value, end = _DECODER.raw_decode(self.text, offset)
        except json.JSONDecodeError as error:
            message = _PLAINER.get(error.msg, error.msg.strip(" :").lower())
            raise MalformedJson(message, error.pos) from error
        except ValueError as error:
            raise MalformedJson(str(error), offset) from error
        return value, end


def _read_list(text: str, offset: int, closer: str, read_item: Callable[[int], int]) -> int:
    """Parse a comma-separated list up to its closing bracket; return the offset after that."""
    offset = _after_space(text, offset + 1)
    if text.startswith(closer, offset):
        return offset + 1
    while True:
        offset = _after_space(text, read_item(offset))
        if text.startswith(closer, offset):
            return offset + 1
        offset = _expect(text, offset, ",", f"a comma or {closer} is expected here")


def _expect(text: str, offset: int, mark: str, message: str) -> int:
    offset = _after_space(text, offset)
    if not text.startswith(mark, offset):
        raise MalformedJson(message, offset)
    return _after_space(text, offset + 1)


def _after_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number JSON knows")


def _whole_number(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"this number has {len(digits)} digits")
    return int(digits)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_whole_number)
