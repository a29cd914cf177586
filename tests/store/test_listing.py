"""Lists of documents are sorted and narrowed as asked, page by page, and count what one may see."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from pydantic import TypeAdapter

from footnote.domain import (
    LISTED_FACETS,
    LOCAL_PRINCIPAL,
    Comparison,
    Document,
    DocumentClass,
    DocumentSort,
    DocumentStatus,
    Operator,
    Principal,
    SortOrder,
)
from footnote.errors import InvalidRequest
from footnote.filters import condition_from
from footnote.store.database import SYSTEM, Database
from footnote.store.listing import Listing, list_documents, mark_of, page_statement, sort_text
from footnote.store.workspaces import create_workspace
from footnote.validation.cursors import write_cursor
from tests.conftest import TestDatabase
from tests.store.papers import Paper, lay, lay_many
from tests.store.plans import plan_of, whole_reads

POLICY = DocumentClass.POLICY
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
TITLES = ("Ärger", "zebra", "Apfel", "Äpfel 10", "Übung", "apfel", "Straße", "Ölung", "10 apples")
PAPERS = tuple(
    Paper(
        title=title,
        filename=f"file-{number}.txt",
        size=(number * 7) % 5,
        page_count=None if number % 3 == 0 else number,
        collection=("claims", "sales")[number % 2],
        document_class=("policy", "report")[number % 2],
        tags=("urgent",) if number % 4 == 0 else (),
        metadata={"year": 2020 + number},
        access=("ann",) if title == "zebra" else None,
        created_at=BEGIN + timedelta(days=number // 2),
    )
    for number, title in enumerate(TITLES)
)
KEYS: dict[DocumentSort, Callable[[Document], Any]] = {
    DocumentSort.TITLE: lambda each: sort_text(each.title),
    DocumentSort.CREATED_AT: lambda each: each.created_at,
    DocumentSort.BYTE_SIZE: lambda each: each.byte_size,
    DocumentSort.PAGE_COUNT: lambda each: each.page_count or 0,
    DocumentSort.STATUS: lambda each: each.status,
    DocumentSort.COLLECTION: lambda each: each.collection,
}


@pytest.fixture
async def workspace_id(database: Database) -> UUID:
    other = await create_workspace(database, "other")
    await lay(database, other.workspace_id, [Paper(title="Apfel")])
    workspace = await create_workspace(database, "acme")
    await lay(database, workspace.workspace_id, PAPERS)
    return workspace.workspace_id


async def listed(
    database: Database,
    workspace_id: UUID,
    listing: Listing,
    *,
    principal: Principal = LOCAL_PRINCIPAL,
    limit: int = 500,
) -> list[Document]:
    found: list[Document] = []
    cursor = None
    while True:
        async with database.workspace(workspace_id, principal) as scope:
            page = await list_documents(scope, listing, limit=limit, cursor=cursor)
        found += page.documents
        assert len(page.documents) == limit or page.next_cursor is None
        if page.next_cursor is None:
            return found
        cursor = page.next_cursor


@pytest.mark.parametrize("order", SortOrder)
@pytest.mark.parametrize("sort", DocumentSort)
async def test_pages_give_every_document_once_in_order(
    database: Database, workspace_id: UUID, sort: DocumentSort, order: SortOrder
) -> None:
    listing = Listing(sort=sort, order=order)
    found = await listed(database, workspace_id, listing, limit=2, principal=SYSTEM)
    expected = sorted(
        found,
        key=lambda each: (KEYS[sort](each), each.document_id),
        reverse=order is SortOrder.DESCENDING,
    )
    assert [each.title for each in found] == [each.title for each in expected]
    assert sorted(each.title for each in found) == sorted(TITLES)


async def test_titles_are_sorted_case_and_accents_aside(
    database: Database, workspace_id: UUID
) -> None:
    listing = Listing(sort=DocumentSort.TITLE, order=SortOrder.ASCENDING)
    found = [each.title for each in await listed(database, workspace_id, listing)]
    assert set(found[1:3]) == {"Apfel", "apfel"}
    assert [found[0], *found[3:]] == (
        ["10 apples", "Äpfel 10", "Ärger", "Ölung", "Straße", "Übung"]
    )


@pytest.mark.parametrize("text", ["Ärger ẞ ﬁ İ", "é" * 300, "", "ÅNGSTRÖM Ǆ 中文"])
async def test_the_database_and_the_process_sort_texts_alike(database: Database, text: str) -> None:
    workspace = await create_workspace(database, "texts")
    async with database.workspace(workspace.workspace_id, SYSTEM) as scope:
        row = await scope.single("SELECT sort_text(%(text)s) AS key", {"text": text})
    assert row["key"][:190] == sort_text(text)[:190]


async def test_each_narrowing_holds_and_all_hold_together(
    database: Database, workspace_id: UUID
) -> None:
    for listing, holds in (
        (Listing(query="APFEL"), lambda each: "apfel" in each.title.lower()),
        (Listing(query="FILE-3 txt"), lambda each: each.filename == "file-3.txt"),
        (Listing(query="ärger %"), lambda _: False),
        (Listing(collection="sales"), lambda each: each.collection == "sales"),
        (Listing(status=DocumentStatus.FAILED), lambda _: False),
        (Listing(document_class=POLICY), lambda each: each.document_class is POLICY),
        (Listing(tag="urgent"), lambda each: "urgent" in each.tags),
        (
            Listing(where=condition_from({"metadata.year": {"gte": 2024}}), collection="claims"),
            lambda each: each.metadata["year"] >= 2024 and each.collection == "claims",
        ),
    ):  # fmt: skip
        everything = await listed(database, workspace_id, Listing())
        found = await listed(database, workspace_id, listing)
        expected = [each.title for each in everything if holds(each)]
        assert [each.title for each in found] == expected, listing


async def test_counts_are_of_what_one_may_see_without_the_choice_of_their_own_field(
    database: Database, workspace_id: UUID
) -> None:
    async def counted(principal: Principal, listing: Listing) -> tuple[int | None, dict[str, Any]]:
        async with database.workspace(workspace_id, principal) as scope:
            page = await list_documents(scope, listing, facets=LISTED_FACETS, limit=1, cursor=None)
        return page.total, {
            name: {each.value: each.documents for each in counts}
            for name, counts in page.facets.items()
        }

    total, counts = await counted(LOCAL_PRINCIPAL, Listing())
    assert (total, counts["collection"]) == (8, {"claims": 5, "sales": 3})
    assert counts["status"] == {"indexed": 8}
    assert counts["tags"] == {"urgent": 3}
    total, counts = await counted(SYSTEM, Listing(collection="sales"))
    assert (total, counts["collection"]) == (4, {"claims": 5, "sales": 4})
    assert counts["class"] == {"report": 4}
    assert counts["tags"] == {}
    stranger = Principal(principal_id="eve", role=None)
    assert await counted(stranger, Listing()) == (0, {name: {} for name in LISTED_FACETS})


async def test_a_cursor_of_another_order_is_refused(database: Database, workspace_id: UUID) -> None:
    async with database.workspace(workspace_id, LOCAL_PRINCIPAL) as scope:
        page = await list_documents(scope, Listing(), limit=1, cursor=None)

        async def with_cursor(cursor: str, listing: Listing) -> None:
            with pytest.raises(InvalidRequest, match="the cursor is not one we gave"):
                await list_documents(scope, listing, limit=1, cursor=cursor)

        assert page.next_cursor is not None
        await with_cursor(page.next_cursor, Listing(order=SortOrder.ASCENDING))
        await with_cursor(page.next_cursor, Listing(sort=DocumentSort.TITLE))
        by_pages = Listing(sort=DocumentSort.PAGE_COUNT)
        for place in (
            *("x", [], ["title"], ["page_count", "desc", 2**31, str(UUID(int=1))]),
            *(["page_count", "desc", "\0", str(UUID(int=1))], ["page_count", "desc", 1, 7]),
        ):
            cursor = write_cursor(TypeAdapter(object), place, *mark_of(by_pages))
            await with_cursor(cursor, by_pages)
        for cursor in ("", "%", "é"):
            await with_cursor(cursor, Listing())


YEAR = Comparison(field="metadata.year", operator=Operator.AT_LEAST, value=2020)


@pytest.mark.parametrize(
    "other",
    [
        {"query": "apples"},
        {"collection": "claims"},
        {"status": DocumentStatus.INDEXED},
        {"document_class": POLICY},
        {"tag": "urgent"},
        {"where": YEAR},
    ],
    ids=lambda each: next(iter(each)),
)
async def test_a_cursor_of_other_filters_is_refused(
    database: Database, workspace_id: UUID, other: dict[str, Any]
) -> None:
    async with database.workspace(workspace_id, LOCAL_PRINCIPAL) as scope:
        page = await list_documents(scope, Listing(query="txt file"), limit=1, cursor=None)
        with pytest.raises(InvalidRequest, match="these filters"):
            await list_documents(scope, Listing(**other), limit=1, cursor=page.next_cursor)
        spaced = Listing(query=" txt  file ")
        await list_documents(scope, spaced, limit=1, cursor=page.next_cursor)


async def test_what_cannot_be_counted_is_refused(database: Database, workspace_id: UUID) -> None:
    async with database.workspace(workspace_id, LOCAL_PRINCIPAL) as scope:
        with pytest.raises(InvalidRequest, match="no facets of 'state'"):
            await list_documents(scope, facets=["state"], limit=1, cursor=None)


@pytest.mark.usefixtures("own_database")
async def test_every_order_walks_its_own_index(
    database: Database, test_database: TestDatabase
) -> None:
    indexes = {
        DocumentSort.TITLE: "documents_by_title",
        DocumentSort.CREATED_AT: "documents_recent",
        DocumentSort.BYTE_SIZE: "documents_by_size",
        DocumentSort.PAGE_COUNT: "documents_by_pages",
        DocumentSort.STATUS: "documents_by_status",
        DocumentSort.COLLECTION: "documents_by_collection",
    }
    workspaces = [await create_workspace(database, f"w{number}") for number in range(3)]
    for each in workspaces:
        lay_many(test_database.superuser_url, each.workspace_id, 3000)
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    async with database.workspace(workspaces[1].workspace_id, LOCAL_PRINCIPAL) as scope:
        for sort, index in indexes.items():
            for order in SortOrder:
                listing = Listing(sort=sort, order=order)
                page = await list_documents(scope, listing, limit=10, cursor=None)
                key = KEYS[sort](page.documents[-1])
                written = key.isoformat() if isinstance(key, datetime) else key
                place = (written, page.documents[-1].document_id)
                statement = page_statement(listing, (), place)
                parameters = {**statement.parameters, "limit": 50}
                plan = await plan_of(scope, sql.Composed([statement.text]), parameters)
                assert f'"{index}"' in plan, (sort, order, plan)
                assert "Sort" not in set(plan.split('"')), (sort, order)
                # The place is looked up in the index, and not walked to.
                assert "ROW(" in plan.split('"Index Cond": ')[1].split('",')[0], (sort, plan)
                assert not whole_reads(plan)
