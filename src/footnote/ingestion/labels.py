"""What a caller says about a document is checked before it is stored beside it."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from footnote.domain import (
    MAX_EXTERNAL_ID_CHARACTERS,
    MAX_NAME_CHARACTERS,
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    MetadataValue,
    Principal,
)
from footnote.errors import InvalidRequest
from footnote.text import is_storable


def checked_collection(name: str) -> str:
    """The name, if it can name a collection. Raises InvalidRequest."""
    return _checked("the collection", name, MAX_NAME_CHARACTERS)


def checked_external_id(external_id: str | None) -> str | None:
    """The id, if it can be found again. Raises InvalidRequest."""
    if external_id is None:
        return None
    return _checked("the external id", external_id, MAX_EXTERNAL_ID_CHARACTERS)


def checked_metadata(metadata: Mapping[str, MetadataValue]) -> Mapping[str, MetadataValue]:
    """The metadata, if JSON and Postgres can hold it. Raises InvalidRequest."""
    if not isinstance(metadata, Mapping):
        raise _another_type("the metadata", metadata, "a mapping of names to values")
    for key, value in metadata.items():
        _checked("a metadata key", key, MAX_NAME_CHARACTERS)
        what = f"the metadata value of {key!r}"
        if not isinstance(value, str | int | float):
            raise _another_type(what, value, "text, a number or a boolean")
        if isinstance(value, str) and not is_storable(value):
            raise _unstorable(what)
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidRequest(f"{what} is {value}", hint="give a finite number")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise InvalidRequest(f"{what} needs more than 64 bits", hint="give it as text")
    return metadata


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags in NFC, each once, in their order. Raises InvalidRequest."""
    given = _checked_names("the tags", tags)
    distinct = tuple(dict.fromkeys(unicodedata.normalize("NFC", tag) for tag in given))
    if len(distinct) > MAX_TAGS:
        raise InvalidRequest(
            f"a document is given {len(distinct)} tags", hint=f"give at most {MAX_TAGS}"
        )
    return tuple(_checked("a tag", tag, MAX_TAG_CHARACTERS) for tag in distinct)


def checked_access(access: Sequence[str] | None) -> tuple[str, ...] | None:
    """The names that are admitted; None admits everybody. Raises InvalidRequest."""
    return None if access is None else _checked_principals("access", access)


def checked_principal(principal: Principal) -> Principal:
    """The principal, if it and its groups have names. Raises InvalidRequest."""
    _checked_principals("the principal", (principal.principal_id,))
    _checked_principals("the principal's groups", principal.groups)
    return principal


def _checked_principals(what: str, names: Sequence[str]) -> tuple[str, ...]:
    """Names that access is given to: one that is empty, or cut short by a NUL, is another's."""
    listed = _checked_names(what, names)
    for name in listed:
        if not name.strip():
            raise InvalidRequest(f"{what} holds an empty name", hint="give a name, or leave it out")
        if not is_storable(name):
            raise _unstorable(what)
    return listed


def _checked_names(what: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names, for a single text would be taken for its letters."""
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise _another_type(what, names, "a list of texts")
    listed = tuple(names)
    for name in listed:
        if not isinstance(name, str):
            raise _another_type(what, name, "a list of texts")
    return listed


def _another_type(what: str, value: object, wanted: str) -> InvalidRequest:
    return InvalidRequest(f"{what} cannot be {type(value).__name__}", hint=f"give {wanted}")


def _checked(what: str, text: str, most: int) -> str:
    if not isinstance(text, str):
        raise _another_type(what, text, "a text")
    if not text or len(text) > most:
        raise InvalidRequest(
            f"{what} has {len(text)} characters", hint=f"use 1 to {most} characters"
        )
    if not is_storable(text):
        raise _unstorable(what)
    return text


def _unstorable(what: str) -> InvalidRequest:
    return InvalidRequest(
        f"{what} holds a character that cannot be stored",
        hint="leave out NUL and unpaired surrogates",
    )
