"""What is asked at every look at a source or a stream is found by an index."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from footnote.domain import LOCAL_PRINCIPAL
from footnote.store.database import Database, WorkspaceScope
from footnote.store.statements import load_statements
from tests.conftest import TestDatabase
from tests.store.shelves import new_shelf
from tests.store.test_plans import plan_of, whole_reads

pytestmark = pytest.mark.usefixtures("own_database")

ROWS = 5_000


@pytest.fixture
async def scope(database: Database, test_database: TestDatabase) -> AsyncIterator[WorkspaceScope]:
    """A workspace with many entries and events."""
    shelf = await new_shelf(database, "big")
    document_id = await shelf.put("anchor buoy chain")
    workspace_id = shelf.workspace.workspace_id
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO source_entries
            SELECT %s, %s, '/shelf/' || number, 'default', '1:1', '\\x00', now()
            FROM generate_series(1, %s) AS number
            """,
            [workspace_id, document_id, ROWS],
        )
        connection.execute(
            """
            INSERT INTO events (workspace_id, transaction_id, document_id, kind, body)
            SELECT %s, number, gen_random_uuid(), 'document.stage', '{}'
            FROM generate_series(1, %s) AS number
            """,
            [workspace_id, ROWS],
        )
        connection.execute("VACUUM ANALYZE")
    async with database.workspace(workspace_id, LOCAL_PRINCIPAL) as opened:
        yield opened


@pytest.mark.parametrize(
    ("module", "name", "index"),
    [
        ("sources", "known_entries", "source_entries_place"),
        ("sources", "remaining_entries", "source_entries_pkey"),
        ("events", "events_after", "events_pkey"),
        ("events", "events_of_document_after", "events_document"),
        ("pushes", "status", "ingest_requests_pkey"),
        ("webhooks", "get", "webhook_endpoints_pkey"),
    ],
)
async def test_a_hot_statement_uses_its_index(
    scope: WorkspaceScope, module: str, name: str, index: str
) -> None:
    await scope.connection.execute("SET LOCAL enable_seqscan = off")
    statement = sql.SQL(load_statements(module)[name])
    parameters: dict[str, object] = {
        "workspace_id": scope.workspace_id,
        "collection": "default",
        "firsts": ["/shelf/42"],
        "ends": ["/shelf/43"],
        "document_id": uuid4(),
        "transaction_id": ROWS - 10,
        "event_no": 0,
        "limit": 20,
        "ingest_id": uuid4(),
        "endpoint_id": uuid4(),
    }
    plan = await plan_of(scope, statement, parameters)
    assert f'"{index}"' in plan
    assert whole_reads(plan) == set()
