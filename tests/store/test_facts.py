"""Facts are read by their indexes, and kept as what their document says now."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest
from pgvector import HalfVector

from footnote.domain import Lane
from footnote.domain.facts import FactFailure, FactStatus
from footnote.errors import LaneMismatch
from footnote.store.database import SYSTEM, Database
from footnote.store.fact_recall import facts_with_words, nearest_facts
from footnote.store.fact_storage import store_facts
from footnote.store.facts import FactFilter, list_facts
from footnote.store.lanes import list_lanes
from footnote.store.reading_progress import (
    count_read,
    note_failure,
    reading_failures,
    unread_documents,
)
from tests.conftest import TestDatabase
from tests.store.fact_factories import a_keyed_fact, a_version, some_facts
from tests.store.plans import faults_of
from tests.store.shelves import Shelf, new_shelf

pytestmark = pytest.mark.usefixtures("own_database")

LANE = Lane(name="fact", provider="test", model="test", dimensions=4, revision="1", languages=())


async def test_facts_are_read_by_their_indexes(
    database: Database, test_database: TestDatabase
) -> None:
    shelf = await new_shelf(database, "much-known")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO workspaces (workspace_id, name, lexical_key)
            SELECT md5(number::text)::uuid, 'other-' || number, sha256(number::text::bytea)
            FROM generate_series(1, 50) AS number;
            INSERT INTO lanes
                (workspace_id, lane_id, name, provider, model, dimensions, revision, state)
            SELECT workspace_id, 7, 'fact', '', '', 4, '', 'active' FROM workspaces;
            INSERT INTO collections (workspace_id, name)
            SELECT workspace_id, 'kept' FROM workspaces ON CONFLICT DO NOTHING;
            INSERT INTO documents (
                workspace_id, document_id, collection, filename, title, media_type, source_type,
                byte_size, content_sha256, status, stage, version, published_version, created_by
            )
            SELECT workspace_id, md5(name || number)::uuid, 'kept', '', '', '', 'upload', 0, '',
                'indexed', 'publish', 1, 1, ''
            FROM workspaces, generate_series(1, 40) AS number;
            INSERT INTO fact_sets (workspace_id, document_id, version, extractor, facts)
            SELECT workspace_id, document_id, 1, 'test', 10 FROM documents;
            INSERT INTO facts (
                workspace_id, fact_id, document_id, version, since_version, ordinal, kind, status,
                content, spans, char_start, char_end, confidence, extractor, same_key, merge_key,
                claim_key, value_key, comparable, group_id
            )
            SELECT workspace_id, md5(document_id::text || number)::uuid, document_id, 1, 1, number,
                'cell', 'proposed', '{}', '[]', number * 1000, number * 1000 + 9, 0.5,
                'test', uuid_send(document_id),
                uuid_send(gen_random_uuid()), uuid_send(gen_random_uuid()),
                uuid_send(gen_random_uuid()), true, gen_random_uuid()
            FROM documents, generate_series(1, 10) AS number;
            UPDATE facts SET subject_keys = ARRAY[same_key], object_keys = ARRAY[merge_key];
            INSERT INTO document_entities (
                workspace_id, document_id, ordinal, version, entity_id, kind, content, spans,
                mentions, confidence, name_key
            )
            SELECT workspace_id, document_id, number, 1,
                md5(document_id::text || number)::uuid, 'person', '{}', '', 1, 0.5,
                uuid_send(gen_random_uuid())
            FROM documents, generate_series(1, 10) AS number;
            INSERT INTO entity_keys (workspace_id, key, document_id, ordinal)
            SELECT workspace_id, name_key, document_id, ordinal FROM document_entities;
            INSERT INTO fact_embeddings (workspace_id, lane_id, fact_id, embedding)
            SELECT workspace_id, 7, fact_id, '[1, 0, 0, 0]' FROM facts;
            INSERT INTO fact_postings (workspace_id, term, document_id, ordinals, frequencies)
            SELECT workspace_id, number, document_id, '', ''
            FROM documents, generate_series(1, 100) AS number;
            """
        )
        connection.execute("VACUUM ANALYZE")
    given: dict[str, object] = {
        **{"document_id": uuid4(), "document_ids": [uuid4()], "fact_ids": [uuid4()]},
        **{"groups": [uuid4()], "keys": [b"0" * 16], "terms": [1, 2], "ordinals": [1]},
        **{"lane_id": 7, "vector": HalfVector([1.0, 0.0, 0.0, 0.0]), "limit": 9, "version": 1},
        **{"fact_id": uuid4(), "status": "rejected", "statuses": ["proposed"], "kinds": []},
        **{"after_document": UUID(int=0), "after_ordinal": 0, "preferred": [uuid4()]},
        **{"starts": [5_000], "ends": [5_100], "longest": 1_000},
        **{"entity_id": uuid4(), "values": 40},
    }
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        faults = []
        for name, index in (
            ("nearest", "fact_embeddings_pkey"),
            ("postings", "fact_postings_pkey"),
            ("lengths", "fact_sets_"),
            ("totals", "fact_sets_"),
            ("by_ids", "facts_pkey"),
            ("by_ordinals", "facts_workspace_id_document_id_version_ordinal_key"),
            ("of_groups", "facts_group"),
            ("same_elsewhere", "facts_same"),
            ("alike_elsewhere", "facts_merge"),
            ("of_claims", "facts_claim"),
            ("contested_claims", "facts_claim"),
            ("claims_of", "facts_pkey"),
            ("quoted", "facts_place"),
            ("linked", "facts_pkey"),
            ("linked", "entity_keys_pkey"),
            ("of_entity", "document_entities_entity"),
            ("of_entity", "entity_keys_of_document"),
            ("of_entity", "facts_workspace_id_document_id_version_ordinal_key"),
            ("known", "facts_workspace_id_document_id_version_ordinal_key"),
            ("decide", "facts_group"),
            ("drop_postings", "fact_postings_of_document"),
        ):
            # Over all documents, as most recalls are.
            everywhere = ("nearest", "postings", "of_entity")
            anywhere = {"document_id": None} if name in everywhere else {}
            faults += await faults_of(scope, ("facts", name, index), given | anywhere)
    assert faults == []


async def put(shelf: Shelf, text: str) -> UUID:
    return await shelf.put(text)


async def test_what_is_kept_replaces_what_was_known(database: Database) -> None:
    shelf = await new_shelf(database, "known")
    document_id = await put(shelf, "The premium is due in March.")
    first, second = a_keyed_fact("A", "red"), a_keyed_fact("B", "blue")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        assert await store_facts(scope, a_version(document_id), some_facts(LANE, first, second))
        before = [fact for fact, _ in await list_facts(scope, FactFilter(), limit=9, after=None)]
        assert await store_facts(scope, a_version(document_id), some_facts(LANE, second))
        after = [fact for fact, _ in await list_facts(scope, FactFilter(), limit=9, after=None)]
        # Of the same version nothing is superseded: another extractor read it.
        every = FactFilter(statuses=tuple(FactStatus))
        assert len(await list_facts(scope, every, limit=9, after=None)) == 1
    assert [each.object for each in before] == ["red", "blue"]
    assert after[0].fact_id == before[1].fact_id


async def test_a_version_that_is_no_longer_published_is_not_kept(database: Database) -> None:
    shelf = await new_shelf(database, "known")
    document_id = await put(shelf, "The premium is due in March.")
    found = some_facts(LANE, a_keyed_fact("A", "red"))
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        assert not await store_facts(scope, a_version(document_id, version=9), found)
        assert not await store_facts(scope, a_version(uuid4()), found)
        assert await list_facts(scope, FactFilter(), limit=9, after=None) == ()


async def test_vectors_of_another_lane_are_refused(database: Database) -> None:
    shelf = await new_shelf(database, "known")
    document_id = await put(shelf, "The premium is due in March.")
    found = some_facts(LANE, a_keyed_fact("A", "red"))
    other = replace(found, vectors=np.zeros((1, LANE.dimensions + 1), np.float32))
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        with pytest.raises(LaneMismatch):
            await store_facts(scope, a_version(document_id), other)


async def test_another_model_takes_the_lane_of_facts(database: Database) -> None:
    shelf = await new_shelf(database, "known")
    one, two = await put(shelf, "The premium is due in March."), await put(shelf, "It is late.")
    other = replace(LANE, model="other", dimensions=5)
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        for document_id in (one, two):
            found = some_facts(LANE, a_keyed_fact(str(document_id), "red"))
            assert await store_facts(scope, a_version(document_id), found)
        found = some_facts(other, a_keyed_fact(str(one), "blue"))
        assert await store_facts(scope, a_version(one), found)
        near = await nearest_facts(scope, "fact", found.vectors[0], None, 9)
        assert len(near) == 1
        worded = await facts_with_words(scope, ["red", "blue"], None, 9)
        assert len(worded) == 2
        [lane] = await list_lanes(scope, timedelta(0), "fact")
        assert (lane.lane.model, lane.chunks_embedded, lane.chunks) == ("other", 1, 2)


async def test_a_document_that_fails_is_tried_a_few_times(database: Database) -> None:
    shelf = await new_shelf(database, "known")
    document_id = await put(shelf, "The premium is due in March.")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        for _ in range(3):
            [pending] = await unread_documents(scope, "facts", "test", (), attempts=3, limit=9)
            assert pending.document_id == document_id
            await note_failure(scope, "facts", pending, "test", "its text is missing")
        assert await unread_documents(scope, "facts", "test", (), attempts=3, limit=9) == ()
        counts = await count_read(scope, "facts", ("test",), ())
        assert (counts.documents, counts.done, counts.failed) == (1, 0, 1)
        [failure] = await reading_failures(scope, "facts", FactFailure, 9)
        assert failure.reason == "its text is missing"
        # Another extractor tries anew.
        assert len(await unread_documents(scope, "facts", "other", (), attempts=3, limit=9)) == 1
        assert (
            await unread_documents(scope, "facts", "other", ("email",), attempts=3, limit=9) == ()
        )
