"""Summaries are read by their indexes, and kept as what their document says now."""

from __future__ import annotations

from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest

from footnote.store.database import SYSTEM, Database
from footnote.store.summaries import (
    NewSentence,
    UnsummarisedDocument,
    count_summaries,
    note_summary_failure,
    store_summary,
    stored_sentences,
    summary_failures,
    unsummarised_documents,
)
from tests.conftest import TestDatabase
from tests.store.plans import faults_of
from tests.store.shelves import new_shelf

pytestmark = pytest.mark.usefixtures("own_database")


def a_version(document_id: UUID, version: int = 1) -> UnsummarisedDocument:
    return UnsummarisedDocument(
        document_id=document_id, version=version, title="Paper", language="en", keywords=()
    )


def a_sentence(text: str, weight: float = 1.0) -> NewSentence:
    return NewSentence(start=0, end=len(text), text=text, weight=weight)


async def test_summaries_are_read_by_their_indexes(
    database: Database, test_database: TestDatabase
) -> None:
    shelf = await new_shelf(database, "much-told")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO workspaces (workspace_id, name, lexical_key)
            SELECT md5(number::text)::uuid, 'other-' || number, sha256(number::text::bytea)
            FROM generate_series(1, 60) AS number;
            INSERT INTO collections (workspace_id, name)
            SELECT workspace_id, 'kept' FROM workspaces ON CONFLICT DO NOTHING;
            INSERT INTO documents (
                workspace_id, document_id, collection, filename, title, media_type, source_type,
                byte_size, content_sha256, status, stage, version, published_version, created_by
            )
            SELECT workspace_id, md5(name || number)::uuid, 'kept', '', '', '', 'upload', 0, '',
                'indexed', 'publish', 1, 1, ''
            FROM workspaces, generate_series(1, 60) AS number;
            INSERT INTO summary_sets (workspace_id, document_id, version, summariser)
            SELECT workspace_id, document_id, 1, 'test' FROM documents;
            INSERT INTO summary_sentences (
                workspace_id, document_id, ordinal, version, char_start, char_end, text, weight,
                embedding
            )
            SELECT workspace_id, document_id, number, 1, 0, 1, 'x', 0.5, '[1, 0, 0, 0]'
            FROM documents, generate_series(1, 8) AS number;
            """
        )
        connection.execute("VACUUM ANALYZE")
    given: dict[str, object] = {
        **{"document_ids": [uuid4(), uuid4()], "document_id": uuid4(), "collection": "kept"},
        **{"summariser": "test", "limit": 9, "attempts": 3},
    }
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        faults = []
        for name, index in (
            ("sentences", "summary_sentences_pkey"),
            ("remove", "summary_sentences_pkey"),
            ("pending", "summary_sets_pkey"),
            ("latest_of_collection", "documents_"),
        ):
            faults += await faults_of(scope, ("summaries", name, index), given)
    assert faults == []


async def test_what_is_kept_replaces_what_was_there(database: Database) -> None:
    shelf = await new_shelf(database, "told")
    document_id = await shelf.put("The premium is due in March.")
    vectors = np.eye(2, 4, dtype=np.float32)
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        [waiting] = await unsummarised_documents(scope, "test", attempts=3, limit=9)
        assert (waiting.document_id, waiting.version) == (document_id, 1)
        first, second = a_sentence("The first."), a_sentence("The second.", 0.5)
        assert await store_summary(scope, waiting, "test", [first, second], vectors)
        found = await stored_sentences(scope, "test", [document_id])
        assert [each.sentence.text for each in found] == ["The first.", "The second."]
        assert found[0].vector.tolist() == vectors[0].tolist()
        assert await unsummarised_documents(scope, "test", attempts=3, limit=9) == ()
        assert await stored_sentences(scope, "another", [document_id]) == ()
        assert await store_summary(scope, waiting, "test", [second], vectors[:1])
        found = await stored_sentences(scope, "test", [document_id])
        assert [each.sentence.text for each in found] == ["The second."]
        assert not await store_summary(scope, a_version(document_id, 9), "test", [], vectors[:0])
        assert not await store_summary(scope, a_version(uuid4()), "test", [], vectors[:0])


async def test_a_document_that_fails_is_tried_a_few_times(database: Database) -> None:
    shelf = await new_shelf(database, "told")
    document_id = await shelf.put("The premium is due in March.")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        for _ in range(3):
            [waiting] = await unsummarised_documents(scope, "test", attempts=3, limit=9)
            await note_summary_failure(scope, waiting, "test", "its text is missing")
        assert await unsummarised_documents(scope, "test", attempts=3, limit=9) == ()
        counts = await count_summaries(scope, "test")
        assert (counts.documents, counts.done, counts.failed) == (1, 0, 1)
        [failure] = await summary_failures(scope, 10)
        assert (failure.document_id, failure.reason) == (document_id, "its text is missing")
