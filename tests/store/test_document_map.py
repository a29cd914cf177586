"""What a map is made of: documents and vectors that one may see, read by way of indexes."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import sql

from footnote.domain import LOCAL_PRINCIPAL, Principal, Role
from footnote.store.conditions import Compiled
from footnote.store.database import Database
from footnote.store.document_map import load_documents, load_vectors, rows_statement
from footnote.store.listing import Listing
from footnote.store.statements import load_statements
from tests.conftest import TestDatabase
from tests.store.plans import plan_of, whole_reads
from tests.store.shelves import Shelf, new_shelf

BOB = Principal(principal_id="bob", role=Role.READER)
ANN = Principal(principal_id="ann", role=Role.READER)


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    other = await new_shelf(database, "other")
    await other.put("of somebody else", about="of somebody else")
    shelf = await new_shelf(database, "maps")
    await shelf.put("berth fee", about="berth fee", collection="harbour")
    await shelf.put("not embedded as a whole")
    await shelf.put("queen's gambit", about="queen's gambit", collection="games")
    await shelf.put("for ann alone", about="for ann alone", access=("ann",))
    return shelf


async def test_a_map_has_what_one_may_see_and_its_vectors_no_others(shelf: Shelf) -> None:
    workspace_id = shelf.workspace.workspace_id
    numbers = {}
    for principal in (BOB, ANN):
        async with shelf.database.snapshot(workspace_id, principal) as scope:
            found = await load_documents(scope, 1, Listing(), most=10)
            numbers[principal] = [each.number for each in found.documents]
            assert numbers[principal] == sorted(numbers[principal])
            assert found.total - found.embedded == 1
    assert len(numbers[ANN]) == 3
    assert set(numbers[BOB]) < set(numbers[ANN])
    async with shelf.database.snapshot(workspace_id, BOB) as scope:
        found_numbers, vectors = await load_vectors(scope, 1, numbers[ANN])
    assert found_numbers.tolist() == numbers[BOB]
    assert vectors.shape[0] == 2


async def test_where_there_are_more_the_chosen_come_first_and_then_the_latest(
    shelf: Shelf,
) -> None:
    workspace_id = shelf.workspace.workspace_id
    async with shelf.database.snapshot(workspace_id, ANN) as scope:
        [latest] = (await load_documents(scope, 1, Listing(), most=1)).documents
        found = await load_documents(scope, 1, Listing(collection="harbour"), most=1)
        everything = await load_documents(scope, 1, Listing(collection="harbour"), most=10)
    assert latest.number == max(each.number for each in everything.documents)
    assert [(each.collection, each.chosen) for each in found.documents] == [("harbour", True)]
    assert sum(each.chosen for each in everything.documents) == 1
    assert (found.total, found.embedded) == (1, 1)


async def test_nothing_has_no_vectors(shelf: Shelf) -> None:
    async with shelf.database.snapshot(shelf.workspace.workspace_id, ANN) as scope:
        numbers, vectors = await load_vectors(scope, 1, [])
    assert (numbers.size, vectors.size) == (0, 0)


@pytest.mark.usefixtures("own_database")
async def test_a_map_reads_no_table_whole(
    shelf: Shelf, database: Database, test_database: TestDatabase
) -> None:
    big = await new_shelf(database, "big")
    await big.put("anchor", about="anchor")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute("SET session_replication_role = replica")
        names = [
            row[0]
            for row in connection.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_schema = 'footnote'"
                " AND table_name = 'documents' AND is_generated = 'NEVER'"
                " AND column_name NOT IN ('document_id', 'external_id')"
            )
        ]
        copied = sql.SQL(", ").join(map(sql.Identifier, names))
        connection.execute(
            sql.SQL(
                "INSERT INTO documents (document_id, {names}) SELECT gen_random_uuid(), {names}"
                " FROM documents, generate_series(1, 4000) WHERE workspace_id = %s"
            ).format(names=copied),
            [big.workspace.workspace_id],
        )
        connection.execute(
            "INSERT INTO document_embeddings (workspace_id, lane_id, first_chunk, end_chunk,"
            " document_id, length, embedding, text_hash)"
            " SELECT known.workspace_id, 1, 100 + row_number() OVER (), 200, documents.document_id,"
            " 1, known.embedding, known.text_hash"
            " FROM document_embeddings AS known JOIN documents USING (workspace_id)"
            " WHERE workspace_id = %s AND documents.document_id <> known.document_id",
            [big.workspace.workspace_id],
        )
        connection.execute("VACUUM ANALYZE")
    async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        rows = rows_statement(Compiled(sql.SQL("true"), {}))
        given: dict[str, object] = {"lane_id": 1, "most": 100, "numbers": [0, 1]}
        for statement in (
            sql.Composed([rows.text]),
            sql.SQL(load_statements("document_map")["counts"]).format(conditions=sql.SQL("true")),
            sql.SQL(load_statements("document_map")["vectors"]),
        ):
            plan = await plan_of(scope, statement, given)
            assert not whole_reads(plan), statement
            assert '"document_embeddings_' in plan, statement
