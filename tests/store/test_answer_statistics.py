"""Citations and refusals are counted from an index, without reading the answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from psycopg import sql

from footnote.store.answer_statistics import StatisticsPeriod, citation_report
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.embedded import EmbeddedPostgres
from footnote.store.statements import load_statements
from tests.conftest import TestDatabase, fresh_database, pool_over
from tests.store.plans import plan_of, whole_reads
from tests.store.shelves import Shelf, new_shelf

EXCHANGES = 20_000
REFUSED_OF = 50
"""One of so many answers says that there is none."""


@pytest.fixture(scope="module")
async def shelf(postgres: EmbeddedPostgres) -> AsyncIterator[Shelf]:
    """What these tests look at and none of them changes."""
    with fresh_database(postgres) as made:
        async with pool_over(made) as database:
            yield await laid_out(database, made)


async def laid_out(database: Database, test_database: TestDatabase) -> Shelf:
    """A workspace with two documents, of which every answer cites the first."""
    shelf = await new_shelf(database, "much-asked")
    await shelf.put("anchor buoy chain", "dredger estuary")
    await shelf.put("lock weir sluice")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        given = {"workspace": shelf.workspace.workspace_id, "rows": EXCHANGES, "of": REFUSED_OF}
        connection.execute(
            """
            INSERT INTO conversations
                (workspace_id, principal, conversation_id, title, document_mode)
            SELECT %(workspace)s, 'person' || number %% 50, md5(number::text)::uuid, '', 'first'
            FROM generate_series(1, %(rows)s / 10) AS number
            """,
            given,
        )
        connection.execute(
            """
            INSERT INTO messages (
                workspace_id, principal, conversation_id, message_no, message_id, role, text,
                answer, active, created_at, found
            )
            SELECT %(workspace)s, 'person' || (number %% (%(rows)s / 10) + 1) %% 50,
                md5((number %% (%(rows)s / 10) + 1)::text)::uuid, number, gen_random_uuid(),
                'assistant', '', '{}', true, now() - interval '1 day' * (number %% 400),
                number %% %(of)s <> 0
            FROM generate_series(1, %(rows)s) AS number
            """,
            given,
        )
        connection.execute(
            """
            INSERT INTO message_sources
            SELECT workspace_id, documents.document_id, principal, conversation_id, message_no,
                CASE WHEN document_id = first_id THEN 2 ELSE 0 END, messages.created_at
            FROM messages JOIN documents USING (workspace_id), LATERAL (
                SELECT document_id AS first_id FROM documents ORDER BY document_id LIMIT 1
            ) AS first
            """
        )
        connection.execute("VACUUM ANALYZE")
    return shelf


@pytest.fixture
async def scope(shelf: Shelf) -> AsyncIterator[WorkspaceScope]:
    async with shelf.database.workspace(shelf.workspace.workspace_id, SYSTEM) as opened:
        yield opened


def last_days(days: int) -> dict[str, datetime]:
    end = datetime.now(UTC) + timedelta(days=1)
    return {"begin": end - timedelta(days=days), "end": end}


@pytest.mark.parametrize(
    ("name", "node", "index"),
    [
        ("cited", "Index Only Scan", "message_sources_cited"),
        ("unanswered", "Index Scan", "messages_unanswered"),
        ("never_cited", "Index Scan", "documents_recent"),
    ],
)
async def test_statistics_are_read_from_their_index(
    scope: WorkspaceScope, name: str, node: str, index: str
) -> None:
    # The few documents of a test are rightly read whole.
    await scope.execute("SET LOCAL enable_seqscan = off")
    given: dict[str, object] = {
        **last_days(30),
        "limit": 20,
        "document_ids": [],
        "collections": None,
    }
    statement = sql.SQL(load_statements("answer_statistics")[name])
    plan = await plan_of(scope, statement, given)
    assert f'"{index}"' in plan
    assert f'"{node}"' in plan
    assert whole_reads(plan) == set()


async def test_all_answers_of_a_period_are_counted(scope: WorkspaceScope) -> None:
    wanted = last_days(401)
    period = StatisticsPeriod(begin=wanted["begin"], end=wanted["end"])
    report = await citation_report(scope, period, None, 10)
    [most] = report.most_cited
    assert (most.answers, most.citations) == (EXCHANGES, 2 * EXCHANGES)
    assert report.never_cited_count == report.documents - 1
