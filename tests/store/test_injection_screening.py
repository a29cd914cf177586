"""Passages at which nobody looked are found by an index of their own, and marked once."""

from __future__ import annotations

import psycopg
import pytest

from footnote.store.database import SYSTEM, Database
from footnote.store.injection_screening import (
    any_unmarked,
    count_marked,
    mark_passages,
    unmarked_passages,
)
from tests.conftest import TestDatabase
from tests.store.plans import faults_of
from tests.store.shelves import new_shelf

pytestmark = pytest.mark.usefixtures("own_database")


async def test_passages_without_a_mark_are_found_by_their_index(
    database: Database, test_database: TestDatabase
) -> None:
    shelf = await new_shelf(database, "much-marked")
    await shelf.put("anchor buoy chain")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO chunks SELECT workspace_id, 1000 + number, document_id, 1, 10 + number,
                'paragraph', 'x', 0, 0, 1, '[]', '{}', NULL, NULL, 1, 1, 1, NULL
            FROM documents, generate_series(1, 20000) AS number;
            UPDATE chunks SET suspicious = false WHERE chunk_no > 1000;
            """
        )
        connection.execute("VACUUM ANALYZE")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        faults = []
        given: dict[str, object] = {"limit": 64, "numbers": [1, 2], "found": [True, False]}
        for name, index in (
            ("any_unmarked", "chunks_unmarked"),
            ("unmarked", "chunks_unmarked"),
            ("progress", "chunks_unmarked"),
            ("mark", "chunks_"),
        ):
            found = await faults_of(scope, ("injection_screening", name, index), given)
            # One document: its table is rightly read whole.
            faults += [each for each in found if not each.endswith("documents whole")]
    assert faults == []


async def test_a_mark_is_kept_and_not_made_twice(database: Database) -> None:
    shelf = await new_shelf(database, "marked")
    await shelf.put("anchor buoy chain", "dredger estuary")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        one, other = await unmarked_passages(scope, 9)
        assert (await count_marked(scope)).done == 0
        await mark_passages(scope, {one.chunk_no: True})
        await mark_passages(scope, {one.chunk_no: False, other.chunk_no: False})
        assert not await any_unmarked(scope)
        counts = await count_marked(scope)
        assert (counts.documents, counts.done, counts.oldest_waiting) == (1, 1, None)
        rows = await scope.all("SELECT suspicious FROM chunks ORDER BY chunk_no")
    assert [row["suspicious"] for row in rows] == [True, False]
