"""Rows under a document are seen by whoever sees the document, whatever happens to its access."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from hashlib import sha256
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql
from psycopg.types.json import Jsonb

from footnote.domain import Principal, Role, SourceType, Visibility
from footnote.domain.access import access_names
from footnote.errors import NotFound, UnderLegalHold
from footnote.store.access import change_access, pass_readers_on
from footnote.store.blobs import LocalBlobs
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.distribution import plan_distribution
from footnote.store.ingesting import open_version
from footnote.store.legal_holds import set_hold
from footnote.store.publishing import delete_document
from footnote.store.upkeep import upkeep_after_upgrade
from tests.conftest import TestDatabase
from tests.store.shelves import Shelf, new_shelf

BY_SHELF = ("document_versions", "chunks", "document_embeddings")
"""Tables of which a published document has rows."""
BY_HAND: dict[str, LiteralString] = {
    "stage_results": "(workspace_id, document_id, version, stage, payload)"
    " VALUES (%(workspace)s, %(document)s, 1, 'parse', '\\x00')",
    "sealed_texts": "(workspace_id, document_id, version, piece, sealed)"
    " VALUES (%(workspace)s, %(document)s, 1, 0, '\\x00')",
    "facts": "(workspace_id, fact_id, document_id, version, since_version, ordinal, kind, status,"
    " content, spans, confidence, extractor, same_key, merge_key, claim_key, value_key, comparable,"
    " group_id) VALUES (%(workspace)s, %(fresh)s, %(document)s, 1, 1, 0, 'statement', 'proposed',"
    " '{}', '[]', 0.5, 'x', %(key)s, %(key)s, %(key)s, %(key)s, true, %(fresh)s)",
    "cluster_members": "(workspace_id, document_id, granularity, first_chunk, run)"
    " VALUES (%(workspace)s, %(document)s, 'fine', 0, 1)",
    "document_entities": "(workspace_id, document_id, ordinal, version, entity_id, kind, content,"
    " spans, mentions, confidence, name_key)"
    " VALUES (%(workspace)s, %(document)s, 0, 1, %(fresh)s, 'person', '{}', '\\x00', 1, 0.5,"
    " %(key)s)",
    "summary_sentences": "(workspace_id, document_id, ordinal, version, char_start, char_end, text,"
    " weight, embedding) VALUES (%(workspace)s, %(document)s, 0, 1, 0, 1, 'x', 0.5, '[1]')",
    "written_sentences": "(workspace_id, document_id, ordinal, version, support, content)"
    " VALUES (%(workspace)s, %(document)s, 0, 1, 0.5, '{}')",
    "source_entries": "(workspace_id, document_id, external_id, collection, mark, content_sha256)"
    " VALUES (%(workspace)s, %(document)s, 'x', 'default', 'x', '\\x00')",
    "legal_holds": "(workspace_id, hold_id, document_id, reason, set_by, lifted_by, lifted_at,"
    " lift_reason) VALUES (%(workspace)s, %(fresh)s, %(document)s, 'x', 'x', 'x', now(), 'x')",
}
"""The others, with what a row of each takes."""
TABLES = (*BY_SHELF, *BY_HAND)

PEOPLE = (
    Principal(principal_id="ann", role=Role.ADMIN),
    Principal(principal_id="bob", groups=("crew",), role=Role.READER),
    Principal(principal_id="eve", role=None, collections=(("hr", Role.READER),)),
    Principal(principal_id='a","workspace:members', groups=("crew,*", "{*}"), role=None),
    Principal(principal_id="nobody", role=None),
    SYSTEM,
)
COLLECTIONS = ("hr", "legal")
_ACCESS = st.tuples(
    st.sampled_from(Visibility),
    st.lists(st.sampled_from(["bob", "eve", "group:crew", "group:board"]), max_size=2),
)
_DOCUMENT = st.tuples(st.sampled_from(["ann", "eve"]), st.sampled_from(COLLECTIONS), _ACCESS)


async def put(
    shelf: Shelf, owner: str, collection: str, access: tuple[Visibility, list[str]]
) -> UUID:
    """A document with a row in every table."""
    visibility, shared = access
    document_id = await shelf.put(
        f"Rock {uuid4().hex}.",
        collection=collection,
        visibility=visibility,
        access=tuple(shared),
        owner=Principal(principal_id=owner),
        about="lighthouse",
    )
    async with inside(shelf, SYSTEM) as scope:
        for table in BY_HAND:
            await write_row(scope, table, document_id)
    return document_id


async def write_row(scope: WorkspaceScope, table: str, document_id: UUID) -> None:
    statement = sql.SQL("INSERT INTO {} ").format(sql.Identifier(table)) + sql.SQL(BY_HAND[table])
    await scope.execute(
        statement,
        {
            "workspace": scope.workspace_id,
            "document": document_id,
            "fresh": uuid4(),
            "key": bytes(16),
        },
    )


def inside(shelf: Shelf, principal: Principal) -> AbstractAsyncContextManager[WorkspaceScope]:
    return shelf.database.workspace(shelf.workspace.workspace_id, principal)


async def assert_rows_are_seen_as_their_documents(shelf: Shelf, expected: set[UUID]) -> None:
    for principal in PEOPLE:
        async with inside(shelf, principal) as scope:
            seen = await ids(scope, "documents")
            assert seen == naively_seen(await everything(shelf), principal)
            for table in TABLES:
                assert await ids(scope, table) == seen & expected, (principal.principal_id, table)


async def everything(shelf: Shelf) -> list[tuple[UUID, str, list[str] | None]]:
    async with inside(shelf, SYSTEM) as scope:
        rows = await scope.all(
            "SELECT document_id, collection, access FROM documents"
            " WHERE workspace_id = %(workspace_id)s"
        )
    return [(row["document_id"], row["collection"], row["access"]) for row in rows]


def naively_seen(
    documents: list[tuple[UUID, str, list[str] | None]], principal: Principal
) -> set[UUID]:
    names = set(principal.access_names)
    return {
        document_id
        for document_id, collection, access in documents
        if "*" in names
        or names
        & set(["workspace:members", f"collection:{collection}"] if access is None else access)
    }


async def ids(scope: WorkspaceScope, table: str) -> set[UUID]:
    rows = await scope.all(
        sql.SQL("SELECT DISTINCT document_id FROM {} WHERE workspace_id = %(workspace_id)s").format(
            sql.Identifier(table)
        )
    )
    return {row["document_id"] for row in rows}


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    documents=st.lists(_DOCUMENT, min_size=1, max_size=4),
    changes=st.lists(st.tuples(st.integers(0, 3), _ACCESS, st.booleans()), max_size=4),
)
async def test_every_row_is_seen_by_who_sees_its_document(
    database: Database,
    documents: list[tuple[str, str, tuple[Visibility, list[str]]]],
    changes: list[tuple[int, tuple[Visibility, list[str]], bool]],
) -> None:
    shelf = await new_shelf(database, f"w{uuid4().hex}")
    made = [
        (owner, collection, await put(shelf, owner, collection, access))
        for owner, collection, access in documents
    ]
    expected = {document_id for *_, document_id in made}
    await assert_rows_are_seen_as_their_documents(shelf, expected)
    for place, (visibility, shared), by_older_program in changes:
        owner, collection, document_id = made[place % len(made)]
        names = access_names(visibility, collection, owner, tuple(shared))
        async with inside(shelf, SYSTEM) as scope:
            if by_older_program:
                await scope.execute(
                    "UPDATE documents SET visibility = %(visibility)s, access = %(access)s"
                    " WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s",
                    {
                        "visibility": visibility,
                        "access": None if names is None else list(names),
                        "document_id": document_id,
                    },
                )
            else:
                await change_access(scope, document_id, visibility, names)
        await assert_rows_are_seen_as_their_documents(shelf, expected)


@pytest.fixture
def owner(own_database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(own_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        yield connection


async def test_rows_of_before_are_seen_as_ever_and_get_their_readers_in_the_background(
    owner: psycopg.Connection, database: Database
) -> None:
    shelf = await new_shelf(database)
    private = (Visibility.PRIVATE, ["bob"])
    made = {
        await put(shelf, "ann", "hr", (Visibility.WORKSPACE, [])),
        await put(shelf, "ann", "hr", private),
        await put(shelf, "eve", "legal", (Visibility.COLLECTION, [])),
    }
    gone = await put(shelf, "ann", "hr", private)
    async with inside(shelf, SYSTEM) as scope:
        await delete_document(scope, gone, shelf.limits)
    for table in TABLES:
        owner.execute(sql.SQL("UPDATE {} SET readers = NULL").format(sql.Identifier(table)))
    owner.execute("UPDATE documents SET readers_passed_on = false")
    async with inside(shelf, SYSTEM) as scope:
        assert gone in await ids(scope, "legal_holds")
        assert gone not in await ids(scope, "documents")
    (found,) = await upkeep_after_upgrade(database)
    assert found.without_readers == len(made) + 1
    for principal in PEOPLE[:-1]:
        async with inside(shelf, principal) as scope:
            seen = await ids(scope, "documents")
            assert [await ids(scope, table) for table in TABLES] == [seen] * len(TABLES)
    assert await pass_readers_on(database, shelf.workspace.workspace_id) == len(made)
    assert await pass_readers_on(database, shelf.workspace.workspace_id) == 0
    (found,) = await upkeep_after_upgrade(database)
    assert found.without_readers == 0
    for table in TABLES:
        left = owner.execute(
            sql.SQL("SELECT count(*) FROM {} WHERE readers IS NULL").format(sql.Identifier(table))
        ).fetchone()
        assert left == (0,), table
    for principal in PEOPLE[:-1]:
        async with inside(shelf, principal) as scope:
            seen = await ids(scope, "documents")
            assert [await ids(scope, table) for table in TABLES] == [seen] * len(TABLES)


@pytest.mark.parametrize("table", BY_HAND)
async def test_a_row_that_is_written_while_access_is_taken_away_is_not_seen(
    own_database: TestDatabase, owner: psycopg.Connection, database: Database, table: str
) -> None:
    """The change waits for who writes under the document, or they for it."""
    shelf = await new_shelf(database)
    workspace_id = shelf.workspace.workspace_id
    bob = PEOPLE[1]

    async def hide(document_id: UUID) -> None:
        async with inside(shelf, SYSTEM) as scope:
            await change_access(scope, document_id, Visibility.PRIVATE, ["ann"])

    async def write(document_id: UUID) -> None:
        async with inside(shelf, SYSTEM) as scope:
            await write_row(scope, table, document_id)

    async def seen_by_bob() -> set[UUID]:
        async with inside(shelf, bob) as scope:
            return await ids(scope, table)

    first = await shelf.put("Rock.", owner=PEOPLE[0])
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await write_row(scope, table, first)
        hiding = asyncio.create_task(hide(first))
        await waiting_for_a_lock(owner)
    await hiding
    assert first not in await seen_by_bob()

    second = await shelf.put("Another rock.", owner=PEOPLE[0])
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await change_access(scope, second, Visibility.PRIVATE, ["ann"])
        writing = asyncio.create_task(write(second))
        await waiting_for_a_lock(owner)
    await writing
    assert second not in await seen_by_bob()


async def test_a_version_of_before_that_takes_access_away_waits_for_who_writes_too(
    owner: psycopg.Connection, database: Database
) -> None:
    shelf = await new_shelf(database)
    document_id = await shelf.put("Rock.", owner=PEOPLE[0])

    async def hide() -> None:
        async with inside(shelf, SYSTEM) as scope:
            await scope.execute(
                "UPDATE documents SET access = '{ann}', visibility = 'private'"
                " WHERE workspace_id = %(workspace_id)s"
            )

    async with inside(shelf, SYSTEM) as scope:
        await scope.execute(
            "INSERT INTO chunks SELECT (jsonb_populate_record(chunks, %(other)s)).* FROM chunks"
            " WHERE workspace_id = %(workspace_id)s",
            {"other": Jsonb({"chunk_no": 99, "ordinal": 99})},
        )
        hiding = asyncio.create_task(hide())
        await waiting_for_a_lock(owner)
    await hiding
    async with inside(shelf, PEOPLE[1]) as scope:
        assert await ids(scope, "chunks") == set()
    async with inside(shelf, PEOPLE[0]) as scope:
        rows = await scope.all("SELECT FROM chunks WHERE workspace_id = %(workspace_id)s")
    assert len(rows) == 2, document_id


async def waiting_for_a_lock(connection: psycopg.Connection) -> None:
    """Until a statement of this database waits for another transaction."""
    async with asyncio.timeout(600):
        while True:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            ).fetchone()
            if row != (0,):
                return
            await asyncio.sleep(0.01)


async def test_what_was_told_before_is_seen_by_who_sees_the_document_now(
    database: Database,
) -> None:
    shelf = await new_shelf(database)
    document_id = await shelf.put("Rock.", owner=PEOPLE[0])
    for names, seen in ((["ann"], set()), (None, {document_id}), (["group:crew"], {document_id})):
        async with inside(shelf, SYSTEM) as scope:
            await change_access(scope, document_id, Visibility.PRIVATE, names)
        async with inside(shelf, PEOPLE[1]) as scope:
            assert await ids(scope, "events") == seen


async def test_a_hold_and_a_deletion_that_meet_wait_for_each_other(
    owner: psycopg.Connection, database: Database
) -> None:
    shelf = await new_shelf(database)

    async def hold(document_id: UUID) -> None:
        async with inside(shelf, SYSTEM) as scope:
            await set_hold(
                scope, "case 7", document_id=document_id, collection=None, principal_id=None
            )

    async def delete(document_id: UUID) -> None:
        async with inside(shelf, SYSTEM) as scope:
            await delete_document(scope, document_id, shelf.limits)

    first, second = await shelf.put("Rock."), await shelf.put("Another rock.")
    async with inside(shelf, SYSTEM) as scope:
        await delete_document(scope, first, shelf.limits)
        holding = asyncio.create_task(hold(first))
        await waiting_for_a_lock(owner)
    with pytest.raises(NotFound):
        await holding
    async with inside(shelf, SYSTEM) as scope:
        await set_hold(scope, "case 7", document_id=second, collection=None, principal_id=None)
        deleting = asyncio.create_task(delete(second))
        await waiting_for_a_lock(owner)
    with pytest.raises(UnderLegalHold):
        await deleting


async def test_an_attachment_that_comes_while_access_is_taken_away_is_hidden_with_its_mail(
    owner: psycopg.Connection, database: Database, tmp_path: Path
) -> None:
    shelf = await new_shelf(database)
    mail = await shelf.put("A mail.", owner=PEOPLE[0])
    owner.execute("UPDATE documents SET published_version = NULL")
    work = await open_version(
        database,
        LocalBlobs(tmp_path),
        workspace_id=shelf.workspace.workspace_id,
        document_id=mail,
        version=1,
        lane=shelf.lane,
        limits=shelf.limits,
    )
    assert work is not None
    async with inside(shelf, SYSTEM) as scope:
        await change_access(scope, mail, Visibility.PRIVATE, ["ann"])
        attaching = asyncio.create_task(
            work.attach(
                0,
                "note.txt",
                BytesIO(b"Pay."),
                byte_size=4,
                content_sha256=sha256(b"Pay.").hexdigest(),
                media_type="text/plain",
                source_type=SourceType.UPLOAD,
                failure=None,
            )
        )
        await waiting_for_a_lock(owner)
    await attaching
    async with inside(shelf, SYSTEM) as scope:
        assert len(await ids(scope, "documents")) == 2
    async with inside(shelf, PEOPLE[1]) as scope:
        assert await ids(scope, "documents") == set()


def test_every_table_with_texts_of_a_document_says_who_may_see_them(
    owner: psycopg.Connection,
) -> None:
    rows = owner.execute(
        "SELECT relname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
        " WHERE relnamespace = 'footnote'::regnamespace AND relkind = 'r' AND attname = 'readers'"
    ).fetchall()
    assert {name for (name,) in rows} == set(TABLES)


async def test_policies_as_a_cluster_has_them_say_the_same(
    own_database: TestDatabase, owner: psycopg.Connection, database: Database
) -> None:
    altered = [
        each for each in plan_distribution(own_database.urls, 8).statements if " POLICY " in each
    ]
    assert len(altered) == len(TABLES) + 3
    for statement in altered:
        owner.execute(statement.encode())
    assert owner.execute(
        "SELECT count(*) FROM pg_policy WHERE pg_get_expr(polqual, polrelid) ~ 'SELECT'"
        " OR pg_get_expr(polwithcheck, polrelid) ~ 'SELECT'"
    ).fetchone() == (0,)
    shelf = await new_shelf(database)
    shared = ["bob", "group:board", "eve", "group:crew", "nobody"]
    made = {
        await put(shelf, owner_name, collection, (visibility, shared[place : place + place % 2]))
        for place, (owner_name, collection, visibility) in enumerate(
            product(("ann", "eve"), COLLECTIONS, Visibility)
        )
    }
    await assert_rows_are_seen_as_their_documents(shelf, made)
