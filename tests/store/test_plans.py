"""Every hot statement uses its index although row-level security is on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import date
from uuid import UUID

import numpy as np
import psycopg
import pytest
from pgvector import HalfVector
from psycopg import sql
from psycopg.types.multirange import Int4Multirange
from psycopg.types.range import Range

from footnote.domain import LOCAL_PRINCIPAL
from footnote.store.database import Database, WorkspaceScope
from footnote.store.dense import nearest_by_hnsw
from footnote.store.embedded import EmbeddedPostgres
from footnote.store.hnsw import (
    demote,
    demotion_is_due,
    index_name,
    promote,
    promotion_is_due,
)
from footnote.store.index_cache import IndexCache
from footnote.store.statements import load_statements
from tests.conftest import TestDatabase, fresh_database, pool_over
from tests.store.plans import faults_of, plan_of, whole_reads
from tests.store.shelves import Shelf, new_shelf

ROWS = 20_000
ENTRIES = 5_000
DIMENSIONS = 64


@pytest.fixture(scope="module")
async def filled(postgres: EmbeddedPostgres) -> AsyncIterator[tuple[TestDatabase, Shelf]]:
    """What each test has a copy of."""
    with fresh_database(postgres) as made:
        async with pool_over(made) as database:
            shelf = await laid_out(database, made)
        yield made, shelf


@pytest.fixture
def own_database(
    postgres: EmbeddedPostgres, filled: tuple[TestDatabase, Shelf]
) -> Iterator[TestDatabase]:
    with fresh_database(postgres, template=filled[0].name) as made:
        yield made


@pytest.fixture
def shelf(
    own_database: TestDatabase, database: Database, filled: tuple[TestDatabase, Shelf]
) -> Shelf:
    return replace(filled[1], database=database, cache=IndexCache(2**24))


async def laid_out(database: Database, test_database: TestDatabase) -> Shelf:
    """A workspace beside a big one, with rows enough that a scan would be dearer."""
    shelf = await new_shelf(database, "small")
    big = await new_shelf(database, "big")
    for each in (shelf, big):
        await each.put("anchor buoy chain", "dredger estuary")
    with psycopg.connect(test_database.superuser_url) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO postings SELECT %s, number, 900, '\\x00000000', '\\x0100'
            FROM generate_series(1, %s) AS number
            """,
            [big.workspace.workspace_id, ROWS],
        )
        connection.execute(
            """
            INSERT INTO posting_blocks SELECT %s, number - 1000, 900, '\\x010101010000000000000000'
            FROM generate_series(1, %s) AS number
            """,
            [big.workspace.workspace_id, ROWS],
        )
        connection.execute(
            """
            INSERT INTO embeddings SELECT %(workspace)s, 1, 1000 + number,
                decode(md5(number::text), 'hex'),
                (SELECT array_agg(sin(number * k)) FROM generate_series(1, %(size)s) AS k)
                    ::real[]::halfvec
            FROM generate_series(1, %(rows)s) AS number
            """,
            {"workspace": big.workspace.workspace_id, "rows": ROWS, "size": DIMENSIONS},
        )
        connection.execute(
            """
            INSERT INTO chunks SELECT %(workspace)s, 1000 + number, document_id, 1, 10 + number,
                'paragraph', 'x', 0, 0, 1, '[]', '{}', NULL, NULL, 1, 1, 1, NULL
            FROM documents, generate_series(1, %(rows)s) AS number
            WHERE documents.workspace_id = %(workspace)s
            """,
            {"workspace": big.workspace.workspace_id, "rows": ROWS},
        )
        connection.execute(
            """
            INSERT INTO ingest_requests
                (workspace_id, ingest_id, document_id, principal, request, state)
            SELECT %s, gen_random_uuid(), gen_random_uuid(), 'local', '{}', 'received'
            FROM generate_series(1, %s)
            """,
            [big.workspace.workspace_id, ROWS],
        )
        connection.execute(
            """
            INSERT INTO source_entries
            SELECT %(workspace)s, document_id, '/shelf/' || number, 'default', '1:1', '\\x00', now()
            FROM documents, generate_series(1, %(rows)s) AS number
            WHERE documents.workspace_id = %(workspace)s
            """,
            {"workspace": big.workspace.workspace_id, "rows": ENTRIES},
        )
        connection.execute(
            """
            INSERT INTO events (workspace_id, transaction_id, document_id, kind, body)
            SELECT %s, number, gen_random_uuid(), 'document.stage', '{}'
            FROM generate_series(1, %s) AS number
            """,
            [big.workspace.workspace_id, ENTRIES],
        )
        connection.execute(
            """
            INSERT INTO audit_log SELECT %s, number, gen_random_uuid(), now(), 'ann', 'local',
                'read', 'document', 'done', NULL, '{}', '{}', '{}', NULL, zeros, zeros
            FROM generate_series(1, %s) AS number, decode(repeat('00', 32), 'hex') AS zeros
            """,
            [big.workspace.workspace_id, ENTRIES],
        )
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return big


@pytest.fixture
async def scope(shelf: Shelf) -> AsyncIterator[WorkspaceScope]:
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as opened:
        yield opened


HOT = (
    ("index_state", "generation", "index_states_pkey"),
    ("index_state", "in_languages", "documents_"),
    ("lexical", "postings", "postings_pkey"),
    ("lexical", "postings", "posting_blocks_pkey"),
    ("merging", "of_older_format", "segments_pkey"),
    ("dense", "nearest_exactly", "embeddings_pkey"),
    ("passages", "passages", "chunks_pkey"),
    ("passages", "documents_of", "chunks_pkey"),
    ("passages", "tables", "chunks_pkey"),
    ("passages", "passages_at", "chunks_in_version"),
    ("passages", "neighbours", "chunks_in_version"),
    ("passages", "chunks_at", "chunks_in_version"),
    ("phrase_filter", "texts", "chunks_pkey"),
    ("phrase_filter", "language_ranges", "documents_"),
    ("routing", "documents", "document_embeddings_pkey"),
    ("routing", "insert", "embeddings_text"),
    ("routing", "delete", "document_embeddings_document"),
    ("ingesting", "stored_version", "stage_results_pkey"),
    ("ingesting", "missing_vectors", "embeddings_text"),
    ("ingesting", "clear_texts", "chunks_pkey"),
    ("publishing", "insert_vectors", "embeddings_text"),
    ("publishing", "segment_sizes", "segments_pkey"),
    ("publishing", "drop_segments", "segments_pkey"),
    ("publishing", "drop_postings", "postings_of_segment"),
    ("publishing", "drop_postings", "posting_blocks_of_segment"),
    ("publishing", "drop_staged_of_document", "staged_embeddings_document"),
    ("receiving", "known", "documents_external_id"),
    ("receiving", "known", "documents_content"),
    ("receiving", "waiting_here", "documents_unrested"),
    ("idempotency", "known", "idempotency_keys_"),
    ("idempotency", "forget_expired", "idempotency_keys_"),
    ("blob_claims", "unwanted", "document_versions_blob"),
    ("blob_claims", "settle", "blob_claims_"),
    ("blob_claims", "removed", "blob_claims_"),
    ("blob_claims", "due", "blob_claims_"),
    ("blob_claims", "being_removed", "blob_claims_"),
    ("blob_claims", "give_up_unnamed", "document_versions_blob"),
    ("lanes", "missing_chunks", "embeddings_pkey"),
    ("lanes", "is_missing", "embeddings_pkey"),
    ("lanes", "copy_known", "embeddings_text"),
    ("lanes", "missing_documents", "document_embeddings_pkey"),
    ("lanes", "copy_known_documents", "document_embeddings_text"),
    ("lanes", "insert_vector", "embeddings_pkey"),
    ("lanes", "purge_vectors", "embeddings_pkey"),
    ("sources", "known_entries", "source_entries_place"),
    ("sources", "remaining_entries", "source_entries_pkey"),
    ("events", "events_after", "events_in_order"),
    ("events", "events_of_document_after", "events_document"),
    ("pushes", "status", "ingest_requests_pkey"),
    ("pushes", "superseded", "ingest_requests_document"),
    ("webhooks", "get", "webhook_endpoints_pkey"),
    ("usage", "add", "usage_pkey"),
    ("usage", "by_day", "usage_pkey"),
    ("usage", "by_person", "usage_pkey"),
    ("collections", "summaries", "documents_by_collection"),
    ("summaries", "sentences", "summary_sentences_pkey"),
    ("summaries", "written", "written_sentences_pkey"),
    ("summaries", "latest_of_collection", "documents_recent"),
    ("usage", "budgets", "usage_pkey"),
    ("configuration", "latest", "changes_of_setting"),
    ("configuration", "history", "changes_of_setting"),
    ("rate_limits", "take", "rate_limits_pkey"),
    ("audit", "head", "audit_log_pkey"),
    ("audit", "entries", "audit_log_pkey"),
    ("audit", "entries_after", "audit_log_pkey"),
)
"""Module, statement, and the beginning of the name of an index that it uses."""

PARAMETERS: dict[str, object] = {
    "act": None,
    "acting": "ann",
    "after": 1500,
    "before": 1500,
    "blocks": [-9, -1],
    "burst": 10,
    "byte_size": 12,
    "caller": "key:1",
    "blob_key": "b",
    "blob_keys": ["b", "c"],
    "chunk_no": 1500,
    "collection": "default",
    "content_sha256": bytes(32),
    "current": 1,
    "document_id": UUID(int=0),
    "document_ids": [UUID(int=0)],
    "embedding": None,
    "end": 2,
    "endpoint_id": UUID(int=1),
    "ends": ["/shelf/43"],
    "complete": 20,
    "event_no": 0,
    "external_id": "path",
    "filename": "a.txt",
    "former_external_id": None,
    "first": 1,
    "format": 2,
    "firsts": ["/shelf/42"],
    "grace_seconds": 60,
    "hash": bytes(16),
    "hashes": [bytes(16), bytes(range(16))],
    "ingest_id": UUID(int=1),
    "key": "k",
    "lane_id": 1,
    "length": 3,
    "limit": 20,
    "name": "fusion",
    "names": None,
    "numbers": [1001, 1500, 2000],
    "ordinal": 3,
    "parent_id": None,
    "reader": "0" * 64,
    "recorded_before": None,
    "recorded_from": None,
    **dict.fromkeys(("requests", "input_tokens", "output_tokens", "units", "cost_usd"), 1),
    **{"unpriced_requests": 0, "kind": "ocr", "model": "local", "user": "ann"},
    **{"conversation": None, "document": None, "conversation_id": UUID(int=0)},
    **{"first_day": date(2026, 5, 1), "last_day": date(2026, 5, 2)},
    "segment_ids": [1, 2],
    "since": 3,
    "starts": [40],
    "step": 0.1,
    **{"summariser": "sentences 1", "writer": "w", "languages": ["de", "fr"]},
    "terms": [5, 17, 4096],
    "tombstone": UUID(int=0),
    "transaction_id": ENTRIES - 10,
    "vector": HalfVector(np.ones(DIMENSIONS, dtype=np.float32)),
    "version": 1,
    "visible": Int4Multirange([Range(0, 1000 + ROWS)]),
    "window": 2,
}


async def test_hot_statements_use_their_indexes(scope: WorkspaceScope) -> None:
    # Small tables are rightly read whole; the question is whether the index can be used.
    await scope.execute("SET LOCAL enable_seqscan = off")
    faults = []
    for statement in HOT:
        other: dict[str, object] = {"lane_id": 2} if statement[0] == "lanes" else {}
        if statement[2] == "documents_content":
            other = {"external_id": None}
        faults += await faults_of(scope, statement, PARAMETERS | other)
    assert faults == []


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("missing_chunks", "chunk_no"),
        ("is_missing", "chunk_no"),
        ("missing_documents", "first_chunk"),
    ],
)
async def test_two_lanes_are_compared_by_one_look_up_for_each_row(
    scope: WorkspaceScope, name: str, number: str
) -> None:
    await scope.execute("SET LOCAL enable_seqscan = off")
    statement = sql.SQL(load_statements("lanes")[name])
    plan = await plan_of(scope, statement, PARAMETERS | {"lane_id": 2})
    assert f"{number} = known.{number}" in plan


async def test_the_large_tables_are_never_read_whole(scope: WorkspaceScope) -> None:
    for module, name, table in (
        ("lexical", "postings", "postings"),
        ("lexical", "postings", "posting_blocks"),
        ("passages", "passages", "chunks"),
        ("passages", "documents_of", "chunks"),
        ("passages", "tables", "chunks"),
    ):
        plan = await plan_of(scope, sql.SQL(load_statements(module)[name]), PARAMETERS)
        assert table not in whole_reads(plan)


async def test_a_promoted_workspace_is_searched_through_its_own_hnsw_index(
    shelf: Shelf, test_database: TestDatabase
) -> None:
    workspace_id = shelf.workspace.workspace_id
    lane_id = await promotion_is_due(shelf.database, workspace_id, shelf.lane, 1)
    assert lane_id == 1
    await promote(shelf.database, test_database.owner_url, workspace_id, lane_id, shelf.lane)
    assert await promotion_is_due(shelf.database, workspace_id, shelf.lane, 1) is None
    async with shelf.database.workspace(workspace_id, LOCAL_PRINCIPAL) as scope:
        plan = await plan_of(
            scope,
            nearest_by_hnsw(workspace_id, lane_id, DIMENSIONS),
            PARAMETERS,
        )
        assert f"hnsw_{workspace_id.hex}_1" in plan
        exact = await plan_of(
            scope,
            sql.SQL(load_statements("dense")["nearest_exactly"]),
            PARAMETERS,
        )
        assert "hnsw" not in exact


async def test_a_workspace_that_shrank_loses_its_index_and_finds_the_same(
    shelf: Shelf, test_database: TestDatabase
) -> None:
    workspace_id, owner = shelf.workspace.workspace_id, test_database.owner_url
    for number in range(4):
        await shelf.put(f"winch {number}")
    async with shelf.database.workspace(workspace_id, LOCAL_PRINCIPAL) as scope:
        row = await scope.single(
            "SELECT sum(upper(chunks) - lower(chunks))::int AS live FROM documents "
            "WHERE workspace_id = %(workspace_id)s AND NOT isempty(chunks)"
        )
        chunks = row["live"]
    assert await demotion_is_due(shelf.database, workspace_id, 10_000) is None, "it has none"
    await promote(shelf.database, owner, workspace_id, 1, shelf.lane)
    before = (await shelf.recall("winch 3")).dense
    assert await demotion_is_due(shelf.database, workspace_id, 2 * chunks) is None
    assert await demotion_is_due(shelf.database, workspace_id, 2 * chunks + 1) == 1
    await demote(shelf.database, owner, workspace_id, 1)
    assert await demotion_is_due(shelf.database, workspace_id, 10_000) is None
    assert (await shelf.recall("winch 3", exact_up_to=0)).dense == before
    named = f"SELECT FROM pg_class WHERE relname = '{index_name(workspace_id, 1)}'"
    async with await psycopg.AsyncConnection.connect(owner) as connection:
        assert await (await connection.execute(named)).fetchall() == []
    # An index comes again with the chunks.
    assert await promotion_is_due(shelf.database, workspace_id, shelf.lane, chunks) == 1


async def test_hnsw_and_exact_search_agree(shelf: Shelf, test_database: TestDatabase) -> None:
    workspace_id = shelf.workspace.workspace_id
    for number in range(40):
        await shelf.put(f"winch {number} rope {number % 7}", f"mast {number} sail {number % 5}")
    exact = (await shelf.recall("winch rope 3", limit=100)).dense
    await promote(shelf.database, test_database.owner_url, workspace_id, 1, shelf.lane)
    near = (await shelf.recall("winch rope 3", limit=10, exact_up_to=0)).dense
    # Many of these texts are equally near, and a graph may have no way to one of them, be it the
    # nearest: what it finds must be nearly as near as the ten nearest, with the same scores.
    as_good = [hit for hit in near if hit.score >= exact[9].score - 1e-3]
    assert len(as_good) >= 8
    scores = {hit.chunk_no: hit.score for hit in exact}
    assert [hit.score for hit in near] == pytest.approx([scores[hit.chunk_no] for hit in near])
