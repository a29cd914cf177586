"""Relationships are read by their indexes, and kept with the entities of their document."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest

from footnote.domain.relationships import SKETCH_SENTENCES, DocumentKey, EntityPair, KeyRole
from footnote.store.database import SYSTEM, Database
from footnote.store.entity_storage import store_entities
from footnote.store.relationships import pairs_among, sketches, store_relationships
from tests.conftest import TestDatabase
from tests.store.entity_factories import a_keyed_entity, an_unread, first_of_all
from tests.store.plans import faults_of
from tests.store.shelves import new_shelf

pytestmark = pytest.mark.usefixtures("own_database")


async def test_relationships_are_read_by_their_indexes(
    database: Database, test_database: TestDatabase
) -> None:
    shelf = await new_shelf(database, "much-related")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO workspaces (workspace_id, name, lexical_key)
            SELECT md5(number::text)::uuid, 'other-' || number, sha256(number::text::bytea)
            FROM generate_series(1, 50) AS number;
            INSERT INTO collections (workspace_id, name)
            SELECT workspace_id, 'kept' FROM workspaces ON CONFLICT DO NOTHING;
            INSERT INTO documents (
                workspace_id, document_id, collection, filename, title, media_type, source_type,
                byte_size, content_sha256, status, stage, version, published_version, created_by
            )
            SELECT workspace_id, md5(name || number)::uuid, 'kept', '', '', '', 'upload', 0, '',
                'indexed', 'publish', 1, 1, ''
            FROM workspaces, generate_series(1, 40) AS number;
            INSERT INTO document_entities (
                workspace_id, document_id, ordinal, version, entity_id, kind, content, spans,
                mentions, confidence, name_key
            )
            SELECT workspace_id, document_id, number, 1,
                md5(workspace_id::text || number % 7)::uuid, 'person', '{}', '', 1, 0.5,
                uuid_send(gen_random_uuid())
            FROM documents, generate_series(1, 20) AS number;
            INSERT INTO entity_pairs (workspace_id, document_id, first, second, weight, spans)
            SELECT workspace_id, document_id, ordinal, ordinal + 1, 1, '\\x0000000001000000'
            FROM document_entities WHERE ordinal < 20;
            INSERT INTO entity_keys (workspace_id, key, document_id, ordinal)
            SELECT workspace_id, uuid_send(gen_random_uuid()), document_id, ordinal
            FROM document_entities;
            INSERT INTO chunks SELECT workspace_id, number * 1000 + ordinal, document_id, 1,
                ordinal, 'paragraph', 'x', 0, 0, 1, '[]', '{}', NULL, NULL, 1, 1, 1, NULL
            FROM (
                SELECT workspace_id, document_id, row_number() OVER () AS number FROM documents
                WHERE filename = ''
            ) AS numbered, generate_series(0, 9) AS ordinal;
            INSERT INTO document_keys (
                workspace_id, document_id, version, key, role, char_start, char_end
            )
            SELECT workspace_id, document_id, 1, uuid_send(gen_random_uuid()), number % 4, 0, 1
            FROM documents, generate_series(1, 40) AS number;
            """
        )
        connection.execute("VACUUM ANALYZE")
    some = uuid4()
    given: dict[str, object] = {
        **{"document_id": some, "document_ids": [some], "entity_ids": [some], "limit": 9},
        **{"kinds": ["person"], "sources": [some], "targets": [some], "of_a_key": 9, "common": 9},
    }
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        faults = []
        around = given | {"keys": [bytes(16)], "documents": 9, "pairs": 6, "places": 3}
        for name, index in (
            ("called_so", "entity_keys_pkey"),
            ("called_so", "document_entities_pkey"),
            ("beside", "document_entities_entity"),
            ("beside", "entity_pairs_"),
            ("chunks_naming", "document_entities_entity"),
            ("chunks_naming", "documents_pkey"),
            ("chunks_naming", "chunks_"),
        ):
            faults += await faults_of(scope, ("entity_graph", name, index), around)
        for name, index in (
            ("neighbours", "document_entities_entity"),
            ("neighbours", "entity_pairs_"),
            ("pairs_among", "document_entities_entity"),
            ("pair_places", "document_entities_"),
            ("pair_places", "entity_pairs_"),
            ("named_most", "document_entities_pkey"),
            ("keyed", "document_keys_of_document"),
            ("keyed", "document_keys_pkey"),
            ("sketches", "document_keys_of_document"),
            ("sharing", "document_entities_entity"),
            ("mention_places", "document_entities_"),
            ("titles", "documents_pkey"),
            ("remove_keys", "document_keys_of_document"),
        ):
            faults += await faults_of(scope, ("relationships", name, index), given)
    assert faults == []


async def test_pairs_and_keys_are_replaced_with_the_entities(database: Database) -> None:
    shelf = await new_shelf(database, "related")
    document_id = await shelf.put("Acme met Bolt. Bolt left.")
    read = an_unread(document_id)
    said = [
        DocumentKey(role=KeyRole.SAYS, text=f"says\n{number}", span=(0, 14))
        for number in range(SKETCH_SENTENCES + 9)
    ]
    pair = EntityPair(first=0, second=1, weight=1.0, spans=((0, 14),))
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        for kept in ([pair], []):
            entities = [a_keyed_entity("Acme", (0, 4)), a_keyed_entity("Bolt", (9, 13))]
            assert await store_entities(scope, read, "test", entities, first_of_all)
            await store_relationships(scope, read, kept, said if kept else said[:3])
            rows = await scope.all(
                "SELECT entity_id FROM document_entities WHERE workspace_id = %(workspace_id)s"
            )
            found = await pairs_among(scope, [row["entity_id"] for row in rows], 9)
            assert [(each.weight, each.documents) for each in found] == [(1.0, 1)] * len(kept)
            sketch = (await sketches(scope, [document_id]))[document_id]
            assert len(sketch) == (SKETCH_SENTENCES if kept else 3)
