"""Clusters of chunks: passages that are alike whatever documents they are in, each at its place."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest

from footnote.domain import Principal, Role, Visibility
from footnote.domain.clusters import Cluster, ClusterGranularity, ClusterOf, ClusterPage
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.clustering import MAX_COMPARED, numbers_to_cluster
from footnote.errors import NotFound
from footnote.jobs.clusters import cluster_slice
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from footnote.store.database import SYSTEM

CHUNKS, FINE = ClusterOf.CHUNKS, ClusterGranularity.FINE
SUBJECTS = ("harbour berths", "chess openings", "rye bread")
TOWNS = ("Aal", "Bergen", "Celle", "Delft", "Exeter")


SETTINGS = {"clusters": "chunks"}


@pytest.fixture
def engine(encrypted_engine: Engine) -> Engine:
    return encrypted_engine


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("shelf")).name)


async def put(workspace: WorkspaceEngine, *towns: str) -> dict[str, UUID]:
    """Ingest a document of each town, with a section on each of the subjects."""
    ids = {}
    for town in towns:
        parts = [
            f"## {subject}\n\nOf {town} and {subject}: all of this is about "
            f"{subject}, {subject} alone."
            for subject in SUBJECTS
        ]
        text = "\n\n".join(("# Notes", *parts))
        received = await workspace.receive(text.encode(), f"{town}.md", external_id=town)
        ids[town] = received.document.document_id
    await work_until_resting(workspace.engine, workspace, list(ids.values()), lambda _: None)
    return ids


async def clustered(workspace: WorkspaceEngine) -> ClusterPage:
    await cluster_slice(workspace.engine, workspace.workspace_id)
    return await workspace.clusters(of=CHUNKS, granularity=FINE)


async def about(workspace: WorkspaceEngine, page: ClusterPage, subject: str) -> Cluster:
    """The cluster whose passages are all about a subject."""
    found = []
    for each in page.clusters:
        detail = await workspace.cluster(each.cluster_id, limit=200)
        quotes = [one.passage.quote for one in detail.members if one.passage is not None]
        assert len(quotes) == len(detail.members) == each.chunks
        if all(subject in quote for quote in quotes):
            found.append(each)
    [cluster] = found
    return cluster


def acting(workspace: WorkspaceEngine, name: str) -> WorkspaceEngine:
    return replace(workspace, principal=Principal(principal_id=name, role=Role.WRITER))


async def test_chunks_of_several_documents_are_clustered_named_and_quoted(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await put(workspace, *TOWNS)
    page = await clustered(workspace)
    assert (page.of, page.unplaced) == (CHUNKS, 0)
    bread = await about(workspace, page, "rye bread")
    assert bread.of is CHUNKS
    assert bread.chunks == bread.documents >= 4
    assert any("bread" in each.lower() for each in bread.label)
    detail = await workspace.cluster(bread.cluster_id)
    assert [each.distance for each in detail.members] == sorted(
        each.distance for each in detail.members
    )
    for each in detail.members:
        assert each.passage is not None
        text = await workspace.text(each.document_id, most_characters=10_000)
        assert text is not None
        quoted = text.text[each.passage.char_start : each.passage.char_end]
        assert quoted == each.passage.quote
        context = await workspace.context(each.passage.chunk_id)
        assert context.chunk.chunk_id == each.passage.chunk_id
        assert each.passage.heading_path[-1] == "rye bread"
    assert {each.cluster_id for each in detail.neighbours} == {
        each.cluster_id for each in page.clusters if each.cluster_id != bread.cluster_id
    }
    # Documents are another matter.
    assert (await workspace.clusters(granularity=FINE)).clusters == ()
    progress = await workspace.cluster_progress(of=CHUNKS)
    assert (progress.of, progress.enabled) == (CHUNKS, True)
    assert progress.done == progress.documents == 5
    # What comes later joins under the same id, and a worker that looks again finds nothing to do.
    await put(workspace, "Faro")
    later = await about(workspace, await clustered(workspace), "rye bread")
    assert (later.cluster_id, later.label) == (bread.cluster_id, bread.label)
    assert (later.chunks or 0) >= bread.chunks


async def test_chunks_go_with_their_document_and_are_hidden_with_it(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    ids = await put(workspace, *TOWNS)
    page = await clustered(workspace)
    bread = await about(workspace, page, "rye bread")
    other = await engine.workspace((await engine.create_workspace("other")).name)
    with pytest.raises(NotFound):
        await other.cluster(bread.cluster_id)
    assert (await clustered(other)).clusters == ()
    whole = await workspace.cluster(bread.cluster_id)
    first, *others = sorted({each.document_id for each in whole.members})
    town = next(each for each, document_id in ids.items() if document_id == first)
    await workspace.set_document_access(first, Visibility.PRIVATE, shared_with=["ann"])
    bob = acting(workspace, "bob")
    seen = await bob.cluster(bread.cluster_id)
    assert seen.cluster.chunks == seen.cluster.documents == len(others)
    shown = f"{seen}{await bob.clusters(of=CHUNKS, granularity=FINE)}"
    assert str(first) not in shown
    assert town not in shown
    assert (await bob.cluster_progress(of=CHUNKS)).documents < (
        await workspace.cluster_progress(of=CHUNKS)
    ).documents
    # Two passages of it are too few to tell of it.
    for each in others[2:]:
        await workspace.set_document_access(each, Visibility.PRIVATE, shared_with=["ann"])
    with pytest.raises(NotFound):
        await bob.cluster(bread.cluster_id)
    await workspace.delete_document(first)
    left = await workspace.cluster(bread.cluster_id)
    assert str(first) not in f"{left}"
    assert left.cluster.chunks == len(others)
    async with engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        # The names that were taken from it went with it, too.
        for table in ("chunk_cluster_members", "cluster_name_sources"):
            rows = await scope.all(
                f"SELECT FROM {table}"
                " WHERE workspace_id = %(workspace_id)s AND document_id = %(id)s",
                {"id": first},
            )
            assert rows == []


async def test_chunks_wait_where_they_are_switched_off_or_paused(own_settings: Settings) -> None:
    async with await open_engine(own_settings) as engine:
        workspace = await engine.workspace((await engine.create_workspace("shelf")).name)
        await put(workspace, *TOWNS)
        assert (await clustered(workspace)).clusters == ()
        assert not (await workspace.cluster_progress(of=CHUNKS)).running
        await workspace.change_setting("clusters", "chunks")
        assert (await workspace.cluster_progress(of=CHUNKS)).running
        [kind] = [
            each for each in (await workspace.backfill()).kinds if each.kind == "chunk_clusters"
        ]
        assert (kind.enabled, kind.waiting, kind.done) == (True, kind.documents, 0)
        await workspace.change_setting("paused_work", "chunk_clusters")
        assert (await clustered(workspace)).clusters == ()
        await workspace.change_setting("paused_work", "")
        assert (await clustered(workspace)).clusters


def test_of_many_chunks_a_sample_is_clustered_that_stays_much_the_same() -> None:
    numbers = np.arange(3 * MAX_COMPARED, dtype=np.int32)
    assert numbers_to_cluster(numbers, ClusterOf.DOCUMENTS).size == numbers.size
    wanted = numbers_to_cluster(numbers, CHUNKS)
    assert wanted.size == MAX_COMPARED
    later = numbers_to_cluster(np.arange(numbers.size + 600, dtype=np.int32), CHUNKS)
    assert np.intersect1d(wanted, later).size > 0.98 * MAX_COMPARED
