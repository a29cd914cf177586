"""What every upload asks is answered from an index, however much the workspace holds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from psycopg import sql

from footnote.domain import LOCAL_PRINCIPAL
from footnote.store.database import Database, WorkspaceScope
from footnote.store.statements import load_statements
from tests.store.shelves import new_shelf
from tests.store.test_plans import plan_of, whole_reads

pytestmark = pytest.mark.usefixtures("own_database")


@pytest.fixture
async def scope(database: Database) -> AsyncIterator[WorkspaceScope]:
    shelf = await new_shelf(database)
    async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as opened:
        yield opened


@pytest.mark.parametrize(
    ("module", "name", "index"),
    [
        ("receiving", "waiting_here", "documents_unrested"),
        ("idempotency", "known", "idempotency_keys_"),
        ("idempotency", "forget_expired", "idempotency_keys_"),
        ("blob_claims", "wanted", "document_versions_blob"),
        ("blob_claims", "due", "blob_claims_"),
        ("blob_claims", "being_removed", "blob_claims_"),
        ("blob_claims", "give_up_unnamed", "document_versions_blob"),
        ("publishing", "drop_staged_of_document", "staged_embeddings_document"),
    ],
)
async def test_what_an_upload_asks_uses_its_index(
    scope: WorkspaceScope, module: str, name: str, index: str
) -> None:
    await scope.connection.execute("SET LOCAL enable_seqscan = off")
    parameters = {
        "workspace_id": scope.workspace_id,
        "document_id": UUID(int=0),
        "limit": 100,
        "principal": "local",
        "key": "k",
        "blob_key": "b",
        "tombstone": UUID(int=0),
        "content_sha256": bytes(32),
        "grace_seconds": 60,
    }
    plan = await plan_of(scope, sql.SQL(load_statements(module)[name]), parameters)
    assert f'"{index}' in plan
    assert whole_reads(plan) == set()
