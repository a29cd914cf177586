"""The fields of documents: their types, operators, and the errors for invalid values."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from difflib import get_close_matches
from uuid import UUID

from footnote.domain import FILTER_FIELDS, DocumentClass, MetadataValue, Operator, SourceType
from footnote.filters.json_text import JsonPath
from footnote.validation.messages import printable
from footnote.validation.text import is_storable

MAX_TEXT_CHARACTERS = 1_000
METADATA = "metadata."
"""Prefix of a metadata key in a field name."""

_SHOWN_CHARACTERS = 60
_MAX_NUMBER = 2**63
_MAX_KEY_CHARACTERS = 200
_FIELD_ALIASES = {"and": "all", "or": "any", "must": "all", "should": "any", "must_not": "not"}


class Fault(Exception):
    """What is wrong at a path; `at_name` if the member's name is wrong rather than its value."""

    def __init__(self, path: JsonPath, message: str, hint: str, *, at_name: bool = False) -> None:
        super().__init__(message)
        self.path = path
        self.hint = hint
        self.at_name = at_name


def suggestion(word: str, candidates: Sequence[str]) -> str | None:
    """Return the closest known word as a question; None without a similar one."""
    matches = get_close_matches(word[:_SHOWN_CHARACTERS].lower(), candidates, n=1)
    return f"did you mean `{matches[0]}`?" if matches else None


Reader = Callable[[object, JsonPath], MetadataValue]
"""Gives the canonical form of a value. Raises Fault."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a field's values, and the operators for it."""

    name: str
    operators: frozenset[str]
    read: Reader
    """Validates the operand of every operator except `contains`."""
    read_part: Reader
    """Validates the operand of `contains`."""

    @property
    def advice(self) -> str:
        """A hint that lists the operators for this type."""
        names = [operator.value for operator in Operator if operator.value in self.operators]
        return f"compare {self.name} with {', '.join(names)}"


def kind_of(name: str, path: JsonPath) -> Kind:
    """The kind of a field. Raises Fault for a name that is no field."""
    if name in _KINDS:
        return _KINDS[name]
    key = name.removeprefix(METADATA)
    if key == name:
        target = _FIELD_ALIASES.get(name.lstrip("$").lower())
        hint = f"did you mean `{target}`?" if target else suggestion(name, _WORDS)
        raise Fault(
            path, f"there is no field {printable(name)}", hint or _FIELDS_HINT, at_name=True
        )
    if not 1 <= len(key) <= _MAX_KEY_CHARACTERS or not is_storable(key):
        raise Fault(
            path,
            "no document can have this key in its metadata",
            f"put a key of 1 to {_MAX_KEY_CHARACTERS} characters after `{METADATA}`",
            at_name=True,
        )
    return _METADATA


# --- values ---------------------------------------------------------------------------------


def _text(value: object, path: JsonPath) -> str:
    if not isinstance(value, str):
        raise _type_fault(value, path, "text")
    if len(value) > MAX_TEXT_CHARACTERS:
        raise Fault(path, f"it has {len(value)} characters", f"give at most {MAX_TEXT_CHARACTERS}")
    if not is_storable(value):
        raise Fault(
            path,
            "it holds a character that cannot be stored",
            "leave out NUL and unpaired surrogates",
        )
    return value


def _tag(value: object, path: JsonPath) -> str:
    return unicodedata.normalize("NFC", _text(value, path))


def _whole_number(value: object, path: JsonPath) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= _MAX_NUMBER:
        raise _type_fault(value, path, "a whole number")
    return value


def _day(value: object, path: JsonPath) -> str:
    text = _text(value, path)
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise _type_fault(value, path, "a day such as 2024-05-31") from None


def _moment(value: object, path: JsonPath) -> str:
    """A day stays a day; a time without an offset is UTC."""
    text = _text(value, path)
    try:
        if len(text) <= len("2024-05-31"):
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        expected = "a day or a time such as 2024-05-31T12:00:00Z"
        raise _type_fault(value, path, expected) from None


def _identifier(value: object, path: JsonPath) -> str:
    text = _text(value, path)
    try:
        return str(UUID(text))
    except ValueError:
        raise _type_fault(value, path, "a UUID") from None


def _metadata(value: object, path: JsonPath) -> MetadataValue:
    match value:
        case bool():
            return value
        case int():
            return _whole_number(value, path)
        case float() if math.isfinite(value):
            return value
        case str():
            return _text(value, path)
        case _:
            raise _type_fault(value, path, "text, a number, true or false")


def _name_among(label: str, names: Sequence[str]) -> Reader:
    def read(value: object, path: JsonPath) -> str:
        text = _text(value, path)
        if text in names:
            return text
        hint = suggestion(text, names) or f"known are {', '.join(names)}"
        raise Fault(path, f"there is no {label} {printable(text)}", hint)

    return read


def _type_fault(value: object, path: JsonPath, expected: str) -> Fault:
    hint = '{"exists": false} finds what is missing' if value is None else f"give {expected}"
    return Fault(path, f"{printable(value)} stands here, and {expected} is needed", hint)


# --- fields ---------------------------------------------------------------------------------

_WORDS = (*FILTER_FIELDS, "all", "any", "not")
_FIELDS_HINT = f"known are {', '.join(FILTER_FIELDS)}; a key of the metadata is `{METADATA}KEY`"

_BASIC = frozenset({"eq", "ne", "in", "exists"})
_ORDER = frozenset({"lt", "lte", "gt", "gte"})
_PART = frozenset({"contains"})

_TEXT = Kind("text", _BASIC | _PART, _text, _text)
_KEYWORDS = Kind("keywords", _BASIC | _PART, _tag, _tag)
_TAGS = Kind("tags", _BASIC | _PART, _tag, _tag)
_COUNT = Kind("a number", _BASIC | _ORDER, _whole_number, _text)
_MOMENT = Kind("a time", _BASIC - {"in"} | _ORDER, _moment, _text)
_DAYS = Kind("dates", _BASIC | _ORDER, _day, _text)
_IDENTIFIER = Kind("an identifier", _BASIC, _identifier, _text)
_METADATA = Kind("metadata", _BASIC | _ORDER | _PART, _metadata, _text)
_CLASS = Kind("a class", _BASIC, _name_among("class", [*DocumentClass]), _text)
_SOURCE = Kind("a source type", _BASIC, _name_among("source type", [*SourceType]), _text)
_KINDS: Mapping[str, Kind] = {
    "author": _TEXT,
    "class": _CLASS,
    "collection": _TEXT,
    "created_at": _MOMENT,
    "date": _DAYS,
    "document_id": _IDENTIFIER,
    "external_id": _TEXT,
    "filename": _TEXT,
    "keywords": _KEYWORDS,
    "language": _TEXT,
    "media_type": _TEXT,
    "page_count": _COUNT,
    "parent_id": _IDENTIFIER,
    "sender": _TEXT,
    "size": _COUNT,
    "source_type": _SOURCE,
    "tags": _TAGS,
    "title": _TEXT,
    "updated_at": _MOMENT,
}
