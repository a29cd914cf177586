"""What a principal may search through its filters, and that asking for it uses indexes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from psycopg.types.multirange import Int4Multirange, Multirange
from psycopg.types.range import Range

from footnote.domain import (
    LOCAL_PRINCIPAL,
    BlockKind,
    Comparison,
    Operator,
    Principal,
    SearchFilters,
    SourceType,
)
from footnote.errors import InvalidRequest
from footnote.filters import condition_from
from footnote.store.conditions import admitted
from footnote.store.database import SYSTEM, Database
from footnote.store.embedded import EmbeddedPostgres
from footnote.store.index_state import load_scope
from footnote.store.statements import load_statements
from footnote.store.workspaces import create_workspace
from tests.conftest import TestDatabase, fresh_database, pool_over
from tests.store.papers import Paper, lay
from tests.store.plans import plan_of, whole_reads

KINDS = (BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.TABLE)
PAPERS = (
    Paper(document_id=UUID(int=1), kinds=KINDS, language="en", tags=("a",)),
    Paper(document_id=UUID(int=2), kinds=KINDS, language="de", collection="two"),
    Paper(document_id=UUID(int=3), kinds=KINDS, access=("alice",)),
    Paper(document_id=UUID(int=4), kinds=(), language="en", tags=("a",)),
    Paper(
        document_id=UUID(int=5),
        kinds=(BlockKind.TABLE, BlockKind.TABLE, BlockKind.LIST),
        source_type="email",
        language="en",
    ),
)
ROWS = 20_000


@pytest.fixture
async def workspace_id(database: Database) -> UUID:
    workspace, _ = await two_workspaces(database)
    return workspace


async def two_workspaces(database: Database) -> tuple[UUID, UUID]:
    """A workspace with the papers, beside one with the same under the same numbers."""
    other = await create_workspace(database, "other")
    await lay(database, other.workspace_id, PAPERS)
    workspace = await create_workspace(database, "acme")
    await lay(database, workspace.workspace_id, PAPERS)
    return workspace.workspace_id, other.workspace_id


async def visible(
    database: Database,
    workspace_id: UUID,
    filters: SearchFilters | None = None,
    principal: Principal = LOCAL_PRINCIPAL,
) -> list[int]:
    """The chunk numbers in sight."""
    async with database.snapshot(workspace_id, principal) as scope:
        ranges = await load_scope(scope, filters or SearchFilters())
    return [number for start, stop in ranges.pairs for number in range(start, stop)]


async def test_each_filter_narrows_and_all_work_together(
    database: Database, workspace_id: UUID
) -> None:
    tables = (BlockKind.TABLE,)
    english = condition_from({"language": "en"})
    nothing = condition_from({"language": "fr"})
    together = SearchFilters(
        collections=("default",),
        document_ids=(UUID(int=1), UUID(int=2), UUID(int=5)),
        source_types=(SourceType.UPLOAD, SourceType.EMAIL),
        evidence_types=tables,
        where=english,
    )
    expected = [
        (SearchFilters(), [0, 1, 2, 3, 4, 5, 9, 10, 11]),
        (SearchFilters(evidence_types=tables), [2, 5, 9, 10]),
        (SearchFilters(evidence_types=(BlockKind.LIST, *tables)), [2, 5, 9, 10, 11]),
        (SearchFilters(where=english), [0, 1, 2, 9, 10, 11]),
        (SearchFilters(where=english, source_types=(SourceType.EMAIL,)), [9, 10, 11]),
        (SearchFilters(where=english, collections=("two",)), []),
        (together, [2, 9, 10]),
        (replace(together, source_types=(SourceType.EMAIL,)), [9, 10]),
        (SearchFilters(where=nothing), []),
        (SearchFilters(where=nothing, evidence_types=tables), []),
    ]
    for filters, numbers in expected:
        assert await visible(database, workspace_id, filters) == numbers, filters


@pytest.mark.parametrize("kinds", [(), (BlockKind.TABLE,)], ids=["all kinds", "tables"])
async def test_no_filter_shows_what_is_hidden(
    database: Database, workspace_id: UUID, kinds: tuple[BlockKind, ...]
) -> None:
    anything = condition_from({"any": [{"title": {"exists": True}}, {"not": {"tags": "a"}}]})
    alice = Principal(principal_id="alice")
    filters = SearchFilters(where=anything, evidence_types=kinds)
    seen = await visible(database, workspace_id, filters)
    hers = await visible(database, workspace_id, filters, alice)
    assert set(hers) - set(seen) == ({8} if kinds else {6, 7, 8})


async def test_a_condition_that_makes_no_sense_is_refused(
    database: Database, workspace_id: UUID
) -> None:
    where = Comparison(field="size", operator=Operator.LESS, value="big")
    with pytest.raises(InvalidRequest, match=r"\$\.size\.lt"):
        await visible(database, workspace_id, SearchFilters(where=where))


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """A workspace beside another that is so much larger that a scan would be dearer."""

    database: Database
    workspace_id: UUID
    other_id: UUID


@pytest.fixture(scope="module")
async def crowd(postgres: EmbeddedPostgres) -> AsyncIterator[Crowd]:
    """It is looked at and not changed."""
    with fresh_database(postgres) as made:
        async with pool_over(made) as database:
            workspace_id, other_id = await two_workspaces(database)
            crowd_in(made, other_id)
            yield Crowd(database=database, workspace_id=workspace_id, other_id=other_id)


def crowd_in(database: TestDatabase, workspace_id: UUID) -> None:
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        numbers = {"workspace": workspace_id, "rows": ROWS}
        connection.execute(
            """
            INSERT INTO documents (workspace_id, document_id, collection, filename, title,
                media_type, source_type, byte_size, content_sha256, status, stage, version,
                chunks, created_by)
            SELECT %(workspace)s, gen_random_uuid(), 'default', 'f', 't', 'text/plain', 'upload',
                1, '', 'indexed', 'publish', 1, int4range(number + 100, number + 101), 'local'
            FROM generate_series(1, %(rows)s::integer) AS number
            """,
            numbers,
        )
        connection.execute(
            """
            INSERT INTO chunks SELECT %(workspace)s, 100 + number, document_id, 1, 100 + number,
                CASE WHEN number %% 50 = 0 THEN 'table' ELSE 'paragraph' END,
                repeat('text ', 100), 0, 0, 1, '[]', '{}', NULL, NULL, 1, 1, 1, NULL
            FROM documents, generate_series(1, %(rows)s::integer) AS number
            WHERE workspace_id = %(workspace)s AND document_id =
                '00000000-0000-0000-0000-000000000001'
            """,
            numbers,
        )
        connection.execute("VACUUM ANALYZE documents, chunks")


async def plan(database: Database, workspace_id: UUID, condition: dict[str, object]) -> str:
    async with database.workspace(workspace_id, LOCAL_PRINCIPAL) as scope:
        documents = admitted(SearchFilters(where=condition_from(condition)))
        statement = sql.SQL(load_statements("index_state")["visible"]).format(
            documents=documents.text
        )
        return await plan_of(scope, statement, dict(documents.parameters))


@pytest.mark.parametrize(
    "condition",
    [{}, {"title": {"contains": "x"}}, {"metadata.year": {"gte": 2020}}, {"tags": "a"}],
    ids=str,
)
async def test_documents_of_other_workspaces_are_not_read(
    crowd: Crowd, condition: dict[str, object]
) -> None:
    written = await plan(crowd.database, crowd.workspace_id, condition)
    assert whole_reads(written) == set()
    assert f"(workspace_id = '{crowd.workspace_id}'::uuid)" in written


async def test_a_kind_is_looked_up_in_its_index_without_the_texts(crowd: Crowd) -> None:
    visible: Multirange[int] = Int4Multirange([Range(0, ROWS)])
    async with crowd.database.workspace(crowd.other_id, SYSTEM) as scope:
        written = await plan_of(
            scope,
            sql.SQL(load_statements("index_state")["of_kinds"]),
            {"workspace_id": crowd.other_id, "visible": visible, "kinds": ["table"]},
        )
    assert '"chunks_by_kind"' in written
    assert '"Index Only Scan"' in written
