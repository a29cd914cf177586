"""Every hot statement uses its index although row-level security is on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from uuid import UUID

import numpy as np
import psycopg
import pytest
from pgvector import HalfVector
from psycopg import sql
from psycopg.types.multirange import Int4Multirange, Multirange
from psycopg.types.range import Range

from footnote.domain import LOCAL_PRINCIPAL
from footnote.store.database import Database, WorkspaceScope
from footnote.store.dense import nearest_by_hnsw
from footnote.store.hnsw import promote, promotion_is_due
from footnote.store.statements import load_statements
from tests.conftest import TestDatabase
from tests.store.shelves import Shelf, new_shelf

pytestmark = pytest.mark.usefixtures("own_database")

ROWS = 20_000
DIMENSIONS = 64


@pytest.fixture
async def shelf(database: Database, test_database: TestDatabase) -> Shelf:
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
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return big


@pytest.fixture
async def scope(shelf: Shelf) -> AsyncIterator[WorkspaceScope]:
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as opened:
        yield opened


def _parameters(workspace_id: UUID) -> dict[str, object]:
    visible: Multirange[int] = Int4Multirange([Range(0, 1000 + ROWS)])
    return {
        "workspace_id": workspace_id,
        "lane_id": 1,
        "terms": [5, 17, 4096],
        "numbers": [1001, 1500, 2000],
        "hashes": [bytes(16), bytes(range(16))],
        "vector": HalfVector(np.ones(DIMENSIONS, dtype=np.float32)),
        "visible": visible,
        "limit": 10,
        "document_id": UUID(int=0),
        "version": 1,
        "ordinal": 3,
        "window": 2,
        "content_sha256": bytes(32),
        "external_id": "path",
        "parent_id": None,
        "collection": "default",
    }


async def plan_of(
    scope: WorkspaceScope, statement: sql.Composable, parameters: dict[str, object]
) -> str:
    row = await scope.single(sql.SQL("EXPLAIN (FORMAT JSON) ") + statement, parameters)
    return json.dumps(row["QUERY PLAN"])


def whole_reads(plan: str) -> set[str]:
    """The tables that the plan reads from end to end."""
    found = set()

    def visit(node: object) -> None:
        if isinstance(node, dict):
            if node.get("Node Type") == "Seq Scan":
                found.add(node["Relation Name"])
            node = list(node.values())
        if isinstance(node, list):
            for each in node:
                visit(each)

    visit(json.loads(plan))
    return found


@pytest.mark.parametrize(
    ("module", "name", "index"),
    [
        ("index_state", "generation", "index_states_pkey"),
        ("lexical", "postings", "postings_pkey"),
        ("dense", "nearest_exactly", "embeddings_pkey"),
        ("passages", "passages", "chunks_pkey"),
        ("passages", "neighbours", "chunks_in_document"),
        ("ingesting", "count_chunks_of_terms", "postings_pkey"),
        ("ingesting", "missing_vectors", "embeddings_text"),
        ("publishing", "insert_vectors", "embeddings_text"),
    ],
)
async def test_a_hot_statement_uses_its_index(
    scope: WorkspaceScope, module: str, name: str, index: str
) -> None:
    # A table of one row is rightly read whole; the question is whether the index can be used.
    await scope.connection.execute("SET LOCAL enable_seqscan = off")
    statement = sql.SQL(load_statements(module)[name])
    plan = await plan_of(scope, statement, _parameters(scope.workspace_id))
    assert f'"{index}"' in plan
    assert whole_reads(plan) == set()


async def test_the_large_tables_are_never_read_whole(scope: WorkspaceScope) -> None:
    for module, name, table in (
        ("lexical", "postings", "postings"),
        ("passages", "passages", "chunks"),
    ):
        statement = sql.SQL(load_statements(module)[name])
        plan = await plan_of(scope, statement, _parameters(scope.workspace_id))
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
            _parameters(workspace_id),
        )
        assert f"hnsw_{workspace_id.hex}_1" in plan
        exact = await plan_of(
            scope,
            sql.SQL(load_statements("dense")["nearest_exactly"]),
            _parameters(workspace_id),
        )
        assert "hnsw" not in exact


async def test_hnsw_and_exact_search_agree(shelf: Shelf, test_database: TestDatabase) -> None:
    workspace_id = shelf.workspace.workspace_id
    for number in range(40):
        await shelf.put(f"winch {number} rope {number % 7}", f"mast {number} sail {number % 5}")
    exact = (await shelf.recall("winch rope 3", limit=10)).dense
    await promote(shelf.database, test_database.owner_url, workspace_id, 1, shelf.lane)
    near = (await shelf.recall("winch rope 3", limit=10, exact_up_to=0)).dense
    # Many of these texts are equally near, so it is the scores that must agree.
    as_good = [hit for hit in near if hit.score >= exact[-1].score - 1e-3]
    assert len(as_good) >= 9
    assert near[0].score == pytest.approx(exact[0].score)
