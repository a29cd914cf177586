"""Validate text: storable in Postgres, JSON without repeated names, names without look-alikes."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from footnote.errors import InvalidRequest

_INVISIBLE_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
"""General categories: controls, formats and marks of direction, unassigned, separators."""
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Invisible too: Default_Ignorable_Code_Point outside Cf (Unicode 15), and blank braille."""


_STEERING = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters that are not white space, and bidirectional controls."""


def one_line(text: str) -> str:
    """Collapse white space and line breaks to single spaces, and remove control characters and
    bidirectional controls."""
    return " ".join(_STEERING.sub("", text).split())


def is_blank(text: str) -> bool:
    """Whether nothing of a text is seen: it has white space, controls and formats alone.

    >>> is_blank(" \\u200b\\u202e"), is_blank("\\u200bwhy?")
    (True, False)
    """
    return all(
        character.isspace()
        or unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Zs")
        or _BLANK.match(character)
        for character in text
    )


def require_query(query: str) -> None:
    """Raise InvalidRequest if a query is empty or invisible."""
    if is_blank(query):
        raise InvalidRequest("the query is empty", hint="ask for something")


class DuplicateName(ValueError):
    """An object of a JSON text has a name twice, of which only the last would count."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is there more than once in one object")
        self.name = name


def members_once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """The members of a JSON object, for `json.loads(object_pairs_hook=…)`. Raises DuplicateName."""
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise DuplicateName(name)
        members[name] = value
    return members


def duplicate_name(text: str) -> str | None:
    """Return a name that an object in a JSON text has twice; None without one, or if not JSON."""
    try:
        json.loads(text, object_pairs_hook=members_once)
    except DuplicateName as error:
        return error.name
    except (ValueError, RecursionError):
        pass
    return None


def json_fault(error: ValueError | RecursionError | OSError) -> str:
    """Why a text, or the file that has it, is not read as JSON; without any of its values."""
    if isinstance(error, DuplicateName):
        return str(error)
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, OSError):
        return f"it cannot be read: {error.strerror}"
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON (line {error.lineno}, column {error.colno})"
    return "it is not JSON"


def is_storable(text: str) -> bool:
    """Whether Postgres can hold the text: it has neither NUL nor half a surrogate pair."""
    return "\0" not in text and is_unicode(text)


def is_unicode(text: str) -> bool:
    """Whether the text can be written in UTF-8: it has no half of a surrogate pair."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def name_fault(name: str) -> str | None:
    """Why a text cannot be the name of a principal or a group; None if it can.

    Two names that look the same must be the same: NFC, nothing that is not seen, no space but
    single ones within (compare UAX #31, UTS #39 section 3 and the profiles of RFC 8265). Letters of
    different scripts that resemble each other are not told apart.
    """
    if name != name.strip(" ") or "  " in name:
        return "it begins or ends with a space, or has two in a row"
    for character in name:
        unseen = character != " " and unicodedata.category(character) in _INVISIBLE_CATEGORIES
        if unseen or _BLANK.match(character):
            return (
                f"it holds U+{ord(character):04X}, which is not seen: a name has letters, digits, "
                "signs and single spaces within"
            )
    if not unicodedata.is_normalized("NFC", name):
        return "it is not in NFC, the composed form of Unicode"
    return None
