"""Cursors: opaque names of the place where a list goes on, given out and taken back unchanged."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter

from footnote.errors import InvalidRequest

Place = TypeVar("Place")
Count = Annotated[int, Field(ge=0, lt=2**31)]
"""A number of a place, as Postgres keeps it."""
UNCHANGED = "use next_cursor of the page before, unchanged"


def write_cursor(kind: TypeAdapter[Place], place: Place) -> str:
    """Name a place of this kind."""
    return base64.urlsafe_b64encode(kind.dump_json(place)).decode()


def read_cursor(kind: TypeAdapter[Place], cursor: str) -> Place:
    """Read the place that a cursor names.

    Raises InvalidRequest for one that we did not give, or gave for a place of another kind.
    """
    try:
        return kind.validate_json(base64.urlsafe_b64decode(cursor))
    except (binascii.Error, ValueError) as error:
        raise foreign_cursor() from error


def foreign_cursor(
    what: str = "the cursor is not one we gave", hint: str = UNCHANGED
) -> InvalidRequest:
    """Say that a cursor names no place."""
    return InvalidRequest(what, hint=hint)
