"""Who is not on a document's access list sees nothing of it, whichever table is asked."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from psycopg import sql

from footnote.domain import BlockKind, Principal, SearchFilters
from footnote.ports import Routing
from footnote.store.database import SYSTEM, Database
from footnote.store.documents import get_document
from footnote.store.facets import load_facets
from footnote.store.idempotency import IdempotentRequest, store_outcome, stored_outcome
from footnote.store.index_state import load_scope
from footnote.store.receiving import Incoming, receive_document
from tests.store.shelves import Shelf, new_shelf

pytestmark = pytest.mark.usefixtures("own_database")

ANN = Principal(principal_id="ann", groups=("board",))
BOB = Principal(principal_id="bob")
OF_A_DOCUMENT = ("document_versions", "chunks", "document_embeddings", "stage_results")


async def seen(shelf: Shelf, principal: Principal, table: str) -> int:
    """How many rows a principal sees of a table by a statement that asks for all of it."""
    async with shelf.database.workspace(shelf.workspace.workspace_id, principal) as scope:
        statement = sql.SQL("SELECT FROM {}").format(sql.Identifier(table))
        return len(await (await scope.connection.execute(statement)).fetchall())


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    """A workspace with a document for everybody and one for the board."""
    shelf = await new_shelf(database)
    await shelf.put("The salary scale is public.", about="Salaries of all")
    hidden = await shelf.put(
        "The salary of the director is secret.", about="Secret pay", access=("group:board",)
    )
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        await scope.connection.execute(
            "INSERT INTO stage_results SELECT workspace_id, document_id, 1, 'parse', 'left behind'"
            " FROM documents",
        )
        assert (await get_document(scope, hidden)).document_id == hidden
    return shelf


@pytest.mark.parametrize("table", OF_A_DOCUMENT)
async def test_rows_of_a_hidden_document_are_hidden_in_every_table(
    shelf: Shelf, table: str
) -> None:
    assert await seen(shelf, SYSTEM, table) == 2
    assert await seen(shelf, ANN, table) == 2
    assert await seen(shelf, BOB, table) == 1


async def test_the_key_of_anothers_upload_is_not_seen(shelf: Shelf) -> None:
    """Nor does it stop somebody else from using the same key."""
    for principal in (ANN, BOB):
        receipt = IdempotentRequest(
            principal_id=principal.principal_id,
            key="upload-1",
            fingerprint=hashlib.sha256(b"the same").digest(),
            lifetime_seconds=60,
        )
        async with shelf.database.workspace(shelf.workspace.workspace_id, principal) as scope:
            assert await stored_outcome(scope, receipt) is None
            received = await receive_document(
                scope,
                Incoming(
                    filename="a.txt",
                    media_type="text/plain",
                    byte_size=1,
                    content_sha256=hashlib.sha256(principal.principal_id.encode()).hexdigest(),
                    blob_key="",
                    collection="default",
                ),
            )
            await store_outcome(scope, receipt, received)
    for principal in (ANN, BOB):
        assert await seen(shelf, principal, "idempotency_keys") == 1
    assert await seen(shelf, SYSTEM, "idempotency_keys") == 2


async def test_a_document_may_be_handed_in_for_others_alone(shelf: Shelf) -> None:
    async with shelf.database.workspace(shelf.workspace.workspace_id, ANN) as scope:
        await receive_document(
            scope,
            Incoming(
                filename="a.txt",
                media_type="text/plain",
                byte_size=1,
                content_sha256="00" * 32,
                blob_key="",
                collection="default",
                access=("group:board",),
            ),
        )
    assert await seen(shelf, BOB, "document_versions") == 1
    assert await seen(shelf, ANN, "document_versions") == 3


async def test_who_searches_first_does_not_decide_what_others_are_routed_to(shelf: Shelf) -> None:
    """The documents that can be routed to are kept for the workspace, not for a principal."""
    everywhere = Routing(documents=1, threshold=0)
    for principal, expected in ((BOB, 1), (ANN, 2), (BOB, 1)):
        recalled = await shelf.recall("secret salary", principal=principal, route=everywhere)
        assert recalled.routes is not None
        assert recalled.routes.in_scope == expected
        assert len(recalled.dense) == expected


async def test_a_search_among_kinds_of_chunk_sees_only_documents_of_its_principal(
    shelf: Shelf,
) -> None:
    paragraphs = SearchFilters(evidence_types=(BlockKind.PARAGRAPH,))
    nothing = replace(paragraphs, evidence_types=(BlockKind.TABLE,))
    for principal, expected in ((BOB, 1), (ANN, 2)):
        async with shelf.database.workspace(shelf.workspace.workspace_id, principal) as scope:
            assert (await load_scope(scope, paragraphs)).count == expected
            assert (await load_scope(scope, nothing)).is_empty
            counted = await load_facets(scope, ["language"], paragraphs)
            assert [each.documents for each in counted["language"]] == [expected]
            # What was asked as the system must not leave the transaction as the system.
            everything = await scope.connection.execute("SELECT FROM documents")
            assert len(await everything.fetchall()) == expected


async def test_what_one_may_not_see_one_may_not_delete_by_its_chunks(shelf: Shelf) -> None:
    for table in OF_A_DOCUMENT:
        async with shelf.database.workspace(shelf.workspace.workspace_id, BOB) as scope:
            statement = sql.SQL("DELETE FROM {}").format(sql.Identifier(table))
            assert (await scope.connection.execute(statement)).rowcount == 1
    for table in OF_A_DOCUMENT:
        assert await seen(shelf, ANN, table) == 1
