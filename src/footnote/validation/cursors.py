"""Pagination cursors: opaque encodings of a position in a list."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from hashlib import blake2b
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter

from footnote.errors import InvalidRequest

Place = TypeVar("Place")
Count = Annotated[int, Field(ge=0, lt=2**31)]
"""A count within a position, in the range of Postgres's integer."""
UNCHANGED = "use next_cursor of the page before, unchanged"


_MARK_BYTES = 6


def write_cursor(kind: TypeAdapter[Place], position: Place, *of: object) -> str:
    """Encode a position in a list as a cursor; `of` identifies the list, such as by its name.

    >>> write_cursor(TypeAdapter(int), 40, "passages") != write_cursor(TypeAdapter(int), 40, "rows")
    True
    """
    return base64.urlsafe_b64encode(_mark(of) + kind.dump_json(position)).decode()


def read_cursor(kind: TypeAdapter[Place], cursor: str, *of: object) -> Place:
    """Decode a cursor of the list that `of` identifies.

    Raises InvalidRequest for a cursor that is invalid or of another list.
    """
    try:
        decoded = base64.urlsafe_b64decode(cursor)
        if decoded[:_MARK_BYTES] != _mark(of):
            raise foreign_cursor()
        return kind.validate_json(decoded[_MARK_BYTES:])
    except (binascii.Error, ValueError) as error:
        raise foreign_cursor() from error


def _mark(of: Sequence[object]) -> bytes:
    return blake2b("\n".join(map(str, of)).encode(), digest_size=_MARK_BYTES).digest()


def foreign_cursor(
    message: str = "the cursor is not one we gave", hint: str = UNCHANGED
) -> InvalidRequest:
    """Return the error for an invalid cursor."""
    return InvalidRequest(message, hint=hint)
