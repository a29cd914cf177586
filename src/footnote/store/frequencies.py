"""Counts in how many chunks of a workspace terms occur."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.ports import TermCounts
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements

_SQL = load_statements("frequencies")


async def count_chunks(scope: WorkspaceScope, terms: Sequence[int]) -> TermCounts:
    """In how many chunks each term occurs, in the order of the terms; deleted ones may count."""
    parameters = {"workspace_id": scope.workspace_id, "terms": sorted(set(terms))}
    cursor = await scope.connection.execute(_SQL["chunks"], parameters)
    row = await cursor.fetchone()
    found = await scope.connection.execute(_SQL["chunks_of_terms"], parameters)
    by_term = {each["term"]: each["chunks"] for each in await found.fetchall()}
    return TermCounts(
        chunks=row["chunks"] if row else 0, holding=tuple(by_term.get(term, 0) for term in terms)
    )
