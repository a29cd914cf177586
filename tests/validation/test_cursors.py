"""A cursor names a place in the list that it was given for, and in no other."""

from __future__ import annotations

from uuid import UUID

import pytest
from pydantic import TypeAdapter

from footnote.errors import InvalidRequest
from footnote.validation.cursors import Count, read_cursor, write_cursor

PLACE = TypeAdapter(tuple[Count, UUID])
SOME, OTHER = UUID(int=1), UUID(int=2)


def test_a_cursor_is_read_where_it_was_given() -> None:
    cursor = write_cursor(PLACE, (3, SOME), "clusters", "chunks")
    assert read_cursor(PLACE, cursor, "clusters", "chunks") == (3, SOME)


@pytest.mark.parametrize("of", [("clusters", "documents"), ("clusters",), ("facts",), ()])
def test_a_cursor_of_another_list_is_refused(of: tuple[str, ...]) -> None:
    cursor = write_cursor(PLACE, (3, SOME), "clusters", "chunks")
    with pytest.raises(InvalidRequest, match="the cursor is not one we gave"):
        read_cursor(PLACE, cursor, *of)


def test_a_cursor_of_what_belongs_to_another_is_refused() -> None:
    cursor = write_cursor(PLACE, (3, SOME), "mentions", SOME)
    with pytest.raises(InvalidRequest, match="the cursor is not one we gave"):
        read_cursor(PLACE, cursor, "mentions", OTHER)


@pytest.mark.parametrize("cursor", ["", "x", "40", "%", "é", "A" * 12])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidRequest, match="the cursor is not one we gave"):
        read_cursor(PLACE, cursor, "clusters")
