"""Cursors: opaque names of the place where a list goes on, given out and taken back unchanged."""

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
"""A number of a place, as Postgres keeps it."""
UNCHANGED = "use next_cursor of the page before, unchanged"


_MARK_BYTES = 6


def write_cursor(kind: TypeAdapter[Place], place: Place, *of: object) -> str:
    """Name a place in a list, which is told from others by these: its name, what it is a list of.

    >>> write_cursor(TypeAdapter(int), 40, "passages") != write_cursor(TypeAdapter(int), 40, "rows")
    True
    """
    return base64.urlsafe_b64encode(_mark(of) + kind.dump_json(place)).decode()


def read_cursor(kind: TypeAdapter[Place], cursor: str, *of: object) -> Place:
    """Read the place that a cursor names in a list.

    Raises InvalidRequest for one that we did not give, or gave for another list.
    """
    try:
        written = base64.urlsafe_b64decode(cursor)
        if written[:_MARK_BYTES] != _mark(of):
            raise foreign_cursor()
        return kind.validate_json(written[_MARK_BYTES:])
    except (binascii.Error, ValueError) as error:
        raise foreign_cursor() from error


def _mark(of: Sequence[object]) -> bytes:
    return blake2b("\n".join(map(str, of)).encode(), digest_size=_MARK_BYTES).digest()


def foreign_cursor(
    what: str = "the cursor is not one we gave", hint: str = UNCHANGED
) -> InvalidRequest:
    """Say that a cursor names no place."""
    return InvalidRequest(what, hint=hint)
