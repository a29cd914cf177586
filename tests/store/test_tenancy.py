"""Nothing of one workspace is ever seen from another, nor from none."""

from __future__ import annotations

from uuid import uuid4

import numpy as np
import psycopg
import pytest
from psycopg import sql

from footnote.domain import LOCAL_PRINCIPAL, Principal
from footnote.errors import NotFound
from footnote.index.blocks import unpack_block
from footnote.index.segments import TERM
from footnote.store.database import Database
from footnote.store.documents import get_document
from footnote.store.listing import list_documents
from footnote.store.passages import passage_context
from footnote.store.receiving import Incoming, receive_document
from footnote.store.workspaces import find_workspace
from tests.conftest import TestDatabase
from tests.store.shelves import new_shelf

CUSTOMER_TABLES = (
    "workspaces index_states lanes collections documents document_versions stage_results chunks "
    "reembeddings embeddings staged_embeddings document_embeddings segments postings "
    "posting_blocks "
    "source_entries ingest_requests events webhook_endpoints idempotency_keys blob_claims "
    "conversations conversation_documents messages message_sources feedback "
    "workspace_settings mcp_servers grants data_keys sealed_texts api_keys share_links "
    "users user_groups memberships sessions "
    "audit_log audit_queries rate_limits usage budgets setting_changes retention_rules "
    "legal_holds erasures saved_views evaluation_runs started_evaluations started_outcomes "
    "workspace_sources "
    "fact_sets facts fact_embeddings fact_postings "
    "cluster_runs clusters cluster_names cluster_name_sources cluster_members "
    "chunk_cluster_runs chunk_cluster_members "
    "entity_pairs document_keys "
    "entity_sets document_entities entity_keys entity_assignments entity_names entity_decisions "
    "summary_sets summary_sentences written_sentences"
).split()


def test_every_table_with_a_workspace_is_walled(test_database: TestDatabase) -> None:
    with psycopg.connect(test_database.superuser_url) as connection:
        rows = connection.execute(
            """
            SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class
            JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = 'footnote' AND relkind IN ('r', 'p')
                AND relname NOT LIKE 'procrastinate%' AND relname <> 'migrations'
            """
        ).fetchall()
    walled = {name for name, enabled, forced in rows if enabled and forced}
    assert walled == set(CUSTOMER_TABLES)
    assert {name for name, *_ in rows} - walled == {
        "workspace_directory",
        "credential_directory",
        "login_directory",
        "failed_credentials",
        "spans",
    }


def test_the_workspace_leads_every_key(test_database: TestDatabase) -> None:
    with psycopg.connect(test_database.superuser_url) as connection:
        rows = connection.execute(
            """
            SELECT relname, conname, attname FROM pg_constraint
            JOIN pg_class ON pg_class.oid = conrelid
            JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
            WHERE relnamespace = 'footnote'::regnamespace AND contype IN ('p', 'f', 'u')
                AND relname = ANY (%s)
            UNION ALL
            SELECT relname, indexrelid::regclass::text, attname FROM pg_index
            JOIN pg_class ON pg_class.oid = indrelid
            JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
            WHERE relnamespace = 'footnote'::regnamespace AND indisunique AND relname = ANY (%s)
            """,
            [CUSTOMER_TABLES, CUSTOMER_TABLES],
        ).fetchall()
    assert len(rows) > len(CUSTOMER_TABLES)
    assert [row for row in rows if row[2] != "workspace_id"] == []


async def test_without_a_workspace_every_table_reads_empty(
    database: Database, test_database: TestDatabase
) -> None:
    await (await new_shelf(database)).put("The premium is due in March.")
    with psycopg.connect(test_database.application_url) as connection:
        for table in CUSTOMER_TABLES:
            statement = sql.SQL("SELECT * FROM footnote.{}").format(sql.Identifier(table))
            assert connection.execute(statement).fetchall() == [], table


@pytest.mark.parametrize(
    "table",
    [
        *("workspace_directory", "credential_directory", "login_directory"),
        *("failed_credentials", "spans"),
    ],
)
async def test_the_application_cannot_read_the_directory(
    database: Database, test_database: TestDatabase, table: str
) -> None:
    await new_shelf(database)
    with (
        psycopg.connect(test_database.application_url) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(sql.SQL("SELECT * FROM footnote.{}").format(sql.Identifier(table)))


async def test_a_row_cannot_be_written_into_another_workspace(database: Database) -> None:
    acme, bolt = await new_shelf(database, "acme"), await new_shelf(database, "bolt")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with database.workspace(acme.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
            await scope.connection.execute(
                "INSERT INTO collections (workspace_id, name) VALUES (%s, 'x')",
                [bolt.workspace.workspace_id],
            )


async def test_a_returned_connection_is_bound_to_nothing(database: Database) -> None:
    shelf = await new_shelf(database)
    await shelf.put("secret")
    for _ in range(8):
        async with database.outside() as connection:
            assert await (await connection.execute("SELECT * FROM documents")).fetchall() == []


async def test_twin_workspaces_with_the_same_documents_see_only_their_own(
    database: Database,
) -> None:
    acme, bolt = await new_shelf(database, "acme"), await new_shelf(database, "bolt")
    for shelf in (acme, bolt):
        await shelf.put("The premium for POL-88213-X is due in March.", "Floods are excluded.")
    for shelf, other in ((acme, bolt), (bolt, acme)):
        recalled = await shelf.recall("premium POL-88213-X")
        numbers = [hit.chunk_no for hit in recalled.lexical]
        own = await shelf.index().passages(numbers)
        async with database.workspace(other.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
            page = await list_documents(scope, limit=9, cursor=None)
        assert len(page.documents) == 1
        assert {passage.document_id for passage in own.values()}.isdisjoint(
            document.document_id for document in page.documents
        )


async def test_foreign_and_absent_look_the_same(database: Database) -> None:
    acme, bolt = await new_shelf(database, "acme"), await new_shelf(database, "bolt")
    foreign = await bolt.put("secret")
    messages = []
    for document_id in (foreign, uuid4()):
        async with database.workspace(acme.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
            with pytest.raises(NotFound) as caught:
                await get_document(scope, document_id)
            messages.append(str(caught.value).replace(str(document_id), "ID"))
            with pytest.raises(NotFound) as caught:
                await passage_context(scope, f"{document_id}:1:0", 2)
            messages.append(str(caught.value).replace(str(document_id), "ID"))
    assert messages[:2] == messages[2:]


async def test_the_two_workspaces_number_the_same_word_differently(database: Database) -> None:
    acme, bolt = await new_shelf(database, "acme"), await new_shelf(database, "bolt")
    terms = []
    for shelf in (acme, bolt):
        await shelf.put("anchor buoy chain dredger estuary fairway")
        async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
            rows = await scope.all("SELECT lists FROM posting_blocks", binary=True)
        blocks = [unpack_block(row["lists"]) for row in rows]
        terms.append({term for each in blocks for term in np.frombuffer(each.terms, TERM).tolist()})
        assert terms[-1]
    assert terms[0].isdisjoint(terms[1])


async def test_an_access_list_hides_a_document_from_every_way_in(database: Database) -> None:
    shelf = await new_shelf(database)
    await shelf.put("The salary of the director is secret.", access=("group:board",))
    await shelf.put("The salary scale is public.")
    board = Principal(principal_id="ann", groups=("board",))
    clerk = Principal(principal_id="bob")
    for principal, expected in ((board, 2), (clerk, 1)):
        recalled = await shelf.recall("salary", principal=principal)
        assert len(recalled.lexical) == expected
        assert len(recalled.dense) == expected
        everything = [hit.chunk_no for hit in (await shelf.recall("salary", principal=board)).dense]
        assert len(await shelf.index(principal).passages(everything)) == expected


async def test_an_unknown_workspace_is_not_found(database: Database) -> None:
    with pytest.raises(NotFound):
        await find_workspace(database, "nobody")


async def test_the_external_id_of_a_hidden_document_is_free(database: Database) -> None:
    shelf = await new_shelf(database)
    hidden = await shelf.put("secret", external_id="path", access=("group:board",))
    async with database.workspace(
        shelf.workspace.workspace_id, Principal(principal_id="bob")
    ) as scope:
        received = await receive_document(
            scope,
            Incoming(
                filename="a.txt",
                media_type="text/plain",
                byte_size=1,
                content_sha256="00" * 32,
                blob_key="",
                collection="default",
                external_id="path",
            ),
        )
    assert not received.duplicate
    assert received.document.version == 1
    assert received.document.document_id != hidden
