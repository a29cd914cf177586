"""Comparing two lanes walks their indexes, however large the tables are."""

from __future__ import annotations

import pytest
from psycopg import sql

from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements
from tests.store.test_plans import plan_of, scope, shelf, whole_reads

pytestmark = pytest.mark.usefixtures("own_database")

__all__ = ["scope", "shelf"]  # fixtures


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("missing_chunks", "embeddings_pkey"),
        ("is_missing", "embeddings_pkey"),
        ("copy_known", "embeddings_text"),
        ("missing_documents", "document_embeddings_pkey"),
        ("copy_known_documents", "document_embeddings_text"),
        ("insert_vector", "embeddings_pkey"),
        ("purge_vectors", "embeddings_pkey"),
    ],
)
async def test_a_statement_of_a_re_embedding_uses_its_index(
    scope: WorkspaceScope,
    name: str,
    index: str,
) -> None:
    await scope.connection.execute("SET LOCAL enable_seqscan = off")
    parameters: dict[str, object] = {
        "workspace_id": scope.workspace_id,
        "lane_id": 2,
        "current": 1,
        "after": 1500,
        "limit": 64,
        "numbers": [1001, 1500, 2000],
        "chunk_no": 1500,
        "embedding": None,
    }
    plan = await plan_of(scope, sql.SQL(load_statements("lanes")[name]), parameters)
    assert f'"{index}"' in plan
    if name.startswith(("missing", "is_missing")):
        looked_up = "first_chunk" if "documents" in name else "chunk_no"
        assert f"{looked_up} = known.{looked_up}" in plan, "one look-up for each, by the index"
    assert whole_reads(plan) == set()
