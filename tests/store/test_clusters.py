"""Clusters are read by their indexes, and kept as what documents are now."""

from __future__ import annotations

from uuid import UUID, uuid4

import psycopg
import pytest

from footnote.domain.clusters import ClusterGranularity, ClusterOf
from footnote.store.clusters import (
    ClusterName,
    cluster_names,
    count_looked_at,
    count_visible,
    embedded_members,
    forget_cluster_names,
    last_run,
    name_cluster,
    nameless_clusters,
    note_cluster_failure,
    numbers_looked_at,
    store_clusters,
    vectors_of,
)
from footnote.store.database import SYSTEM, Database
from footnote.store.lanes import current_lane
from tests.conftest import TestDatabase
from tests.store.cluster_factories import a_run, keep_one_cluster, some_members
from tests.store.plans import faults_of
from tests.store.shelves import Shelf, new_shelf

pytestmark = pytest.mark.usefixtures("own_database")

FINE = ClusterGranularity.FINE
DOCUMENTS = ClusterOf.DOCUMENTS


async def test_clusters_are_read_by_their_indexes(
    database: Database, test_database: TestDatabase
) -> None:
    shelf = await new_shelf(database, "much-clustered")
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO workspaces (workspace_id, name, lexical_key)
            SELECT md5(number::text)::uuid, 'other-' || number, sha256(number::text::bytea)
            FROM generate_series(1, 60) AS number;
            INSERT INTO lanes
                (workspace_id, lane_id, name, provider, model, dimensions, revision, state)
            SELECT workspace_id, 7, 'document', '', '', 4, '', 'active' FROM workspaces;
            INSERT INTO collections (workspace_id, name)
            SELECT workspace_id, 'kept' FROM workspaces ON CONFLICT DO NOTHING;
            INSERT INTO documents (
                workspace_id, document_id, collection, filename, title, media_type, source_type,
                byte_size, content_sha256, status, stage, version, published_version, created_by
            )
            SELECT workspace_id, md5(name || number)::uuid, 'kept', '', '', '', 'upload', 0, '',
                'indexed', 'publish', 1, 1, ''
            FROM workspaces, generate_series(1, 60) AS number;
            INSERT INTO document_embeddings (
                workspace_id, lane_id, first_chunk, end_chunk, document_id, length, embedding,
                text_hash
            )
            SELECT workspace_id, 7, row_number() OVER (PARTITION BY workspace_id) * 2, 0,
                document_id, 1, '[1, 0, 0, 0]', ''
            FROM documents;
            INSERT INTO clusters (workspace_id, cluster_id, granularity)
            SELECT workspace_id, md5(name || number || 'c')::uuid, 'fine'
            FROM workspaces, generate_series(1, 20) AS number;
            INSERT INTO cluster_names (workspace_id, cluster_id, name)
            SELECT workspace_id, cluster_id, '{}' FROM clusters;
            INSERT INTO cluster_name_sources (workspace_id, document_id, cluster_id)
            SELECT DISTINCT ON (workspace_id, cluster_id) workspace_id, document_id, cluster_id
            FROM clusters JOIN documents USING (workspace_id);
            INSERT INTO cluster_members (
                workspace_id, document_id, granularity, first_chunk, run, cluster_id
            )
            SELECT workspace_id, document_id, granularity, first_chunk, 1, gen_random_uuid()
            FROM document_embeddings, unnest(ARRAY['coarse', 'middle', 'fine']) AS granularity;
            INSERT INTO chunk_cluster_members (
                workspace_id, document_id, granularity, chunk_no, run, cluster_id
            )
            SELECT workspace_id, document_id, granularity, first_chunk, run, cluster_id
            FROM cluster_members;
            """
        )
        connection.execute("VACUUM ANALYZE")
    given: dict[str, object] = {
        **{"lane_id": 7, "granularity": "fine", "coarser": "middle", "run": 1, "most": 40},
        **{"cluster_id": uuid4(), "cluster_ids": [uuid4(), uuid4()], "document_ids": [uuid4()]},
        **{"numbers": [2, 4], "of": "documents"},
    }
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        faults = []
        for name, index in (
            ("embedded", "document_embeddings_"),
            ("vectors", "document_embeddings_pkey"),
            ("members", "cluster_members_"),
            ("looked_at", "cluster_members_"),
            ("counts", "cluster_members_"),
            ("sampled", "cluster_members_of_cluster"),
            ("places", "cluster_members_"),
            ("parents", "cluster_members_"),
            ("names", "cluster_names_pkey"),
            ("names", "cluster_name_sources_"),
            ("progress", "cluster_members_"),
            ("nameless", "clusters_pkey"),
            ("granularity_of", "clusters_pkey"),
            ("forget_names", "cluster_name_sources_"),
        ):
            faults += await faults_of(scope, ("clusters", name, index), given)
        for name, index in (
            ("embedded", "document_embeddings_"),
            ("members", "chunk_cluster_members_"),
            ("looked_at", "chunk_cluster_members_"),
            ("counts", "chunk_cluster_members_"),
            ("sampled", "chunk_cluster_members_of_cluster"),
            ("parents", "chunk_cluster_members_"),
            ("progress", "chunk_cluster_members_"),
        ):
            faults += await faults_of(scope, ("chunk_clusters", name, index), given)
    assert faults == []


async def filled(database: Database) -> tuple[Shelf, int, list[UUID]]:
    """A shelf with four documents that have vectors, its lane, and their ids."""
    shelf = await new_shelf(database, "clustered")
    ids = [await shelf.put(f"Paper {each}", about=f"paper {each}") for each in range(4)]
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        lane = await current_lane(scope, shelf.lane.name)
    assert lane is not None
    return shelf, lane[0], ids


async def test_what_is_kept_replaces_what_was_there(database: Database) -> None:
    shelf, lane_id, ids = await filled(database)
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        assert await last_run(scope, DOCUMENTS) is None
        found = await embedded_members(scope, lane_id, DOCUMENTS)
        assert set(found.owners) == set(ids)
        assert (await vectors_of(scope, lane_id, found.numbers, DOCUMENTS)).shape == (4, 64)
        first = await keep_one_cluster(scope, lane_id, "papers")
        assert (await count_visible(scope, lane_id, FINE, DOCUMENTS)).clusters == {first: 4}
        assert (await numbers_looked_at(scope, 1, DOCUMENTS)).tolist() == found.numbers.tolist()
        numbers = found.numbers.tolist()
        second = uuid4()
        kept = [
            some_members(found.owners[:3], numbers[:3], second),
            some_members(found.owners[3:], numbers[3:], None),
        ]
        await store_clusters(scope, lane_id, a_run(lane_id, run=2), kept)
        seen = await count_visible(scope, lane_id, FINE, DOCUMENTS)
        assert (dict(seen.clusters), seen.outliers) == ({second: 3}, 1)
        assert await cluster_names(scope, [first, second]) == {}
        assert await nameless_clusters(scope, DOCUMENTS) == ((second, FINE),)
        run = await last_run(scope, DOCUMENTS)
        assert run is not None
        assert run.run == 2
        assert await count_looked_at(scope, lane_id, DOCUMENTS) == (4, None)


async def test_a_document_that_went_meanwhile_is_not_kept(database: Database) -> None:
    shelf, lane_id, ids = await filled(database)
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        found = await embedded_members(scope, lane_id, DOCUMENTS)
    await shelf.remove(ids[0])
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        cluster = uuid4()
        kept = [some_members(found.owners, found.numbers.tolist(), cluster)]
        await store_clusters(scope, lane_id, a_run(lane_id), kept)
        assert (await count_visible(scope, lane_id, FINE, DOCUMENTS)).clusters == {cluster: 3}


async def test_a_name_goes_with_a_document_that_it_is_of(database: Database) -> None:
    shelf, lane_id, _ = await filled(database)
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        found = await embedded_members(scope, lane_id, DOCUMENTS)
        numbers = found.numbers.tolist()
        cluster = uuid4()
        kept = [some_members(found.owners, numbers, cluster)]
        await store_clusters(scope, lane_id, a_run(lane_id), kept)
        name = ClusterName(label=("papers",), labelled_by="terms")
        gone = [*numbers[:1], 10**6]
        assert not await name_cluster(scope, lane_id, cluster, name, gone)
        assert await name_cluster(scope, lane_id, cluster, name, numbers[:2])
        assert await cluster_names(scope, [cluster]) == {cluster: name}
        await forget_cluster_names(scope, [found.owners[3]])
        assert await cluster_names(scope, [cluster]) == {cluster: name}
    await shelf.remove(found.owners[1])
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        assert await cluster_names(scope, [cluster]) == {}
        assert await scope.all("SELECT FROM cluster_name_sources") == []


async def test_a_failure_is_noted_until_it_goes_well(database: Database) -> None:
    shelf, lane_id, _ = await filled(database)
    async with database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        await note_cluster_failure(scope, lane_id, "no memory", DOCUMENTS)
        run = await last_run(scope, DOCUMENTS)
        assert run is not None
        assert (run.run, run.failure) == (0, "no memory")
        await keep_one_cluster(scope, lane_id, "papers")
        run = await last_run(scope, DOCUMENTS)
        assert run is not None
        assert run.failure is None
