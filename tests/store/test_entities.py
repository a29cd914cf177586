"""Entities are read by their indexes, and kept as what their document names now."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import psycopg
import pytest

from footnote.domain.entities import EntityFailure, LinkReason
from footnote.store.database import SYSTEM, Database
from footnote.store.entities import EntityFilter, list_entities, names_in_documents
from footnote.store.entity_storage import (
    ANYWHERE,
    store_entities,
)
from footnote.store.reading_progress import (
    count_read,
    note_failure,
    reading_failures,
    unread_documents,
)
from tests.conftest import TestDatabase
from tests.store.entity_factories import a_keyed_entity, an_unread, first_of_all
from tests.store.plans import faults_of
from tests.store.shelves import new_shelf

pytestmark = pytest.mark.usefixtures("own_database")


async def test_entities_are_read_by_their_indexes(
    database: Database, test_database: TestDatabase
) -> None:
    shelf = await new_shelf(database, "much-named")
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
            INSERT INTO entity_keys (workspace_id, key, document_id, ordinal)
            SELECT workspace_id, uuid_send(md5(number::text)::uuid), document_id, ordinal
            FROM document_entities, generate_series(1, 3) AS number;
            INSERT INTO entity_assignments (workspace_id, name_key, document_id, entity_id)
            SELECT workspace_id, name_key, document_id, entity_id FROM document_entities;
            INSERT INTO entity_decisions (
                workspace_id, decision_id, act, entity_id, content, decided_by
            )
            SELECT workspace_id, gen_random_uuid(), 'merge', entity_id, '{}', ''
            FROM document_entities;
            INSERT INTO entity_names (workspace_id, entity_id, name)
            SELECT DISTINCT workspace_id, entity_id, 'name' FROM document_entities;
            """
        )
        connection.execute("VACUUM ANALYZE")
    some = uuid4()
    given: dict[str, object] = {
        **{"document_id": some, "ordinal": 1, "limit": 9, "anywhere": ANYWHERE},
        **{"keys": [b"0" * 16], "name_keys": [b"0" * 16], "entity_id": some, "other_id": some},
        **{"entity_ids": [some], "wanted": [some], "kinds": [], "after": None, "version": 1},
        **{"after_documents": 0, "after_mentions": 0, "decided_at": datetime.now(UTC)},
        **{"document_ids": [some], "linked_by": None, "decision_id": some},
    }
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        faults = []
        for name, index in (
            ("earlier", "document_entities_pkey"),
            ("assigned", "entity_assignments_pkey"),
            ("candidates", "entity_keys_pkey"),
            ("page", "document_entities_entity"),
            ("with_words", "entity_keys_pkey"),
            ("of_entities", "document_entities_entity"),
            ("mentions_of", "document_entities_"),
            ("called", "entity_keys_pkey"),
            ("given_names", "entity_names_pkey"),
            ("members", "document_entities_entity"),
            ("move", "document_entities_pkey"),
            ("assignments_of", "entity_assignments_pkey"),
            ("remove", "document_entities_pkey"),
            ("decisions", "entity_decisions_entity"),
        ):
            one = {"document_id": None} if name == "page" else {}
            faults += await faults_of(scope, ("entities", name, index), given | one)
    assert faults == []


async def test_what_is_kept_replaces_what_was_named(database: Database) -> None:
    shelf = await new_shelf(database, "named")
    document_id = await shelf.put("The premium is due in March.")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        entities = [a_keyed_entity("Acme", (0, 4)), a_keyed_entity("Bolt", (5, 9), (10, 14))]
        assert await store_entities(scope, an_unread(document_id), "test", entities, first_of_all)
        before = await list_entities(scope, EntityFilter(), limit=9, after=None)
        again = entities[1:]
        assert await store_entities(scope, an_unread(document_id), "test", again, first_of_all)
        after = await list_entities(scope, EntityFilter(), limit=9, after=None)
        counts = await count_read(scope, "entities", ("test",))
    assert [(each.name, each.mentions) for each in before] == [("Bolt", 2), ("Acme", 1)]
    assert after == before[:1]
    assert (counts.documents, counts.done, counts.found) == (1, 1, 2)


async def test_what_another_document_names_is_linked(database: Database) -> None:
    shelf = await new_shelf(database, "linked")
    first, other = await shelf.put("Acme lends."), await shelf.put("Acme borrows.")
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        for each in (first, other):
            acme = [a_keyed_entity("Acme")]
            assert await store_entities(scope, an_unread(each), "test", acme, first_of_all)
        [acme_of_both] = await list_entities(scope, EntityFilter(), limit=9, after=None)
        found = [each for each, _ in await names_in_documents(scope, acme_of_both.entity_id, 9)]
    assert acme_of_both.documents == 2
    assert {each.linked_by for each in found} == {None, LinkReason.SAME_NAME}


async def test_a_version_that_is_no_longer_published_is_not_kept(database: Database) -> None:
    shelf = await new_shelf(database, "named")
    document_id = await shelf.put("The premium is due in March.")
    acme = [a_keyed_entity("Acme")]
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        late = an_unread(document_id, version=9)
        assert not await store_entities(scope, late, "test", acme, first_of_all)
        assert not await store_entities(scope, an_unread(uuid4()), "test", acme, first_of_all)
        assert await list_entities(scope, EntityFilter(), limit=9, after=None) == ()


async def test_a_document_that_failed_is_tried_again_so_many_times(database: Database) -> None:
    shelf = await new_shelf(database, "failing")
    document_id = await shelf.put("The premium is due in March.")

    async def unread() -> list[UUID]:
        found = await unread_documents(scope, "entities", "test", attempts=2, limit=9)
        return [each.document_id for each in found]

    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        assert await unread() == [document_id]
        await note_failure(scope, "entities", an_unread(document_id), "test", "no memory")
        assert await unread() == [document_id]
        await note_failure(scope, "entities", an_unread(document_id), "test", "no memory")
        assert await unread() == []
        [failure] = await reading_failures(scope, "entities", EntityFailure, 9)
        assert (failure.document_id, failure.reason) == (document_id, "no memory")
        assert (await count_read(scope, "entities", ("test",))).failed == 1
        assert len(await unread_documents(scope, "entities", "other", attempts=2, limit=9)) == 1
