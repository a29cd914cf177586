"""Decrypt document titles for filter conditions that the database cannot evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from footnote.domain import AllOf, AnyOf, Comparison, Condition, Not
from footnote.errors import InvalidRequest
from footnote.filters import METADATA
from footnote.store.conditions import Titles
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import SEALED_METADATA, TITLE
from footnote.store.statements import load_statements

_SQL = load_statements("sealed_titles")


async def titles_for(scope: WorkspaceScope, condition: Condition | None) -> Titles | None:
    """Return the titles of all visible documents if the condition compares titles.

    None if it does not, or where content is not encrypted and the database compares them itself.
    Raises InvalidRequest for a condition on encrypted metadata.
    """
    if condition is None or not scope.sealing.encrypts:
        return None
    fields = set(_fields_of(condition))
    require_readable(scope, fields)
    if "title" not in fields:
        return None
    rows = await scope.all(_SQL["titles"])
    return {
        row["document_id"]: scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"])
        for row in rows
    }


def require_readable(scope: WorkspaceScope, fields: Iterable[str]) -> None:
    """Raise InvalidRequest for a field whose values are encrypted in the workspace."""
    for name in fields:
        key = name.removeprefix(METADATA)
        is_sealed = name == "keywords" or (name != key and key in SEALED_METADATA)
        if scope.sealing.encrypts and is_sealed:
            raise InvalidRequest(
                f"{name} is encrypted in this workspace, so it can be neither filtered by nor "
                "counted",
                hint="filter by title, or give what you want to filter by under another key",
            )


def _fields_of(condition: Condition) -> Iterator[str]:
    match condition:
        case AllOf() | AnyOf():
            for operand in condition.conditions:
                yield from _fields_of(operand)
        case Not():
            yield from _fields_of(condition.condition)
        case Comparison():
            yield condition.field
