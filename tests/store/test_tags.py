"""Tags stay with a document until others are given, and no reader keeps seeing the old ones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from footnote.domain import LOCAL_PRINCIPAL, Document, Failure, Received, SearchFilters, Stage
from footnote.filters import condition_from
from footnote.store.database import Database
from footnote.store.documents import get_document
from footnote.store.publishing import mark_failed
from footnote.store.receiving import Incoming, receive_document
from tests.store.shelves import Shelf, new_shelf

URGENT = SearchFilters(where=condition_from({"tags": "urgent"}))


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    return await new_shelf(database)


async def receive(
    shelf: Shelf,
    text: str,
    *,
    tags: Sequence[str] = (),
    external_id: str | None = "terms",
    parent_id: UUID | None = None,
    failure: Failure | None = None,
) -> Received:
    incoming = Incoming(
        filename="terms.txt",
        media_type="text/plain",
        byte_size=len(text),
        content_sha256=hashlib.sha256(text.encode()).hexdigest(),
        blob_key="",
        collection="default",
        external_id=external_id,
        parent_id=parent_id,
        tags=tuple(tags),
        failure=failure,
    )
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        return await receive_document(scope, incoming)


async def document(shelf: Shelf, document_id: UUID) -> Document:
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        return await get_document(scope, document_id)


async def test_a_document_has_the_tags_it_is_given(shelf: Shelf) -> None:
    received = await receive(shelf, "one", tags=("b", "a"))
    assert received.document.tags == ("b", "a")
    assert (await document(shelf, received.document.document_id)).tags == ("b", "a")


async def test_a_new_version_keeps_the_tags_unless_others_are_given(shelf: Shelf) -> None:
    await receive(shelf, "one", tags=("urgent",))
    second = await receive(shelf, "two")
    assert (second.new_version, second.document.tags) == (True, ("urgent",))
    third = await receive(shelf, "three", tags=("paid",))
    assert (third.new_version, third.document.tags) == (True, ("paid",))


async def test_the_same_bytes_with_other_tags_change_the_tags_alone(shelf: Shelf) -> None:
    first = await receive(shelf, "one", tags=("urgent",))
    again = await receive(shelf, "one", tags=("paid",))
    assert again.duplicate
    assert again.document.tags == ("paid",)
    assert again.document.version == first.document.version
    assert (await receive(shelf, "one")).document.tags == ("paid",)


async def test_attachments_are_tagged_with_what_they_are_attached_to(shelf: Shelf) -> None:
    mail = (await receive(shelf, "mail", tags=("urgent",))).document
    inner = (await receive(shelf, "note", external_id="in", parent_id=mail.document_id)).document
    innermost = (
        await receive(shelf, "page", external_id="inmost", parent_id=inner.document_id)
    ).document
    other = (await receive(shelf, "other", external_id="other", tags=("urgent",))).document
    await receive(shelf, "mail", tags=("paid",))
    assert (await document(shelf, innermost.document_id)).tags == ("paid",)
    assert (await document(shelf, other.document_id)).tags == ("urgent",)


async def test_a_reader_with_a_warm_cache_sees_other_tags_at_once(shelf: Shelf) -> None:
    await shelf.put("anchor chain", external_id="terms")
    assert (await shelf.recall("anchor", filters=URGENT)).lexical == ()
    await receive(shelf, "anchor chain", tags=("urgent",))
    assert len((await shelf.recall("anchor", filters=URGENT)).lexical) == 1
    await receive(shelf, "anchor chain", tags=("paid",))
    assert (await shelf.recall("anchor", filters=URGENT)).lexical == ()


async def test_a_cached_scope_is_not_taken_for_that_of_another_type(shelf: Shelf) -> None:
    await shelf.put("anchor chain", external_id="terms")
    await receive(shelf, "anchor chain", tags=("urgent",))
    await set_metadata(shelf, {"signed": True})
    for value, found in ((True, 1), (1, 0), (True, 1)):
        signed = SearchFilters(where=condition_from({"metadata.signed": value}))
        assert len((await shelf.recall("anchor", filters=signed)).lexical) == found


async def set_metadata(shelf: Shelf, metadata: dict[str, bool]) -> None:
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        await scope.connection.execute("UPDATE documents SET metadata = %s", [Jsonb(metadata)])


async def test_a_reader_with_a_warm_cache_sees_what_a_waiting_version_changes(
    shelf: Shelf,
) -> None:
    document_id = await shelf.put("anchor chain", external_id="terms")
    first = (await document(shelf, document_id)).filename
    named = SearchFilters(where=condition_from({"filename": "terms.txt"}))
    assert first != "terms.txt"
    assert (await shelf.recall("anchor", filters=named)).lexical == ()
    await receive(shelf, "another text")
    assert len((await shelf.recall("anchor", filters=named)).lexical) == 1


async def test_the_time_of_the_last_change_moves_only_with_the_generation(shelf: Shelf) -> None:
    document_id = await shelf.put("anchor chain", external_id="terms")
    waiting = (await receive(shelf, "another text")).document
    since = SearchFilters(
        where=condition_from({"updated_at": {"gt": waiting.updated_at.isoformat()}})
    )
    assert (await shelf.recall("anchor", filters=since)).lexical == ()
    failure = Failure(stage=Stage.PARSE, cause="broken", advice="mend it", retryable=False)
    workspace_id = shelf.workspace.workspace_id
    async with shelf.database.workspace(workspace_id, LOCAL_PRINCIPAL) as scope:
        await mark_failed(scope, document_id, waiting.version, failure)
    assert len((await shelf.recall("anchor", filters=since)).lexical) == 1
